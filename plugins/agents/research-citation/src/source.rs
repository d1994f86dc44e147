//! A source that claims are held against.

use schemars::JsonSchema;
use serde::Deserialize;

/// A source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// What to call it.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Its text.
    #[schemars(length(min = 1, max = 200_000))]
    pub text: String,
}
