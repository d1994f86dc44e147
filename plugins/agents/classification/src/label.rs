//! A category, as callers and tasks describe it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A category.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name; no two alike.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What belongs here, in words that such texts use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Texts that belong here, at most 200.
    #[serde(default)]
    pub examples: Vec<String>,
}
