//! Languages: how to tell them from a path, and the little of their grammar that separates code from comments and
//! strings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file is written in; decides which rules look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript, JSX included.
    Javascript,
    /// TypeScript, TSX included.
    Typescript,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Rust.
    Rust,
    /// The language C.
    C,
    /// C++.
    Cpp,
    /// Shell scripts.
    Shell,
    /// Dockerfile and its kin.
    Dockerfile,
    /// Workflow of GitHub Actions.
    Workflow,
    /// YAML, Kubernetes and Compose included.
    Yaml,
    /// Terraform.
    Terraform,
    /// package.json of npm.
    PackageJson,
    /// requirements.txt of pip.
    Requirements,
    /// Cargo.toml of Rust.
    CargoToml,
    /// Settings: .env, .ini, .properties, .toml and the like.
    Config,
    /// Anything else: only secrets and hidden characters are looked for.
    Text,
}

/// A pair of string delimiters.
#[derive(Debug, Clone, Copy)]
pub struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    /// A backslash takes the next character with it.
    pub escapes: bool,
    /// The string may go on after the end of the line.
    pub lines: bool,
}

/// How comments and strings look.
#[derive(Debug, Clone, Copy)]
pub struct Syntax {
    pub line: &'static [&'static str],
    /// A line comment must follow white space or the start of a line.
    pub line_apart: bool,
    pub block: &'static [(&'static str, &'static str)],
    /// Block comments nest.
    pub nested: bool,
    pub quotes: &'static [Quote],
    pub special: Special,
}

/// What needs more than a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    None,
    /// Template literals with code inside, regular expressions between slashes.
    Javascript,
    /// Raw strings with hashes, lifetimes.
    Rust,
    /// Raw strings with a delimiter.
    Cpp,
}

const fn quote(open: &'static str, escapes: bool, lines: bool) -> Quote {
    Quote { open, close: open, escapes, lines }
}

const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
const PLAIN: &[Quote] = &[quote("\"", true, false), quote("'", true, false)];

const fn c_like(quotes: &'static [Quote], special: Special) -> Syntax {
    Syntax { line: &["//"], line_apart: false, block: C_BLOCK, nested: false, quotes, special }
}

const fn hashed(quotes: &'static [Quote], line_apart: bool) -> Syntax {
    Syntax { line: &["#"], line_apart, block: &[], nested: false, quotes, special: Special::None }
}

impl Language {
    /// The grammar of comments and strings.
    #[must_use]
    pub const fn syntax(self) -> Syntax {
        match self {
            Self::Python => {
                const QUOTES: &[Quote] = &[
                    quote("\"\"\"", true, true),
                    quote("'''", true, true),
                    quote("\"", true, false),
                    quote("'", true, false),
                ];
                hashed(QUOTES, false)
            }
            Self::Javascript | Self::Typescript => c_like(PLAIN, Special::Javascript),
            Self::Go => {
                const QUOTES: &[Quote] = &[quote("`", false, true), quote("\"", true, false), quote("'", true, false)];
                c_like(QUOTES, Special::None)
            }
            Self::Java | Self::Kotlin => {
                const QUOTES: &[Quote] =
                    &[quote("\"\"\"", true, true), quote("\"", true, false), quote("'", true, false)];
                c_like(QUOTES, Special::None)
            }
            Self::C => c_like(PLAIN, Special::None),
            Self::Cpp => c_like(PLAIN, Special::Cpp),
            Self::Rust => {
                const QUOTES: &[Quote] = &[quote("\"", true, true)];
                Syntax { nested: true, ..c_like(QUOTES, Special::Rust) }
            }
            Self::Php => {
                const QUOTES: &[Quote] = &[quote("\"", true, true), quote("'", true, true)];
                Syntax { line: &["//", "#"], ..c_like(QUOTES, Special::None) }
            }
            Self::Ruby => {
                const QUOTES: &[Quote] = &[quote("\"", true, true), quote("'", true, true)];
                Syntax { block: &[("\n=begin", "\n=end")], ..hashed(QUOTES, true) }
            }
            Self::Shell => {
                const QUOTES: &[Quote] = &[quote("\"", true, true), quote("'", false, true)];
                hashed(QUOTES, true)
            }
            Self::Terraform => {
                const QUOTES: &[Quote] = &[quote("\"", true, false)];
                Syntax { line: &["#", "//"], ..c_like(QUOTES, Special::None) }
            }
            Self::Dockerfile | Self::Workflow | Self::Yaml | Self::Requirements | Self::Config => hashed(&[], true),
            Self::CargoToml => hashed(PLAIN, false),
            Self::PackageJson | Self::Text => Syntax { line: &[], ..hashed(&[], false) },
        }
    }

