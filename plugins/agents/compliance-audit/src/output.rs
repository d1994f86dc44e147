//! The answer of the agent.

use schemars::JsonSchema;
use serde::Serialize;

use crate::input::Document;

/// The audit.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// Every item of the checklist.
    pub items: Vec<Item>,
    /// Items that need attention.
    pub open: usize,
    /// The documents without the personal data, if redaction was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Vec<Document>>,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// An item of the checklist, and its result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// What was looked for.
    pub name: String,
    /// Whether the documents have it; null if the item is not of that kind.
    pub present: Option<bool>,
    /// Its result.
    pub status: Status,
    /// The same in words.
    pub message: String,
    /// Words of the documents that show it.
    pub evidence: Vec<String>,
}

impl Item {
    /// Returns an item that is present or missing.
    pub fn decided(name: &str, present: bool, message: &str, evidence: Vec<String>) -> Self {
        let status = match (present, evidence.is_empty()) {
            (true, _) => Status::InOrder,
            (false, true) => Status::Missing,
            (false, false) => Status::Fails,
        };
        Self { name: name.to_owned(), present: Some(present), status, message: message.to_owned(), evidence }
    }

    /// Returns an item that is neither present nor missing.
    pub fn open(name: &str, status: Status, message: String, evidence: Vec<String>) -> Self {
        Self { name: name.to_owned(), present: None, status, message, evidence }
    }
}

/// The result of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing to do.
    InOrder,
    /// A person should look at it.
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
