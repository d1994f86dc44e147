//! Rules of tables, and the rows that break them.

use std::collections::{BTreeMap, BTreeSet};

use agent_common::columns::{fold, is_typo};
use agent_common::dates::Date;
use agent_common::exact::Exact;
use agent_common::formula::Formula;
use agent_common::sheet::{Sheet, is_empty};

use crate::form::{self, Form};

/// A rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// The column has a value in every row.
    Required(usize),
    /// The columns together are different in every row; all columns where none is named.
    Unique(Vec<usize>),
    /// The cell is one of these.
    OneOf(usize, Vec<String>),
    /// The number is in bounds; each bound in or out.
    Range(usize, Option<(Exact, bool)>, Option<(Exact, bool)>),
    /// A number.
    Numeric(usize),
    /// A whole number.
    Whole(usize),
    /// The column is what the formula gives, to the cent.
    Equals(usize, Formula),
    /// The first column is not before the second.
    NotBefore(usize, usize),
    /// The values go up from row to row; down if false.
    Rising(usize, bool),
    /// Numbers follow each other without a gap, in bounds where they are known.
    Sequence(usize, Option<(Exact, Exact)>),
    /// The cell has a form.
    Form(usize, Form),
    /// Age in years by a day of birth and a day of reference.
    Age(usize, usize, Date),
    /// Not after a day.
    NotAfter(usize, Date),
    /// Not before a day.
    NotEarlier(usize, Date),
    /// The value stands in another table, by its name.
    Known(usize, BTreeSet<String>, String),
}

/// What is wrong in a row, or in rows that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// From 1.
    pub rows: Vec<usize>,
    pub field: String,
    pub kind: &'static str,
    pub message: String,
    pub repair: String,
}

impl Rule {
    /// The rule in words.
    pub fn text(&self, sheet: &Sheet) -> String {
        let name = |at: &usize| sheet.name(*at);
        match self {
            Self::Required(at) => format!("{} has a value", name(at)),
            Self::Unique(columns) if columns.is_empty() => "no row stands twice".into(),
            Self::Unique(columns) => {
                format!("{} is unique", columns.iter().map(name).collect::<Vec<_>>().join(" with "))
            }
            Self::OneOf(at, values) => format!("{} is one of {}", name(at), values.join(", ")),
            Self::Range(at, low, high) => format!("{} {}", name(at), bounds(*low, *high)),
            Self::Numeric(at) => format!("{} is a number", name(at)),
            Self::Whole(at) => format!("{} is a whole number", name(at)),
            Self::Equals(at, formula) => format!("{} = {}", name(at), formula.text(&sheet.table.columns)),
            Self::NotBefore(late, early) => format!("{} is not before {}", name(late), name(early)),
            Self::Rising(at, up) => format!("{} goes {}", name(at), if *up { "up" } else { "down" }),
            Self::Sequence(at, _) => format!("{} has no gaps", name(at)),
            Self::Form(at, form) => format!("{} is a valid {}", name(at), form.name()),
            Self::Age(birth, age, day) => format!("{} fits {} on {}", name(age), name(birth), day.iso()),
            Self::NotAfter(at, day) => format!("{} is not after {}", name(at), day.iso()),
            Self::NotEarlier(at, day) => format!("{} is not before {}", name(at), day.iso()),
            Self::Known(at, _, table) => format!("{} stands in {table}", name(at)),
        }
    }

    /// All that breaks the rule. Empty cells break `Required` alone.
    pub fn check(&self, sheet: &Sheet) -> Vec<Finding> {
        match self {
            Self::Unique(columns) => repeats(sheet, columns),
            Self::Rising(at, up) => falls(sheet, *at, *up),
            Self::Sequence(at, range) => gaps(sheet, *at, *range),
            _ => (0..sheet.table.rows.len()).filter_map(|row| self.check_row(sheet, row)).collect(),
        }
    }

