//! Languages that code is written in, and how commands name them.

use agent_common::lexer::Token;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Languages that the bridge writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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

use Language::{Bash, C, Cpp, Csharp, Go, Java, Javascript, Kotlin, Php, Python, Rust, Sql, Typescript};

/// Names of languages in commands that are not those of the type, in small letters.
const NAMES: [(&str, Language); 11] = [
    ("python3", Python),
    ("python 3", Python),
    ("js", Javascript),
    ("node", Javascript),
    ("c #", Csharp),
    ("c + +", Cpp),
    ("golang", Go),
    ("postgresql", Sql),
    ("postgres", Sql),
    ("mysql", Sql),
    ("shell", Bash),
];

impl Language {
    /// Reads the longest name of a language at the first tokens.
    #[must_use]
    pub fn read(tokens: &[Token]) -> Option<(usize, Self)> {
        let length = |name: &str| {
            let words: Vec<&str> = name.split(' ').collect();
            let same = tokens.iter().zip(&words).filter(|(token, word)| token.lower == **word).count();
            (same == words.len()).then_some(same)
        };
        let named = NAMES.iter().filter_map(|(name, language)| Some((length(name)?, *language)));
        let own = tokens.first().and_then(|token| serde_json::from_value(token.lower.clone().into()).ok());
        named.chain(own.map(|language| (1, language))).max_by_key(|(length, _)| *length)
    }

    /// Whether the bridge `code_metrics` reads its functions.
    #[must_use]
    pub const fn is_measured(self) -> bool {
        matches!(self, Python | Javascript | Typescript | Rust | Go | Java | C | Cpp | Csharp | Kotlin | Php)
    }
}

#[cfg(test)]
mod tests {
    use agent_common::lexer::tokens;

    use super::*;

    #[test]
    fn names_of_languages() {
        let first = |text: &str| Language::read(&tokens(text));
        assert_eq!(first("C++ please"), Some((3, Cpp)));
        assert_eq!(first("C# method"), Some((2, Csharp)));
        assert_eq!(first("C function"), Some((1, C)));
        assert_eq!(first("Python 3 code"), Some((2, Python)));
        assert_eq!(first("Haskell"), None);
    }
}
