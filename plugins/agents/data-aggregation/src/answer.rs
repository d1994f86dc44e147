//! The steps from tables to an answer.

use std::collections::BTreeMap;

use agent_common::cells::{Cells, Notation};
use agent_common::figures;
use agent_common::measures::{self, Figure, Measure, Ready};
use agent_common::merging::{self, Conflict, Named};
use agent_common::relations::{self, JoinKind};
use agent_common::table::Table;
use serde_json::Value;
use tollbridge_sdk::Error;

use crate::input::{Input, Join};
use crate::merge;
use crate::output::{Answer, Column, Group, Output};

/// Most rows of a result.
const ROWS_MAX: usize = 1_000;

/// Returns the error of a member of the input.
pub(crate) fn invalid(field: &'static str) -> impl Fn(String) -> Error {
    move |message| Error::invalid(field, message)
}

/// Returns the first rows of a table, by column.
pub(crate) fn objects(table: &Table) -> Vec<BTreeMap<String, String>> {
    let object = |row: &Vec<String>| table.columns.iter().cloned().zip(row.iter().cloned()).collect();
    table.rows.iter().take(ROWS_MAX).map(object).collect()
}

/// Answers an input about tables.
pub fn answer(tables: &[Named], input: &Input) -> Result<Output, Error> {
    if tables.is_empty() {
        return Err(Error::invalid("/tables", "give one or more tables with headers"));
    }
    if !input.is_query() {
        return merge::answer(tables, input.key.as_deref(), input.group_by.as_deref().unwrap_or_default());
    }
    if let Some(key) = &input.compare {
        return compared(tables, key, input);
    }
    let notation = input.notation.unwrap_or_default();
    let mut work = combined(tables, input)?;
    let mut origin: Vec<usize> = (0..work.table.rows.len()).collect();
    let mut keep = |work: &mut Work, rows: Vec<usize>| {
        origin = rows.iter().filter_map(|row| origin.get(*row).copied()).collect();
        work.table = measures::picked(&work.table, &rows);
    };
    if let Some(ask) = &input.deduplicate {
        let rows = measures::without_repeats(&work.table, ask, notation).map_err(invalid("/deduplicate"))?;
        work.removed += work.table.rows.len() - rows.len();
        keep(&mut work, rows);
    }
    if let Some(conditions) = &input.conditions {
        let rows = measures::matching(conditions, &Cells::new(&work.table, notation)).map_err(invalid("/where"))?;
        keep(&mut work, rows);
    }
    if let Some(pivot) = &input.pivot {
        let only = Figure { measure: Measure::Count, ..Figure::default() };
        let figure = input.figures.as_ref().and_then(|all| all.first()).unwrap_or(&only);
        let cells = Cells::new(&work.table, notation);
        work.table = measures::pivot(pivot, figure, &cells).map_err(invalid("/pivot"))?;
    } else if input.figures.is_some() || input.group_by.is_some() {
        return grouped(work, &origin, input);
    }
    let count = work.table.rows.len();
    ordered(&mut work.table, input, notation)?;
    if let Some(columns) = &input.columns {
        let cells = Cells::new(&work.table, notation);
        let rows = relations::keys(columns, &cells).map_err(invalid("/columns"))?;
        work.table = Table::new(columns.clone(), rows);
    }
    let mut summary = format!("{} of {count}", figures::count(work.table.rows.len(), "row", "rows"));
    if work.removed > 0 || input.deduplicate.is_some() {
        summary = format!("{summary}; {} removed", figures::count(work.removed, "repeated row", "repeated rows"));
    }
    let shown = |row: &Vec<String>| row.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    let first: Vec<String> = work.table.rows.iter().take(5).map(shown).collect();
    Ok(work.output(format!("{summary}: {}.", first.join("; ")), notation))
}

/// A table on its way to an answer.
#[derive(Default)]
struct Work {
    table: Table,
    removed: usize,
    conflicts: Vec<Conflict>,
    notes: Vec<String>,
}

impl Work {
    fn output(self, summary: String, notation: Notation) -> Output {
        let cells = Cells::new(&self.table, notation);
        let column = |(at, name): (usize, &String)| {
            let missing = self.table.cells(at).iter().filter(|cell| cell.is_empty()).count();
            Column { name: name.clone(), kind: cells.kind(at).to_owned(), missing }
        };
        let columns = self.table.columns.iter().enumerate().map(column).collect();
        Output {
            summary,
            columns,
            rows: objects(&self.table),
            rows_total: self.table.rows.len(),
            duplicates_removed: self.removed,
            conflicts: self.conflicts,
            limitations: self.notes,
            ..Output::default()
        }
    }
}

/// Joins, merges or appends the tables.
fn combined(tables: &[Named], input: &Input) -> Result<Work, Error> {
    let mut work = Work::default();
    match (&input.join, &input.key, tables) {
        (Some(join), _, [(_, first), (_, second)]) => {
            let on = (join.on.as_str(), join.with.as_deref().unwrap_or(&join.on));
            let kind = join.kind.unwrap_or_default();
            let joined = relations::join(first, second, on, kind).map_err(invalid("/join"))?;
            work.table = joined.table;
            let (a, b) = joined.alone;
            if a + b > 0 {
                work.notes.push(format!("{a} rows of the first table and {b} of the second have no partner"));
            }
        }
        (Some(_), ..) => return Err(Error::invalid("/join", "give two tables to join")),
        (None, None, [(_, table)]) => work.table = table.clone(),
        (None, None, _) => work.table = merging::columns_of(tables, true).0,
        (None, Some(key), _) => {
            let merged = merging::merge(tables, Some(key))?;
            (work.table, work.removed, work.conflicts) = (merged.table, merged.duplicates, merged.conflicts);
        }
    }
    Ok(work)
}