    fn check_row(&self, sheet: &Sheet, row: usize) -> Option<Finding> {
        let found = |at: usize, kind: &'static str, message: String, repair: String| {
            Some(Finding { rows: vec![row + 1], field: sheet.name(at).to_owned(), kind, message, repair })
        };
        let cell = |at: usize| Some(sheet.cell(row, at)).filter(|cell| !is_empty(cell));
        let name = |at: usize| sheet.name(at);
        match self {
            Self::Required(at) => match cell(*at) {
                Some(_) => None,
                None => found(
                    *at,
                    "missing",
                    format!("{} has no value", name(*at)),
                    "Ask for the value at its source and fill it in.".into(),
                ),
            },
            Self::OneOf(at, values) => {
                let own = cell(*at)?;
                if values.iter().any(|value| fold(value) == fold(own)) {
                    return None;
                }
                let near = values.iter().find(|value| is_typo(&fold(value), &fold(own)));
                let repair = near
                    .map_or_else(|| format!("Take one of {}.", values.join(", ")), |near| format!("Write \"{near}\"."));
                found(*at, "range", format!("\"{own}\" is none of {}", values.join(", ")), repair)
            }
            Self::Range(at, low, high) => {
                let own = cell(*at)?;
                let Some(number) = sheet.number(row, *at) else {
                    return found(*at, "type", format!("\"{own}\" is no number"), "Write a number in digits.".into());
                };
                let below = low.is_some_and(|(low, within)| number < low || (!within && number == low));
                let above = high.is_some_and(|(high, within)| number > high || (!within && number == high));
                (below || above).then(|| {
                    found(
                        *at,
                        "range",
                        format!("{own} is not {}", bounds(*low, *high)),
                        "Compare the value with its source; a shifted point or a sign is common.".into(),
                    )
                })?
            }
            Self::Numeric(at) | Self::Whole(at) => {
                let own = cell(*at)?;
                match sheet.number(row, *at) {
                    None => found(*at, "type", format!("\"{own}\" is no number"), "Write a number in digits.".into()),
                    Some(number) if matches!(self, Self::Whole(_)) && !number.is_whole() => {
                        found(*at, "type", format!("{own} is no whole number"), "Write a whole number.".into())
                    }
                    Some(_) => None,
                }
            }
            Self::Equals(at, formula) => self.check_equal(sheet, row, *at, formula),
            Self::NotBefore(late, early) => {
                let (a, b) = (cell(*late)?, cell(*early)?);
                is_before(sheet, row, *late, *early)?.then(|| {
                    found(
                        *late,
                        "inconsistent",
                        format!("{} {a} is before {} {b}", name(*late), name(*early)),
                        "Compare both with their source; they may be swapped.".into(),
                    )
                })?
            }
            Self::Form(at, form) => {
                let own = cell(*at)?;
                (!form.fits(own)).then(|| {
                    found(
                        *at,
                        "format",
                        format!("\"{own}\" is no valid {}", form.name()),
                        format!("Write a valid {}.", form.name()),
                    )
                })?
            }
            Self::Age(birth, age, day) => {
                let (born, own) = (sheet.day(row, *birth)?, sheet.number(row, *age)?);
                let had = (day.month, day.day) >= (born.month, born.day);
                let years = Exact::whole(i64::from(day.year - born.year - i32::from(!had)));
                (own != years).then(|| {
                    found(
                        *age,
                        "inconsistent",
                        format!("born {} makes {} on {}, not {}", born.iso(), years.text(), day.iso(), own.text()),
                        format!("Write {}, or correct the day of birth.", years.text()),
                    )
                })?
            }
            Self::NotAfter(at, day) => {
                let own = sheet.day(row, *at)?;
                (own > *day).then(|| {
                    found(
                        *at,
                        "range",
                        format!("{} is after {}", own.iso(), day.iso()),
                        "Correct the date at its source.".into(),
                    )
                })?
            }
            Self::NotEarlier(at, day) => {
                let own = sheet.day(row, *at)?;
                (own < *day).then(|| {
                    found(
                        *at,
                        "range",
                        format!("{} is before {}", own.iso(), day.iso()),
                        "Correct the date at its source.".into(),
                    )
                })?
            }
            Self::Known(at, all, table) => {
                let own = cell(*at)?;
                (!all.contains(&fold(own))).then(|| {
                    found(
                        *at,
                        "inconsistent",
                        format!("\"{own}\" does not stand in {table}"),
                        format!("Add it to {table}, or correct it."),
                    )
                })?
            }
            Self::Unique(_) | Self::Rising(..) | Self::Sequence(..) => None,
        }
    }

    fn check_equal(&self, sheet: &Sheet, row: usize, at: usize, formula: &Formula) -> Option<Finding> {
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
            message: format!(
                "{} is {}, but {} is {shown}",
                sheet.name(at),
                own.text(),
                formula.text(&sheet.table.columns)
            ),
            repair: format!("Write {shown}, or correct the parts that it comes from."),
        })
    }
}

fn bounds(low: Option<(Exact, bool)>, high: Option<(Exact, bool)>) -> String {
    match (low, high) {
        (Some((low, _)), Some((high, _))) => format!("between {} and {}", low.text(), high.text()),
        (Some((low, true)), None) => format!("at least {}", low.text()),
        (Some((low, false)), None) => format!("above {}", low.text()),
        (None, Some((high, true))) => format!("at most {}", high.text()),
        (None, Some((high, false))) => format!("below {}", high.text()),
        (None, None) => "a number".into(),
    }
}

/// Whether one cell is before another: days, times or numbers.
fn is_before(sheet: &Sheet, row: usize, late: usize, early: usize) -> Option<bool> {
    if let (Some(a), Some(b)) = (sheet.day(row, late), sheet.day(row, early)) {
        let clock = |at: usize| sheet.cell(row, at).split(['T', ' ']).nth(1).map(str::to_owned).unwrap_or_default();
        return Some(
            a < b || (a == b && !clock(late).is_empty() && !clock(early).is_empty() && clock(late) < clock(early)),
        );
    }
    if let (Some(a), Some(b)) = (form::minutes(sheet.cell(row, late)), form::minutes(sheet.cell(row, early))) {
        return Some(a < b);
    }
    Some(sheet.number(row, late)? < sheet.number(row, early)?)
}

