//! What a call gives.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Tables, and how to bring them together.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The tables, at most 20. Default: the tables of the task, apart by blank lines.
    #[schemars(length(min = 1, max = 20))]
    pub(crate) tables: Option<Vec<Given>>,
    /// Columns to group by. Default: the column after "by" in the task; none: one group of all rows.
    #[schemars(length(max = 10))]
    pub(crate) group_by: Option<Vec<String>>,
    /// Column that names a record: rows with the same value there are one record. Default: `id` where there is one.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) key: Option<String>,
}

/// A table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("data | rows"))]
pub struct Given {
    /// What to call it. Default: `table 1` and so on.
    pub(crate) name: Option<String>,
    /// CSV with a header, Markdown, or a JSON array of objects.
    #[schemars(length(min = 1, max = 500_000))]
    pub(crate) data: Option<String>,
    /// JSON objects instead.
    #[schemars(length(min = 1, max = 10_000))]
    pub(crate) rows: Option<Vec<Map<String, Value>>>,
}
