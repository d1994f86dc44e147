//! Texts, and the labels they may get.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{Measure, Rule};

/// Texts, and the labels to choose from.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The texts, 1 to 200. Default: the lines of the task.
    #[schemars(length(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Vec<String>>,
    /// The labels, 2 to 50; one is enough if it has a rule.
    #[schemars(length(min = 1, max = 50))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Label>>,
    /// A best score of the bridge below this gives no label, 0 to 1. Default: 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// What rules with numbers compare. Default: the only number of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// The numbers that rules compare, one for each text, instead of a measure.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<f64>>,
    /// The date of today, for the measure `days`: `2024-03-04`.
    #[schemars(length(max = 40))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub today: Option<String>,
    /// Whether the first label whose rule fits is taken. Default: a text that fits two rules is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_match: Option<bool>,
}

/// A label.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name, unique.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What belongs here, in words that such texts use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Texts that belong here, at most 200.
    #[schemars(length(max = 200))]
    #[serde(default)]
    pub examples: Vec<String>,
    /// When a text gets this label. If one label has a rule, all need one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
}
