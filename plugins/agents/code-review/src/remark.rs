//! A remark on a place in the code.

use schemars::JsonSchema;
use serde::Serialize;

use crate::source::Source;

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
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
    /// The line as it stands.
    pub quote: String,
}

impl Remark {
    /// A remark on the line `at`, from 0.
    #[must_use]
    pub fn new(
        source: &Source,
        at: usize,
        (kind, severity): (Kind, &str),
        rule: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            severity: severity.into(),
            kind,
            path: source.path.clone(),
            line: at + 1,
            message: message.into(),
            remedy: remedy.into(),
            rule: rule.into(),
            quote: source.lines.get(at).map(|line| line.raw.trim().chars().take(160).collect()).unwrap_or_default(),
        }
    }

    /// 0 for the gravest.
    #[must_use]
    pub fn rank(&self) -> usize {
        ["critical", "high", "medium", "low", "info"].iter().position(|name| *name == self.severity).unwrap_or(5)
    }
}
