//! The table: CSV, a JSON array, or JSON lines, read into cells of text with what JSON said of their types.

use std::collections::HashMap;

use bridge_common::csv;
use tollbridge_sdk::{Call, Error, serde_json};

use crate::input::{Format, Input, MOST_BYTES, MOST_CELLS, MOST_COLUMNS, MOST_ROWS};

/// Longest name of a column that is kept, in characters.
const LONGEST_NAME: usize = 80;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Missing,
    /// Text whose type is still to be told (CSV), or a JSON number or truth value.
    Plain(String),
    /// A JSON string: a text whatever it looks like, except a date.
    Quoted(String),
}

/// Names and rows; every row has as many cells as there are names.
#[derive(Debug, Default)]
pub struct Table {
    pub names: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
    pub format: Option<Format>,
    pub separator: Option<char>,
    /// Rows that had another number of cells.
    pub uneven: usize,
    /// Names that were there more than once.
    pub repeated: usize,
}

impl Table {
    /// Reads the table that the input names.
    pub fn read(call: &Call, input: &Input) -> Result<Self, Error> {
        let given = [input.data.is_some(), input.rows.is_some(), input.resource_id.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            let text = "give one of `data`, `rows` and `resource_id` (a stored CSV or JSON file)";
            return Err(Error::invalid("/data", text));
        }
        let missing = missing(input)?;
        if let Some(rows) = &input.rows {
            return from_json(rows.iter(), Format::Json, "/rows", &missing);
        }
        let (text, field) = match &input.data {
            Some(text) => (text.as_str(), "/data"),
            None => (call.stored()?.text()?, "/resource_id"),
        };
        if text.len() > MOST_BYTES {
            return Err(Error::invalid(field, format!("longer than {MOST_BYTES} bytes")));
        }
        let text = text.trim_start_matches('\u{feff}');
        let usual = match text.trim_start().chars().next() {
            Some('[') => Format::Json,
            Some('{') => Format::JsonLines,
            _ => Format::Csv,
        };
        let wrong = |error: String| Error::invalid(field, error);
        match input.format.unwrap_or(usual) {
            Format::Csv => from_csv(text, input, field, &missing),
            Format::Json => {
                let rows: Vec<serde_json::Value> =
                    serde_json::from_str(text).map_err(|error| wrong(format!("not a JSON array: {error}")))?;
                from_json(rows.iter(), Format::Json, field, &missing)
            }
            Format::JsonLines => {
                let mut rows: Vec<serde_json::Value> = Vec::new();
                for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                    let row = serde_json::from_str(line);
                    rows.push(row.map_err(|error| wrong(format!("line {} is not JSON: {error}", place + 1)))?);
                    if rows.len() > MOST_ROWS {
                        break;
                    }
                }
                from_json(rows.iter(), Format::JsonLines, field, &missing)
            }
        }
    }

    /// The cells of a column.
    pub fn column(&self, place: usize) -> impl Iterator<Item = &Cell> {
        self.rows.iter().map(move |row| row.get(place).unwrap_or(&Cell::Missing))
    }

    fn checked(self, field: &str) -> Result<Self, Error> {
        let wrong = |text: String| Err(Error::invalid(field, text));
        if self.names.is_empty() || self.rows.is_empty() {
            return wrong("the table has no rows with values".into());
        }
        if self.names.len() > MOST_COLUMNS || self.rows.len() > MOST_ROWS {
            return wrong(format!("larger than {MOST_ROWS} rows of {MOST_COLUMNS} columns; send a part"));
        }
        if self.names.len() * self.rows.len() > MOST_CELLS {
            return wrong(format!("more than {MOST_CELLS} cells; send a part"));
        }
        Ok(self)
    }
}

fn missing(input: &Input) -> Result<Vec<String>, Error> {
    let usual = || ["null", "none", "na", "n/a", "nan", "-"].map(str::to_owned).to_vec();
    let words = input.missing.clone().unwrap_or_else(usual);
    if words.len() > 50 || words.iter().any(|word| word.chars().count() > 100) {
        return Err(Error::invalid("/missing", "at most 50 texts of at most 100 characters"));
    }
    Ok(words.iter().map(|word| word.trim().to_lowercase()).collect())
}

fn cut(name: &str) -> String {
    name.trim().chars().take(LONGEST_NAME).collect()
}

