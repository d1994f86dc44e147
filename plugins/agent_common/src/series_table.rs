//! Series out of tables: columns, groups, and months across.

use crate::labelled_values::{Series, Source};
use crate::table::Table;
use crate::{dates, periods, quantity};

/// Cells that say that there is no value.
pub(crate) fn is_blank(cell: &str) -> bool {
    const NONE: [&str; 14] =
        ["", "?", "-", "–", "—", "n/a", "na", "nan", "null", "none", "missing", "tbd", "...", "??"];
    NONE.contains(&cell.trim().trim_matches(['*', '_', ' ']).to_lowercase().as_str())
}

/// The series of a table.
pub(crate) fn read(table: &Table) -> Vec<Series> {
    let rows: Vec<&Vec<String>> =
        table.rows.iter().enumerate().filter(|(at, _)| !table.is_total(*at)).map(|(_, row)| row).collect();
    if let Some(across) = across(table, &rows) {
        return across;
    }
    let width = table.columns.len();
    let cells = |at: usize| -> Vec<&str> { rows.iter().map(|row| row.get(at).map_or("", |c| c.trim())).collect() };
    let columns: Vec<Vec<&str>> = (0..width).map(cells).collect();
    let numeric: Vec<usize> = (0..width).filter(|at| columns.get(*at).is_some_and(|cells| is_numeric(cells))).collect();
    if table.headless && width > 2 && numeric.len() == width {
        return wrapped(&rows).into_iter().collect();
    }
    let labels = labels(table, &columns, &numeric);
    let values: Vec<usize> = numeric.iter().copied().filter(|at| !labels.used.contains(at)).collect();
    let values: Vec<usize> = values.into_iter().filter(|at| !is_id(table, *at)).collect();
    let group = group(&columns, &numeric, &labels);
    let mut found = Vec::new();
    for at in &values {
        let column = columns.get(*at).cloned().unwrap_or_default();
        let own = (values.len() > 1 || !table.headless).then(|| table.columns.get(*at).cloned()).flatten();
        match group.and_then(|group| columns.get(group)) {
            Some(groups) => {
                let mut names: Vec<&str> = Vec::new();
                groups.iter().for_each(|name| {
                    if !names.contains(name) {
                        names.push(name)
                    }
                });
                for name in names {
                    let rows: Vec<usize> =
                        groups.iter().enumerate().filter(|(_, one)| **one == name).map(|(row, _)| row).collect();
                    let several = values.len() > 1;
                    let name =
                        if several { format!("{name} {}", own.clone().unwrap_or_default()) } else { name.into() };
                    found.extend(one(Some(name), &column, &labels.texts, &rows, table.headless));
                }
            }
            None => {
                let all: Vec<usize> = (0..column.len()).collect();
                let source_pairs = table.headless && table.columns.first().is_some_and(|name| name == "label");
                found.extend(one(own.or_else(|| table.title.clone()), &column, &labels.texts, &all, source_pairs));
            }
        }
    }
    found
}

/// One series of some rows of a column.
fn one(name: Option<String>, cells: &[&str], labels: &[String], rows: &[usize], pairs: bool) -> Option<Series> {
    let style = quantity::style(cells);
    let source = if pairs { Source::Pairs } else { Source::Table };
    let mut series = Series { name, ..Series::of(source, Vec::new(), Vec::new()) };
    let mut open: Vec<String> = Vec::new();
    let mixed = mixed_units(cells, rows, style);
    for row in rows {
        let label = labels.get(*row).cloned();
        match cells.get(*row).and_then(|cell| quantity::read(cell, style)) {
            Some(found) => {
                series.gaps.append(&mut open);
                let unit = found.unit.as_deref().filter(|_| mixed).and_then(factor);
                series.values.push(unit.map_or(found.value, |(_, by)| found.value * by));
                series.labels.extend(label);
            }
            None => open.push(label.unwrap_or_else(|| format!("row {}", row + 1))),
        }
    }
    series.ahead = open;
    if series.labels.len() != series.values.len() {
        series.labels.clear();
    }
    (series.values.len() > 1).then_some(series)
}

