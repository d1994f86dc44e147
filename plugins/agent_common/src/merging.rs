//! Rows of several tables as one table, and where the tables disagree.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::Error;

use crate::exact::Exact;
use crate::table::Table;

/// Most conflicts that are reported.
const CONFLICTS_MAX: usize = 500;

/// A table with its name.
pub type Named = (String, Table);

/// All tables as one.
#[derive(Debug)]
pub struct Merged {
    /// The rows.
    pub table: Table,
    /// Rows that were left out or joined with another.
    pub duplicates: usize,
    /// Records whose sources disagree.
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
    /// The table that has it.
    pub table: String,
}

/// Returns an empty table with all columns, or all rows one after the other, and the place
/// of each given column in it.
pub fn columns_of(tables: &[Named], rows: bool) -> (Table, Vec<Vec<Option<usize>>>) {
    let mut columns: Vec<String> = Vec::new();
    for name in tables.iter().flat_map(|(_, table)| &table.columns) {
        if !columns.iter().any(|column| column.eq_ignore_ascii_case(name)) {
            columns.push(name.clone());
        }
    }
    let mut all = Table::new(columns, Vec::new());
    let places = |(_, table): &Named| table.columns.iter().map(|column| all.column(column)).collect();
    let places: Vec<Vec<Option<usize>>> = tables.iter().map(places).collect();
    if rows {
        let each =
            tables.iter().zip(&places).flat_map(|((_, table), places)| table.rows.iter().map(move |row| (row, places)));
        all.rows = each.map(|(row, places)| placed(row, places, all.columns.len())).collect();
    }
    (all, places)
}

fn placed(cells: &[String], places: &[Option<usize>], width: usize) -> Vec<String> {
    let mut row = vec![String::new(); width];
    for (place, cell) in places.iter().zip(cells) {
        if let Some(slot) = place.and_then(|place| row.get_mut(place)) {
            cell.trim().clone_into(slot);
        }
    }
    row
}

/// Puts tables together by the names of columns. With a key, rows of one key are one
/// record: empty cells are filled, other values conflict. Without one, only equal rows are
/// one.
pub fn merge(tables: &[Named], key: Option<&str>) -> Result<Merged, Error> {
    let (table, all_places) = columns_of(tables, false);
    let at = match key {
        Some(name) => Some(table.column(name).ok_or_else(|| unknown("/key", name, &table))?),
        None => table.column("id"),
    };
    let mut merged = Merged { table, duplicates: 0, conflicts: Vec::new() };
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for ((name, given), places) in tables.iter().zip(&all_places) {
        for cells in &given.rows {
            let row = placed(cells, places, merged.table.columns.len());
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
    /// Adds a row of a known record.
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

/// Returns whether two cells have one value, such as `5` and `5.0`.
fn same(a: &str, b: &str) -> bool {
    a == b || Exact::read(a).is_some_and(|a| Exact::read(b) == Some(a))
}

/// Returns the error about a column that does not exist.
pub fn unknown(field: &str, name: &str, table: &Table) -> Error {
    Error::invalid(field, format!("there is no column \"{name}\"; the columns are {}", table.columns.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Table) {
        (text.split(',').next().unwrap().to_owned(), crate::cells::table(text).unwrap())
    }

    #[test]
    fn records_of_one_key_are_joined_and_conflicts_reported() {
        let tables =
            [read("id,town,sold\n1,Ayr,0.1\n2,Bath,0.2"), read("id,sold,boss\n2,0.20,Ann\n1,0.3,Bo\n3,0.2,Cy")];
        let merged = merge(&tables, None).unwrap();
        assert_eq!(merged.table.rows, [["1", "Ayr", "0.1", "Bo"], ["2", "Bath", "0.2", "Ann"], ["3", "", "0.2", "Cy"]]);
        assert_eq!((merged.duplicates, merged.conflicts.len()), (2, 1));
        assert_eq!((merged.conflicts[0].kept.as_str(), merged.conflicts[0].other.as_str()), ("0.1", "0.3"));
        assert!(merge(&tables, Some("colour")).is_err());
    }
}
