//! Reads small TOML files; every error names the field and says how to fix it.
//!
//! Invariant: an unknown member is an error, never ignored: a misspelt limit or grant must not
//! silently become the default.

use toml::{Table, Value};

use super::id::excerpt;
use crate::limits::PURPOSE_CHARS_MAX;

/// An error in one field of a TOML file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: `{field}`: {problem}")]
pub struct FieldError {
    /// Name of the file: `plugin.toml`, `plugin.sig`, …
    pub file: &'static str,
    /// Path of the field, for example `limits.memory_mib`, or a line number.
    pub field: String,
    /// The problem and how to fix it.
    pub problem: String,
}

/// A TOML table; each member is removed from it as it is read.
pub(super) struct Fields {
    file: &'static str,
    path: String,
    table: Table,
}

/// Parses a whole file; members that are not in `known` are an error.
pub(super) fn parse(file: &'static str, text: &str, known: &[&str]) -> Result<Fields, FieldError> {
    let table = text.parse::<Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.lines().count().max(1) + usize::from(before.ends_with('\n'));
        FieldError { file, field: format!("line {line}"), problem: excerpt(error.message()) }
    })?;
    Fields::new(file, String::new(), table, known)
}

impl Fields {
    fn new(file: &'static str, path: String, table: Table, known: &[&str]) -> Result<Self, FieldError> {
        let fields = Self { file, path, table };
        match fields.table.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(fields),
            Some(key) => {
                let key = excerpt(key);
                let problem = match nearest(&key, known) {
                    Some(right) => format!("there is no such field; did you mean `{right}`?"),
                    None => format!("there is no such field; the fields are {}", known.join(", ")),
                };
                Err(fields.error(&key, problem))
            }
        }
    }

    pub(super) fn error(&self, key: &str, problem: impl ToString) -> FieldError {
        let field = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        FieldError { file: self.file, field: field.escape_debug().to_string(), problem: problem.to_string() }
    }

    fn wrong_type(&self, key: &str, value: &Value, want: &str) -> FieldError {
        self.error(key, format!("this is {}; write {want}", type_name(value)))
    }

    /// Reads a string member; `want` is an example for the error message.
    pub(super) fn text(&mut self, key: &str, want: &str) -> Result<Option<String>, FieldError> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(key, &other, want)),
        }
    }

    pub(super) fn required_text(&mut self, key: &str, want: &str) -> Result<String, FieldError> {
        self.text(key, want)?.ok_or_else(|| self.error(key, format!("is missing; write {want}")))
    }

    /// Reads a required string member and parses it as a `T`.
    pub(super) fn parsed<T, E: ToString>(
        &mut self,
        key: &str,
        want: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, FieldError> {
        let text = self.required_text(key, want)?;
        parse(&text).map_err(|error| self.error(key, error.to_string()))
    }

    pub(super) fn boolean(&mut self, key: &str, default: bool) -> Result<bool, FieldError> {
        match self.table.remove(key) {
            None => Ok(default),
            Some(Value::Boolean(value)) => Ok(value),
            Some(other) => Err(self.wrong_type(key, &other, "true or false")),
        }
    }

    /// Reads an integer member between `min` and `max`.
    pub(super) fn number(&mut self, key: &str, min: u64, max: u64) -> Result<Option<u64>, FieldError> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::Integer(value)) => match u64::try_from(value) {
                Ok(value) if (min..=max).contains(&value) => Ok(Some(value)),
                _ => Err(self.error(key, format!("{value} is out of range; write a number from {min} to {max}"))),
            },
            Some(other) => {
                Err(self.wrong_type(key, &other, &format!("a whole number from {min} to {max}, without quotes")))
            }
        }
    }

    /// Reads a list of at most `max` strings; an absent list is empty.
    pub(super) fn texts(&mut self, key: &str, max: usize, want: &str) -> Result<Vec<String>, FieldError> {
        let items = self.array(key, max, want)?;
        let texts = items.into_iter().map(|item| match item {
            Value::String(text) => Ok(text),
            other => Err(self.wrong_type(key, &other, want)),
        });
        texts.collect()
    }

    fn array(&mut self, key: &str, max: usize, want: &str) -> Result<Vec<Value>, FieldError> {
        match self.table.remove(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) if items.len() <= max => Ok(items),
            Some(Value::Array(items)) => {
                Err(self.error(key, format!("has {} entries; at most {max} are allowed", items.len())))
            }
            Some(other) => Err(self.wrong_type(key, &other, want)),
        }
    }

    /// Reads a nested table, for example `[limits]`.
    pub(super) fn table(&mut self, key: &str, known: &[&str]) -> Result<Option<Fields>, FieldError> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Self::new(self.file, self.join(key), table, known).map(Some),
            Some(other) => Err(self.wrong_type(key, &other, &format!("a table, [{}]", self.join(key)))),
        }
    }

    /// Reads an array of tables, for example `[[skills]]`.
    pub(super) fn tables(&mut self, key: &str, max: usize, known: &[&str]) -> Result<Vec<Fields>, FieldError> {
        let want = format!("[[{key}]] tables");
        let items = self.array(key, max, &want)?;
        let tables = items.into_iter().enumerate().map(|(index, item)| match item {
            Value::Table(table) => Self::new(self.file, format!("{}[{index}]", self.join(key)), table, known),
            other => Err(self.wrong_type(key, &other, &want)),
        });
        tables.collect()
    }

    /// Reads a table of at most `max` named tables, for example `[tables.countries]`.
    pub(super) fn named_tables(
        &mut self,
        key: &str,
        max: usize,
        known: &[&str],
    ) -> Result<Vec<(String, Fields)>, FieldError> {
        let want = format!("tables, [{}.NAME]", self.join(key));
        let items = match self.table.remove(key) {
            None => Table::new(),
            Some(Value::Table(items)) if items.len() <= max => items,
            Some(Value::Table(items)) => {
                return Err(self.error(key, format!("has {} entries; at most {max} are allowed", items.len())));
            }
            Some(other) => return Err(self.wrong_type(key, &other, &want)),
        };
        let tables = items.into_iter().map(|(name, item)| match item {
            Value::Table(table) => {
                let path = format!("{}.{}", self.join(key), excerpt(&name));
                Ok((name, Self::new(self.file, path, table, known)?))
            }
            other => Err(self.wrong_type(key, &other, &want)),
        });
        tables.collect()
    }

    fn join(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with decimals",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}

/// Returns the known word that is most similar to a misspelt one; `None` if no word is similar
/// enough.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = |candidate: &&str| edits(word, candidate);
    let best = known.iter().copied().min_by_key(near)?;
    let starts = |a: &str, b: &str| a.len() >= 3 && b.starts_with(a);
    match edits(word, best) <= 1 + best.len() / 4 {
        true => Some(best),
        false => known.iter().copied().find(|candidate| starts(word, candidate) || starts(candidate, word)),
    }
}

