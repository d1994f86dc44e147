//! Cells of one row that have to fit each other.

use agent_common::dates::Date;
use agent_common::exact::Exact;
use agent_common::formula::Formula;
use agent_common::sheet::Sheet;

use super::cell::Cell;
use crate::clock;
use crate::finding::Finding;
use crate::rule::Part;

/// A cell that is not what the formula gives, to the cent.
pub(crate) fn equal(sheet: &Sheet, row: usize, at: usize, formula: &Formula) -> Option<Finding> {
    let own = sheet.number(row, at)?;
    let wanted = formula.value(&|column| sheet.number(row, column))?;
    let apart = own.minus(wanted)?;
    let cent = Exact::read("0.005")?;
    let wrong = apart >= cent || apart <= Exact::default().minus(cent)?;
    let shown = wanted.rounded(4).text();
    wrong.then(|| Finding {
        rows: vec![row + 1],
        field: sheet.name(at).to_owned(),
        kind: "inconsistent",
        message: format!("{} is {}, but {} is {shown}", sheet.name(at), own.text(), formula.text(&sheet.table.columns)),
        repair: format!("Write {shown}, or correct the parts that it comes from."),
    })
}

/// A later cell that is before the earlier one.
pub(crate) fn not_before(sheet: &Sheet, row: usize, late: usize, early: usize) -> Option<Finding> {
    let (first, second) = (Cell { sheet, row, at: late }, Cell { sheet, row, at: early });
    let (a, b) = (first.text()?, second.text()?);
    is_before(sheet, row, late, early)?.then(|| {
        first.finding(
            "inconsistent",
            format!("{} {a} is before {} {b}", first.name(), second.name()),
            "Compare both with their source; they may be swapped.".into(),
        )
    })
}

/// A number that is not above another.
pub(crate) fn above(sheet: &Sheet, row: usize, high: usize, low: usize) -> Option<Finding> {
    let (a, b) = (sheet.number(row, high)?, sheet.number(row, low)?);
    let (first, second) = (Cell { sheet, row, at: high }, Cell { sheet, row, at: low });
    (a <= b).then(|| {
        first.finding(
            "inconsistent",
            format!("{} {} is not above {} {}", first.name(), a.text(), second.name(), b.text()),
            "Compare both with their source; they may be swapped.".into(),
        )
    })
}

/// A weekday, quarter, month or year that is not that of the day beside it; `columns` are the part and the day.
pub(crate) fn part_of(sheet: &Sheet, row: usize, columns: (usize, usize), part: Part) -> Option<Finding> {
    const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let date = sheet.day(row, columns.1)?;
    let cell = Cell { sheet, row, at: columns.0 };
    let own = part.read(cell.text()?)?;
    let real = part.of(date);
    let shown = match part {
        Part::Weekday => NAMES.get(usize::try_from(real).ok()?).map(|name| (*name).to_owned())?,
        Part::Quarter => format!("Q{real}"),
        Part::Month | Part::Year => real.to_string(),
    };
    (own != real).then(|| {
        cell.finding(
            "inconsistent",
            format!("the {} of {} is {shown}, not {}", part.name(), date.iso(), cell.text().unwrap_or_default()),
            format!("Write {shown}, or correct the date."),
        )
    })
}

/// An age that does not fit the day of birth on a day; `columns` are birth and age.
pub(crate) fn age(sheet: &Sheet, row: usize, columns: (usize, usize), day: Date) -> Option<Finding> {
    let (birth, age) = columns;
    let (born, own) = (sheet.day(row, birth)?, sheet.number(row, age)?);
    let had = (day.month, day.day) >= (born.month, born.day);
    let years = Exact::whole(i64::from(day.year - born.year - i32::from(!had)));
    (own != years).then(|| {
        Cell { sheet, row, at: age }.finding(
            "inconsistent",
            format!("born {} makes {} on {}, not {}", born.iso(), years.text(), day.iso(), own.text()),
            format!("Write {}, or correct the day of birth.", years.text()),
        )
    })
}

/// Whether one cell is before another: days, times or numbers.
fn is_before(sheet: &Sheet, row: usize, late: usize, early: usize) -> Option<bool> {
    if let (Some(a), Some(b)) = (sheet.day(row, late), sheet.day(row, early)) {
        let clock = |at: usize| sheet.cell(row, at).split(['T', ' ']).nth(1).map(str::to_owned).unwrap_or_default();
        return Some(
            a < b || (a == b && !clock(late).is_empty() && !clock(early).is_empty() && clock(late) < clock(early)),
        );
    }
    if let (Some(a), Some(b)) = (clock::minutes(sheet.cell(row, late)), clock::minutes(sheet.cell(row, early))) {
        return Some(a < b);
    }
    Some(sheet.number(row, late)? < sheet.number(row, early)?)
}
