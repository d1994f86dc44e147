//! What a caller may send.

use schemars::JsonSchema;
use serde::Deserialize;

/// Most items in one call.
pub const MOST_ITEMS: usize = 1_000;
/// Longest text of an item, in bytes.
pub const LONGEST_TEXT: usize = 10_000;
/// Most bytes of text in one call.
pub const MOST_BYTES: usize = 500_000;
/// Longest id of an item, in bytes.
pub const LONGEST_ID: usize = 200;

/// Headlines, messages or other short English texts to score. Give `items`, or `resource_id` of a stored file with
/// them. No feed is fetched and none is made up.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("items | resource_id"))]
pub struct Input {
    /// The texts, 1 to 1,000, at most 500,000 bytes in all. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 1_000))]
    pub items: Option<Vec<Item>>,
    /// Id of a stored resource (`res_…`): JSON of the shape of `items` (or an object with that member), or plain text
    /// with one item in each line. Alone it means: all of its items, finance words, no decay.
    pub resource_id: Option<String>,
    /// Which words are rated. Default: finance.
    #[serde(default)]
    pub domain: Domain,
    /// An item whose compound is nearer to 0 than this is neutral (0 to 0.5; default 0.05, as VADER's authors have it,
    /// and in the domain `news` 0.1 below and 0.35 above 0).
    #[schemars(range(min = 0.0, max = 0.5))]
    pub neutral_band: Option<f64>,
    /// Hours after which an item counts half in the index (0.01 to 100,000). Every item then needs `ts`. Default: age
    /// does not matter.
    #[schemars(range(min = 0.01, max = 100_000.0))]
    pub half_life_hours: Option<f64>,
    /// The time that ages are counted back from; items after it are refused. Default: the newest `ts`.
    pub as_of: Option<Stamp>,
}

/// One text.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text, or an object with `text` and, if wanted, `id`, `ts`, `weight`")]
pub enum Item {
    /// The text alone.
    Text(#[schemars(length(min = 1, max = 10_000))] String),
    /// A text and what is known of it.
    Full(Full),
}

/// A text and what is known of it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Full {
    /// English, 1 to 10,000 bytes.
    #[schemars(length(min = 1, max = 10_000))]
    pub text: String,
    /// Comes back with the score, so that items can be told apart. Default: none.
    #[schemars(length(max = 200))]
    pub id: Option<String>,
    /// When it was said. Default: not known.
    pub ts: Option<Stamp>,
    /// How much it counts in the index (above 0, to 1,000,000; default 1).
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub weight: Option<f64>,
}

/// A point in time: Unix seconds, or ISO 8601 such as `2026-01-31` (midnight UTC) or `2026-01-31T09:30:00Z`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "Unix seconds, or ISO 8601 such as 2026-01-31T09:30:00Z")]
pub enum Stamp {
    /// Unix seconds.
    Seconds(f64),
    /// ISO 8601.
    Text(String),
}

/// Which words are rated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// VADER's lexicon, and over it words of financial news ("plunges", "bullish", "layoffs").
    #[default]
    Finance,
    /// VADER's lexicon alone.
    General,
    /// The mean of the lexicons of VADER, AFINN and TextBlob, for news and editorials; kind words are common in them, so a
    /// text is positive only from 0.35, and negative from -0.1, unless `neutral_band` is given.
    News,
}
