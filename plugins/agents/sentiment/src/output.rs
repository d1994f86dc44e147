//! What the agent answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sentiment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// positive, neutral, negative, or mixed where both are strong; of all texts together.
    pub label: &'static str,
    /// Mean of the sentences, -1 to 1.
    pub score: f64,
    /// How likely the labels are right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    pub confidence: f64,
    /// Each text that was judged, in order; one for a text alone.
    pub items: Vec<JudgedText>,
    /// Each sentence.
    pub sentences: Vec<Sentence>,
    /// What the text speaks of, the strongest feeling first.
    pub aspects: Vec<Aspect>,
    /// What the answer does not tell.
    pub limitations: Vec<String>,
}

/// A text with its label.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JudgedText {
    /// What the task calls it.
    pub name: Option<String>,
    /// Its beginning, at most 120 characters.
    pub text: String,
    /// positive, neutral, negative or mixed.
    pub label: &'static str,
    /// -1 to 1.
    pub score: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// The words and phrases that show it, with what they add.
    pub based_on: Vec<Word>,
}

/// A sentence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sentence {
    /// Place of its first character in its text, from 0, in characters.
    pub start: usize,
    /// As written.
    pub text: String,
    /// -1 to 1.
    pub score: f64,
    /// The words that show it.
    pub words: Vec<Word>,
}

/// A word that was rated.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Word {
    /// As written.
    pub word: String,
    /// What it adds, after negation and words of degree.
    pub value: f64,
}

/// A thing that the text speaks of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Aspect {
    /// What.
    pub name: String,
    /// positive, neutral, negative or mixed.
    pub label: &'static str,
    /// Of the clauses that name it, -1 to 1.
    pub score: f64,
    /// Places of the sentences that name it in `sentences`, from 0.
    pub sentences: Vec<usize>,
}
