//! The summary.

use schemars::JsonSchema;
use serde::Serialize;

/// The summary.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The summary: sentences of the documents, in their order.
    pub summary: String,
    /// Each of its sentences, and its place; empty if a model wrote the summary.
    pub sentences: Vec<Sentence>,
    /// Language of the documents, ISO 639-1, if it is clear; of a model's summary, if one was requested.
    pub language: Option<String>,
    /// What was done, in words.
    pub note: String,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A sentence of the summary.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sentence {
    /// The sentence as it is in the document.
    pub text: String,
    /// Title of the document.
    pub document: String,
    /// Place of its first character in the document, from 0, in characters.
    pub start: usize,
}
