//! What the agent takes beside the task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::leads::Lead;

/// Leads, and the customer that is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The leads, at most 20, of which 5 may be different. Default: the task's table, or its `Label: value` lines.
    #[schemars(length(min = 1, max = 20))]
    pub leads: Option<Vec<Lead>>,
    /// The customer that is wanted; what it does not name is not scored.
    pub profile: Option<Profile>,
}

/// The customer that is wanted.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Job titles.
    #[serde(default)]
    #[schemars(length(max = 50))]
    titles: Vec<String>,
    /// Industries, as leads name them.
    #[serde(default)]
    #[schemars(length(max = 50))]
    industries: Vec<String>,
    /// Countries, as leads name them.
    #[serde(default)]
    #[schemars(length(max = 50))]
    countries: Vec<String>,
    /// Least employees.
    #[serde(skip_serializing_if = "Option::is_none")]
    employees_min: Option<u32>,
    /// Most employees.
    #[serde(skip_serializing_if = "Option::is_none")]
    employees_max: Option<u32>,
}
