//! What a caller may send.

use bridge_common::text_input;
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

/// Longest text, in bytes.
const LONGEST: usize = 500_000;
const MOST_PICKED: u32 = 100;

/// A text to shorten to its most telling sentences. Give `text`, or `resource_id` of a stored text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | resource_id"))]
pub struct Input {
    /// The text, at most 500,000 bytes and 1,500 sentences. A blank line ends a paragraph, and with it a sentence; a
    /// single line break does not. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 500_000))]
    pub text: Option<String>,
    /// Id of a stored resource (`res_…`): plain text or Markdown in UTF-8. Alone it means: this text, three sentences.
    pub resource_id: Option<String>,
    /// Most sentences in the summary (1 to 100; default 3).
    #[schemars(range(min = 1, max = 100))]
    pub max_sentences: Option<u32>,
    /// Most characters in the summary; sentences that do not fit are passed over. Default: no limit.
    #[schemars(range(min = 1, max = 500_000))]
    pub max_characters: Option<u32>,
    /// How sentences are ranked. Default: lexrank.
    #[serde(default)]
    pub method: Method,
    /// What the summary should be about, a few words: sentences like it count more. Default: the text as a whole.
    #[schemars(length(min = 1, max = 1_000))]
    pub query: Option<String>,
    /// 1: only rank counts; lower: what repeats a chosen sentence is passed over more (0 to 1; default 0.7).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub relevance: Option<f64>,
    /// Whose abbreviations do not end a sentence. Default: en.
    #[serde(default)]
    pub language: Language,
}

/// How sentences are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Continuous LexRank (Erkan and Radev 2004): cosines of TF-IDF vectors.
    #[default]
    Lexrank,
    /// TextRank (Mihalcea and Tarau 2004): words in common, by the lengths of the sentences.
    Textrank,
}

/// A language with known abbreviations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// German.
    De,
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// Italian.
    It,
    /// Portuguese.
    Pt,
    /// Russian.
    Ru,
    /// None of these: only single capital letters are abbreviations.
    Other,
}

/// A checked call.
#[derive(Debug)]
pub struct Task {
    pub text: String,
    pub sentences: usize,
    pub characters: usize,
    pub relevance: f64,
    /// Where the text stands in the input.
    pub field: &'static str,
}

impl Task {
    /// Reads and checks a call.
    pub fn read(call: &Call, input: &Input) -> Result<Self, Error> {
        let (text, field) = text_input::text(call, input.text.as_ref(), input.resource_id.as_ref(), LONGEST)?;
        let sentences = input.max_sentences.unwrap_or(3);
        if !(1..=MOST_PICKED).contains(&sentences) {
            return Err(Error::invalid("/max_sentences", format!("give a number from 1 to {MOST_PICKED}")));
        }
        if input.max_characters == Some(0) {
            return Err(Error::invalid("/max_characters", "give at least 1"));
        }
        let relevance = input.relevance.unwrap_or(0.7);
        if !(0.0..=1.0).contains(&relevance) {
            return Err(Error::invalid("/relevance", "give a number from 0 to 1"));
        }
        if input.query.as_ref().is_some_and(|query| query.trim().is_empty() || query.chars().count() > 1_000) {
            return Err(Error::invalid("/query", "give 1 to 1000 characters that are not blank"));
        }
        let characters = input.max_characters.map_or(usize::MAX, |most| most as usize);
        Ok(Self { text, sentences: sentences as usize, characters, relevance, field })
    }
}
