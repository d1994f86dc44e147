//! The answer. Numbers in it have six decimals or fewer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of this bridge.
pub type Output = Report<Findings, MethodUsed>;

/// The label of each text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// Each text, in the order given.
    pub texts: Vec<Classified>,
}

/// One text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Classified {
    /// Its place, from 0.
    pub index: usize,
    /// The label with the best score; null when nothing in the text is known from the examples, or `min_score` is not
    /// reached.
    pub label: Option<String>,
    /// Best score less the next, 0 to 1.
    pub margin: f64,
    /// All labels, best first.
    pub scores: Vec<LabelScore>,
    /// Up to five words that speak most for the first label against the second.
    pub evidence: Vec<Evidence>,
}

/// The score of a label.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LabelScore {
    /// Its name, as in `labels`.
    pub label: String,
    /// naive_bayes: probability; centroid: cosine. 0 to 1.
    pub score: f64,
}

/// A word that speaks for a label.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The word, or piece of a word, as it was learnt.
    pub word: String,
    /// naive_bayes: by how much it moves the natural logarithm of the odds; centroid: by how much the cosine.
    pub weight: f64,
}

/// The method used and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// naive_bayes or centroid.
    pub name: &'static str,
    /// words or subwords.
    pub features: &'static str,
    /// Why this method, in words.
    pub why: &'static str,
    /// What a score is.
    pub score: &'static str,
    /// Texts learnt from.
    pub documents: usize,
    /// How the method does on the examples; null with fewer than two for a label.
    pub cross_validation: Option<Trial>,
}

/// Cross-validation on the caller's examples.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Trial {
    /// Parts that the examples were split into; each was tried with what was learnt from the others.
    pub folds: usize,
    /// Examples and descriptions tried.
    pub documents: usize,
    /// Share that gets its own label when it is left out of learning, 0 to 1.
    pub accuracy: f64,
    /// Share that always naming the most frequent label would reach, 0 to 1.
    pub most_frequent: f64,
}

/// Six decimals, and no negative zero.
#[must_use]
pub fn tidy(value: f64) -> f64 {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded == 0.0 { 0.0 } else { rounded }
}
