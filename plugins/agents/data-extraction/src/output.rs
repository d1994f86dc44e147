//! The answer: values by field, and everything found.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::find::ExtractedValue;

/// What was taken out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// How likely the values are what was asked and right, 0 to 1: of answers that say 0.8 or more at least four in five
    /// were right on the frozen tasks.
    pub(crate) confidence: f64,
    /// Value by field; null where the text has none.
    pub(crate) values: BTreeMap<String, Value>,
    /// Everything found, by place.
    pub(crate) found: Vec<ExtractedValue>,
    /// Fields without a value.
    pub(crate) missing: Vec<String>,
    /// Whether the values fit the schema; null without one.
    pub(crate) fits_schema: Option<bool>,
    /// Where they do not.
    pub(crate) schema_problems: Vec<Problem>,
    /// The text that places refer to; null where it was given as it is.
    pub(crate) text: Option<String>,
    /// What the answer does not tell.
    pub(crate) limitations: Vec<String>,
}

/// A misfit.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// JSON pointer into `values`.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) message: String,
}
