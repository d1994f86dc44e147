//! Rows of several tables as one table; groups and exact sums.

use std::collections::BTreeMap;

use agent_common::{decimal::Decimal, table::Table};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::Error;

const CONFLICTS_MAX: usize = 500;
const GROUPS_MAX: usize = 1_000;

/// All tables as one.
#[derive(Debug)]
pub struct Merged {
    pub table: Table,
    pub duplicates: usize,
    pub conflicts: Vec<Conflict>,
}

/// A record whose sources disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conflict {
    /// Value of the key column.
    pub key: String,
    /// The column.
    pub column: String,
    /// The value that was kept.
    pub kept: String,
    /// The other one.
    pub other: String,
    /// The table that it stands in.
    pub table: String,
}

/// Rows with the same values in the columns grouped by.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// Those values, by column.
    pub of: BTreeMap<String, String>,
    /// How many rows.
    pub rows: usize,
    /// Sum of each numeric column, exactly.
    pub sums: BTreeMap<String, f64>,
    /// The figures that a task in words asks for, by their names.
    pub values: BTreeMap<String, serde_json::Value>,
}

/// Puts tables together by the names of columns. With a key, rows of one key
/// are one record: empty cells are filled, other values conflict. Without one,
/// only equal rows are one.
pub fn merge(tables: &[(String, Table)], key: Option<&str>) -> Result<Merged, Error> {
    let mut columns: Vec<String> = Vec::new();
    for name in tables.iter().flat_map(|(_, table)| &table.columns) {
        if !columns.iter().any(|column| column.eq_ignore_ascii_case(name)) {
            columns.push(name.clone());
        }
    }
    let table = Table::new(columns, Vec::new());
    let at = match key {
        Some(name) => Some(table.column(name).ok_or_else(|| unknown("/key", name, &table))?),
        None => table.column("id"),
    };
    let mut merged = Merged { table, duplicates: 0, conflicts: Vec::new() };
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for (name, given) in tables {
        let places: Vec<Option<usize>> = given.columns.iter().map(|column| merged.table.column(column)).collect();
        for cells in &given.rows {
            let mut row = vec![String::new(); merged.table.columns.len()];
            for (place, cell) in places.iter().zip(cells) {
                if let Some(slot) = place.and_then(|place| row.get_mut(place)) {
                    cell.trim().clone_into(slot);
                }
            }
            let key_value =
                at.and_then(|at| row.get(at)).filter(|value| !value.is_empty()).map(|value| vec![value.clone()]);
            let identity = key_value.unwrap_or_else(|| row.clone());
            match known.get(&identity) {
                Some(first) => merged.join(*first, row, name, identity),
                None => {
                    known.insert(identity, merged.table.rows.len());
                    merged.table.rows.push(row);
                }
            }
        }
    }
    Ok(merged)
}

impl Merged {
    /// One more row of a known record.
    fn join(&mut self, first: usize, row: Vec<String>, table: &str, identity: Vec<String>) {
        self.duplicates += 1;
        let Some(kept) = self.table.rows.get_mut(first) else { return };
        for ((column, kept), other) in self.table.columns.iter().zip(kept).zip(row) {
            if kept.is_empty() {
                *kept = other;
            } else if !other.is_empty() && !same(kept, &other) && self.conflicts.len() < CONFLICTS_MAX {
                let key = identity.first().cloned().unwrap_or_default();
                let conflict =
                    Conflict { key, column: column.clone(), kept: kept.clone(), other, table: table.to_owned() };
                self.conflicts.push(conflict);
            }
        }
    }
}

/// `5` and `5.0` are one value.
fn same(a: &str, b: &str) -> bool {
    a == b || Decimal::read(a).is_some_and(|a| Decimal::read(b) == Some(a))
}

/// Groups by columns, in order of their values, with the sum of every other column of decimals.
pub fn group(table: &Table, by: &[String]) -> Result<Vec<Group>, Error> {
    let find = |name: &String| table.column(name).ok_or_else(|| unknown("/group_by", name, table));
    let by: Vec<usize> = by.iter().map(find).collect::<Result<_, _>>()?;
    let decimal = |at: &usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(*at)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| Decimal::read(cell).is_some())
    };
    let is_id = |at: &usize| table.columns.get(*at).is_some_and(|name| name.eq_ignore_ascii_case("id"));
    let summed: Vec<usize> =
        (0..table.columns.len()).filter(|at| !by.contains(at) && !is_id(at) && decimal(at)).collect();
    let mut groups: BTreeMap<Vec<&str>, (usize, Vec<Decimal>)> = BTreeMap::new();
    for row in &table.rows {
        let of = by.iter().filter_map(|at| row.get(*at)).map(String::as_str).collect();
        let (rows, sums) = groups.entry(of).or_insert_with(|| (0, vec![Decimal::default(); summed.len()]));
        *rows += 1;
        for (sum, at) in sums.iter_mut().zip(&summed) {
            *sum = sum.plus(row.get(*at).and_then(|cell| Decimal::read(cell)).unwrap_or_default());
        }
    }
    let name = |at: &usize| table.columns.get(*at).cloned().unwrap_or_default();
    let group = |(of, (rows, sums)): (Vec<&str>, (usize, Vec<Decimal>))| Group {
        of: by.iter().map(name).zip(of.into_iter().map(str::to_owned)).collect(),
        rows,
        values: BTreeMap::new(),
        sums: summed.iter().map(name).zip(sums.into_iter().map(Decimal::number)).collect(),
    };
    Ok(groups.into_iter().take(GROUPS_MAX).map(group).collect())
}

fn unknown(field: &str, name: &str, table: &Table) -> Error {
    Error::invalid(field, format!("there is no column \"{name}\"; the columns are {}", table.columns.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Table) {
        (text.split(',').next().unwrap().to_owned(), Table::read(text).unwrap())
    }

    #[test]
    fn records_of_one_key_are_joined_and_conflicts_reported() {
        let tables =
            [read("id,town,sold\n1,Ayr,0.1\n2,Bath,0.2"), read("id,sold,boss\n2,0.20,Ann\n1,0.3,Bo\n3,0.2,Cy")];
        let merged = merge(&tables, None).unwrap();
        assert_eq!(merged.table.rows, [["1", "Ayr", "0.1", "Bo"], ["2", "Bath", "0.2", "Ann"], ["3", "", "0.2", "Cy"]]);
        assert_eq!((merged.duplicates, merged.conflicts.len()), (2, 1));
        assert_eq!((merged.conflicts[0].kept.as_str(), merged.conflicts[0].other.as_str()), ("0.1", "0.3"));
        let all = group(&merged.table, &[]).unwrap();
        assert_eq!((all[0].rows, all[0].sums.get("sold")), (3, Some(&0.5)));
        assert!(group(&merged.table, &["colour".into()]).is_err());
        assert!(merge(&tables, Some("colour")).is_err());
    }
}
