//! The answer. Numbers in it have four decimals.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of this bridge.
pub type Output = Report<Findings, String>;

/// The sentiment of each item and of all together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// All items together.
    pub index: IndexShown,
    /// Each item, in the order given.
    pub items: Vec<ItemScore>,
    /// How many items are of each kind.
    pub counts: Counts,
}

/// All items together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndexShown {
    /// Weighted mean of the compounds, −1 to 1.
    pub value: f64,
    /// Its 95% interval; null for fewer than two items' worth of weight.
    pub ci95: Option<Interval>,
    /// Number of items.
    pub n: usize,
    /// How many items of equal weight would say as much.
    pub effective_n: f64,
    /// The time that ages are counted back from; null when no item has a time.
    pub as_of: Option<String>,
}

/// From where to where.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// Its lower end, −1 to 1.
    pub lower: f64,
    /// Its upper end, −1 to 1.
    pub upper: f64,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ItemScore {
    /// Its place, from 0.
    pub index: usize,
    /// As given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// positive, neutral or negative.
    pub label: &'static str,
    /// −1 (most negative) to 1 (most positive).
    pub compound: f64,
    /// Share of the text that is positive, 0 to 1; the three shares add up to 1.
    pub positive: f64,
    /// Share that is neutral, 0 to 1.
    pub neutral: f64,
    /// Share that is negative, 0 to 1.
    pub negative: f64,
    /// Its weight in the index after decay, from 0.
    pub weight: f64,
    /// The first 20 words with a part in it.
    pub words: Vec<WordScore>,
}

/// A word with a part in the score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WordScore {
    /// As written.
    pub word: String,
    /// What it adds after all rules (negation, degree words, capitals).
    pub value: f64,
    /// vader, finance or news.
    pub list: &'static str,
}

/// How many items are of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Positive items.
    pub positive: usize,
    /// Neutral items, unrated ones included.
    pub neutral: usize,
    /// Negative items.
    pub negative: usize,
    /// Neutral items without a single rated word: nothing is known of them.
    pub unrated: usize,
}

/// Four decimals, and no negative zero.
#[must_use]
pub fn tidy(value: f64) -> f64 {
    let rounded = (value * 1e4).round() / 1e4;
    if rounded == 0.0 { 0.0 } else { rounded }
}
