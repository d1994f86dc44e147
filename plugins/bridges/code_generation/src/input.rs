//! What a caller may send.

use bridge_common::text_input;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

/// Bytes of a specification.
const SPEC_MAX: usize = 32 << 10;
/// Bytes of existing code.
const CONTEXT_MAX: usize = 128 << 10;
/// Tokens of the code, unless the caller says otherwise …
const TOKENS: u32 = 4_096;
/// … and at most.
const TOKENS_MAX: u32 = 16_384;
/// Length of a model's name.
const NAME_MAX: usize = 128;

/// Code to write. Give `spec`, or `resource_id` of a stored specification; and `language`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("spec | resource_id"))]
pub struct Input {
    /// Id of a stored resource (`res_…`) with the specification as UTF-8 text, at most 32 KiB. This bridge has no other
    /// natural key; alone it means: write this in Python.
    pub resource_id: Option<String>,
    /// What the code shall do, at most 32 KiB. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 32_768))]
    pub spec: Option<String>,
    /// The language. Default: python.
    pub language: Option<Language>,
    /// Existing code that the new code shall fit to, at most 128 KiB. Default: none.
    #[schemars(length(max = 131_072))]
    pub context: Option<String>,
    /// Where the code is cut off, 64 to 16,384 tokens. Default: 4,096.
    #[schemars(range(min = 64, max = 16_384))]
    pub max_tokens: Option<u32>,
    /// A model's id; default `auto`, the host's choice.
    #[schemars(length(min = 1, max = 128))]
    pub model: Option<String>,
}

/// A language, and so the check that is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python 3.
    #[default]
    Python,
    /// JavaScript.
    Javascript,
    /// TypeScript.
    Typescript,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
    /// The language C.
    C,
    /// C++.
    Cpp,
    /// C#.
    Csharp,
    /// SQL.
    Sql,
    /// JSON.
    Json,
    /// Bash; not checked.
    Bash,
    /// HTML; not checked.
    Html,
    /// YAML; not checked.
    Yaml,
    /// Kotlin.
    Kotlin,
    /// PHP.
    Php,
    /// Ruby; not checked.
    Ruby,
    /// Swift.
    Swift,
    /// Lua; not checked.
    Lua,
    /// R; not checked.
    R,
    /// Perl; not checked.
    Perl,
    /// Dart.
    Dart,
    /// Scala.
    Scala,
    /// PowerShell; not checked.
    Powershell,
}

impl Language {
    /// Its name for the model.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "Python 3",
            Self::Javascript => "JavaScript",
            Self::Typescript => "TypeScript",
            Self::Rust => "Rust",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Csharp => "C#",
            Self::Sql => "SQL",
            Self::Json => "JSON",
            Self::Bash => "Bash",
            Self::Html => "HTML",
            Self::Yaml => "YAML",
            Self::Kotlin => "Kotlin",
            Self::Php => "PHP",
            Self::Ruby => "Ruby",
            Self::Swift => "Swift",
            Self::Lua => "Lua",
            Self::R => "R",
            Self::Perl => "Perl",
            Self::Dart => "Dart",
            Self::Scala => "Scala",
            Self::Powershell => "PowerShell",
        }
    }
}

/// The input, read.
#[derive(Debug)]
pub struct Job {
    pub spec: String,
    pub language: Language,
    pub tokens: u32,
}

impl Input {
    /// Checks all members.
    pub fn job(&self, call: &Call) -> Result<Job, Error> {
        let missing = "say in `spec` what the code shall do";
        let (spec, field) =
            text_input::either(call, "/spec", self.spec.as_deref(), self.resource_id.as_deref(), missing)?;
        if spec.trim().is_empty() || spec.len() > SPEC_MAX {
            return Err(Error::invalid(field, format!("give a text of 1 to {SPEC_MAX} bytes")));
        }
        if self.context.as_ref().is_some_and(|code| code.len() > CONTEXT_MAX) {
            return Err(Error::invalid("/context", format!("at most {CONTEXT_MAX} bytes")));
        }
        if self.model.as_ref().is_some_and(|name| name.is_empty() || name.chars().count() > NAME_MAX) {
            return Err(Error::invalid("/model", format!("a name has 1 to {NAME_MAX} characters")));
        }
        let tokens = self.max_tokens.unwrap_or(TOKENS);
        if !(64..=TOKENS_MAX).contains(&tokens) {
            return Err(Error::invalid("/max_tokens", format!("give 64 to {TOKENS_MAX}")));
        }
        Ok(Job { spec: spec.to_owned(), language: self.language.unwrap_or_default(), tokens })
    }
}
