//! The answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::rule::{Confidence, Severity};

/// Findings, and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    pub result: Findings,
    /// How the files were looked at.
    pub method: &'static str,
    pub data: RuleSet,
    /// What to bear in mind.
    pub limitations: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The most severe first; then by path, line and column.
    pub findings: Vec<Finding>,
    pub summary: Summary,
    /// Files that were scanned.
    pub files_scanned: usize,
    /// Findings left out because of a comment `tollbridge:ignore RULE`.
    pub suppressed: usize,
    /// False when the work for one call was used up before everything was looked at.
    pub complete: bool,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Id of the rule, `group.name`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How sure it is that this is what it looks like.
    pub confidence: Confidence,
    /// Path of the file; empty when none was given.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line, cut to what matters, with every secret masked.
    pub excerpt: String,
    /// What is wrong, in words.
    pub message: String,
    /// What to do about it.
    pub remedy: &'static str,
    /// Kind of weakness by its number in the Common Weakness Enumeration (cwe.mitre.org), such as `CWE-89`.
    pub cwe: &'static str,
}

/// Findings by severity, listed or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Critical ones.
    pub critical: usize,
    /// High ones.
    pub high: usize,
    /// Medium ones.
    pub medium: usize,
    /// Low ones.
    pub low: usize,
    /// Places to look at.
    pub info: usize,
}

impl Summary {
    /// Counts one.
    pub fn add(&mut self, severity: Severity) {
        let place = match severity {
            Severity::Critical => &mut self.critical,
            Severity::High => &mut self.high,
            Severity::Medium => &mut self.medium,
            Severity::Low => &mut self.low,
            Severity::Info => &mut self.info,
        };
        *place += 1;
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.critical + self.high + self.medium + self.low + self.info
    }
}

/// The rules that were applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleSet {
    /// Name of the rule set.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The day on which it was last changed.
    pub as_of: &'static str,
    /// How many rules it has.
    pub rules: usize,
    /// Its licence.
    pub license: &'static str,
}
