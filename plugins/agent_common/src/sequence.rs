//! Series of numbers in a task: the numeric columns of a table, a list of numbers, or a
//! list of labelled numbers.

use tollbridge_sdk::Error;

use crate::command::{Grammar, Reading, Slots};
use crate::material::{self, Tables};
use crate::quantity;
use crate::table::Table;

/// Numbers in order, with their labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sequence {
    /// The name of the column; none for a list.
    pub name: Option<String>,
    /// The labels, one for each value, or none at all.
    pub labels: Vec<String>,
    /// The values.
    pub values: Vec<f64>,
}

/// A task whose material is series of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequences {
    /// The command, as far as the grammar read it.
    pub reading: Reading,
    /// The series, in order.
    pub series: Vec<Sequence>,
}

/// Splits a task into a command and the series around or behind it.
///
/// # Errors
/// A table that cannot be read as series, because a row has a different number of cells, a
/// numeric column has a gap, or several rows have the same label.
pub fn read(task: &str, grammar: &Grammar, slots: &dyn Slots) -> Result<Sequences, Error> {
    let Tables { command, tables } = material::tables(task)?;
    if !tables.is_empty() {
        let mut series = Vec::new();
        for table in &tables {
            series.extend(columns(table)?);
        }
        return Ok(Sequences { reading: grammar.read(&command, slots), series });
    }
    let split = material::text(task, grammar, slots);
    let series = list(&split.text).into_iter().collect();
    Ok(Sequences { reading: split.reading, series })
}

/// Returns the numeric columns of a table; its first other column has the labels.
fn columns(table: &Table) -> Result<Vec<Sequence>, Error> {
    let width = table.columns.len();
    let timed = |at: usize| {
        let named = |cell: &&str| crate::periods::read(cell, None).is_some();
        at == 0 && width > 1 && table.cells(at).iter().all(named)
    };
    let numbers = |at: usize| table.numbers(at).filter(|_| !timed(at));
    let labels = (0..width).find(|at| numbers(*at).is_none());
    let labels: Vec<String> =
        labels.map(|at| table.cells(at).into_iter().map(str::to_owned).collect()).unwrap_or_default();
    let repeated =
        labels.iter().enumerate().find(|(at, label)| labels.iter().skip(at + 1).any(|other| other == *label));
    if let Some((_, label)) = repeated {
        let text = format!("several rows have the label `{label}`; give one series, or one column for each series");
        return Err(Error::invalid("/task", text));
    }
    let mut found = Vec::new();
    for (at, name) in table.columns.iter().enumerate() {
        if let Some(values) = numbers(at) {
            let name = (!table.headless).then(|| name.clone());
            found.push(Sequence { name, labels: labels.clone(), values });
        } else if let Some(gap) = gap(table, at).filter(|_| !timed(at)) {
            return Err(Error::invalid("/task", format!("row {} has no number in the column `{name}`", gap + 1)));
        }
    }
    Ok(found)
}

/// Returns the first row without a number in a column where most rows have one.
fn gap(table: &Table, column: usize) -> Option<usize> {
    let cells = table.cells(column);
    let style = quantity::style(&cells);
    let is_number = |cell: &&str| quantity::number(cell, style).is_some();
    let numbers = cells.iter().filter(|cell| is_number(cell)).count();
    (numbers * 2 > cells.len()).then(|| cells.iter().position(|cell| !is_number(cell)))?
}

/// Reads a text that is a list of at least two numbers, all with or all without a label:
/// `12, 14, 15`, one number a line, `Jan 10, Feb 12`, `north: 5; south: 7`, JSON.
pub fn list(text: &str) -> Option<Sequence> {
    let text = text.trim().trim_end_matches('.').replace(", and ", ", ").replace(" and ", ", ");
    let text = text.as_str();
    if let Ok(values) = serde_json::from_str::<Vec<f64>>(text) {
        return (values.len() > 1).then_some(Sequence { values, ..Sequence::default() });
    }
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let separators: [fn(&str) -> Vec<&str>; 3] = [
        |text| text.split(['\n', ';', '|']).flat_map(|line| line.split(", ")).collect(),
        |text| text.split(',').collect(),
        |text| text.split_whitespace().collect(),
    ];
    separators.iter().find_map(|split| {
        let items: Vec<&str> = split(inner)
            .into_iter()
            .map(|item| item.trim().trim_end_matches(','))
            .filter(|item| !item.is_empty())
            .collect();
        items_of(&items)
    })
}

fn items_of(items: &[&str]) -> Option<Sequence> {
    let style = quantity::style(items);
    let number = |text: &str| quantity::number(text, style);
    if items.len() < 2 {
        return None;
    }
    if let Some(values) = items.iter().map(|item| number(item)).collect::<Option<Vec<f64>>>() {
        return Some(Sequence { values, ..Sequence::default() });
    }
    let labelled = |item: &&str| {
        let (label, value) = item.rsplit_once([' ', ':', '=', '\t'])?;
        let label = label.trim().trim_end_matches([':', '=', '-', '–', '>']).trim();
        let plain = !label.is_empty() && label.split_whitespace().count() <= 4;
        plain.then(|| Some((label.to_owned(), number(value)?)))?
    };
    let pairs: Vec<(String, f64)> = items.iter().map(labelled).collect::<Option<_>>()?;
    let (labels, values) = pairs.into_iter().unzip();
    Some(Sequence { name: None, labels, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;
    use crate::slots::Common;

    fn shown(task: &str) -> String {
        let grammar = Grammar::new("- find: `find outliers`");
        let read = match read(task, &grammar, &Common) {
            Ok(read) => read,
            Err(error) => return error.message().to_owned(),
        };
        let series = |one: &Sequence| {
            let value = |(at, value): (usize, &f64)| {
                one.labels.get(at).map_or(format!("{value}"), |label| format!("{label}={value}"))
            };
            let values: Vec<String> = one.values.iter().enumerate().map(value).collect();
            format!("{}> {}", one.name.clone().unwrap_or_default(), values.join(" "))
        };
        let all: Vec<String> = read.series.iter().map(series).collect();
        format!("[{}] {}", read.reading.unread.join(" "), all.join(" // "))
    }

    #[test]
    fn series_of_all_kinds() {
        for (task, expect) in rows::<(String, String)>(include_str!("../cases/sequence.json")) {
            assert_eq!(shown(&task), expect, "{task}");
        }
    }
}
