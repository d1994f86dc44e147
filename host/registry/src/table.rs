//! `Table`: a large read-only data set, checked once and then shared.
//!
//! A table is UTF-8 text. Its first line is `#` and a JSON object with `version`, `as_of`,
//! `licence` and `source`; each other line is a key, a tab and a value, which may contain further
//! tabs. Lines are sorted by the bytes of their keys, each key appears once, and lines end in a
//! line feed.
//!
//! Invariant: a value of type `Table` is well-formed and never changes, so reading from it cannot
//! fail.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::limits::{TABLE_BYTES_MAX, TABLE_VALUE_BYTES_MAX, TABLES_BYTES_MAX};

/// Maximum length of a key in a table.
const TABLE_KEY_BYTES_MAX: usize = 1 << 10;
/// Maximum length of the first line of a table file: four short texts.
const TABLE_HEADER_BYTES_MAX: usize = 4 << 10;

/// A table in memory: its text, and the positions of the lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    about: TableMetadata,
    text: String,
    /// The position of each entry's line, and as the last element the end of the text.
    starts: Vec<u32>,
}

/// A table's metadata, from its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableMetadata {
    /// Version of the data set.
    pub version: String,
    /// The day or time that the data describes.
    pub as_of: String,
    /// Licence of the data, for example an SPDX identifier.
    pub licence: String,
    /// The origin of the data.
    pub source: String,
}

/// The reason why text is not a valid table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum TableFault {
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
    #[error("the table has {size} bytes; at most {TABLE_BYTES_MAX} are allowed")]
    TooLarge { size: usize },
    #[error(
        "the tables in memory would have more than {TABLES_BYTES_MAX} bytes together; remove plugins or tables that \
         are not needed"
    )]
    NoRoom,
}

const FIRST_LINE: &str = "must be # and a JSON object, \
     #{\"version\":\"…\",\"as_of\":\"…\",\"licence\":\"…\",\"source\":\"…\"}";

