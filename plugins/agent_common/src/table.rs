//! A table out of plain text: CSV, tab or bar separated lines, Markdown, or a JSON array of objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Lines that are read at most.
const LINES_MAX: usize = 20_000;

/// A table with names of columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns, as written.
    pub columns: Vec<String>,
    /// Cells as written; each row is as long as `columns`.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table in a text: its longest block of lines with equally many cells,
    /// which begins with a row of names. None without one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let json = text.find('[').and_then(|from| text.get(from..=text.rfind(']')?));
        let objects = json.and_then(|json| serde_json::from_str::<Vec<Map<String, Value>>>(json).ok());
        if let Some(table) = objects.filter(|rows| !rows.is_empty()).map(|rows| Self::of_objects(&rows)) {
            return Some(table);
        }
        let blocks = [',', ';', '\t', '|'].into_iter().filter_map(|separator| block(text, separator));
        blocks.fold(None, |best: Option<Self>, next| match best {
            Some(best) if best.size() >= next.size() => Some(best),
            _ => Some(next),
        })
    }

    /// Rows of JSON; a missing member is an empty cell, a text stands without quotes.
    #[must_use]
    pub fn of_objects(rows: &[Map<String, Value>]) -> Self {
        let mut columns: Vec<String> = Vec::new();
        let mut known = BTreeSet::new();
        for name in rows.iter().flat_map(|row| row.keys()) {
            if known.insert(name) {
                columns.push(name.clone());
            }
        }
        let cell = |row: &Map<String, Value>, name: &String| match row.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let rows = rows.iter().map(|row| columns.iter().map(|name| cell(row, name)).collect()).collect();
        Self { columns, rows }
    }

    fn size(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// The index of a column by its name; case does not matter.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.trim().eq_ignore_ascii_case(name.trim()))
    }

    /// The index of the first column whose name has one of `parts` in it.
    #[must_use]
    pub fn column_like(&self, parts: &[&str]) -> Option<usize> {
        parts.iter().find_map(|part| self.columns.iter().position(|column| column.to_lowercase().contains(part)))
    }

    /// A column as numbers, if all of its cells are.
    #[must_use]
    pub fn numbers(&self, column: usize) -> Option<Vec<f64>> {
        self.rows.iter().map(|row| row.get(column).and_then(|cell| crate::numbers::number(cell.trim()))).collect()
    }

    /// As CSV with a header.
    #[must_use]
    pub fn csv(&self) -> String {
        let line = |cells: &[String]| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
        let mut text = line(&self.columns);
        for row in &self.rows {
            text.push('\n');
            text.push_str(&line(row));
        }
        text.push('\n');
        text
    }

    /// As objects of texts.
    #[must_use]
    pub fn objects(&self) -> Vec<Map<String, Value>> {
        let object = |row: &Vec<String>| {
            self.columns.iter().cloned().zip(row.iter().map(|cell| Value::String(cell.trim().to_owned()))).collect()
        };
        self.rows.iter().map(object).collect()
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// The longest block of lines with one number of cells, two at least, under names.
fn block(text: &str, separator: char) -> Option<Table> {
    let mut best: Vec<Vec<String>> = Vec::new();
    let mut run: Vec<Vec<String>> = Vec::new();
    for line in text.lines().take(LINES_MAX).chain([""]) {
        let line = if separator == '|' { line.trim().trim_matches('|') } else { line };
        if separator == '|' && !line.is_empty() && line.chars().all(|c| "-:| ".contains(c)) {
            continue;
        }
        let row = cells(line, separator);
        let fits = row.len() > 1 && run.last().is_none_or(|last| last.len() == row.len());
        if !fits {
            if run.len() > best.len() {
                best = std::mem::take(&mut run);
            }
            run.clear();
        }
        if row.len() > 1 {
            run.push(row);
        }
    }
    let names = best.first()?.clone();
    let distinct: BTreeSet<&String> = names.iter().collect();
    let named = names.iter().all(|name| name.chars().any(char::is_alphabetic)) && distinct.len() == names.len();
    (named && best.len() > 1).then(|| Table { columns: names, rows: best.split_off(1) })
}

/// The cells of a line, each trimmed; quotes hold separators and doubled quotes.
fn cells(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut cell, mut inside) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if inside && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' if inside || cell.trim().is_empty() => inside = !inside,
            _ if c == separator && !inside => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(c),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_all_kinds() {
        let expect = Table { columns: vec!["name".into(), "sold".into()], rows: vec![vec!["A, B".into(), "3".into()]] };
        let texts = [
            "Look at this:\nname,sold\n\"A, B\",3\nthanks",
            "name;sold\nA, B;3",
            "| name | sold |\n|---|---|\n| A, B | 3 |",
            "merge [{\"name\": \"A, B\", \"sold\": 3}]",
        ];
        for text in texts {
            assert_eq!(Table::read(text), Some(expect.clone()), "{text}");
        }
        assert_eq!(expect.csv(), "name,sold\n\"A, B\",3\n");
        assert_eq!((expect.column("SOLD"), expect.numbers(1), expect.numbers(0)), (Some(1), Some(vec![3.0]), None));
        for text in ["", "no table here", "1,2\n3,4", "one line, only"] {
            assert_eq!(Table::read(text), None, "{text}");
        }
    }
}
