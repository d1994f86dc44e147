//! The code to write, and examples of calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::language::Language;

/// What the code should do.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to write, in words. The task unless given.
    #[schemars(length(min = 1, max = 30_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The language. Default: Python.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// What calls should give, at most 20.
    #[schemars(length(max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<Vec<Example>>,
    /// Name of the function that the code must define.
    #[schemars(length(min = 1, max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Names of its parameters, in order.
    #[schemars(length(max = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<String>>,
    /// Existing code that `description` wants to be changed.
    #[schemars(length(min = 1, max = 60_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The result of `function` as arithmetic of `parameters`: `c * 9 / 5 + 32`. Needs no model in Python, JavaScript,
    /// TypeScript, Ruby and Lua.
    #[schemars(length(min = 1, max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

/// A call and its result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The call as code: `add(1, 2)`.
    #[schemars(length(min = 1, max = 500))]
    pub call: String,
    /// Its result: `3`.
    #[schemars(length(min = 1, max = 500))]
    pub gives: String,
}
