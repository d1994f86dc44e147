//! The answer: a translation, or what differs between two texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The translation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// The translated text; empty where two texts were compared.
    pub(crate) translation: String,
    /// How likely it is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    pub(crate) confidence: f64,
    /// Each part with its translation; of a comparison, each difference.
    pub(crate) items: Vec<TranslatedPart>,
    /// Language of the text given, ISO 639-1, as far as it shows.
    pub(crate) source: Option<String>,
    /// Language asked for; several parted by commas.
    pub(crate) target: String,
    /// Whether every check passed.
    pub(crate) passed: bool,
    /// What was compared between the two texts.
    pub(crate) checks: Vec<Check>,
    /// The model that wrote it; null where none was asked.
    pub(crate) model: Option<String>,
    /// What the answer does not tell.
    pub(crate) limitations: Vec<String>,
}

/// A part of the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TranslatedPart {
    /// As given.
    pub(crate) text: String,
    /// Its translation, or what differs.
    pub(crate) translation: String,
    /// Translations that are as right in other places.
    pub(crate) alternatives: Vec<String>,
    /// Language of the translation.
    pub(crate) target: String,
    /// `phrase table`, `model`, `unchanged` or `comparison`.
    pub(crate) from: &'static str,
}

/// A comparison.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was compared.
    pub(crate) name: String,
    /// Whether it is in order.
    pub(crate) passed: bool,
    /// What the translation lacks.
    #[serde(default)]
    pub(crate) missing: Vec<Value>,
    /// What it has too much.
    #[serde(default)]
    pub(crate) added: Vec<Value>,
}