    /// Whether assignments need no quotes around their values.
    #[must_use]
    pub const fn assigns_bare(self) -> bool {
        matches!(self, Self::Config | Self::Yaml | Self::Workflow | Self::Dockerfile | Self::Shell)
    }

    /// The language of a path, or of what the first line names as its interpreter.
    #[must_use]
    pub fn of(path: &str, text: &str) -> Self {
        let lower = path.to_ascii_lowercase().replace('\\', "/");
        let name = lower.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        if let Some(language) = by_name(&lower, name, extension) {
            return language;
        }
        match extension {
            "py" | "pyw" | "pyi" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" | "vue" | "svelte" => Self::Javascript,
            "ts" | "mts" | "cts" | "tsx" => Self::Typescript,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "rb" | "rake" | "erb" | "gemspec" => Self::Ruby,
            "php" | "phtml" | "php5" | "inc" => Self::Php,
            "rs" => Self::Rust,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" | "ino" => Self::Cpp,
            "sh" | "bash" | "zsh" | "ksh" => Self::Shell,
            "tf" | "tfvars" | "hcl" => Self::Terraform,
            "yml" | "yaml" => Self::Yaml,
            "env" | "ini" | "cfg" | "conf" | "properties" | "toml" => Self::Config,
            _ => by_interpreter(text),
        }
    }
}

fn by_name(path: &str, name: &str, extension: &str) -> Option<Language> {
    let is_yaml = extension == "yml" || extension == "yaml";
    if is_yaml && (path.contains(".github/workflows/") || name == "action.yml" || name == "action.yaml") {
        return Some(Language::Workflow);
    }
    if name == "dockerfile" || name == "containerfile" || name.starts_with("dockerfile.") || extension == "dockerfile" {
        return Some(Language::Dockerfile);
    }
    if extension == "txt" && (name.contains("requirements") || path.contains("requirements/")) {
        return Some(Language::Requirements);
    }
    match name {
        "package.json" => Some(Language::PackageJson),
        "cargo.toml" => Some(Language::CargoToml),
        "gemfile" | "rakefile" | "vagrantfile" => Some(Language::Ruby),
        _ if name.starts_with(".env") || name == ".npmrc" || name == ".pypirc" || name == ".netrc" => {
            Some(Language::Config)
        }
        _ => None,
    }
}

fn by_interpreter(text: &str) -> Language {
    let first = text.lines().next().unwrap_or_default();
    if text.starts_with("<?php") {
        return Language::Php;
    }
    if !first.starts_with("#!") {
        return Language::Text;
    }
    let has = |name: &str| first.contains(name);
    match () {
        () if has("python") => Language::Python,
        () if has("node") || has("deno") || has("bun") => Language::Javascript,
        () if has("ruby") => Language::Ruby,
        () if has("php") => Language::Php,
        () if has("sh") => Language::Shell,
        () => Language::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_path_or_first_line() {
        for (path, text, expect) in [
            ("src/a.py", "", Language::Python),
            ("A.TSX", "", Language::Typescript),
            (".github/workflows/ci.yml", "", Language::Workflow),
            ("deploy/ci.yml", "", Language::Yaml),
            ("docker/Dockerfile.prod", "", Language::Dockerfile),
            ("requirements-dev.txt", "", Language::Requirements),
            ("web/package.json", "", Language::PackageJson),
            (".env.local", "", Language::Config),
            ("run", "#!/usr/bin/env bash\n", Language::Shell),
            ("run", "#!/usr/bin/python3\n", Language::Python),
            ("notes", "hello", Language::Text),
            ("", "", Language::Text),
        ] {
            assert_eq!(Language::of(path, text), expect, "{path}");
        }
    }
}
