//! The entries of a table, and its description.

use serde::{Deserialize, Serialize};

/// Description of a table, for the member `data` of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Name by which [`Table::open`](super::Table::open) finds it.
    pub name: String,
    /// Version, as numbered by its source.
    pub version: String,
    /// The day or moment that the data describes.
    pub as_of: String,
    /// The licence of the data.
    pub licence: String,
    /// Source of the data.
    pub source: String,
    /// Number of entries.
    pub rows: u64,
}

/// One entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
}
