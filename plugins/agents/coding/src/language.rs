//! Languages that code is written in, and how a request names them.

use agent_common::patterns::{groups, is_match};
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

use Language::{
    Bash, C, Cpp, Csharp, Dart, Go, Java, Javascript, Kotlin, Lua, Perl, Php, Powershell, Python, R, Ruby, Rust, Scala,
    Sql, Swift, Typescript,
};

/// How people write the names, as patterns in small letters.
const NAMES: &[(Language, &str)] = &[
    (Python, r"python ?3?|py3?|django|flask|pandas"),
    (Typescript, r"typescript|ts"),
    (Javascript, r"javascript|java script|js|node(?:\.?js)?|ecmascript|react"),
    (Csharp, r"c ?#|c-?sharp|csharp|\.net|dotnet"),
    (Cpp, r"c ?\+\+|cpp|cxx"),
    (Rust, r"rust"),
    (Go, r"golang"),
    (Java, r"java"),
    (Kotlin, r"kotlin"),
    (Php, r"php"),
    (Ruby, r"ruby|rails"),
    (Swift, r"swift"),
    (Lua, r"lua"),
    (Sql, r"sql|postgres(?:ql)?|mysql|sqlite|t-sql|pl/?pgsql"),
    (Bash, r"bash|shell(?: script)?|zsh"),
    (Perl, r"perl"),
    (Dart, r"dart"),
    (Scala, r"scala"),
    (Powershell, r"powershell"),
];

/// Languages that nobody writes here.
const OTHERS: &str = r"(?i)\b(haskell|cobol|fortran|vba|visual basic|matlab|clojure|elixir|erlang|f#|ocaml|pascal|delphi|assembl(?:y|er)|abap|prolog|lisp|scheme|julia|groovy|solidity|apex|zig|nim|brainfuck|excel formula)\b";

impl Language {
    /// The language that a request wants; of `from X to Y` it is Y.
    #[must_use]
    pub fn named(request: &str) -> Option<Self> {
        let lower = request.to_lowercase();
        let at = |pattern: &str| -> Option<usize> {
            let regex = agent_common::patterns::compiled(&format!(r"(?:^|[^\w.#+-])({pattern})(?:$|[^\w#+-])"))?;
            regex.captures(&lower).and_then(|found| found.get(1)).map(|found| found.start())
        };
        const TURN: &str =
            r"(?:convert|translat|port|rewrite|turn)\w*\b[^.\n]*\b(?:to|into|in|as)\s+(?:a |an |idiomatic |modern )?";
        let short = [("go", Go), ("c", C), ("r", R)];
        let target = NAMES.iter().map(|(language, pattern)| (*pattern, *language)).chain(short);
        let mut target = target.filter(|(pattern, _)| is_match(&format!(r"{TURN}(?:{pattern})(?:$|[^\w#+])"), &lower));
        if let Some((_, language)) = target.next() {
            return Some(language);
        }
        let mut found: Vec<(usize, Self)> =
            NAMES.iter().filter_map(|(language, pattern)| Some((at(pattern)?, *language))).collect();
        // `Go`, `C` and `R` are words of their own, so they count in capitals only.
        for (name, language) in [("Go", Go), ("C", C), ("R", R)] {
            let pattern = format!(r"(?:^|[\s(,:])({name})(?:$|[\s,.:;)?!](?:function|code|program|\s|$)?)");
            let sentence = name == "Go" && is_match(r"^\s*Go\s+(?:through|to|over|ahead|on)\b", request);
            let place = agent_common::patterns::compiled(&pattern)
                .and_then(|regex| regex.captures(request).and_then(|found| found.get(1)).map(|found| found.start()));
            found.extend(place.filter(|_| !sentence).map(|place| (place, language)));
        }
        found.sort_by_key(|(place, _)| *place);
        found.first().map(|(_, language)| *language)
    }

    /// A language that a request names and nobody writes here.
    #[must_use]
    pub fn other(request: &str) -> Option<String> {
        groups(OTHERS, request).get(1).cloned()
    }

    /// The language that code or calls are written in, by their looks.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let marks: &[(Self, &str)] = &[
            (Php, r"<\?php|\bfunction \w+\(\s*\$"),
            (
                Python,
                r"(?m)^\s*(?:async )?def \w+\(.*\)\s*(?:->\s*[\w\[\], ]+)?:|^\s*import \w+\s*$|\bTrue\b|\bFalse\b|\bNone\b",
            ),
            (Rust, r"\bfn \w+\s*(?:<[^>]*>)?\("),
            (Go, r"\bfunc \w+\("),
            (Kotlin, r"\bfun \w+\("),
            (Csharp, r"\b(?:static|public) (?:static )?(?:bool|string|int|double|decimal|void)\s+[A-Z]\w*\("),
            (Java, r"\b(?:public|static) (?:static )?(?:boolean|String|int|double|void|List<\w+>)\s+\w+\("),
            (Typescript, r"\bfunction \w+\([^)]*:\s*(?:string|number|boolean)"),
            (Javascript, r"\bfunction\s+\w+\s*\(|=>|\bconst \w+ =|\bundefined\b"),
            (Sql, r"(?im)^\s*(?:select|create (?:or replace )?function)\b"),
        ];
        marks.iter().find(|(_, pattern)| is_match(pattern, code)).map(|(language, _)| *language)
    }

    /// Whether the bridge `code_metrics` reads its functions.
    #[must_use]
    pub const fn is_measured(self) -> bool {
        matches!(self, Python | Javascript | Typescript | Rust | Go | Java | C | Cpp | Csharp | Kotlin | Php)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_in_requests() {
        for (text, expect) in [
            ("Python function `c_to_f(c)`", Some(Python)),
            ("Kotlin extension function on String", Some(Kotlin)),
            ("need SQL (postgres) function", Some(Sql)),
            ("C#: static bool IsAnagram(string a, string b)", Some(Csharp)),
            ("write python func that take matrix", Some(Python)),
            ("Convert to JavaScript, keep the name:\n\ndef bmi(kg, m):", Some(Javascript)),
            ("Port this Python to Go please", Some(Go)),
            ("check with node:", Some(Javascript)),
            ("Lua function  map_range(x)", Some(Lua)),
            ("a function in C that counts bits", Some(C)),
            ("C++ please", Some(Cpp)),
            ("Go through the list and write a function", None),
            ("a function that adds two numbers", None),
            ("in Go: func Sum(xs []int) int", Some(Go)),
            ("TypeScript: isEven(n)", Some(Typescript)),
        ] {
            assert_eq!(Language::named(text), expect, "{text}");
        }
        assert_eq!(Language::other("a Haskell function").as_deref(), Some("Haskell"));
    }
}
