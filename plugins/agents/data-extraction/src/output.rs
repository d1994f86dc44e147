//! The answer: values by field, and everything found.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::forms::ExtractedValue;

/// What was taken out.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub summary: String,
    /// Value by field; null where the text has none.
    pub values: BTreeMap<String, Value>,
    /// Everything found, by place.
    pub found: Vec<ExtractedValue>,
    /// Fields without a value.
    pub missing: Vec<String>,
    /// Why a field has no value, or how it was decided without its label.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
    /// Whether the values fit the schema; null without one.
    pub fits_schema: Option<bool>,
    /// Where they do not.
    pub schema_problems: Vec<Problem>,
    /// The text that places refer to; null where it was given as it is.
    pub text: Option<String>,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// A misfit.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// JSON pointer into `values`.
    pub path: String,
    /// What is wrong.
    pub message: String,
}
