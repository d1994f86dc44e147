//! A remark on a line of code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Others can make the code do what it should not.
    Security,
    /// The code does something else than it says.
    Defect,
    /// It does more work than needed.
    Performance,
    /// Functions that are hard to follow.
    Complexity,
    /// Code that nothing uses or reaches.
    Unused,
    /// The same code twice.
    Duplicate,
    /// Habits that make code harder to read or to change.
    Style,
}

/// A remark.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Remark {
    /// critical, high, medium, low or info.
    pub severity: String,
    /// What it is about.
    pub kind: Kind,
    /// The file.
    pub path: String,
    /// The line, from 1; in a diff the line of the new file.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
    /// The rule or measure behind it.
    pub rule: String,
    /// The line as written; empty for a secret.
    pub quote: String,
}

impl Remark {
    /// Returns 0 for the gravest severity.
    pub fn rank(&self) -> usize {
        ["critical", "high", "medium", "low", "info"].iter().position(|name| *name == self.severity).unwrap_or(5)
    }
}
