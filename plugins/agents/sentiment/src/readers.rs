//! The two readers: words, rated by the bridge `sentiment_feed`, and meaning, by logistic
//! regression on vectors of a model.

use agent_common::Answer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Error, bridges, inference};

/// Weights and bias of negative, neutral and positive, made by `scripts/train_sentiment.py`
/// from the human-rated texts of vaderSentiment 3.3.2 (MIT).
const WEIGHTS: &[u8] = include_bytes!("weights.bin");
/// Dimensions of the vectors of all-MiniLM-L6-v2.
const DIMENSIONS: usize = 384;
/// From this score on, the words of a text are positive; VADER's own limit.
const SCORE: f64 = 0.05;
/// Least probability of a positive or negative meaning. Of texts that were not trained on,
/// 4 % have the opposite sign where both readers agree from here on.
const CLEAR: f64 = 0.7;
/// … and of a neutral one, which is confused more often.
const CLEAR_NEUTRAL: f64 = 0.8;

/// A sentiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feeling {
    Positive,
    Negative,
    Neutral,
    Mixed,
}

impl Feeling {
    /// Returns the sentiment of a score of words.
    pub fn of_score(score: f64) -> Self {
        match score {
            score if score >= SCORE => Self::Positive,
            score if score <= -SCORE => Self::Negative,
            _ => Self::Neutral,
        }
    }

    /// Returns its name.
    pub fn name(self) -> String {
        json!(self).as_str().unwrap_or_default().to_owned()
    }
}

/// A word that the bridge rated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Word {
    /// As written.
    pub word: String,
    /// What it adds, after negation and words of degree.
    pub value: f64,
}

/// A text as the bridge rates it.
#[derive(Debug, Clone, Deserialize)]
pub struct Rated {
    pub compound: f64,
    pub words: Vec<Word>,
}

#[derive(Deserialize)]
struct Feed {
    items: Vec<Rated>,
}

/// Rates the words of texts, and returns the limitations of the bridge.
pub fn words(texts: &[&str], finance: bool) -> Result<(Vec<Rated>, Vec<String>), Error> {
    let domain = if finance { "finance" } else { "general" };
    let feed: Answer<Feed> = bridges::call("sentiment_feed", &json!({ "items": texts, "domain": domain }))?;
    Ok((feed.result.items, feed.limitations))
}

/// Returns the meaning of each text; none for a text whose meaning is not clear.
pub fn meanings(texts: &[&str]) -> Result<Vec<Option<Feeling>>, inference::Error> {
    let mut meanings: Vec<Option<Feeling>> =
        inference::embed(texts)?.vectors.iter().map(|vector| meaning(vector)).collect();
    meanings.resize(texts.len(), None);
    Ok(meanings)
}

pub fn weights() -> impl Iterator<Item = f32> {
    WEIGHTS.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes)
}

pub fn meaning(vector: &[f32]) -> Option<Feeling> {
    if vector.len() != DIMENSIONS {
        return None;
    }
    let floats: Vec<f64> = weights().map(f64::from).collect();
    let score = |row: &[f64]| {
        let (weights, bias) = row.split_at_checked(DIMENSIONS)?;
        let product: f64 = weights.iter().zip(vector).map(|(weight, value)| weight * f64::from(*value)).sum();
        Some((product + bias.first()?).exp())
    };
    let scores: Vec<f64> = floats.chunks_exact(DIMENSIONS + 1).filter_map(score).collect();
    let total: f64 = scores.iter().sum();
    let kinds = [(Feeling::Negative, CLEAR), (Feeling::Neutral, CLEAR_NEUTRAL), (Feeling::Positive, CLEAR)];
    let clear = |(kind, score): (&(Feeling, f64), &f64)| (score / total >= kind.1).then_some(kind.0);
    kinds.iter().zip(&scores).find_map(clear)
}
