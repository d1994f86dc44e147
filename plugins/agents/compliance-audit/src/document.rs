//! A document that is audited.

use schemars::JsonSchema;
use serde::Deserialize;

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// What to call it.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Its text.
    #[schemars(length(min = 1, max = 90_000))]
    pub text: String,
}
