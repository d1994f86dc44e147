//! A secret and its place in a file.

use crate::rule::{Confidence, Severity};

/// A secret in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub rule: &'static str,
    pub severity: Severity,
    pub confidence: Confidence,
    pub cwe: &'static str,
    /// Bytes of the text that must never be shown.
    pub start: usize,
    pub end: usize,
    pub message: String,
    pub remedy: &'static str,
}
