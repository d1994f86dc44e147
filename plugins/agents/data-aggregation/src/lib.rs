//! An agent that merges tables, groups and sums them, and reports where they disagree.
//!
//! Merging and sums are done here, exactly as the decimals are written; the
//! bridge `data_profile` looks at the merged table, `entity_match` at rows that
//! may mean the same. Rows that are alike but not equal are reported, not removed.

mod compute;
mod conditions;
mod derived;
mod filter;
mod grouping;
mod merge;
mod pivot;
mod query;
mod reading;
mod reply;
mod tables;
mod task;
mod words;

use std::collections::BTreeMap;

use agent_common::{Answer, figures, limits, sheet, table::Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::merge::{Conflict, Group, Merged};
use crate::reply::Figure;

/// Most rows of all tables together that are compared for likeness.
const ALIKE_MAX: usize = 1_000;
const ROWS_MAX: usize = 20_000;
/// Tables and columns are given as members: nothing is read out of words.
const TYPED: f64 = 0.95;

/// Tables, and how to bring them together.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The tables, at most 20. Default: the tables of the task, apart by blank lines.
    #[schemars(length(min = 1, max = 20))]
    tables: Option<Vec<Given>>,
    /// Columns to group by. Default: the column after "by" in the task; none: one group of all rows.
    #[schemars(length(max = 10))]
    group_by: Option<Vec<String>>,
    /// Column that names a record: rows with the same value there are one record. Default: `id` where there is one.
    #[schemars(length(min = 1, max = 100))]
    key: Option<String>,
}

/// A table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("data | rows"))]
pub struct Given {
    /// What to call it. Default: `table 1` and so on.
    name: Option<String>,
    /// CSV with a header, Markdown, or a JSON array of objects.
    #[schemars(length(min = 1, max = 500_000))]
    data: Option<String>,
    /// JSON objects instead.
    #[schemars(length(min = 1, max = 10_000))]
    rows: Option<Vec<Map<String, Value>>>,
}

/// The merged table and what it says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// Single results, each with the rows that it is based on.
    answers: Vec<Figure>,
    /// How likely this is what was asked and right, 0 to 1: of answers that say 0.8 or more at least four in five were
    /// right on the frozen tasks.
    confidence: f64,
    /// Columns of the resulting table, with their types.
    columns: Vec<Column>,
    /// Its rows, at most 1,000 of them: merged, joined, sorted or pivoted rows, or a row for each result.
    rows: Vec<BTreeMap<String, String>>,
    /// How many there are.
    rows_total: usize,
    /// Rows that were left out because an equal one is there.
    duplicates_removed: usize,
    /// Records whose sources disagree.
    conflicts: Vec<Conflict>,
    /// Groups with the sums of every numeric column.
    groups: Vec<Group>,
    /// Rows that may mean the same, by their places in `rows`, from 0.
    alike: Vec<Alike>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A column.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    name: String,
    /// The type of nearly all of its values.
    #[serde(rename = "type")]
    kind: String,
    /// Cells without a value.
    missing: usize,
}

/// Two rows that may mean the same.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Alike {
    /// The first row.
    a: usize,
    /// The second.
    b: usize,
    /// How likely, 0 to 1: an order rather than a chance.
    probability: f64,
}

#[derive(Deserialize)]
struct Profile {
    columns: Vec<Column>,
}

#[derive(Deserialize)]
struct Matches {
    pairs: Vec<Alike>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words_of(task, input.as_ref());
    let mut input = input.unwrap_or_default();
    let Some(given) = input.tables.take() else {
        return answer(text, input.group_by.as_deref().unwrap_or_default());
    };
    let tables: Vec<(String, Table)> = given.into_iter().enumerate().map(table).collect::<Result<_, _>>()?;
    if tables.iter().map(|(_, table)| table.rows.len()).sum::<usize>() > ROWS_MAX {
        return Err(Error::invalid("/tables", format!("at most {ROWS_MAX} rows in all")));
    }
    let merged = merge::merge(&tables, input.key.as_deref())?;
    let by = input.group_by.unwrap_or_else(|| grouped_by(text, &merged.table));
    let groups = merge::group(&merged.table, &by)?;
    let profile: Answer<Profile> =
        bridges::call("data_profile", &json!({ "data": merged.table.csv(), "format": "csv", "header": true }))?;
    let (alike, more) = alike(&merged)?;
    let objects = merged
        .table
        .rows
        .iter()
        .take(1_000)
        .map(|row| merged.table.columns.iter().cloned().zip(row.iter().cloned()).collect());
    Ok(Output {
        summary: summary(tables.len(), &merged, &groups, &by, alike.len()),
        answers: Vec::new(),
        confidence: TYPED,
        columns: profile.result.columns,
        rows: objects.collect(),
        rows_total: merged.table.rows.len(),
        duplicates_removed: merged.duplicates,
        conflicts: merged.conflicts,
        groups,
        alike,
        limitations: limits(
            &[
                "where tables disagree, the first one's value stands in the merged row",
                "a column is summed where all of its values are plain decimals",
            ],
            &[&profile.limitations, &more],
        ),
    })
}

