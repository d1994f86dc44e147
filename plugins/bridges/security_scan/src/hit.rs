//! A finding before its line, column and excerpt are worked out.

use crate::excerpt::excerpt;
use crate::output::Finding;
use crate::rule::{Confidence, Severity, Weakness};
use crate::secret::Secret;
use crate::source::Source;

/// What a rule found, and at which byte.
#[derive(Debug, Clone)]
pub struct Hit {
    pub rule: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    pub cwe: &'static str,
    pub at: usize,
    pub message: String,
    pub remedy: &'static str,
}

impl Hit {
    /// Of a rule that says the same of all that it finds.
    #[must_use]
    pub fn of(weakness: &Weakness, at: usize) -> Self {
        let Weakness { id, severity, confidence, cwe, message, remedy } = *weakness;
        Self { rule: id, severity, confidence, cwe, at, message: message.to_owned(), remedy }
    }

    #[must_use]
    pub fn of_secret(secret: &Secret) -> Self {
        let Secret { rule, severity, confidence, cwe, start, remedy, .. } = *secret;
        Self { rule, severity, confidence, cwe, at: start, message: secret.message.clone(), remedy }
    }

    /// As the caller sees it; secrets in its excerpt are masked.
    #[must_use]
    pub fn finding(self, source: &Source, secrets: &[Secret], line: usize) -> Finding {
        let before = source.text.get(source.line_start(line)..self.at).unwrap_or_default();
        Finding {
            rule: self.rule,
            severity: self.severity,
            confidence: self.confidence,
            path: source.path.clone(),
            line: line + 1,
            column: before.chars().count() + 1,
            excerpt: excerpt(source, secrets, self.at),
            message: self.message,
            remedy: self.remedy,
            cwe: self.cwe,
        }
    }
}