/// The kind of a unit, and how many of the base it is.
fn factor(unit: &str) -> Option<(char, f64)> {
    Some(match unit.to_lowercase().as_str() {
        "km" => ('l', 1000.0),
        "m" => ('l', 1.0),
        "cm" => ('l', 0.01),
        "mm" => ('l', 0.001),
        "t" => ('w', 1000.0),
        "kg" => ('w', 1.0),
        "g" => ('w', 0.001),
        "mg" => ('w', 1e-6),
        "h" | "hr" | "hrs" | "hour" | "hours" => ('t', 3600.0),
        "min" | "mins" | "minute" | "minutes" => ('t', 60.0),
        "s" | "sec" | "secs" | "seconds" => ('t', 1.0),
        "ms" => ('t', 0.001),
        "l" => ('v', 1.0),
        "ml" => ('v', 0.001),
        "kb" => ('b', 1e3),
        "mb" => ('b', 1e6),
        "gb" => ('b', 1e9),
        "tb" => ('b', 1e12),
        _ => return None,
    })
}

/// Whether all amounts of a column have units of one kind, but not all the same.
fn mixed_units(cells: &[&str], rows: &[usize], style: Option<quantity::Style>) -> bool {
    let read = rows.iter().filter_map(|row| quantity::read(cells.get(*row)?, style));
    let units: Option<Vec<(char, f64)>> = read.map(|found| found.unit.as_deref().and_then(factor)).collect();
    let Some(units) = units else { return false };
    let Some(first) = units.first() else { return false };
    units.iter().all(|unit| unit.0 == first.0) && units.iter().any(|unit| unit != first)
}

/// Most cells are amounts, and the others say nothing.
fn is_numeric(cells: &[&str]) -> bool {
    let style = quantity::style(cells);
    let amount = |cell: &&&str| quantity::read(cell, style).is_some_and(|q| !q.ordinal);
    let filled = cells.iter().filter(|cell| !is_blank(cell)).count();
    let read = cells.iter().filter(amount).count();
    filled > 0 && read == filled && read * 2 >= cells.len()
}

fn is_id(table: &Table, at: usize) -> bool {
    const IDS: [&str; 9] = ["id", "no", "no.", "nr", "nr.", "#", "index", "row", "key"];
    let name = table.columns.get(at).map(|name| name.trim().to_lowercase()).unwrap_or_default();
    IDS.contains(&name.as_str()) || name.ends_with("_id") || name.ends_with(" id")
}

struct Labels {
    texts: Vec<String>,
    used: Vec<usize>,
}

/// What the rows are called: by dates, by a year beside a month or quarter, else by the first column of words.
fn labels(table: &Table, columns: &[Vec<&str>], numeric: &[usize]) -> Labels {
    let owned = |at: usize| columns.get(at).map(|c| c.iter().map(|c| (*c).to_owned()).collect()).unwrap_or_default();
    let named = |at: usize, names: &[&str]| {
        let name = table.columns.get(at).map(|name| name.trim().to_lowercase()).unwrap_or_default();
        names.iter().any(|part| name == *part)
    };
    let years = |cells: &[&str]| {
        cells.iter().all(|cell| cell.len() == 4 && matches!(periods::read(cell, None), Some(periods::Period::Year(_))))
    };
    let part = |cells: &[&str]| {
        cells.iter().all(|cell| {
            use periods::Period::{Month, Quarter};
            matches!(periods::read(cell, None), Some(Month(None, _) | Quarter(None, _)))
        })
    };
    let year = (0..columns.len()).find(|at| columns.get(*at).is_some_and(|cells| years(cells)));
    let month = (0..columns.len()).find(|at| columns.get(*at).is_some_and(|cells| part(cells)));
    if let (Some(year), Some(month)) = (year, month)
        && let (Some(years), Some(months)) = (columns.get(year), columns.get(month))
    {
        let texts = months.iter().zip(years).map(|(month, year)| format!("{month} {year}")).collect();
        return Labels { texts, used: vec![year, month] };
    }
    let dated = |at: &usize| {
        columns.get(*at).is_some_and(|cells| {
            let order = dates::order(cells);
            let all = cells.iter().all(|cell| periods::read(cell, order).is_some());
            let number = numeric.contains(at);
            let plain = cells.iter().all(|cell| cell.bytes().all(|byte| byte.is_ascii_digit()));
            let counts = [
                "week", "day", "month", "year", "hour", "period", "quarter", "nr", "no", "t", "index", "run", "step",
                "date", "time", "woche", "tag", "monat", "jahr", "column 1", "label",
            ];
            all && (!number || (years(cells) && columns.len() > 1) || (plain && named(*at, &counts) && grows(cells)))
        })
    };
    if let Some(at) = (0..columns.len()).find(dated).filter(|_| columns.len() > 1) {
        return Labels { texts: owned(at), used: vec![at] };
    }
    let words = |at: &usize| !numeric.contains(at) && columns.get(*at).is_some_and(|c| c.iter().any(|c| !c.is_empty()));
    let unique = |at: &usize| {
        columns
            .get(*at)
            .is_some_and(|cells| cells.iter().collect::<std::collections::BTreeSet<_>>().len() == cells.len())
    };
    let id = (0..columns.len()).find(|at| is_id(table, *at) && unique(at) && columns.len() > 1);
    match (0..columns.len()).find(|at| words(at) && unique(at)).or(id).or_else(|| (0..columns.len()).find(words)) {
        Some(at) => Labels { texts: owned(at), used: vec![at] },
        None => Labels { texts: Vec::new(), used: Vec::new() },
    }
}