fn table((at, given): (usize, Given)) -> Result<(String, Table), Error> {
    let name = given.name.unwrap_or_else(|| format!("table {}", at + 1));
    let table = match (given.data, given.rows) {
        (Some(data), None) => Table::read(&data),
        (None, Some(rows)) => Some(Table::of_objects(&rows)),
        _ => return Err(Error::invalid(format!("/tables/{at}"), "give `data` or `rows`, one of them")),
    };
    let table = table.filter(|table| !table.columns.is_empty());
    table
        .map(|table| (name, table))
        .ok_or_else(|| Error::invalid(format!("/tables/{at}/data"), "no table with a header in it"))
}

/// The task, unless it is the text of the input itself.
fn words_of<'t>(task: &'t str, input: Option<&Input>) -> &'t str {
    agent_common::words::of(task, input)
}

/// Answers a task in words, without a bridge.
pub fn answer(task: &str, group_by: &[String]) -> Result<Output, Error> {
    let asked =
        if group_by.is_empty() { task.to_owned() } else { format!("Group by {}.\n{task}", group_by.join(", ")) };
    let outcome = task::answer(&asked)?;
    let table = outcome.reply.table;
    let sheet = sheet::Sheet::read(&table);
    let missing = |at: usize| table.cells(at).iter().filter(|cell| sheet::is_empty(cell)).count();
    let column = |(at, name): (usize, &String)| Column {
        name: name.clone(),
        kind: task::kind_name(&sheet, at).to_owned(),
        missing: missing(at),
    };
    let objects =
        table.rows.iter().take(1_000).map(|row| table.columns.iter().cloned().zip(row.iter().cloned()).collect());
    let groups = outcome.reply.groups.into_iter().map(|group| Group {
        of: group.of,
        rows: group.rows,
        sums: group
            .values
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix("sum of ")?.to_owned(), value.as_f64()?)))
            .collect(),
        values: group.values,
    });
    let conflicts = outcome.differences.into_iter().map(|one| Conflict {
        key: one.key,
        column: one.column,
        kept: one.first,
        other: one.second,
        table: "table 2".into(),
    });
    Ok(Output {
        summary: outcome.reply.summary,
        answers: outcome.reply.answers,
        confidence: outcome.confidence,
        columns: table.columns.iter().enumerate().map(column).collect(),
        rows: objects.collect(),
        rows_total: table.rows.len(),
        duplicates_removed: outcome.removed,
        conflicts: conflicts.collect(),
        groups: groups.collect(),
        alike: Vec::new(),
        limitations: limits(
            &[
                "rows that are totals of the others by their name are left out",
                "cells without a number do not count in sums and averages",
                "the ratio of a group is that of its sums",
            ],
            &[],
        ),
    })
}

/// `group by region` or `per region`, if there is such a column.
fn grouped_by(text: &str, table: &Table) -> Vec<String> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || ":.,;".contains(c)).filter(|word| !word.is_empty()).collect();
    let after = words.windows(2).filter_map(|pair| match pair {
        [by, name] if by.eq_ignore_ascii_case("by") || by.eq_ignore_ascii_case("per") => table.column(name),
        _ => None,
    });
    after.take(1).filter_map(|at| table.columns.get(at).cloned()).collect()
}

fn alike(merged: &Merged) -> Result<(Vec<Alike>, Vec<String>), Error> {
    let rows = merged.table.objects();
    let has_text = (0..merged.table.columns.len()).any(|at| merged.table.numbers(at).is_none());
    if rows.len() < 2 || rows.len() > ALIKE_MAX || !has_text || merged.table.columns.len() > 20 {
        return Ok((
            Vec::new(),
            vec![format!(
                "rows that are alike were not looked for: that needs 2 to {ALIKE_MAX} rows with texts and at most 20 columns"
            )],
        ));
    }
    match bridges::call::<Answer<Matches>>("entity_match", &json!({ "records": rows })) {
        Ok(found) => {
            Ok((found.result.pairs.into_iter().filter(|pair| pair.probability >= 0.5).collect(), found.limitations))
        }
        // Tables of nothing but an id and numbers have no field to compare.
        Err(bridges::Error::InvalidInput { message, .. }) => {
            Ok((Vec::new(), vec![format!("rows that are alike were not looked for: {message}")]))
        }
        Err(other) => Err(other.into()),
    }
}

fn summary(tables: usize, merged: &Merged, groups: &[Group], by: &[String], alike: usize) -> String {
    let mut text = format!(
        "{} merged into {}; {} removed, {}",
        figures::count(tables, "table", "tables"),
        figures::count(merged.table.rows.len(), "row", "rows"),
        figures::count(merged.duplicates, "repeated row", "repeated rows"),
        figures::count(merged.conflicts.len(), "conflict", "conflicts")
    );
    if !by.is_empty() {
        text.push_str(&format!("; {} by {}", figures::count(groups.len(), "group", "groups"), by.join(", ")));
    }
    for group in groups.iter().take(5) {
        let name = if group.of.is_empty() {
            "all".to_owned()
        } else {
            group.of.values().cloned().collect::<Vec<_>>().join(", ")
        };
        let sums: Vec<String> = group.sums.iter().map(|(column, sum)| format!("{column} {sum}")).collect();
        if !sums.is_empty() {
            text.push_str(&format!("; {name}: {}", sums.join(", ")));
        }
    }
    if alike > 0 {
        text.push_str(&format!("; {} may mean the same", figures::count(alike, "pair of rows", "pairs of rows")));
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/regions.json"] }
tollbridge_sdk::test_cases!(agent run);
