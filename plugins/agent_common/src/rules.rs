//! Violations of the rules of a table.

use std::collections::BTreeMap;

use crate::cells::{self, Cells, Values};
use crate::condition::{self, Comparison, Condition, Verdict};
use crate::dates::{self, Order};
use crate::exact::Exact;
use crate::expression::Expression;
use crate::formats;
use crate::quantity::Style;
pub use crate::rule::{DatePart, Finding, Names, Rule, Type, text};
use crate::{columns, patterns, relations};

/// Returns the violations of a rule.
///
/// # Errors
/// A column that does not exist, or cells that can mean two things.
pub fn check(rule: &Rule, cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let each = |names: &[String], kind: &'static str, message: &str, fits: &dyn Fn(usize, &str) -> bool| {
        let mut found = Vec::new();
        for name in names {
            let at = column(name, cells)?;
            let bad = |(row, cell): (usize, &str)| {
                (!cell.is_empty() && !fits(at, cell))
                    .then(|| finding(row, name, kind, format!("`{cell}` is {message}")))
            };
            found.extend(cells.table.cells(at).into_iter().enumerate().filter_map(bad));
        }
        Ok(found)
    };
    match rule {
        Rule::Required { columns } => required(columns.as_ref().unwrap_or(&cells.table.columns), cells),
        Rule::Unique { columns, ignore_case } => repeats(columns.as_deref(), *ignore_case == Some(true), cells),
        Rule::Type { columns, kind } => {
            each(columns, "type", &format!("not {}", kind.name()), &|at, cell| kind.fits(cell, at, cells))
        }
        Rule::Format { columns, format, country } => {
            if country.as_ref().is_some_and(|country| !formats::knows(country)) {
                return Err("the postcodes of this country are not known".into());
            }
            each(columns, "format", &format!("no valid {}", format.name()), &|_, cell| {
                format.fits(cell, country.as_deref())
            })
        }
        Rule::Dates { columns, pattern } => {
            if !formats::is_pattern(pattern) {
                return Err(format!("`{pattern}` is not a pattern such as YYYY-MM-DD"));
            }
            each(columns, "format", &format!("no date written as {pattern}"), &|_, cell| {
                formats::fits_pattern(cell, pattern)
            })
        }
        Rule::Pattern { columns, regex } => {
            let whole = format!("^(?:{regex})$");
            if patterns::compiled(&whole).is_none() {
                return Err(format!("`{regex}` is not a regular expression"));
            }
            each(columns, "format", &format!("no match of {regex}"), &|_, cell| patterns::is_match(&whole, cell))
        }
        Rule::Length { columns, min, max } => {
            let fits = |_: usize, cell: &str| {
                let length = u32::try_from(cell.chars().count()).unwrap_or(u32::MAX);
                min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
            };
            each(columns, "format", "too short or too long", &fits)
        }
        Rule::Condition { that, when } => conditions(that, when.as_deref().unwrap_or_default(), cells),
        Rule::Formula { column, equals, tolerance } => formula(column, equals, *tolerance, cells),
        Rule::Ascending { column, descending, strict } => ascending(column, *descending, *strict, cells),
        Rule::Consecutive { column, from, to } => consecutive(column, (*from, *to), cells),
        Rule::Total { column: name, equals, tolerance } => {
            let numbers = cells.numbers(column(name, cells)?)?;
            let sum = numbers.iter().flatten().try_fold(Exact::default(), |sum, number| sum.plus(*number));
            let (sum, wanted) = (sum.ok_or("the sum is too large")?, exact(*equals)?);
            let text = || format!("the sum of {name} is {}, not {}", sum.text(), wanted.text());
            let wrong = differs(sum, wanted, exact(tolerance.unwrap_or(0.0))?);
            Ok(wrong.then(|| whole(name, "inconsistent", text())).into_iter().collect())
        }
        Rule::DatePart { column: name, part, of } => parts(name, *part, of, cells),
        Rule::Age { column: name, born, on } => ages(name, born, on, cells),
    }
}

fn column(name: &str, cells: &Cells<'_>) -> Result<usize, String> {
    cells.table.column(name).ok_or_else(|| condition::unknown(name, cells))
}