fn compared(tables: &[Named], key: &[String], input: &Input) -> Result<Output, Error> {
    let [(first, a), (second, b)] = tables else {
        return Err(Error::invalid("/compare", "give two tables to compare"));
    };
    let found = relations::compare(a, b, key).map_err(invalid("/compare"))?;
    let mut work = Work { table: found.table, ..Work::default() };
    let counts = [
        ("in both tables", found.both),
        ("different", found.different),
        ("missing in the second table", found.missing),
        ("only in the second table", found.added),
    ];
    let text: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    let names = format!("`{first}` and `{second}` by {}", key.join(", "));
    ordered(&mut work.table, input, Notation::default())?;
    let mut output = work.output(format!("{names}: {}.", text.join(", ")), Notation::default());
    let answer = |(what, count): (&str, usize)| Answer { what: what.to_owned(), value: count.into(), rows: Vec::new() };
    output.answers = counts.into_iter().map(answer).collect();
    Ok(output)
}

/// Sorts a table and cuts it off.
fn ordered(table: &mut Table, input: &Input, notation: Notation) -> Result<(), Error> {
    let sort = input.sort.iter().flatten().map(|sort| (sort.by.clone(), sort.descending)).collect::<Vec<_>>();
    let top = input.top.map(|top| top as usize);
    let kept = relations::sort(table, &sort, notation, top).map_err(invalid("/sort"))?;
    table.rows.truncate(kept);
    Ok(())
}

/// Returns figures by group and of all rows.
fn grouped(mut work: Work, origin: &[usize], input: &Input) -> Result<Output, Error> {
    let notation = input.notation.unwrap_or_default();
    let by = input.group_by.as_deref().unwrap_or_default();
    let count = [Figure { measure: Measure::Count, ..Figure::default() }];
    let asks = input.figures.as_deref().unwrap_or(&count);
    let cells = Cells::new(&work.table, notation);
    let ready: Vec<Ready> =
        asks.iter().map(|ask| Ready::new(ask, &cells)).collect::<Result<_, _>>().map_err(invalid("/figures"))?;
    let all: Vec<usize> = (0..work.table.rows.len()).collect();
    let value = |one: &Ready, rows: &[usize]| one.value(rows, &all).map_err(invalid("/figures"));
    let names = ready.iter().map(|one| one.name.clone());
    let mut result = Table::new(by.iter().cloned().chain(names).collect(), Vec::new());
    let mut found: BTreeMap<Vec<String>, Group> = BTreeMap::new();
    for (key, rows) in measures::groups(by, &cells).map_err(invalid("/group_by"))? {
        let mut row = key.clone();
        let of = by.iter().cloned().zip(key.iter().cloned()).collect();
        let mut group = Group { of, rows: rows.len(), sums: BTreeMap::new(), values: BTreeMap::new() };
        for one in &ready {
            let value = value(one, &rows)?;
            row.push(measures::shown(&value));
            group.values.insert(one.name.clone(), value);
        }
        result.rows.push(row);
        found.insert(key, group);
    }
    ordered(&mut result, input, Notation::default())?;
    let mut answers = Vec::new();
    // The share of all rows in all rows is no answer.
    for (one, _) in ready.iter().zip(asks).filter(|(_, ask)| ask.measure != Measure::Share || ask.conditions.is_some())
    {
        answers.push(Answer { what: one.name.clone(), value: value(one, &all)?, rows: one.basis(&all, origin) });
    }
    let groups: Vec<Group> =
        result.rows.iter().filter_map(|row| found.remove(row.get(..by.len()).unwrap_or_default())).collect();
    work.notes.push("cells without a value do not count".into());
    work.table = result;
    let summary = summary(by, &groups, &answers);
    Ok(Output { answers, groups, ..work.output(summary, notation) })
}

fn summary(by: &[String], groups: &[Group], answers: &[Answer]) -> String {
    let text = |what: &str, value: &Value| match value {
        Value::Null => format!("{what}: no value"),
        value => format!("{what}: {}", measures::shown(value)),
    };
    let group = |group: &Group| {
        let names: Vec<&str> = by.iter().filter_map(|name| group.of.get(name).map(String::as_str)).collect();
        let values: Vec<String> = group.values.iter().map(|(what, value)| text(what, value)).collect();
        format!("{} – {}.", names.join(", "), values.join(", "))
    };
    let mut sentences: Vec<String> = groups.iter().take(10).filter(|_| !by.is_empty()).map(group).collect();
    let all: Vec<String> = answers.iter().map(|answer| text(&answer.what, &answer.value)).collect();
    if !all.is_empty() {
        sentences.push(format!("All rows – {}.", all.join(", ")));
    }
    sentences.join(" ")
}

/// Returns whether an inner join leaves out rows.
pub(crate) fn is_partial(tables: &[Named], join: &Join) -> bool {
    let [(_, first), (_, second)] = tables else { return false };
    let on = (join.on.as_str(), join.with.as_deref().unwrap_or(&join.on));
    relations::join(first, second, on, JoinKind::Inner).is_ok_and(|joined| joined.alone != (0, 0))
}
