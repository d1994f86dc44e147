//! The label of each text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The label of each text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// The texts, in order.
    pub texts: Vec<ClassifiedText>,
    /// What the labels rest on: `rules`, `words and meaning`, `words`, or `model`.
    pub labels_from: &'static str,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A text with its label.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClassifiedText {
    /// Its beginning, at most 80 characters.
    pub text: String,
    /// Its language, ISO 639-1, if it was detected.
    pub language: Option<String>,
    /// The label; null if none is certain enough.
    pub label: Option<String>,
    /// Why there is no label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The share of right labels among texts with a choice as clear as this one, measured on texts of other callers; only where meaning was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The scores of the bridge, best first.
    pub scores: Vec<Score>,
    /// Words of the text that point to the label.
    pub because_of: Vec<String>,
}

/// The score of a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The label.
    pub label: String,
    /// A probability or a cosine, by the method of the bridge.
    pub score: f64,
}
