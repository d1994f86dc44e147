//! The entries of a table, and its description.

use serde::{Deserialize, Serialize};

/// The description of a table; a plugin can copy it into the member `data` of its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Name of the table, by which [`Table::open`](super::Table::open) finds it.
    pub name: String,
    /// Version of the data, as numbered by its source.
    pub version: String,
    /// The date or time that the data describes.
    pub as_of: String,
    /// The licence of the data.
    pub licence: String,
    /// Source of the data.
    pub source: String,
    /// Number of entries in the table.
    pub rows: u64,
}

/// An entry of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Key of the entry.
    pub key: String,
    /// Value of the entry.
    pub value: String,
}
