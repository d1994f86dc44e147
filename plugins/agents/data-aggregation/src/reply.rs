//! What a query gives: results, groups, a table and a sentence.

use std::collections::BTreeMap;

use agent_common::table::Table;
use serde_json::Value;

use crate::figure::Figure;

/// A group's results.
#[derive(Debug, Clone)]
pub struct GroupResult {
    pub of: BTreeMap<String, String>,
    pub rows: usize,
    pub values: BTreeMap<String, Value>,
}

/// What a query gives.
#[derive(Debug, Default)]
pub struct Reply {
    pub answers: Vec<Figure>,
    pub groups: Vec<GroupResult>,
    pub table: Table,
    pub summary: String,
}
