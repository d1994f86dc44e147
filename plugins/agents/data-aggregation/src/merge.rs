//! Rows of several tables as one table, its groups with exact sums, and rows that are alike.

use std::collections::BTreeMap;

use agent_common::cells::{Cells, Notation};
use agent_common::exact::Exact;
use agent_common::merging::{Merged, Named, merge};
use agent_common::table::Table;
use agent_common::{Answer, figures, limits, measures};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::answer::{invalid, objects};
use crate::output::{Alike, Column, Group, Output};

/// Most rows of all tables together that are compared for likeness.
const ALIKE_MAX: usize = 1_000;
const GROUPS_MAX: usize = 1_000;

/// Groups by columns, in order of their values, with the sum of every other column of decimals.
fn group(table: &Table, by: &[String]) -> Result<Vec<Group>, Error> {
    let groups = measures::groups(by, &Cells::new(table, Notation::default())).map_err(invalid("/group_by"))?;
    let decimals = |(at, name): (usize, &String)| {
        let cells = table.cells(at);
        let numbers: Vec<Option<Exact>> = cells.iter().map(|cell| Exact::read(cell)).collect();
        let plain = cells.iter().zip(&numbers).all(|(cell, number)| cell.is_empty() || number.is_some());
        let summed = plain && numbers.iter().any(Option::is_some) && !by.contains(name);
        (summed && !name.eq_ignore_ascii_case("id")).then(|| (name.clone(), numbers))
    };
    let columns: Vec<(String, Vec<Option<Exact>>)> = table.columns.iter().enumerate().filter_map(decimals).collect();
    let group = |(key, rows): (Vec<String>, Vec<usize>)| {
        let sum = |(name, numbers): &(String, Vec<Option<Exact>>)| {
            let own = rows.iter().filter_map(|row| numbers.get(*row).copied().flatten());
            (name.clone(), own.fold(Exact::default(), |sum, number| sum.plus(number).unwrap_or(sum)).number())
        };
        let sums = columns.iter().map(sum).collect();
        Group { of: by.iter().cloned().zip(key).collect(), rows: rows.len(), sums, values: BTreeMap::new() }
    };
    Ok(groups.into_iter().take(GROUPS_MAX).map(group).collect())
}

#[derive(Deserialize)]
struct Profile {
    columns: Vec<Column>,
}

#[derive(Deserialize)]
struct Matches {
    pairs: Vec<Alike>,
}

/// Merges tables, groups the rows, and reports what bridges find in them.
pub(crate) fn answer(tables: &[Named], key: Option<&str>, by: &[String]) -> Result<Output, Error> {
    let merged = merge(tables, key)?;
    let groups = group(&merged.table, by)?;
    let profile: Answer<Profile> =
        bridges::call("data_profile", &json!({ "data": merged.table.csv(), "format": "csv", "header": true }))?;
    let (alike, more) = alike(&merged.table)?;
    let own = [
        "where tables disagree, the first one's value stands in the merged row",
        "a column is summed where all of its values are plain decimals",
    ];
    Ok(Output {
        summary: summary(tables.len(), &merged, &groups, by, alike.len()),
        columns: profile.result.columns,
        rows: objects(&merged.table),
        rows_total: merged.table.rows.len(),
        duplicates_removed: merged.duplicates,
        conflicts: merged.conflicts,
        groups,
        alike,
        limitations: limits(&own, &[&profile.limitations, &more]),
        ..Output::default()
    })
}

/// Returns rows that may mean the same, and limitations.
fn alike(table: &Table) -> Result<(Vec<Alike>, Vec<String>), Error> {
    let none = |reason: &str| Ok((Vec::new(), vec![format!("rows that are alike were not looked for: {reason}")]));
    let has_text = (0..table.columns.len()).any(|at| table.numbers(at).is_none());
    if !(2..=ALIKE_MAX).contains(&table.rows.len()) || !has_text || table.columns.len() > 20 {
        return none(&format!("that needs 2 to {ALIKE_MAX} rows with texts and at most 20 columns"));
    }
    match bridges::call::<Answer<Matches>>("entity_match", &json!({ "records": table.objects() })) {
        Ok(Answer { mut result, limitations }) => {
            result.pairs.retain(|pair| pair.probability >= 0.5);
            Ok((result.pairs, limitations))
        }
        // Tables of nothing but an id and numbers have no field to compare.
        Err(bridges::Error::InvalidInput { message, .. }) => none(&message),
        Err(other) => Err(other.into()),
    }
}

fn summary(tables: usize, merged: &Merged, groups: &[Group], by: &[String], alike: usize) -> String {
    let mut parts = vec![
        format!(
            "{} merged into {}",
            figures::count(tables, "table", "tables"),
            figures::count(merged.table.rows.len(), "row", "rows")
        ),
        format!(
            "{} removed, {}",
            figures::count(merged.duplicates, "repeated row", "repeated rows"),
            figures::count(merged.conflicts.len(), "conflict", "conflicts")
        ),
    ];
    if !by.is_empty() {
        parts.push(format!("{} by {}", figures::count(groups.len(), "group", "groups"), by.join(", ")));
    }
    for group in groups.iter().take(5).filter(|group| !group.sums.is_empty()) {
        let names: Vec<&str> = group.of.values().map(String::as_str).collect();
        let sums: Vec<String> = group.sums.iter().map(|(column, sum)| format!("{column} {sum}")).collect();
        let name = if names.is_empty() { "all".to_owned() } else { names.join(", ") };
        parts.push(format!("{name}: {}", sums.join(", ")));
    }
    if alike > 0 {
        parts.push(format!("{} may mean the same", figures::count(alike, "pair of rows", "pairs of rows")));
    }
    format!("{}.", parts.join("; "))
}