impl Table {
    /// Parses and checks the text of a table.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, TableFault> {
        if bytes.len() > TABLE_BYTES_MAX {
            return Err(TableFault::TooLarge { size: bytes.len() });
        }
        let mut text = String::from_utf8(bytes).map_err(|error| {
            let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            fault(line, "is not UTF-8 text; convert the file")
        })?;
        text.shrink_to_fit();
        let (about, first) = about(&text)?;
        let mut starts = vec![first];
        let (mut start, mut before) = (first, "");
        for (index, line) in text.get(at(first)..).unwrap_or_default().split_inclusive('\n').enumerate() {
            let key = check_line(line, (index > 0).then_some(before)).map_err(|problem| fault(index + 2, problem))?;
            before = key;
            // Cannot overflow, because the whole text is shorter than `TABLE_BYTES_MAX`.
            start = start.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX));
            starts.push(start);
        }
        starts.shrink_to_fit();
        Ok(Self { about, text, starts })
    }

    /// Returns the table's metadata.
    pub const fn about(&self) -> &TableMetadata {
        &self.about
    }

    /// Returns the number of entries.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the size of the table in memory: its text and the positions of the lines.
    pub fn bytes(&self) -> usize {
        self.text.len().saturating_add(self.starts.len().saturating_mul(size_of::<u32>()))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.row(self.find(key).ok()?).map(|(_, value)| value)
    }

    /// Returns the entry with the greatest key that is less than or equal to `key`.
    pub fn at_or_before(&self, key: &str) -> Option<(&str, &str)> {
        self.row(self.find(key).or_else(|next| next.checked_sub(1).ok_or(())).ok()?)
    }

    /// Returns the entries whose key is at least `key`, in order.
    pub fn starting_at(&self, key: &str) -> impl Iterator<Item = (&str, &str)> {
        let first = self.find(key).unwrap_or_else(|next| next);
        (first..self.rows()).map_while(|index| self.row(index))
    }

    /// Returns the lines from `start` (inclusive) to `end` (exclusive) as text: whole
    /// lines, at most `max` bytes. A line is shorter than a mebibyte, so if `max` is a
    /// mebibyte, every non-empty range yields at least one line.
    pub fn page(&self, start: &str, end: Option<&str>, max: usize) -> &str {
        let place = |key| self.find(key).unwrap_or_else(|next| next);
        let (first, last) = (place(start), end.map_or(self.rows(), place));
        let offsets = self.starts.get(first..=last).unwrap_or_default();
        let Some(begin) = offsets.first().copied() else { return "" };
        let fitting = offsets.partition_point(|offset| at(offset.saturating_sub(begin)) <= max);
        let end = fitting.checked_sub(1).and_then(|index| offsets.get(index)).copied().unwrap_or(begin);
        self.text.get(at(begin)..at(end)).unwrap_or_default()
    }

    /// Returns the index of a key, or, as an error, of the first key after it.
    fn find(&self, key: &str) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.rows());
        while low < high {
            let middle = low.midpoint(high);
            let Some((middle_key, _)) = self.row(middle) else { return Err(high) };
            match middle_key.cmp(key) {
                Ordering::Equal => return Ok(middle),
                Ordering::Less => low = middle.saturating_add(1),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    fn row(&self, index: usize) -> Option<(&str, &str)> {
        let (start, end) = (*self.starts.get(index)?, *self.starts.get(index.checked_add(1)?)?);
        self.text.get(at(start)..at(end))?.strip_suffix('\n')?.split_once('\t')
    }
}

/// Reads a table's first line; returns the metadata and the position of the second line.
fn about(text: &str) -> Result<(TableMetadata, u32), TableFault> {
    let line = text.split_inclusive('\n').next().unwrap_or_default();
    let wrong = |why: &str| fault(1, format!("{FIRST_LINE}{why}"));
    if line.len() > TABLE_HEADER_BYTES_MAX {
        return Err(wrong(&format!(", of at most {TABLE_HEADER_BYTES_MAX} bytes")));
    }
    let json = line.strip_prefix('#').and_then(|line| line.strip_suffix('\n')).ok_or_else(|| wrong(""))?;
    let about: TableMetadata = serde_json::from_str(json).map_err(|error| wrong(&format!("; {error}")))?;
    let texts = [&about.version, &about.as_of, &about.licence, &about.source];
    if texts.iter().any(|text| text.trim().is_empty() || text.chars().any(char::is_control)) {
        return Err(wrong("; each of them must be one line of text, none empty"));
    }
    Ok((about, u32::try_from(line.len()).unwrap_or(u32::MAX)))
}

/// Checks an entry's line and returns its key; `before` is the previous line's key, if there is
/// one.
fn check_line<'t>(line: &'t str, before: Option<&str>) -> Result<&'t str, String> {
    let line = line.strip_suffix('\n').ok_or("the last line must end in a line feed; is the file complete?")?;
    if line.ends_with('\r') {
        return Err("ends in a carriage return; lines end in a line feed alone".to_owned());
    }
    let (key, value) = line.split_once('\t').ok_or("must be a key, a tab and a value")?;
    if key.is_empty() || key.len() > TABLE_KEY_BYTES_MAX {
        return Err(format!("a key must have 1 to {TABLE_KEY_BYTES_MAX} bytes"));
    }
    if value.len() > TABLE_VALUE_BYTES_MAX {
        return Err(format!("a value may have at most {TABLE_VALUE_BYTES_MAX} bytes"));
    }
    match before.map(|before| before.cmp(key)) {
        None | Some(Ordering::Less) => Ok(key),
        Some(Ordering::Equal) => Err("has the key of the line before; each key may appear once".to_owned()),
        Some(Ordering::Greater) => {
            Err("is not in order; sort the lines by the bytes of their keys (LC_ALL=C sort)".to_owned())
        }
    }
}

fn fault(line: usize, problem: impl Into<String>) -> TableFault {
    TableFault::Line { line, problem: problem.into() }
}

fn at(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
