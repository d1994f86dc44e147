//! What does not hold, and where; at most as many as the caller asked for.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// One thing that does not hold.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// JSON pointer of the value in the output; empty for the output as a whole.
    pub path: String,
    /// The URI in `schemas` whose schema has the keyword; absent for `schema` itself and for assertions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_uri: Option<String>,
    /// JSON pointer of the keyword in the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_path: Option<String>,
    /// Number of the assertion, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assertion: Option<usize>,
    /// The keyword of the schema, the operator of the assertion, or `json` if the output is not JSON.
    pub keyword: String,
    /// What is wrong.
    pub message: String,
    /// What would be right: the keyword's or the assertion's value, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What is there, shortened; absent if nothing is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
}

/// The findings of one call.
#[derive(Debug)]
pub struct Findings {
    /// The first ones.
    pub list: Vec<Finding>,
    /// There were more.
    pub truncated: bool,
    max: usize,
}

impl Findings {
    /// None yet, and at most `max`.
    pub fn new(max: usize) -> Self {
        Self { list: Vec::new(), truncated: false, max }
    }

    /// How many more would be listed.
    pub fn room(&self) -> usize {
        self.max.saturating_sub(self.list.len())
    }

    /// Adds one; false if there is no room for it, so that looking further is no use.
    pub fn add(&mut self, finding: Finding) -> bool {
        if self.list.len() >= self.max {
            self.truncated = true;
            return false;
        }
        self.list.push(finding);
        true
    }
}

/// A name as a part of a JSON pointer.
pub fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