fn finding(row: usize, field: &str, kind: &'static str, message: String) -> Finding {
    Finding { row: Some(row + 1), field: field.to_owned(), kind, message }
}

fn whole(field: &str, kind: &'static str, message: String) -> Finding {
    Finding { row: None, field: field.to_owned(), kind, message }
}

fn exact(number: f64) -> Result<Exact, String> {
    Exact::read(&number.to_string()).ok_or_else(|| format!("{number} has too many digits"))
}

fn differs(a: Exact, b: Exact, tolerance: Exact) -> bool {
    let off = a.minus(b).unwrap_or_default();
    off > tolerance || off < Exact::default().minus(tolerance).unwrap_or_default()
}

impl Type {
    fn fits(self, cell: &str, at: usize, cells: &Cells<'_>) -> bool {
        let number = |style: Style| cells::number(cell, style).map(|(number, _)| number);
        let order = cells.order(at).ok().flatten();
        let orders =
            order.map_or_else(|| vec![None, Some(Order::DayFirst), Some(Order::MonthFirst)], |one| vec![Some(one)]);
        let moment = orders.into_iter().find_map(|order| cells::moment(cell, order));
        match self {
            Self::Number => number(Style::Point).or(number(Style::Comma)).is_some(),
            Self::Integer => number(cells.style(at).unwrap_or(Style::Point)).is_some_and(Exact::is_whole),
            Self::Date => moment.is_some_and(|moment| moment.date.is_some()),
            Self::Time => moment.is_some_and(|moment| moment.date.is_none()),
            Self::Boolean => ["yes", "no", "true", "false", "0", "1"].contains(&cell.to_lowercase().as_str()),
        }
    }
}

fn required(names: &[String], cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let mut found = Vec::new();
    for name in names {
        let all = cells.table.cells(column(name, cells)?);
        let blank = all.into_iter().enumerate().filter(|(_, cell)| cells::is_blank(cell));
        found.extend(blank.map(|(row, _)| finding(row, name, "missing", format!("{name} has no value"))));
    }
    Ok(found)
}

fn repeats(names: Option<&[String]>, ignore_case: bool, cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let keys = relations::keys(names.unwrap_or(&cells.table.columns), cells)?;
    let field = names.map_or_else(|| "row".to_owned(), |names| names.join(", "));
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (row, key) in keys.into_iter().enumerate() {
        let key: Vec<String> =
            key.iter().map(|cell| if ignore_case { columns::fold(cell) } else { cell.trim().to_owned() }).collect();
        if key.iter().all(|cell| cell.is_empty()) {
            continue;
        }
        let shown = if names.is_some() { format!("`{}`", key.join(", ")) } else { "the row".to_owned() };
        match known.get(&key) {
            Some(first) => {
                found.push(finding(row, &field, "duplicate", format!("{shown} is already in row {}", first + 1)))
            }
            None => drop(known.insert(key, row)),
        }
    }
    Ok(found)
}

fn conditions(that: &Condition, when: &[Condition], cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let verdicts = that.verdicts(cells)?;
    let applies = when.iter().map(|one| one.verdicts(cells)).collect::<Result<Vec<_>, _>>()?;
    let of = cells.table.column(&that.column);
    let filled = |row: usize| of.is_some_and(|at| cells.table.cells(at).get(row).is_some_and(|cell| !cell.is_empty()));
    let kind = match that.is {
        Comparison::Empty | Comparison::NotEmpty => "missing",
        _ if that.other.is_some() || !when.is_empty() || of.is_none() => "inconsistent",
        Comparison::Equal | Comparison::NotEqual => "inconsistent",
        Comparison::Contains | Comparison::NotContains | Comparison::StartsWith | Comparison::EndsWith => "format",
        _ => "range",
    };
    let rule = that.text();
    let bad = |(row, verdict): (usize, &Verdict)| {
        if !applies.iter().all(|all| all.get(row) == Some(&Verdict::Met)) {
            return None;
        }
        let cell = of.and_then(|at| cells.table.cells(at).get(row).map(|cell| (*cell).to_owned())).unwrap_or_default();
        match verdict {
            Verdict::Unmet => Some(finding(row, &that.column, kind, format!("`{cell}` breaks the rule `{rule}`"))),
            Verdict::Unreadable => {
                Some(finding(row, &that.column, "type", format!("`{cell}` cannot be compared in the rule `{rule}`")))
            }
            Verdict::Blank if filled(row) && that.other.is_none() => {
                Some(finding(row, &that.column, "type", format!("`{cell}` is no value for the rule `{rule}`")))
            }
            _ => None,
        }
    };
    Ok(verdicts.iter().enumerate().filter_map(bad).collect())
}