fn from_json<'a>(
    rows: impl Iterator<Item = &'a serde_json::Value>,
    format: Format,
    field: &str,
    missing: &[String],
) -> Result<Table, Error> {
    let mut table = Table { format: Some(format), ..Table::default() };
    let mut places: HashMap<String, usize> = HashMap::new();
    for (number, row) in rows.enumerate() {
        let mut cells: Vec<Cell> = vec![Cell::Missing; table.names.len()];
        let mut put = |name: String, value: &serde_json::Value| {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                table.names.push(cut(&name));
                table.names.len() - 1
            });
            if place >= cells.len() {
                cells.resize(place + 1, Cell::Missing);
            }
            if let Some(cell) = cells.get_mut(place) {
                *cell = from_value(value, missing);
            }
        };
        match row {
            serde_json::Value::Object(members) => members.iter().for_each(|(name, value)| put(name.clone(), value)),
            serde_json::Value::Array(values) => {
                values.iter().enumerate().for_each(|(place, value)| put(format!("column {}", place + 1), value));
            }
            _ => return Err(Error::invalid(field, format!("row {number} is neither an object nor an array"))),
        }
        table.rows.push(cells);
        if table.names.len() > MOST_COLUMNS || table.rows.len() > MOST_ROWS {
            break;
        }
    }
    let width = table.names.len();
    if width * table.rows.len() <= MOST_CELLS {
        table.rows.iter_mut().for_each(|row| row.resize(width, Cell::Missing));
    }
    table.checked(field)
}

fn from_value(value: &serde_json::Value, missing: &[String]) -> Cell {
    match value {
        serde_json::Value::Null => Cell::Missing,
        serde_json::Value::String(text) if is_missing(text, missing) => Cell::Missing,
        serde_json::Value::String(text) => Cell::Quoted(text.clone()),
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => Cell::Quoted(value.to_string()),
        plain => Cell::Plain(plain.to_string()),
    }
}

fn is_missing(text: &str, missing: &[String]) -> bool {
    let text = text.trim();
    text.is_empty() || (text.len() <= 100 && missing.contains(&text.to_lowercase()))
}

fn from_csv(text: &str, input: &Input, field: &str, missing: &[String]) -> Result<Table, Error> {
    let separator = match &input.separator {
        Some(given) => {
            let mut letters = given.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) if letter != '"' && !letter.is_alphanumeric() => letter,
                _ => return Err(Error::invalid("/separator", "must be one character, no letter, digit or quote")),
            }
        }
        None => find_separator(text),
    };
    let mut rows = csv::rows(text, separator, MOST_ROWS + 1);
    let first = rows.first().cloned().unwrap_or_default();
    let is_text = |cell: &String| !cell.trim().is_empty() && cell.trim().parse::<f64>().is_err();
    let mut seen = first.clone();
    seen.sort();
    seen.dedup();
    let headed = input.header.unwrap_or(first.iter().all(is_text) && seen.len() == first.len());
    let width = rows.iter().take(MOST_ROWS + 1).map(Vec::len).max().unwrap_or(0);
    let named = |place: usize| first.get(place).map(|name| cut(name)).filter(|name| headed && !name.is_empty());
    let names =
        (0..width.min(MOST_COLUMNS + 1)).map(|place| named(place).unwrap_or_else(|| format!("column {}", place + 1)));
    let mut table =
        Table { names: names.collect(), format: Some(Format::Csv), separator: Some(separator), ..Table::default() };
    if headed && !rows.is_empty() {
        rows.remove(0);
        table.repeated = first.len() - seen.len();
    }
    table.uneven = rows.iter().filter(|row| row.len() != first.len()).count();
    if width > MOST_COLUMNS || width * rows.len() > MOST_CELLS {
        let text = format!("more than {MOST_COLUMNS} columns or {MOST_CELLS} cells; send a part");
        return Err(Error::invalid(field, text));
    }
    for row in rows {
        let cell = |text: String| if is_missing(&text, missing) { Cell::Missing } else { Cell::Plain(text) };
        let mut cells: Vec<Cell> = row.into_iter().map(cell).collect();
        cells.resize(width, Cell::Missing);
        table.rows.push(cells);
    }
    table.checked(field)
}

/// The separator for which the first lines have the same number of cells most often, and most cells.
fn find_separator(text: &str) -> char {
    let sample: String = text.lines().take(20).collect::<Vec<_>>().join("\n");
    let judge = |separator: &char| {
        let rows = csv::rows(&sample, *separator, MOST_ROWS);
        let width = rows.first().map_or(0, Vec::len);
        let even = rows.iter().filter(|row| row.len() == width).count();
        if width < 2 { (0, 0) } else { (even * 100 / rows.len().max(1), width) }
    };
    let mut best = (',', judge(&','));
    for separator in [';', '\t', '|'] {
        let judged = judge(&separator);
        if judged > best.1 {
            best = (separator, judged);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators() {
        for (text, expect) in
            [("a,b\n1,2", ','), ("a;b\n1,5;2,5", ';'), ("a\tb\n1\t2", '\t'), ("a|b|c\n1|2|3", '|'), ("a\n1", ',')]
        {
            assert_eq!(find_separator(text), expect, "{text}");
        }
    }
}
