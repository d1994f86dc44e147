//! The code to review.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to review.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| files | diff"))]
pub struct Input {
    /// Files with their paths, at most 200 and 1 MiB in all. The task's own code or diff unless given.
    #[schemars(length(min = 1, max = 200))]
    pub files: Option<Vec<File>>,
    /// A unified diff (`git diff`) instead: only added lines are reviewed.
    #[schemars(length(min = 1, max = 500_000))]
    pub diff: Option<String>,
    /// Only remarks of these kinds. Default: all, without matters of taste.
    #[schemars(length(min = 1, max = 5))]
    pub focus: Option<Vec<Focus>>,
    /// Whether the code is known to have a fault: a review without one is then refused. Default: false.
    pub fault: Option<bool>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its path, whose ending tells the language.
    #[schemars(length(min = 1, max = 300))]
    pub path: String,
    /// Its text.
    #[schemars(length(max = 1_048_576))]
    pub content: String,
}

/// What a review is limited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Focus {
    Security,
    Defects,
    /// Style, with matters of taste, and unused code.
    Style,
    /// Complexity and duplicates.
    Complexity,
    Unused,
}
