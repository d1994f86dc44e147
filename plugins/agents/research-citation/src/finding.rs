//! What the sources say of a claim, with the sentence that shows it.

use schemars::JsonSchema;
use serde::Serialize;

/// A claim, and what the sources say of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// As written.
    pub claim: String,
    /// What the sources say.
    pub finding: Finding,
    /// Share of its content words in the quote, 0 to 1.
    pub overlap: f64,
    /// The sentence that comes nearest; null where none has a word of it.
    pub quote: Option<Quote>,
    /// Why this finding.
    pub reason: String,
    /// How likely the finding is right, 0 to 1.
    pub confidence: f64,
}

/// What the sources say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A sentence says the same, with the same numbers.
    Supported,
    /// A sentence speaks of the same with other numbers, or the opposite.
    Contradicted,
    /// No sentence speaks of it.
    Unsupported,
}

/// A sentence of a source.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Quote {
    /// Word for word.
    pub text: String,
    /// Id of the source.
    pub source: String,
    /// Place of its first character in the source, from 0, in characters.
    pub start: usize,
}
