//! Languages: by the word at a fence, by the ending of a path, by the looks of the code.

use agent_common::patterns::is_match;

/// What code is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Python,
    Javascript,
    Typescript,
    Rust,
    Go,
    Java,
    Kotlin,
    C,
    Cpp,
    Csharp,
    Php,
    Ruby,
    Shell,
    Sql,
    Html,
    Dockerfile,
    Yaml,
    Unknown,
}

use Language::{
    C, Cpp, Csharp, Dockerfile, Go, Html, Java, Javascript, Kotlin, Php, Python, Ruby, Rust, Shell, Sql, Typescript,
    Unknown, Yaml,
};

/// Words at fences and endings of paths.
const NAMES: &[(&str, Language)] = &[
    ("python", Python),
    ("python3", Python),
    ("py", Python),
    ("javascript", Javascript),
    ("js", Javascript),
    ("jsx", Javascript),
    ("mjs", Javascript),
    ("node", Javascript),
    ("typescript", Typescript),
    ("ts", Typescript),
    ("tsx", Typescript),
    ("rust", Rust),
    ("rs", Rust),
    ("go", Go),
    ("golang", Go),
    ("java", Java),
    ("kotlin", Kotlin),
    ("kt", Kotlin),
    ("c", C),
    ("h", C),
    ("cpp", Cpp),
    ("c++", Cpp),
    ("cc", Cpp),
    ("hpp", Cpp),
    ("csharp", Csharp),
    ("c#", Csharp),
    ("cs", Csharp),
    ("php", Php),
    ("ruby", Ruby),
    ("rb", Ruby),
    ("sh", Shell),
    ("bash", Shell),
    ("shell", Shell),
    ("zsh", Shell),
    ("sql", Sql),
    ("postgresql", Sql),
    ("postgres", Sql),
    ("mysql", Sql),
    ("plpgsql", Sql),
    ("html", Html),
    ("dockerfile", Dockerfile),
    ("docker", Dockerfile),
    ("yaml", Yaml),
    ("yml", Yaml),
];

impl Language {
    /// By its name or the ending of a path.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let lower = word.to_lowercase();
        NAMES.iter().find(|(name, _)| *name == lower).map(|(_, language)| *language)
    }

    /// By a path, else by the code.
    #[must_use]
    pub fn of(path: &str, code: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        if name.starts_with("dockerfile") {
            return Dockerfile;
        }
        let ending = name.rsplit_once('.').and_then(|(_, ending)| Self::named(ending));
        ending.unwrap_or_else(|| Self::guess(code))
    }

    /// The ending that stands for it in a path.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Python => "py",
            Javascript => "js",
            Typescript => "ts",
            Rust => "rs",
            Go => "go",
            Java => "java",
            Kotlin => "kt",
            C => "c",
            Cpp => "cpp",
            Csharp => "cs",
            Php => "php",
            Ruby => "rb",
            Shell => "sh",
            Sql => "sql",
            Html => "html",
            Dockerfile => "dockerfile",
            Yaml => "yml",
            Unknown => "txt",
        }
    }

    /// Whether the bridge `code_metrics` measures it.
    #[must_use]
    pub const fn is_measured(self) -> bool {
        matches!(self, Python | Javascript | Typescript | Rust | Go | Java | Kotlin | C | Cpp | Csharp | Php)
    }

    /// Whether blocks stand between braces.
    #[must_use]
    pub const fn has_braces(self) -> bool {
        matches!(self, Javascript | Typescript | Rust | Go | Java | Kotlin | C | Cpp | Csharp | Php)
    }

    /// By what only this language has; the language with the most marks.
    #[must_use]
    pub fn guess(code: &str) -> Self {
        let marks = |(_, patterns): &(Self, &[&str])| patterns.iter().filter(|pattern| is_match(pattern, code)).count();
        let best = MARKS
            .iter()
            .map(|row| (marks(row), row.0))
            .fold((0, Unknown), |best, found| if found.0 > best.0 { found } else { best });
        best.1
    }
}

