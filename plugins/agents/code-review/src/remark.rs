//! A remark on a line of code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Source;

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

/// How grave a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Critical,
    High,
    Medium,
    Low,
    Info,
}

// A model fills it too, without `rule` and with a piece of the line as the quote.
/// A remark.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// critical, high, medium, low or info.
    pub severity: Severity,
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
    #[serde(default)]
    pub rule: String,
    /// The line as written; empty for a secret.
    pub quote: String,
}

impl Remark {
    /// Returns a remark that quotes its line.
    pub fn new(
        sources: &[Source],
        (path, line): (&str, usize),
        (kind, severity): (Kind, Severity),
        rule: &str,
        message: String,
        remedy: &str,
    ) -> Self {
        let source = sources.iter().find(|source| source.file.path == path);
        let quote = source.map(|source| source.quote(line)).unwrap_or_default();
        let (path, rule, remedy) = (path.to_owned(), rule.to_owned(), remedy.to_owned());
        Self { severity, kind, path, line, message, remedy, rule, quote }
    }
}
