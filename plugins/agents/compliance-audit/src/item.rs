//! An item of the checklist, and how it stands.

use schemars::JsonSchema;
use serde::Serialize;

/// An item of the checklist.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Item {
    /// What was looked at.
    pub name: String,
    /// Whether it is there; null where it is not a matter of that.
    pub present: Option<bool>,
    /// How it stands.
    pub status: Status,
    /// The same in words.
    pub message: String,
    /// Where it shows.
    pub evidence: Vec<String>,
}

/// How an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing to do.
    InOrder,
    /// Someone should look at it.
    Look,
    /// It is wrong.
    Fails,
    /// It is not in the documents.
    Missing,
    /// There is nothing to check.
    NotApplicable,
    /// Something is needed to check it.
    NotChecked,
}
