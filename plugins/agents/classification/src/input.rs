//! Texts, the labels they may get, and the label of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Texts, and the labels to choose from.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The texts, 1 to 200. Default: the lines of the task.
    #[schemars(length(min = 1, max = 200))]
    pub texts: Option<Vec<String>>,
    /// The labels, 2 to 50; one is enough if it has a rule.
    #[schemars(length(min = 1, max = 50))]
    pub labels: Option<Vec<Label>>,
    /// A best score of the bridge below this gives no label, 0 to 1. Default: 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_score: Option<f64>,
    /// What rules with numbers compare. Default: the only number of the text.
    pub measure: Option<Measure>,
    /// The numbers that rules compare, one for each text, instead of a measure.
    #[schemars(length(max = 200))]
    pub values: Option<Vec<f64>>,
    /// The date of today, for the measure `days`: `2024-03-04`.
    #[schemars(length(max = 40))]
    pub today: Option<String>,
    /// Whether the first label whose rule fits is taken. Default: a text that fits two rules is an error.
    pub first_match: Option<bool>,
}

/// A label.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name, unique.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What belongs here, in words that such texts use.
    pub description: Option<String>,
    /// Texts that belong here, at most 200.
    #[schemars(length(max = 200))]
    #[serde(default)]
    pub examples: Vec<String>,
    /// When a text gets this label. If one label has a rule, all need one.
    pub rule: Option<Rule>,
}

/// When a text gets a label. All members that are given must hold.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The text has one of these words or phrases; case and accents do not matter.
    #[schemars(length(max = 200))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The text begins with one of these.
    #[schemars(length(max = 200))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<String>,
    /// The text ends with one of these.
    #[schemars(length(max = 200))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// A regular expression that the text matches.
    #[schemars(length(min = 1, max = 500))]
    pub pattern: Option<String>,
    /// The number is this or more.
    pub at_least: Option<f64>,
    /// The number is more than this.
    pub above: Option<f64>,
    /// The number is this or less.
    pub at_most: Option<f64>,
    /// The number is less than this.
    pub below: Option<f64>,
    /// The text fits no other rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub otherwise: bool,
}

/// What the numbers of rules are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The only number of the text.
    Number,
    /// The number of its words.
    Words,
    /// The number of its characters.
    Characters,
    /// The days from `today` to the only date of the text.
    Days,
}

/// The label of each text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// The texts, in order.
    pub texts: Vec<ClassifiedText>,
    /// What the labels rest on: `rules`, `words and meaning`, `words`, or `model`.
    pub labels_from: &'static str,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A text with its label.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ClassifiedText {
    /// Its beginning, at most 80 characters.
    pub text: String,
    /// Its language, ISO 639-1, if it was detected.
    pub language: Option<String>,
    /// The label; null if none is certain enough.
    pub label: Option<String>,
    /// Why there is no label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The share of right labels among texts with a choice as clear as this one, measured on texts of other callers; only where meaning was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The scores of the bridge, best first.
    pub scores: Vec<Score>,
    /// Words of the text that point to the label.
    pub because_of: Vec<String>,
}

impl ClassifiedText {
    /// Returns a text that has no label yet.
    pub fn new(text: &str) -> Self {
        Self { text: text.chars().take(80).collect(), ..Self::default() }
    }
}

/// The score of a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The label.
    pub label: String,
    /// A probability or a cosine, by the method of the bridge.
    pub score: f64,
}
