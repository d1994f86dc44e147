//! Rules as data: what to look for, and what to say of it.

use regex_lite::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::patterns::compiled;

/// How bad a finding is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A place to look at; no weakness by itself.
    Info,
    /// Weak habit, or of use to an attacker only with something else.
    Low,
    /// A weakness under conditions that are often met.
    Medium,
    /// A weakness that can be used.
    High,
    /// A way in: a live secret, or code that others can run.
    Critical,
}

/// How sure a finding is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Often something harmless looks like this.
    Low,
    /// Mostly what it looks like.
    Medium,
    /// Almost surely what it looks like.
    High,
}

/// Short names for the tables.
pub use Confidence::{High as SURE, Low as MAYBE, Medium as LIKELY};
pub use Severity::{Critical as CRITICAL, High as HIGH, Info as INFO, Low as LOW, Medium as MEDIUM};

/// What a rule says of what it finds.
#[derive(Debug, Clone, Copy)]
pub struct Weakness {
    /// `group.name`; the group is the language.
    pub id: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    pub cwe: &'static str,
    pub message: &'static str,
    pub remedy: &'static str,
}

/// One pattern.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub weakness: Weakness,
    /// Literals of which one must be there before the pattern is tried at all; the pattern is tried around them.
    pub near: &'static [&'static str],
    /// What to find in text without comments. Group 1, if there is one, is where the finding begins.
    pub pattern: &'static str,
    /// No finding if the lines of the match contain this.
    pub unless: &'static str,
    /// No finding if one of these stands anywhere in the file.
    pub file_unless: &'static [&'static str],
    /// Lines before that of the literal that belong to what is looked at.
    pub above: usize,
    /// Lines after the literal that belong to what is looked at.
    pub lines: usize,
    /// The match may begin inside a string.
    pub in_strings: bool,
}

impl Rule {
    /// A rule with the usual: three more lines, code only, no exceptions.
    #[must_use]
    pub const fn new(
        id: &'static str,
        grade: (Severity, Confidence, &'static str),
        near: &'static [&'static str],
        pattern: &'static str,
        message: &'static str,
        remedy: &'static str,
    ) -> Self {
        let (severity, confidence, cwe) = grade;
        let weakness = Weakness { id, severity, confidence, cwe, message, remedy };
        Self { weakness, near, pattern, unless: "", file_unless: &[], above: 0, lines: 3, in_strings: false }
    }

    /// With an exception for the lines of the match.
    #[must_use]
    pub const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }

    /// With literals that make the whole file an exception.
    #[must_use]
    pub const fn file_unless(self, file_unless: &'static [&'static str]) -> Self {
        Self { file_unless, ..self }
    }

    /// Looking at so many lines after the literal.
    #[must_use]
    pub const fn over(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    /// Looking at so many lines before that of the literal.
    #[must_use]
    pub const fn after(self, above: usize) -> Self {
        Self { above, ..self }
    }

    /// The match may begin inside a string.
    #[must_use]
    pub const fn in_strings(self) -> Self {
        Self { in_strings: true, ..self }
    }

    /// The compiled pattern and exception.
    #[must_use]
    pub fn compiled(&self) -> Option<(&'static Regex, Option<&'static Regex>)> {
        let unless = if self.unless.is_empty() { None } else { Some(compiled(self.unless)?) };
        Some((compiled(self.pattern)?, unless))
    }
}