/// Returns the edit distance: the number of single-character edits from one word to the other.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (above, b) in row.iter().skip(1).copied().zip(to.chars()) {
            let here = (diagonal + usize::from(a != b)).min(above + 1).min(left + 1);
            diagonal = above;
            left = here;
            next.push(here);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Checks that a text is one line and safe to show in a list, a log or a terminal.
pub(super) fn one_line(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("is empty; say in one line what it does".to_owned());
    }
    let count = text.chars().count();
    if count > PURPOSE_CHARS_MAX {
        return Err(format!("has {count} characters; at most {PURPOSE_CHARS_MAX} are allowed"));
    }
    if text.contains('\n') {
        return Err("contains a line break; write one line".to_owned());
    }
    plain_text(text).map(|()| text.to_owned())
}

/// Checks that a text of several lines is safe to show in a list, a log or a terminal.
pub(super) fn plain_text(text: &str) -> Result<(), String> {
    // Direction marks and line separators can reorder or break lines, as control characters can.
    let unsafe_mark =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match text.chars().find(|c| c.is_control() && *c != '\n' || unsafe_mark(*c)) {
        Some(bad) => Err(format!("contains the control character {}; write plain text", bad.escape_unicode())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["name", "version", "price_gbp", "limits"];

    fn check(text: &str, expect: &str) {
        let error = parse("plugin.toml", text, &KNOWN).err().unwrap();
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn unknown_fields_are_named_with_the_nearest_known_one() {
        check("nmae = 1", "plugin.toml: `nmae`: there is no such field; did you mean `name`?");
        check("price = 1", "plugin.toml: `price`: there is no such field; did you mean `price_gbp`?");
        check(
            "zebra = 1",
            "plugin.toml: `zebra`: there is no such field; the fields are name, version, price_gbp, limits",
        );
        check(
            "\"a\\u001b\" = 1",
            "plugin.toml: `a\\u{1b}`: there is no such field; the fields are name, version, price_gbp, limits",
        );
    }

    #[test]
    fn broken_toml_names_its_line() {
        let error = parse("plugin.toml", "name = 'a'\n\nversion = = 1\n", &KNOWN).err().unwrap();
        assert_eq!(error.field, "line 3");
        assert!(parse("plugin.toml", "name = 'a'\nname = 'b'", &KNOWN).err().unwrap().problem.contains("duplicate"));
        assert!(parse("plugin.toml", &format!("limits = {}1{}", "[".repeat(500), "]".repeat(500)), &KNOWN).is_err());
    }

    #[test]
    fn counts_edits() {
        for (from, to, expect) in [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("name", "nmae", 2)] {
            assert_eq!((edits(from, to), edits(to, from)), (expect, expect), "{from} {to}");
        }
    }
}
