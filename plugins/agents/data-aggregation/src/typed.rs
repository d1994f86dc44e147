//! Tables given as members: merged, grouped, and looked at by bridges.

use agent_common::table::Table;
use agent_common::{Answer, figures, limits};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::input::Given;
use crate::merge::{self, Group, Merged};
use crate::output::{Alike, Column, Output};

/// Most rows of all tables together that are compared for likeness.
const ALIKE_MAX: usize = 1_000;

const ROWS_MAX: usize = 20_000;

/// Tables and columns are given as members: nothing is read out of words.
const TYPED: f64 = 0.95;

#[derive(Deserialize)]
struct Profile {
    columns: Vec<Column>,
}

#[derive(Deserialize)]
struct Matches {
    pairs: Vec<Alike>,
}

/// Merges the tables and groups the rows; by what the task says where no columns are named.
pub fn answer(
    task: &str,
    given: Vec<Given>,
    key: Option<&str>,
    group_by: Option<Vec<String>>,
) -> Result<Output, Error> {
    let tables: Vec<(String, Table)> = given.into_iter().enumerate().map(table).collect::<Result<_, _>>()?;
    if tables.iter().map(|(_, table)| table.rows.len()).sum::<usize>() > ROWS_MAX {
        return Err(Error::invalid("/tables", format!("at most {ROWS_MAX} rows in all")));
    }
    let merged = merge::merge(&tables, key)?;
    let by = group_by.unwrap_or_else(|| grouped_by(task, &merged.table));
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
