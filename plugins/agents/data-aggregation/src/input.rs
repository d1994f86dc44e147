//! What a call gives.

use agent_common::cells::Notation;
use agent_common::condition::Condition;
use agent_common::measures::{Deduplicate, Figure, Pivot};
use agent_common::relations::JoinKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

/// Tables, and what to compute of them. Steps apply in this order: tables are joined, merged by `key`, or appended;
/// `deduplicate`; `where`; `group_by`, `figures`, `pivot`; `sort`; `top`; `columns`. Without any of these except
/// `group_by` and `key`, the tables are merged, conflicts and rows that are alike are reported, and all numeric columns
/// are summed by group.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The tables, at most 20. Default: the tables of the task.
    #[schemars(length(min = 1, max = 20))]
    pub(crate) tables: Option<Vec<Given>>,
    /// Columns to group by; `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of dates, such as
    /// `month of ordered`. Default: one group of all rows.
    #[schemars(length(max = 10))]
    pub(crate) group_by: Option<Vec<String>>,
    /// Column that names a record: rows with the same value there are one record. Default: `id` if it exists and only
    /// `tables` and `group_by` are given.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) key: Option<String>,
    /// Figures of each group, and of all rows. Default: the number of rows.
    #[schemars(length(min = 1, max = 20))]
    pub(crate) figures: Option<Vec<Figure>>,
    /// Conditions that rows must meet, all of them.
    #[schemars(length(min = 1, max = 20))]
    #[serde(rename = "where")]
    pub(crate) conditions: Option<Vec<Condition>>,
    /// Order of the rows or groups. Default: rows as given, groups by their names.
    #[schemars(length(min = 1, max = 5))]
    pub(crate) sort: Option<Vec<Sort>>,
    /// Keeps so many rows or groups from the first, and those that equal the last one kept.
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) top: Option<u32>,
    /// Leaves out repeated rows.
    pub(crate) deduplicate: Option<Deduplicate>,
    /// Puts the two tables side by side.
    pub(crate) join: Option<Join>,
    /// Compares the two tables by these key columns: rows that are missing, added or different.
    #[schemars(length(min = 1, max = 5))]
    pub(crate) compare: Option<Vec<String>>,
    /// A row for each value of one column and a column for each value of another, with the first of `figures`.
    pub(crate) pivot: Option<Pivot>,
    /// Columns of the resulting rows. Default: all.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) columns: Option<Vec<String>>,
    /// How numbers and dates are written, if the cells do not show it.
    pub(crate) notation: Option<Notation>,
}

impl Input {
    /// Returns whether figures or rows are computed, instead of merging tables.
    pub(crate) fn is_query(&self) -> bool {
        let rest = Self { tables: None, group_by: None, key: None, notation: None, ..self.clone() };
        rest != Self::default()
    }
}

/// A table.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("data | rows"))]
pub struct Given {
    /// Its name. Default: `table 1` and so on.
    pub(crate) name: Option<String>,
    /// CSV with a header, Markdown, or a JSON array of objects.
    #[schemars(length(min = 1, max = 500_000))]
    pub(crate) data: Option<String>,
    /// JSON objects instead.
    #[schemars(length(min = 1, max = 10_000))]
    pub(crate) rows: Option<Vec<Map<String, Value>>>,
}

/// A column to sort by.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sort {
    /// A column of the result, or the name of a figure such as `sum of amount`.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) by: String,
    /// Highest first. Default: lowest first.
    #[serde(default)]
    pub(crate) descending: bool,
}

/// How two tables are joined.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// The key column of the first table.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) on: String,
    /// The key column of the second table. Default: the same name.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) with: Option<String>,
    /// Rows to keep: `inner` (with a partner), `left` (all of the first table), `full` (all). Default: inner.
    pub(crate) kind: Option<JoinKind>,
}
