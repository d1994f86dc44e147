//! Tables out of plain text: CSV and its kin, bars, Markdown, columns set apart by spaces, JSON, lists of pairs.
//! [`crate::grid`] finds the lines that belong together.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{grid, pairs};

/// A table with names of columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns, as written; `label` and `value`, or `column 1`, where the text names none.
    pub columns: Vec<String>,
    /// Cells as written; each row is as long as `columns`.
    pub rows: Vec<Vec<String>>,
    /// The line above the table, where it is a title.
    pub title: Option<String>,
    /// Indices of rows that had more or fewer cells than there are columns.
    pub ragged: Vec<usize>,
    /// The text gives no names of columns.
    pub headless: bool,
}

impl Table {
    /// The largest table in a text. None without one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let all = Self::read_all(text);
        all.into_iter().reduce(|best, next| if next.size() > best.size() { next } else { best })
    }

    /// All tables of a text in order: grids of lines and JSON; where there is none, a list of pairs such as
    /// `Jan 10, Feb 12` or `north: 5`.
    #[must_use]
    pub fn read_all(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = json_tables(text);
        if all.is_empty() {
            all = grid::find(text).into_iter().map(|found| found.table).collect();
        }
        if all.is_empty() {
            all.extend(grid::inline(text));
        }
        if all.is_empty() {
            all.extend(pairs::read(text));
        }
        all
    }

    /// A table with names of columns and nothing special.
    #[must_use]
    pub fn new(columns: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        Self { columns, rows, ..Self::default() }
    }

    /// A table of a JSON value: an array of objects, an object that holds one, or an object of arrays of one length.
    #[must_use]
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
        let value = |row: &Map<String, Value>, name: &String| row.get(name).map_or_else(String::new, cell);
        let rows = rows.iter().map(|row| columns.iter().map(|name| value(row, name)).collect()).collect();
        Self::new(columns, rows)
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

    /// The cells of a column.
    #[must_use]
    pub fn cells(&self, column: usize) -> Vec<&str> {
        self.rows.iter().map(|row| row.get(column).map_or("", |cell| cell.trim())).collect()
    }

    /// A column as numbers, if all of its cells are; the column decides what `1.234` means.
    #[must_use]
    pub fn numbers(&self, column: usize) -> Option<Vec<f64>> {
        let cells = self.cells(column);
        let style = crate::quantity::style(&cells);
        cells.iter().map(|cell| crate::quantity::read(cell, style).filter(|q| !q.in_words).map(|q| q.value)).collect()
    }

    /// Whether a row is a total of the others by its name: `Total`, `Summe`, `Grand total`.
    #[must_use]
    pub fn is_total(&self, row: usize) -> bool {
        const NAMES: [&str; 12] = [
            "total",
            "totals",
            "sum",
            "grand total",
            "overall",
            "subtotal",
            "summe",
            "gesamt",
            "gesamtsumme",
            "somme",
            "totale",
            "suma",
        ];
        let cells = self.rows.get(row).into_iter().flatten();
        let words = cells.take(2).map(|cell| cell.trim().trim_matches(['*', ':', '_', ' ']).to_lowercase());
        words.into_iter().any(|cell| NAMES.contains(&cell.as_str()))
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

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// Tables of the JSON values in a text; objects one after the other are the rows of one.
fn json_tables(text: &str) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find(['[', '{'])) {
        let rest = text.get(at + open..).unwrap_or_default();
        match value_at(rest) {
            Some((value, len)) => {
                match (Table::of_json(&value), value) {
                    (Some(table), _) => tables.push(table),
                    (None, Value::Object(row)) => rows.push(row),
                    _ => {}
                }
                at += open + len;
            }
            None => at += open + 1,
        }
    }
    if rows.len() > 1 {
        tables.push(Table::of_objects(&rows));
    }
    tables
}

