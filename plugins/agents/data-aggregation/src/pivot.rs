//! One row for each value of a column, one column for each value of another.

use agent_common::exact::Exact;
use agent_common::formula::Formula;
use agent_common::sheet::Sheet;
use agent_common::table::Table;

use crate::compute;
use crate::query::{Ask, Measure, Op};
use crate::reader::Reader;

/// Whether the request wants one.
pub fn is_wanted(reader: &Reader<'_>) -> bool {
    let words = ["pivot", "pivoted", "crosstab", "kreuztabelle", "pivottabelle", "matrix", "crosstabulation"];
    let pair = |first: &[&str], second: &[&str]| {
        (0..reader.pieces.len()).any(|at| reader.is(at, first) && (at + 1..at + 4).any(|at| reader.is(at, second)))
    };
    reader.says_any(&words)
        || (pair(&["column", "spalte"], &["per", "for", "je", "pro"]) && reader.says_any(&["row", "zeile", "rows"]))
        || (reader.says_any(&["rows", "zeilen"])
            && reader.says_any(&["columns", "spalten"])
            && pair(&["as", "in", "als"], &["columns", "rows", "spalten", "zeilen", "column"]))
}

/// The pivoted table; none where the request does not say by what.
pub fn make(reader: &Reader<'_>, op: Op) -> Option<Table> {
    let sheet = reader.sheet;
    let labels: Vec<usize> = (0..reader.pieces.len())
        .filter_map(|at| reader.column(at))
        .filter(|column| !sheet.measures().contains(column))
        .fold(Vec::new(), |mut all, column| {
            if !all.contains(&column) {
                all.push(column);
            }
            all
        });
    let near = |words: &[&str]| -> Option<usize> {
        let at = (0..reader.pieces.len()).find(|at| reader.is(*at, words))?;
        let fits = |at: &usize| reader.column(*at).is_some_and(|column| labels.contains(&column));
        let behind = (at + 1..at + 4).take_while(|at| !reader.is_stop(*at)).find(fits);
        let before = (at.saturating_sub(4)..at).rev().take_while(|at| !reader.is_stop(*at)).find(fits);
        behind.or(before).and_then(|at| reader.column(at))
    };
    let across = near(&["column", "columns", "spalte", "spalten", "across", "colonnes", "columnas"]);
    let down = near(&["row", "rows", "zeile", "zeilen", "down", "lignes", "filas"]);
    let other = |taken: Option<usize>| labels.iter().copied().find(|column| Some(*column) != taken);
    let (down, across) = match (down, across) {
        (Some(down), Some(across)) if down != across => (down, across),
        (_, Some(across)) => (other(Some(across))?, across),
        (Some(down), None) => (down, other(Some(down))?),
        (None, None) => (*labels.first()?, *labels.get(1)?),
    };
    let named =
        (0..reader.pieces.len()).filter_map(|at| reader.column(at)).find(|column| sheet.measures().contains(column));
    let value = named.or_else(|| sheet.measures().into_iter().find(|column| *column != down && *column != across));
    let measure = match value {
        Some(column) if op != Op::Count => Measure::Of(Formula::Column(column)),
        _ => Measure::Rows,
    };
    let ask = Ask {
        op: if measure == Measure::Rows { Op::Count } else { op },
        measure,
        filters: Vec::new(),
        name: String::new(),
        percent: false,
    };
    Some(cross(sheet, down, across, &ask))
}

fn cross(sheet: &Sheet, down: usize, across: usize, ask: &Ask) -> Table {
    let rows: Vec<usize> = (0..sheet.table.rows.len()).collect();
    let values = |column: usize| -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for row in &rows {
            let cell = sheet.cell(*row, column).to_owned();
            if !all.contains(&cell) {
                all.push(cell);
            }
        }
        all
    };
    let (left, top) = (values(down), values(across));
    let columns = std::iter::once(sheet.name(down).to_owned()).chain(top.iter().cloned()).collect();
    let line = |name: &String| {
        let cell = |head: &String| {
            let own: Vec<usize> = rows
                .iter()
                .copied()
                .filter(|row| sheet.cell(*row, down) == name && sheet.cell(*row, across) == head)
                .collect();
            if own.is_empty() {
                String::new()
            } else {
                compute::figure(sheet, ask, &own, &rows).map(Exact::text).unwrap_or_default()
            }
        };
        std::iter::once(name.clone()).chain(top.iter().map(cell)).collect()
    };
    Table::new(columns, left.iter().map(line).collect())
}
