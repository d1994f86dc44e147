//! Texts, and how to shorten them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Documents, and how short.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| text | documents"))]
pub struct Input {
    /// One text. The task's own text unless given.
    #[schemars(length(min = 1, max = 500_000))]
    pub text: Option<String>,
    /// Several documents instead, at most 50 and 500,000 bytes in all.
    #[schemars(length(min = 1, max = 50))]
    pub documents: Option<Vec<Document>>,
    /// Most sentences. Default: 3, or as many as `max_words` allows.
    #[schemars(range(min = 1, max = 100))]
    pub max_sentences: Option<u32>,
    /// Exactly this number of sentences, each as a bullet.
    #[schemars(range(min = 1, max = 100))]
    pub bullets: Option<u32>,
    /// Most words.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_words: Option<u32>,
    /// Only sentences that have a word of this topic.
    #[schemars(length(min = 1, max = 500))]
    pub about: Option<String>,
    /// Only sentences that have one of these words or phrases, in any case.
    #[schemars(length(min = 1, max = 20))]
    pub containing: Option<Vec<String>>,
    /// Only sentences that have a number in digits.
    pub with_numbers: Option<bool>,
    /// Most sentences from each of `documents`, in place of a choice among all of them.
    #[schemars(range(min = 1, max = 20))]
    pub per_document: Option<u32>,
    /// The form of `summary`: `text`, `bullets` or `json`. Default: text, or bullets with `bullets`.
    pub format: Option<Format>,
    /// Other words than those of the text. Needs a model.
    pub own_words: Option<bool>,
    /// Language of the summary, ISO 639-1; only with `own_words`. Default: that of the text.
    #[schemars(length(min = 2, max = 10))]
    pub language: Option<String>,
}

/// A document.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its name. Default: `document 1` and so on.
    pub title: Option<String>,
    /// Its text.
    #[schemars(length(min = 1, max = 500_000))]
    pub text: String,
}

/// The form of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Text,
    Bullets,
    Json,
}
