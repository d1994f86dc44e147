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

    pub fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Mixed => "mixed",
        }
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
    Ok(inference::embed(texts)?.vectors.iter().map(|vector| meaning(vector)).collect())
}

fn meaning(vector: &[f32]) -> Option<Feeling> {
    if vector.len() != DIMENSIONS {
        return None;
    }
    let floats: Vec<f64> = WEIGHTS
        .chunks_exact(4)
        .filter_map(|bytes| bytes.try_into().ok())
        .map(f32::from_le_bytes)
        .map(f64::from)
        .collect();
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

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Returns a vector of unit length whose meaning is clear.
    pub fn vector(feeling: Feeling) -> Vec<f32> {
        let floats: Vec<f32> =
            WEIGHTS.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        let row = match feeling {
            Feeling::Negative => 0,
            Feeling::Neutral => 1,
            _ => 2,
        };
        let weights = &floats[row * 385..row * 385 + DIMENSIONS];
        let length = weights.iter().map(|value| value * value).sum::<f32>().sqrt();
        weights.iter().map(|value| value / length).collect()
    }

    #[test]
    fn meanings_are_clear_or_none() {
        assert_eq!(WEIGHTS.len(), 3 * 385 * 4);
        for feeling in [Feeling::Negative, Feeling::Neutral, Feeling::Positive] {
            assert_eq!(meaning(&vector(feeling)), Some(feeling));
        }
        assert_eq!(meaning(&vec![0.0; DIMENSIONS]), None);
        assert_eq!(meaning(&[1.0]), None);
    }
}
