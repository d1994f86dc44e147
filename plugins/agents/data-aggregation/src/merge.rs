//! Rows of several tables as one table, its groups with exact sums, and rows that are alike.

use std::collections::BTreeMap;

use agent_common::exact::Exact;
use agent_common::merging::{Merged, Named, merge, unknown};
use agent_common::table::Table;
use agent_common::{Answer, figures, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::output::{Alike, Column, Output};

/// Most rows of all tables together that are compared for likeness.
const ALIKE_MAX: usize = 1_000;

const GROUPS_MAX: usize = 1_000;

/// Rows with the same values in the columns grouped by.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// Those values, by column.
    pub of: BTreeMap<String, String>,
    /// How many rows.
    pub rows: usize,
    /// Sum of each numeric column, exactly.
    pub sums: BTreeMap<String, f64>,
    /// The figures, by their names.
    pub values: BTreeMap<String, serde_json::Value>,
}

/// Groups by columns, in order of their values, with the sum of every other column of decimals.
fn group(table: &Table, by: &[String]) -> Result<Vec<Group>, Error> {
    let find = |name: &String| table.column(name).ok_or_else(|| unknown("/group_by", name, table));
    let by: Vec<usize> = by.iter().map(find).collect::<Result<_, _>>()?;
    let decimal = |at: &usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(*at)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| Exact::read(cell).is_some())
    };
    let is_id = |at: &usize| table.columns.get(*at).is_some_and(|name| name.eq_ignore_ascii_case("id"));
    let summed: Vec<usize> =
        (0..table.columns.len()).filter(|at| !by.contains(at) && !is_id(at) && decimal(at)).collect();
    let mut groups: BTreeMap<Vec<&str>, (usize, Vec<Exact>)> = BTreeMap::new();
    for row in &table.rows {
        let of = by.iter().filter_map(|at| row.get(*at)).map(String::as_str).collect();
        let (rows, sums) = groups.entry(of).or_insert_with(|| (0, vec![Exact::default(); summed.len()]));
        *rows += 1;
        for (sum, at) in sums.iter_mut().zip(&summed) {
            let more = row.get(*at).and_then(|cell| Exact::read(cell)).unwrap_or_default();
            *sum = sum.plus(more).unwrap_or(*sum);
        }
    }
    let name = |at: &usize| table.columns.get(*at).cloned().unwrap_or_default();
    let group = |(of, (rows, sums)): (Vec<&str>, (usize, Vec<Exact>))| Group {
        of: by.iter().map(name).zip(of.into_iter().map(str::to_owned)).collect(),
        rows,
        values: BTreeMap::new(),
        sums: summed.iter().map(name).zip(sums.into_iter().map(Exact::number)).collect(),
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
    let (alike, more) = alike(&merged)?;
    let object =
        |row: &Vec<String>| merged.table.columns.iter().cloned().zip(row.iter().cloned()).collect::<BTreeMap<_, _>>();
    Ok(Output {
        summary: summary(tables.len(), &merged, &groups, by, alike.len()),
        columns: profile.result.columns,
        rows: merged.table.rows.iter().take(1_000).map(object).collect(),
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
        ..Output::default()
    })
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
