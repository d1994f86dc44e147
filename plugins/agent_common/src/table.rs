//! Tables with named columns; [`crate::material`] finds them in texts.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::quantity;

/// A table with names of columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns, as written; `column 1` and so on if the text has none.
    pub columns: Vec<String>,
    /// Cells as written; each row is as long as `columns`.
    pub rows: Vec<Vec<String>>,
    /// The line above the table, if it is a title.
    pub title: Option<String>,
    /// Whether the text has no names of columns.
    pub headless: bool,
}

impl Table {
    /// Returns a table with names of columns and without a title.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        Self { columns, rows, ..Self::default() }
    }

    /// Returns the table of a JSON value: an array of objects, an object that contains one, or an object of arrays of
    /// one length.
    pub fn of_json(value: &Value) -> Option<Self> {
        let rows = |value: &Value| -> Option<Vec<Map<String, Value>>> {
            let list = value.as_array().filter(|list| !list.is_empty())?;
            list.iter().map(|row| row.as_object().cloned()).collect()
        };
        if let Some(rows) = rows(value) {
            return Some(Self::of_objects(&rows));
        }
        let object = value.as_object()?;
        if let Some((name, rows)) = object.iter().find_map(|(name, value)| Some((name, rows(value)?))) {
            return Some(Self { title: Some(name.clone()), ..Self::of_objects(&rows) });
        }
        let arrays: Vec<(&String, &Vec<Value>)> =
            object.iter().filter_map(|(name, value)| Some((name, value.as_array()?))).collect();
        let height = arrays.first().map(|(_, list)| list.len()).filter(|height| *height > 1)?;
        let even: Vec<_> = arrays.into_iter().filter(|(_, list)| list.len() == height).collect();
        let columns = even.iter().map(|(name, _)| (*name).clone()).collect();
        let row = |at: usize| even.iter().map(|(_, list)| list.get(at).map_or_else(String::new, cell)).collect();
        Some(Self::new(columns, (0..height).map(row).collect()))
    }

    /// Returns the table of JSON objects; a missing member is an empty cell.
    pub fn of_objects(rows: &[Map<String, Value>]) -> Self {
        let mut columns: Vec<String> = Vec::new();
        let mut known = BTreeSet::new();
        for name in rows.iter().flat_map(|row| row.keys()) {
            if known.insert(name) {
                columns.push(name.clone());
            }
        }
        let value = |row: &Map<String, Value>, name: &String| row.get(name).map_or_else(String::new, cell);
        let rows = rows.iter().map(|row| columns.iter().map(|name| value(row, name)).collect()).collect();
        Self::new(columns, rows)
    }

    /// Returns the index of a column by its name; case does not matter.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.trim().eq_ignore_ascii_case(name.trim()))
    }

    /// Returns the cells of a column.
    pub fn cells(&self, column: usize) -> Vec<&str> {
        self.rows.iter().map(|row| row.get(column).map_or("", |cell| cell.trim())).collect()
    }

    /// Returns a column as numbers, if all of its cells are; the column decides what `1.234` means.
    pub fn numbers(&self, column: usize) -> Option<Vec<f64>> {
        let cells = self.cells(column);
        let style = quantity::style(&cells);
        cells.iter().map(|cell| quantity::number(cell, style)).collect()
    }

    /// Returns whether a row is the total of the others by its name: `Total`, `Summe`, `Grand total`.
    pub fn is_total(&self, row: usize) -> bool {
        const NAMES: &str = "total|totals|sum|grand total|overall|subtotal|summe|gesamt|gesamtsumme|somme|totale|suma";
        let cells = self.rows.get(row).into_iter().flatten();
        let words = cells.take(2).map(|cell| cell.trim().trim_matches(['*', ':', '_', ' ']).to_lowercase());
        words.into_iter().any(|cell| NAMES.split('|').any(|name| name == cell))
    }

    /// Returns the table as CSV with a header.
    pub fn csv(&self) -> String {
        let line = |cells: &[String]| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
        let lines = std::iter::once(&self.columns).chain(&self.rows).map(|cells| line(cells) + "\n");
        lines.collect()
    }

    /// Returns the rows as objects of texts.
    pub fn objects(&self) -> Vec<Map<String, Value>> {
        let object = |row: &Vec<String>| {
            self.columns.iter().cloned().zip(row.iter().map(|cell| Value::String(cell.trim().to_owned()))).collect()
        };
        self.rows.iter().map(object).collect()
    }
}

/// Returns a JSON value as the text of a cell.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// Reads the JSON object or array that begins a text; its length is in bytes.
pub(crate) fn value_at(text: &str) -> Option<(Value, usize)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = stream.next()?.ok().filter(|value| value.is_object() || value.is_array())?;
    Some((value, stream.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_json_are_read_by_name_and_written_as_csv() {
        let rows = serde_json::json!([{ "name": "A, B", "sold": 3 }, { "name": "C", "sold": 1.5 }]);
        let table = Table::of_json(&rows).unwrap();
        assert_eq!(table.csv(), "name,sold\n\"A, B\",3\nC,1.5\n");
        assert_eq!((table.column("SOLD"), table.numbers(1), table.numbers(0)), (Some(1), Some(vec![3.0, 1.5]), None));
        let columns = serde_json::json!({ "p": [1, 2], "q": [3, 4] });
        assert_eq!(Table::of_json(&columns).unwrap().csv(), "p,q\n1,3\n2,4\n");
        assert_eq!(Table::of_json(&serde_json::json!({ "p": 1 })), None);
    }
}
