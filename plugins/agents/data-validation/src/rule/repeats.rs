//! Rows that stand twice.

use std::collections::BTreeMap;

use agent_common::columns::fold;
use agent_common::sheet::{Sheet, is_empty};

use crate::finding::Finding;

pub(crate) fn repeats(sheet: &Sheet, columns: &[usize]) -> Vec<Finding> {
    let all: Vec<usize> = if columns.is_empty() { (0..sheet.table.columns.len()).collect() } else { columns.to_vec() };
    let mut places: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for row in 0..sheet.table.rows.len() {
        let own: Vec<String> = all
            .iter()
            .map(|at| sheet.cell(row, *at))
            .map(|cell| if columns.is_empty() { cell.to_owned() } else { fold(cell) })
            .collect();
        if own.iter().any(|cell| !is_empty(cell)) && (columns.is_empty() || own.iter().all(|cell| !is_empty(cell))) {
            places.entry(own).or_default().push(row);
        }
    }
    let field = if columns.is_empty() {
        "row".to_owned()
    } else {
        columns.iter().map(|at| sheet.name(*at)).collect::<Vec<_>>().join(" | ")
    };
    let mut found: Vec<Finding> = Vec::new();
    for rows in places.into_values().filter(|rows| rows.len() > 1) {
        let first = rows.first().copied().unwrap_or(0);
        let shown = all.iter().take(3).map(|at| sheet.cell(first, *at)).collect::<Vec<_>>().join(", ");
        let numbers: Vec<usize> = rows.iter().map(|row| row + 1).collect();
        let list = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let repair = if columns.is_empty() {
            "Remove the repeated row."
        } else {
            "Remove the repeated row, or give it a value of its own."
        };
        found.push(Finding {
            rows: numbers,
            field: field.clone(),
            kind: "duplicate",
            message: format!("{shown} stands in rows {list}"),
            repair: repair.into(),
        });
    }
    found.sort_by_key(|finding| finding.rows.clone());
    found
}
