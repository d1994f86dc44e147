//! The answer: a category for each text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where each text belongs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// One for each text, in order.
    pub(crate) texts: Vec<ClassifiedText>,
    /// How likely all labels are right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    pub(crate) confidence: f64,
    /// Where the categories come from: `given`, `task` or `built-in`.
    pub(crate) labels_from: String,
    /// What the answer does not tell.
    pub(crate) limitations: Vec<String>,
}

/// A text's category.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClassifiedText {
    /// Its beginning, at most 80 characters.
    pub(crate) text: String,
    /// Its language, ISO 639-1, where it shows.
    pub(crate) language: Option<String>,
    /// The category; null where no word speaks for any.
    pub(crate) label: Option<String>,
    /// Share of the best score in all scores, 0 to 1: how clear the choice is.
    pub(crate) confidence: f64,
    /// All categories, the best first.
    pub(crate) scores: Vec<Score>,
    /// Words that spoke for it.
    pub(crate) because_of: Vec<String>,
}

/// A category's score.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The category.
    pub(crate) label: String,
    /// As the method scores: a probability, or a cosine.
    pub(crate) score: f64,
}
