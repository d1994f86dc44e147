//! Languages: which there are, how to tell them, and the words of theirs that count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript.
    Javascript,
    /// TypeScript.
    Typescript,
    /// Java.
    Java,
    /// C#.
    Csharp,
    /// Kotlin.
    Kotlin,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// The language C.
    C,
    /// C++.
    Cpp,
    /// PHP.
    Php,
}

impl Language {
    /// By the extension of the path, else by the text; none when neither tells.
    #[must_use]
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let extension =
            path.rsplit(['/', '\\']).next().unwrap_or_default().rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
        let by_path = match extension.as_deref().unwrap_or_default() {
            "py" | "pyw" | "pyi" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" => Self::Javascript,
            "ts" | "mts" | "cts" | "tsx" => Self::Typescript,
            "java" => Self::Java,
            "cs" => Self::Csharp,
            "kt" | "kts" => Self::Kotlin,
            "go" => Self::Go,
            "rs" => Self::Rust,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" => Self::Cpp,
            "php" | "phtml" => Self::Php,
            _ => return Self::by_text(text),
        };
        Some(by_path)
    }

    fn by_text(text: &str) -> Option<Self> {
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("#!") {
            return match () {
                () if first.contains("python") => Some(Self::Python),
                () if first.contains("node") => Some(Self::Javascript),
                () if first.contains("php") => Some(Self::Php),
                () => None,
            };
        }
        let begins = |starts: &[&str]| {
            text.lines().take(400).any(|line| starts.iter().any(|start| line.trim_start().starts_with(start)))
        };
        match () {
            () if text.trim_start().starts_with("<?php") => Some(Self::Php),
            () if begins(&["#include <iostream>", "namespace ", "template<", "template <"]) && text.contains("::") => {
                Some(Self::Cpp)
            }
            () if begins(&["#include"]) => Some(Self::C),
            () if begins(&["package main", "func "]) => Some(Self::Go),
            () if begins(&["fn ", "pub fn ", "impl ", "use std::"]) => Some(Self::Rust),
            () if begins(&["def ", "async def "]) => Some(Self::Python),
            () if begins(&["import java", "public class ", "package "]) => Some(Self::Java),
            () if begins(&["using System"]) => Some(Self::Csharp),
            () if begins(&["fun "]) => Some(Self::Kotlin),
            () if begins(&["function ", "const ", "let ", "import ", "export "]) => Some(Self::Javascript),
            () => None,
        }
    }

    /// Blocks are told by indentation.
    #[must_use]
    pub const fn is_indented(self) -> bool {
        matches!(self, Self::Python)
    }

    /// `#` begins a comment.
    #[must_use]
    pub const fn has_hash_comments(self) -> bool {
        matches!(self, Self::Python | Self::Php)
    }

    /// `'` begins a text, not a character or a lifetime.
    #[must_use]
    pub const fn has_single_quoted_texts(self) -> bool {
        !matches!(self, Self::Rust)
    }

    /// Back quotes enclose texts over several lines.
    #[must_use]
    pub const fn has_back_quotes(self) -> bool {
        matches!(self, Self::Javascript | Self::Typescript | Self::Go)
    }

    /// A word that begins a function with a name.
    #[must_use]
    pub fn begins_function(self, word: &str) -> bool {
        match self {
            Self::Python => word == "def",
            Self::Javascript | Self::Typescript | Self::Php => {
                word == "function" || (self == Self::Php && word == "fn")
            }
            Self::Go => word == "func",
            Self::Rust => word == "fn",
            Self::Kotlin => word == "fun",
            Self::Java | Self::Csharp | Self::C | Self::Cpp => false,
        }
    }

    /// Functions are a name, parameters and a block, without a word before them.
    #[must_use]
    pub const fn has_bare_functions(self) -> bool {
        matches!(self, Self::Java | Self::Csharp | Self::C | Self::Cpp | Self::Javascript | Self::Typescript)
    }

    /// A word that begins a control structure which nests and counts once in both measures.
    #[must_use]
    pub fn nests(self, word: &str) -> bool {
        match word {
            "if" | "for" | "while" => true,
            "catch" => !matches!(self, Self::Python | Self::Go | Self::Rust | Self::C),
            "except" => self == Self::Python,
            "foreach" => matches!(self, Self::Csharp | Self::Php),
            "loop" => self == Self::Rust,
            "switch" => !matches!(self, Self::Python | Self::Rust | Self::Kotlin),
            "match" => matches!(self, Self::Rust | Self::Php),
            "when" => self == Self::Kotlin,
            "select" => self == Self::Go,
            "do" => !matches!(self, Self::Python | Self::Go | Self::Rust),
            _ => false,
        }
    }

    /// Those that branch into cases: not themselves decisions, their cases are.
    #[must_use]
    pub fn branches(self, word: &str) -> bool {
        matches!(word, "switch" | "match" | "when" | "select") && self.nests(word)
    }
}