fn repeats(sheet: &Sheet, columns: &[usize]) -> Vec<Finding> {
    let all: Vec<usize> = if columns.is_empty() { (0..sheet.table.columns.len()).collect() } else { columns.to_vec() };
    let mut places: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for row in 0..sheet.table.rows.len() {
        let own: Vec<String> = all
            .iter()
            .map(|at| sheet.cell(row, *at))
            .map(|cell| if columns.is_empty() { cell.to_owned() } else { fold(cell) })
            .collect();
        if own.iter().any(|cell| !is_empty(cell)) && (columns.is_empty() || own.iter().all(|cell| !is_empty(cell))) {
            places.entry(own).or_default().push(row);
        }
    }
    let field = if columns.is_empty() {
        "row".to_owned()
    } else {
        columns.iter().map(|at| sheet.name(*at)).collect::<Vec<_>>().join(" | ")
    };
    let mut found: Vec<Finding> = Vec::new();
    for rows in places.into_values().filter(|rows| rows.len() > 1) {
        let first = rows.first().copied().unwrap_or(0);
        let shown = all.iter().take(3).map(|at| sheet.cell(first, *at)).collect::<Vec<_>>().join(", ");
        let numbers: Vec<usize> = rows.iter().map(|row| row + 1).collect();
        let list = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let repair = if columns.is_empty() {
            "Remove the repeated row."
        } else {
            "Remove the repeated row, or give it a value of its own."
        };
        found.push(Finding {
            rows: numbers,
            field: field.clone(),
            kind: "duplicate",
            message: format!("{shown} stands in rows {list}"),
            repair: repair.into(),
        });
    }
    found.sort_by_key(|finding| finding.rows.clone());
    found
}

/// Something that can be compared from row to row.
fn rank(sheet: &Sheet, row: usize, at: usize) -> Option<(i64, String, Exact)> {
    if let Some(day) = sheet.day(row, at) {
        let clock = sheet.cell(row, at).split(['T', ' ']).nth(1).unwrap_or_default().to_owned();
        return Some((day.days(), clock, Exact::default()));
    }
    if let Some(minutes) = form::minutes(sheet.cell(row, at)) {
        return Some((minutes, String::new(), Exact::default()));
    }
    Some((0, String::new(), sheet.number(row, at)?))
}

fn falls(sheet: &Sheet, at: usize, up: bool) -> Vec<Finding> {
    let mut best: Option<((i64, String, Exact), usize)> = None;
    let mut found = Vec::new();
    for row in 0..sheet.table.rows.len() {
        let Some(own) = rank(sheet, row, at) else { continue };
        let falls = best.as_ref().is_some_and(|(before, _)| if up { own < *before } else { own > *before });
        if falls {
            let before = best.as_ref().map_or("", |(_, row)| sheet.cell(*row, at));
            let message = format!("{} comes after {before}", sheet.cell(row, at));
            found.push(Finding {
                rows: vec![row + 1],
                field: sheet.name(at).to_owned(),
                kind: "inconsistent",
                message,
                repair: "Correct the value, or put the row where it belongs.".into(),
            });
        } else {
            best = Some((own, row));
        }
    }
    found
}

fn gaps(sheet: &Sheet, at: usize, range: Option<(Exact, Exact)>) -> Vec<Finding> {
    let numbers: Vec<(usize, i64)> = (0..sheet.table.rows.len())
        .filter_map(|row| {
            let cell = sheet.cell(row, at);
            let digits: String =
                cell.chars().rev().take_while(char::is_ascii_digit).collect::<Vec<_>>().into_iter().rev().collect();
            Some((row, digits.parse().ok()?))
        })
        .collect();
    let ends = range.and_then(|(low, high)| Some((low.text().parse().ok()?, high.text().parse().ok()?)));
    let (Some(least), Some(most)) = (numbers.iter().map(|(_, n)| *n).min(), numbers.iter().map(|(_, n)| *n).max())
    else {
        return Vec::new();
    };
    let (low, high): (i64, i64) = ends.unwrap_or((least, most));
    let known: BTreeSet<i64> = numbers.iter().map(|(_, n)| *n).collect();
    let mut found = repeats(sheet, &[at]);
    if high - low > 10_000 {
        return found;
    }
    for missing in (low..=high).filter(|n| !known.contains(n)) {
        let behind = numbers.iter().filter(|(_, n)| *n > missing).map(|(row, _)| row + 1).next();
        found.push(Finding {
            rows: behind.into_iter().collect(),
            field: sheet.name(at).to_owned(),
            kind: "missing",
            message: format!("{missing} is not there"),
            repair: "Add the row that is missing, or number the rows anew.".into(),
        });
    }
    for (row, number) in numbers.iter().filter(|(_, n)| *n < low || *n > high) {
        found.push(Finding {
            rows: vec![row + 1],
            field: sheet.name(at).to_owned(),
            kind: "range",
            message: format!("{number} is not between {low} and {high}"),
            repair: "Correct the number.".into(),
        });
    }
    found
}
