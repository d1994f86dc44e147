//! Rows that are equal, and columns that tell all rows apart. Work is bounded by the number of pairs of columns tried.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::column::text;
use crate::output::Column;
use crate::table::{Cell, Table};

/// Most columns whose pairs are tried, those with most different values first.
const PAIRED: usize = 12;

/// Rows that equal an earlier one.
#[must_use]
pub fn duplicates(table: &Table) -> Vec<usize> {
    let mut rows_by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut duplicates = Vec::new();
    for (place, row) in table.rows.iter().enumerate() {
        let mut hasher = DefaultHasher::new();
        row.iter().for_each(|cell| text(cell).map(str::trim).hash(&mut hasher));
        let same = rows_by_hash.entry(hasher.finish()).or_default();
        // Equal hashes are compared, cell by cell; a few are enough.
        if same.iter().take(4).any(|other| table.rows.get(*other).is_some_and(|other| equal(other, row))) {
            duplicates.push(place);
        } else {
            same.push(place);
        }
    }
    duplicates
}

fn equal(a: &[Cell], b: &[Cell]) -> bool {
    a.iter().zip(b).all(|(a, b)| text(a).map(str::trim) == text(b).map(str::trim))
}

/// Columns that tell all rows apart; where none does, pairs of columns that do.
#[must_use]
pub fn candidates(table: &Table, columns: &[Column]) -> Vec<Vec<String>> {
    let rows = table.rows.len();
    let single: Vec<Vec<String>> = columns
        .iter()
        .filter(|column| rows > 1 && column.missing == 0 && column.distinct == rows)
        .map(|column| vec![column.name.clone()])
        .collect();
    if !single.is_empty() || rows < 2 {
        return single;
    }
    let mut full: Vec<(usize, &Column)> =
        columns.iter().enumerate().filter(|(_, column)| column.missing == 0).collect();
    full.sort_by(|a, b| b.1.distinct.cmp(&a.1.distinct).then(a.0.cmp(&b.0)));
    full.truncate(PAIRED);
    let mut keys = Vec::new();
    for (place, (a, first)) in full.iter().enumerate() {
        for (b, second) in full.iter().skip(place + 1) {
            let enough = first.distinct.saturating_mul(second.distinct) >= rows;
            if enough && distinct_pairs(table, *a, *b) == rows {
                keys.push(vec![first.name.clone(), second.name.clone()]);
            }
        }
    }
    keys
}

fn distinct_pairs(table: &Table, a: usize, b: usize) -> usize {
    let both = table.column(a).zip(table.column(b));
    let mut pairs: Vec<(Option<&str>, Option<&str>)> =
        both.map(|(a, b)| (text(a).map(str::trim), text(b).map(str::trim))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len()
}