/// The JSON object or array that begins a text, and its length in bytes.
pub(crate) fn value_at(text: &str) -> Option<(Value, usize)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = stream.next()?.ok().filter(|value| value.is_object() || value.is_array())?;
    Some((value, stream.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_all_kinds() {
        let expect = Table::new(vec!["name".into(), "sold".into()], vec![vec!["A, B".into(), "3".into()]]);
        let texts = [
            "Look at this:\nname,sold\n\"A, B\",3\nthanks",
            "name;sold\nA, B;3",
            "| name | sold |\n|---|---|\n| A, B | 3 |",
            "merge [{\"name\": \"A, B\", \"sold\": 3}]",
            "name\tsold\nA, B\t3\nThanks, Jo",
            "name   sold\nA, B   3",
            "{\"rows\": [{\"name\": \"A, B\", \"sold\": 3}]}",
        ];
        for text in texts {
            let table = Table::read(text).map(|table| Table { title: None, ..table });
            assert_eq!(table, Some(expect.clone()), "{text}");
        }
        assert_eq!(expect.csv(), "name,sold\n\"A, B\",3\n");
        assert_eq!((expect.column("SOLD"), expect.numbers(1), expect.numbers(0)), (Some(1), Some(vec![3.0]), None));
        for text in ["", "no table here", "one line, only", "Hello, Jo\nHow are you, really?"] {
            assert_eq!(Table::read(text), None, "{text}");
        }
    }

    fn shown(table: &Table) -> String {
        let rows: Vec<String> = table.rows.iter().map(|row| row.join("|")).collect();
        format!("{} / {}", table.columns.join("|"), rows.join(" / "))
    }

    #[test]
    fn what_people_paste() {
        let cases = [
            ("{\"p\":1,\"q\":2}\n{\"p\":3,\"q\":4}", "p|q / 1|2 / 3|4"),
            ("{\"p\":[1,2],\"q\":[3,4]}", "p|q / 1|3 / 2|4"),
            (
                "yearly totals plz >> date,amount / 2024-11-15,1000 / 2024-02-03,500",
                "date|amount / 2024-11-15|1000 / 2024-02-03|500",
            ),
            ("sold: Jan 10, Feb 12, Mar 9.", "label|value / Jan|10 / Feb|12 / Mar|9"),
            ("north: 5\nsouth: 7\neast: 1", "label|value / north|5 / south|7 / east|1"),
            ("31=121 | 29=123 | 33=116", "label|value / 31|121 / 29|123 / 33|116"),
            ("8: 248; 7: 253; 6: 268", "label|value / 8|248 / 7|253 / 6|268"),
            ("Please sum, thanks:\nregion,orders\nNord,12\nSud,9\n\nBye, all", "region|orders / Nord|12 / Sud|9"),
            ("Summe je Vertreter, und alles:\n| V | Jan |\n|---|---:|\n| Huber | 1.200,50 |", "V|Jan / Huber|1.200,50"),
            ("name,age\nEva,1\nFinn\nGil,2,x", "name|age / Eva|1 / Finn| / Gil|2,x"),
            ("55,00 / 315\n60,00 / 253\n50,00 / 400", "column 1|column 2 / 55,00|315 / 60,00|253 / 50,00|400"),
            ("1,2\n3,4\n5,6", "column 1|column 2 / 1|2 / 3|4 / 5|6"),
            ("7.00  998\n8.00  660", "column 1|column 2 / 7.00|998 / 8.00|660"),
            (
                "Jan 2024 ...... 46\nFeb 2024 ...... 47\nMar 2024 ...... 46",
                "label|value / Jan 2024|46 / Feb 2024|47 / Mar 2024|46",
            ),
            ("token=value\nprimary=#0055AA\naccent=#FF77G0", "token|value / primary|#0055AA / accent|#FF77G0"),
            ("2024-01 1000\n2024-02 1050\n2024-03 1100", "label|value / 2024-01|1000 / 2024-02|1050 / 2024-03|1100"),
            ("2016 = 2010; 2017 = 2105; 2018 = 2190. Expect what?", "label|value / 2016|2010 / 2017|2105 / 2018|2190"),
        ];
        for (text, expect) in cases {
            assert_eq!(Table::read(text).as_ref().map(shown).as_deref(), Some(expect), "{text}");
        }
        let ragged = Table::read("name,age\nEva,1\nFinn\nGil,2").map(|table| table.ragged);
        assert_eq!(ragged, Some(vec![1]));
    }

    #[test]
    fn several_tables_have_titles_and_totals() {
        let text = "Compare.\n\nExport one:\nsku,stock\nA1,40\nA2,15\n\nExport two:\nsku,stock\nA1,40\nTotal,40\n";
        let tables = Table::read_all(text);
        let told: Vec<_> = tables.iter().map(|table| (table.title.as_deref(), table.rows.len())).collect();
        assert_eq!(told, [(Some("Export one"), 2), (Some("Export two"), 2)]);
        assert_eq!(tables.get(1).map(|table| (table.is_total(0), table.is_total(1))), Some((false, true)));
    }
}