const MARKS: &[(Language, &[&str])] = &[
    (
        Php,
        &[
            r"<\?php",
            r"\$\w+\s*=[^=]",
            r"\$_(GET|POST|REQUEST|SESSION|COOKIE)\b",
            r"\bfunction \w+\([^)]*\$\w+",
            r"\$\w+->\w+",
        ],
    ),
    (
        Python,
        &[
            r"(?m)^\s*(async )?def \w+\s*\(.*",
            r"(?m)^\s*(if|elif|else|for|while|try|except|with|class)\b[^{;]*:\s*(#.*)?$",
            r"(?m)^(import [\w.]+( as \w+)?(, ?\w+)*|from [\w.]+ import .+)\s*$",
            r"\bself\.|\bNone\b|\bTrue\b|\bFalse\b|\belif\b",
            r"(?m)^\s*@\w[\w.]*(\(.*\))?\s*$",
            r"\b(print|len|range)\(",
        ],
    ),
    (
        Typescript,
        &[
            r"\b(interface|type) \w+ ?[={]",
            r"[\w)\]]\??: ?(string|number|boolean|any|void|unknown)\b",
            r"\bas (any|string|number)\b",
            r"\bconst \w+: ",
        ],
    ),
    (
        Javascript,
        &[
            r"\bfunction\s*\w*\s*\([^$)]*\)\s*\{",
            r"(?m)^\s*(const|let|var)\s+[\w{\[]",
            r"=>",
            r"===|!==",
            r"console\.\w+\(|document\.|require\(|module\.exports",
            r"\b(async function|await )",
        ],
    ),
    (
        Rust,
        &[
            r"\bfn \w+(<[^>]*>)?\s*\(",
            r"\blet (mut )?\w+",
            r"->\s*\w[\w<>&, ]*\s*\{",
            r"\bimpl\b|\bpub (fn|struct|enum)\b",
            r"\w+!\(|&mut |&str\b|::<|\bOption<|\bResult<",
            r"\buse \w+::",
        ],
    ),
    (
        Go,
        &[
            r"(?m)^package \w+",
            r"\bfunc (\(\w+ \*?\w+\) )?\w+\(",
            r":=",
            r"\bfmt\.\w+\(|\berr != nil\b",
            r"\b(chan|defer|go func)\b",
        ],
    ),
    (
        Cpp,
        &[
            r"#include\s*<(iostream|vector|string|memory|map|algorithm)>",
            r"std::\w+",
            r"\btemplate\s*<",
            r"cout\s*<<|cin\s*>>",
            r"\bnew \w+(\[|\(|;)",
            r"\bdelete(\[\])? \w+;",
        ],
    ),
    (
        C,
        &[
            r"#include\s*[<\x22][\w./]+\.h[>\x22]",
            r"\b(int|void|char|size_t|unsigned|float|double|long|struct \w+)\s+\**\w+\s*\([^;{]*\)\s*\{?",
            r"\b(malloc|free|printf|scanf|strcpy|strlen|memcpy|sizeof)\s*\(",
            r"\bchar\s+\*?\w+(\[\d*\w*\])?\s*(=|;|\[)",
            r"\bstruct \w+ \*|->\w+",
        ],
    ),
    (
        Csharp,
        &[
            r"(?m)^using [\w.]+;",
            r"\bnamespace \w+",
            r"\b(public|private|internal) (static |async |override |readonly )*(string|bool|int|Task|void|decimal|var)\b",
            r"Console\.\w+|\bvar \w+ = (new|await)",
            r"\basync (Task|void)\b|\bforeach \(",
        ],
    ),
    (
        Java,
        &[
            r"\bpublic (static |final |abstract )*(class|interface|void|int|String|boolean|List|Map|double|long)\b",
            r"System\.(out|err)\.|\bString\b \w+|\bList<\w+>|\bArrayList<",
            r"(?m)^import [\w.]+(\.\*)?;",
            r"\bnew \w+(<\w*>)?\(",
            r"\b(throws|extends|implements|final|boolean)\b",
            r"\bString \w+\(|\bString\[\] ",
        ],
    ),
    (Kotlin, &[r"\bfun (\w+\.)?\w+\(", r"\bval \w+|\bvar \w+: \w+", r"!!|\?\.|\bwhen \("]),
    (
        Ruby,
        &[
            r"(?m)^\s*def \w+[?!]?(\(.*\))?\s*$",
            r"(?m)^\s*end\s*$",
            r"\bputs \b|\.each do|\bdo \|",
            r"\bparams\[:|@\w+ = |\brescue\b",
        ],
    ),
    (
        Shell,
        &[
            r"(?m)^#!.*\b(ba|z|k|da)?sh\b",
            r"(?m)^\s*(if|while) \[.*\]; ?(then|do)|\bfi\b|\bdone\b|\besac\b",
            r"(?m)^\s*(\w+=\$?[\w\x22(./]\S*|rm|cd|cp|mv|echo|curl|grep|set|export|sudo|chmod|mkdir|tar|ssh|find|cat)\b[^;{]*$",
            r"\$\{?\w+\}?|\$\(",
        ],
    ),
    (
        Sql,
        &[
            r"(?im)^\s*(select|insert into|update|delete from|create table|create index|alter table|with \w+ as|drop|grant \w+)\b",
            r"(?i)\b(from|into|update|join)\s+\w+",
            r"(?i)\b(where|group by|order by|values|set \w+ =|limit \d+)\b",
        ],
    ),
    (Dockerfile, &[r"(?m)^FROM \S+", r"(?m)^(RUN|CMD|COPY|ADD|ENTRYPOINT|WORKDIR|ENV|EXPOSE|USER) \S+"]),
    (Html, &[r"(?i)<!doctype html|<html\b|<body\b|<div\b|<form\b|<img\b|<a href|<script\b", r"(?i)</\w+>"]),
    (Yaml, &[r"(?m)^(apiVersion|kind|services|on|jobs|steps|version|image):", r"(?m)^\s*- \w+: "]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_their_looks() {
        let cases: &[(&str, Language)] = &[
            ("def f(x):\n    return x", Python),
            ("function f(x) {\n  return x;\n}", Javascript),
            ("const f = async () => { await g(); };", Javascript),
            ("function f(x: number): string { return `${x}`; }", Typescript),
            ("pub fn f(v: &[i32]) -> i32 {\n    v[0]\n}", Rust),
            ("func f(x int) (int, error) {\n\ty := x\n\treturn y, nil\n}", Go),
            ("#include <stdio.h>\nint main(void) { char b[8]; gets(b); }", C),
            ("#include <vector>\nstd::vector<int> v;", Cpp),
            ("public class A {\n  public static void main(String[] a) {}\n}", Java),
            ("public async Task<int> F() { var x = await G(); return x; }", Csharp),
            ("<?php\n$a = $_GET['x'];", Php),
            ("$total = 0;\nforeach ($items as $i) { $total += $i->price; }", Php),
            ("def total(items)\n  items.sum\nend", Ruby),
            ("#!/bin/bash\nrm -rf $DIR/*", Shell),
            ("cd $BUILD\nrm -rf *", Shell),
            ("SELECT a FROM b WHERE c = 1;", Sql),
            ("delete from users;", Sql),
            ("FROM ubuntu:latest\nRUN apt-get update", Dockerfile),
            ("fun f(a: String?) = a!!.length", Kotlin),
            ("What a nice day it is.", Unknown),
        ];
        for (code, language) in cases {
            assert_eq!(Language::guess(code), *language, "{code}");
        }
        assert_eq!(Language::of("a/b.rs", ""), Rust);
    }
}