fn grows(cells: &[&str]) -> bool {
    let numbers: Vec<i64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
    numbers.len() == cells.len() && numbers.iter().zip(numbers.iter().skip(1)).all(|(a, b)| *b == a + 1)
}

/// A column whose words come again and again, where the labels do as well.
fn group(columns: &[Vec<&str>], numeric: &[usize], labels: &Labels) -> Option<usize> {
    let different = |cells: &[&str]| cells.iter().collect::<std::collections::BTreeSet<_>>().len();
    let texts: Vec<&str> = labels.texts.iter().map(String::as_str).collect();
    if texts.is_empty() || different(&texts) == texts.len() {
        return None;
    }
    (0..columns.len())
        .filter(|at| !numeric.contains(at) && !labels.used.contains(at))
        .find(|at| columns.get(*at).is_some_and(|cells| different(cells) > 1 && different(cells) * 2 <= cells.len()))
}

/// Numbers that only run over several lines.
fn wrapped(rows: &[&Vec<String>]) -> Option<Series> {
    let cells: Vec<&str> = rows.iter().flat_map(|row| row.iter().map(|c| c.trim())).filter(|c| !c.is_empty()).collect();
    let style = quantity::style(&cells);
    let values: Option<Vec<f64>> = cells.iter().map(|cell| quantity::read(cell, style).map(|q| q.value)).collect();
    values.filter(|values| values.len() > 2).map(|values| Series::of(Source::List, Vec::new(), values))
}

/// Rows that are series where the columns are months, quarters or years.
fn across(table: &Table, rows: &[&Vec<String>]) -> Option<Vec<Series>> {
    if table.headless {
        return None;
    }
    let is_period = |name: &String| {
        use periods::Period;
        matches!(
            periods::read(name, None),
            Some(
                Period::Month(..)
                    | Period::Quarter(..)
                    | Period::Year(_)
                    | Period::Week(..)
                    | Period::Weekday(_)
                    | Period::Day(_)
                    | Period::Time(_)
            )
        )
    };
    let columns: Vec<usize> =
        table.columns.iter().enumerate().filter(|(_, name)| is_period(name)).map(|(at, _)| at).collect();
    if columns.len() < 3 || columns.len() + 3 < table.columns.len() {
        return None;
    }
    let name = (0..table.columns.len()).find(|at| !columns.contains(at));
    let mut found = Vec::new();
    for row in rows {
        let labels: Vec<String> = columns.iter().filter_map(|at| table.columns.get(*at).cloned()).collect();
        let cells: Vec<&str> = columns.iter().map(|at| row.get(*at).map_or("", |c| c.trim())).collect();
        let all: Vec<usize> = (0..cells.len()).collect();
        let name = name.and_then(|at| row.get(at)).map(|name| name.trim().to_owned());
        found.extend(one(name, &cells, &labels, &all, false));
    }
    (!found.is_empty()).then_some(found)
}
