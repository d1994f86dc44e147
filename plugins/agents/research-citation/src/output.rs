//! The answer of the agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Findings about claims and references.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// Each claim, in order.
    pub claims: Vec<Checked>,
    /// Each reference, work and identifier, in order.
    pub references: Vec<Reference>,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A reference or identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// Its beginning.
    pub text: String,
    /// Whether nothing in it is wrong.
    pub ok: bool,
    /// In the requested form; null if its parts are not clear.
    pub formatted: Option<String>,
    /// What is wrong.
    pub issues: Vec<String>,
}

/// A claim, and what the sources state about it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// As written.
    pub claim: String,
    /// What the sources state.
    pub finding: Finding,
    /// Share of its words in the quote, 0 to 1.
    pub overlap: f64,
    /// The sentence that shows it; null for `unsupported`.
    pub quote: Option<Quote>,
    /// The reason for this finding.
    pub reason: String,
}

/// What the sources state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A sentence states the same, with the same numbers.
    Supported,
    /// A sentence states something else, such as another number.
    Contradicted,
    /// No sentence states it.
    Unsupported,
}

/// A sentence of a source.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Quote {
    /// Word for word.
    pub text: String,
    /// Id of the source.
    pub source: String,
    /// Place of its first character in the source, from 0, in characters.
    pub start: usize,
}
