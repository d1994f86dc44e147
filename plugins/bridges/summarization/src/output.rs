//! The answer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of this bridge.
pub type Output = Report<Summary, MethodUsed>;

/// The summary.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// The chosen sentences in the order of the text, as they stand there but for white space, with a space between.
    pub summary: String,
    /// The same one by one, with their places.
    pub sentences: Vec<SelectedSentence>,
    /// Sentences in the text.
    pub sentences_total: usize,
    /// Characters in the text.
    pub characters_total: usize,
    /// Characters of the summary by characters of the text, 0 to 1.
    pub ratio: f64,
}

/// A chosen sentence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SelectedSentence {
    /// Exactly as in the text.
    pub text: String,
    /// Its place among the sentences, from 0.
    pub index: usize,
    /// Where it begins, in bytes of UTF-8 from 0.
    pub start_byte: usize,
    /// Where it ends (not included), in bytes of UTF-8.
    pub end_byte: usize,
    /// Where it begins, in characters (Unicode code points) from 0.
    pub start_char: usize,
    /// Where it ends (not included), in characters.
    pub end_char: usize,
    /// Its rank, 0 to 1; the ranks of all sentences add up to 1.
    pub score: f64,
    /// As how many-th it was chosen, from 1.
    pub order: usize,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// lexrank or textrank; with mmr.
    pub name: &'static str,
    /// What was done, in words.
    pub description: String,
    /// Whether the query has words in common with the text; null without a query.
    pub query_matched: Option<bool>,
}
