//! A file of source code, as it is given and as the bridges take it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its path; decides the language.
    #[schemars(length(min = 1, max = 300))]
    pub path: String,
    /// Its text.
    pub content: String,
}