fn formula(name: &str, equals: &str, tolerance: Option<f64>, cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let formula = Expression::parse(equals, &cells.table.columns)?;
    let (mut used, mut digits) = (Vec::new(), 0);
    for name in formula.columns().into_iter().chain([name]) {
        let at = column(name, cells)?;
        if cells.is_percent(at) {
            return Err(format!("the column `{name}` has percentages; a formula needs plain numbers such as 0.12"));
        }
        let style = cells.style(at)?;
        let sign = if style == Style::Point { '.' } else { ',' };
        let after = |cell: &&str| {
            cells::number(cell, style)
                .and_then(|_| cell.rsplit_once(sign))
                .map_or(0, |(_, part)| part.bytes().filter(u8::is_ascii_digit).count())
        };
        digits = digits.max(cells.table.cells(at).iter().map(after).max().unwrap_or(0));
        used.push((name, at, style));
    }
    let half = Exact::whole(1).over(Exact::read(&format!("2{}", "0".repeat(digits))).unwrap_or_default());
    let tolerance = tolerance.map_or(Ok(half.unwrap_or_default()), exact)?;
    let mut found = Vec::new();
    for row in 0..cells.table.rows.len() {
        let text = |at: usize| cells.table.cells(at).get(row).map_or("", |cell| *cell);
        let read = |name: &str| {
            let (_, at, style) = used.iter().find(|(column, ..)| *column == name)?;
            cells::number(text(*at), *style).map(|(number, _)| number)
        };
        if used.iter().any(|(_, at, _)| text(*at).is_empty()) {
            continue;
        }
        if let Some((bad, at, _)) = used.iter().find(|(name, ..)| read(name).is_none()) {
            found.push(finding(row, bad, "type", format!("`{}` is not a number", text(*at))));
        } else if let (Some(value), Some(written)) = (formula.value(&read), read(name))
            && differs(written, value, tolerance)
        {
            let text = format!("{name} is {}, but {} is {}", written.text(), formula.text(), value.rounded(6).text());
            found.push(finding(row, name, "inconsistent", text));
        }
    }
    Ok(found)
}

fn ascending(name: &str, down: bool, strict: bool, cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let at = column(name, cells)?;
    if cells.values(at)? == Values::Texts {
        return Err(cells.numbers(at).err().unwrap_or_default());
    }
    let ranks = cells.ranks(at)?.into_iter().enumerate().filter_map(|(row, rank)| Some((row, rank?)));
    let ranks: Vec<(usize, usize)> = ranks.collect();
    let mut found = Vec::new();
    for pair in ranks.windows(2) {
        let [(_, a), (row, b)] = pair else { continue };
        let (low, high) = if down { (b, a) } else { (a, b) };
        if low > high || (strict && low == high) {
            let cell = cells.table.cells(at).get(*row).map_or(String::new(), |cell| (*cell).to_owned());
            found.push(finding(*row, name, "inconsistent", format!("`{cell}` is out of order")));
        }
    }
    Ok(found)
}

