//! The resulting table, and the figures in it.

use std::collections::BTreeMap;

use agent_common::merging::Conflict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The resulting table, and figures of it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// Figures of all rows, each with the rows that it is based on.
    pub(crate) answers: Vec<Answer>,
    /// Columns of the resulting table, with their types.
    pub(crate) columns: Vec<Column>,
    /// Its rows, at most 1,000: merged, joined, sorted or pivoted rows, or a row for each group.
    pub(crate) rows: Vec<BTreeMap<String, String>>,
    /// Number of all its rows.
    pub(crate) rows_total: usize,
    /// Rows that were left out because an equal one is there.
    pub(crate) duplicates_removed: usize,
    /// Records whose sources disagree.
    pub(crate) conflicts: Vec<Conflict>,
    /// Groups with their figures; of merged tables, with the sums of every numeric column.
    pub(crate) groups: Vec<Group>,
    /// Rows that may mean the same, by their places in `rows`, from 0.
    pub(crate) alike: Vec<Alike>,
    /// What the answer does not cover.
    pub(crate) limitations: Vec<String>,
}

/// A figure of all rows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// What it is: `sum of amount`, `count of rows where status = paid`.
    pub(crate) what: String,
    /// Its value: a number or a date; null if no row has one.
    pub(crate) value: Value,
    /// The rows of the table that it is based on, from 1, at most 200.
    pub(crate) rows: Vec<usize>,
}

/// A column.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    pub(crate) name: String,
    /// The type of its values.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Cells without a value.
    pub(crate) missing: usize,
}

/// Two rows that may mean the same.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Alike {
    /// The first row.
    pub(crate) a: usize,
    /// The second.
    pub(crate) b: usize,
    /// How likely, 0 to 1: an order rather than a chance.
    pub(crate) probability: f64,
}

/// Rows with the same values in the columns grouped by.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// Those values, by column.
    pub(crate) of: BTreeMap<String, String>,
    /// How many rows.
    pub(crate) rows: usize,
    /// Sum of each numeric column, exactly.
    pub(crate) sums: BTreeMap<String, f64>,
    /// The figures, by their names.
    pub(crate) values: BTreeMap<String, Value>,
}
