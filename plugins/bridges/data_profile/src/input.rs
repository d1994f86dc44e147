//! What a caller may send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bytes of a table.
pub const MOST_BYTES: usize = 1_048_576;
/// Most rows and columns that are looked at.
pub const MOST_ROWS: usize = 100_000;
pub const MOST_COLUMNS: usize = 200;
/// Most cells that are looked at.
pub const MOST_CELLS: usize = 1_000_000;

/// A table to profile: `data`, `rows`, or `resource_id` of a stored file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("data | rows | resource_id"))]
pub struct Input {
    /// The table as text: CSV (separator and header are found), a JSON array of objects or of arrays, or JSON lines; at
    /// most 1 MiB. Give this, `rows` or `resource_id`.
    #[schemars(length(max = 1_048_576))]
    pub data: Option<String>,
    /// The table as JSON: objects or arrays. Nested values count as text. Give this, `data` or `resource_id`.
    #[schemars(length(max = 100_000))]
    pub rows: Option<Vec<serde_json::Value>>,
    /// Id of a stored resource (`res_…`): the same as `data`, as a file. This bridge has no other natural key; alone, it
    /// means: this file, everything by default.
    pub resource_id: Option<String>,
    /// How the text is written. Default: by the first character; `{` and `[` are JSON.
    pub format: Option<Format>,
    /// CSV only: the first row has names. Default: it does when all its cells are texts, differ, and are not empty.
    pub header: Option<bool>,
    /// CSV only: the character between cells. Default: comma, semicolon, tab or bar, whichever fits best.
    #[schemars(length(min = 1, max = 1))]
    pub separator: Option<String>,
    /// Texts that mean a missing value, besides the empty one; case does not matter. Default: null, none, na, n/a, nan, -.
    #[schemars(length(max = 50))]
    pub missing: Option<Vec<String>>,
    /// Most frequent values listed of each column, 0 to 20. Default: 5.
    #[schemars(range(min = 0, max = 20))]
    pub top: Option<u32>,
}

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Cells with a character between them, a row a line.
    Csv,
    /// A JSON array of objects or of arrays.
    Json,
    /// A JSON object or array a line.
    JsonLines,
}