fn consecutive(name: &str, (from, to): (Option<i64>, Option<i64>), cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let numbers = cells.numbers(column(name, cells)?)?;
    let mut rows: BTreeMap<i64, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (row, number) in numbers.iter().enumerate().filter_map(|(row, number)| Some((row, (*number)?))) {
        let Ok(whole) = number.text().parse::<i64>() else {
            return Err(format!("`{}` in the column `{name}` is not a whole number", number.text()));
        };
        let outside = from.is_some_and(|from| whole < from) || to.is_some_and(|to| whole > to);
        if outside {
            found.push(finding(row, name, "range", format!("{whole} is outside the sequence")));
        } else if let Some(first) = rows.get(&whole) {
            found.push(finding(row, name, "duplicate", format!("{whole} is already in row {}", first + 1)));
        } else {
            rows.insert(whole, row);
        }
    }
    let first = from.or_else(|| rows.keys().next().copied()).unwrap_or(0);
    let last = to.or_else(|| rows.keys().next_back().copied()).unwrap_or(-1);
    let gaps = (first..=last).filter(|number| !rows.contains_key(number)).take(100);
    found.extend(gaps.map(|gap| whole(name, "missing", format!("{gap} is missing in {name}"))));
    Ok(found)
}

fn parts(name: &str, part: DatePart, of: &str, cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let (at, days) = (column(name, cells)?, cells.moments(column(of, cells)?)?);
    let number = |cell: &str, most: u32| cell.trim().parse::<u32>().ok().filter(|n| (1..=most).contains(n));
    let pairs = cells.table.cells(at).into_iter().zip(days).enumerate();
    let bad = |(row, (cell, moment)): (usize, (&str, Option<cells::Moment>))| {
        let day = moment?.date?;
        let (written, real) = match part {
            DatePart::Year => (number(cell, 9999), u32::try_from(day.year).ok()?),
            DatePart::Quarter => (number(cell.trim_start_matches(['Q', 'q']), 4), day.month.div_ceil(3)),
            DatePart::Month => (dates::month(cell).or_else(|| number(cell, 12)), day.month),
            DatePart::Weekday => (dates::weekday(cell), day.weekday()),
        };
        let wrong = !cell.is_empty() && written != Some(real);
        wrong.then(|| finding(row, name, "inconsistent", format!("`{cell}` does not fit {}", day.iso())))
    };
    Ok(pairs.filter_map(bad).collect())
}

fn ages(name: &str, born: &str, on: &str, cells: &Cells<'_>) -> Result<Vec<Finding>, String> {
    let day = dates::read(on, None).ok_or_else(|| format!("`{on}` is not a date such as 2025-01-01"))?;
    let (ages, births) = (cells.numbers(column(name, cells)?)?, cells.moments(column(born, cells)?)?);
    let bad = |(row, (age, birth)): (usize, (&Option<Exact>, &Option<cells::Moment>))| {
        let (age, birth) = ((*age)?, (*birth)?.date?);
        let early = i64::from((day.month, day.day) < (birth.month, birth.day));
        let real = Exact::whole(i64::from(day.year - birth.year) - early);
        let text = format!("{} does not fit {}: {} on {}", age.text(), birth.iso(), real.text(), day.iso());
        (age != real).then(|| finding(row, name, "inconsistent", text))
    };
    Ok(ages.iter().zip(&births).enumerate().filter_map(bad).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Notation;
    use crate::rows;

    #[test]
    fn rules_find_what_breaks_them() {
        let table = "no;day;weekday;born;age;net;tax;gross;kind;code\n\
            1;2024-03-04;Monday;1990-06-15;34;100,00;19,00;119,00;Ann;A-1\n\
            2;2024-03-06;Thursday;1975-03-02;94;84,03;15,97;100,00;ann;\n\
            2;2024-03-05;Tuesday;;;1.250,00;237,50;1.478,50;Bo;n/a\n\
            5;;;2001-12-24;23;x;1,40;21,40;;A-22";
        let table = cells::table(table).unwrap();
        let cells = Cells::new(&table, Notation::default());
        for (rule, expect) in rows::<(Rule, String)>(include_str!("../cases/rules.json")) {
            let shown = check(&rule, &cells).map_or("error".into(), |all| {
                let one = |one: &Finding| format!("{} {} {}", one.row.unwrap_or(0), one.field, one.kind);
                all.iter().map(one).collect::<Vec<_>>().join(", ")
            });
            assert_eq!(shown, expect, "{}", text(&rule));
        }
    }
}
