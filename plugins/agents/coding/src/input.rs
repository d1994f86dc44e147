//! The code to write, and examples of calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the code should do.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to write, in words. The task unless given.
    #[schemars(length(min = 1, max = 30_000))]
    pub description: Option<String>,
    /// The language. Default: Python.
    pub language: Option<Language>,
    /// What calls should give, at most 20.
    #[schemars(length(max = 20))]
    pub examples: Option<Vec<Example>>,
    /// Name of the function that the code must define.
    #[schemars(length(min = 1, max = 100))]
    pub function: Option<String>,
    /// Names of its parameters, in order.
    #[schemars(length(max = 20))]
    pub parameters: Option<Vec<String>>,
    /// Existing code that `description` wants to be changed.
    #[schemars(length(min = 1, max = 60_000))]
    pub code: Option<String>,
    /// The result of `function` as arithmetic of `parameters`: `c * 9 / 5 + 32`. Needs no model in Python, JavaScript,
    /// TypeScript, Ruby and Lua.
    #[schemars(length(min = 1, max = 500))]
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

/// Languages that the bridge writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Python,
    Javascript,
    Typescript,
    Rust,
    Go,
    Java,
    C,
    Cpp,
    Csharp,
    Kotlin,
    Php,
    Ruby,
    Swift,
    Lua,
    Sql,
    Bash,
    R,
    Perl,
    Dart,
    Scala,
    Powershell,
}

impl Language {
    /// Returns whether the bridge `code_metrics` reads its functions, as it does up to PHP.
    #[must_use]
    pub fn is_measured(self) -> bool {
        self <= Self::Php
    }
}
