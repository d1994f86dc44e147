//! Languages that plugins are written in.

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

use super::hinted::Hinted;

/// A plugin's language, recognised by the files in the plugin's folder. The manifest does not name
/// the language, because callers and operators need not know it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Rust: a crate with `Cargo.toml`.
    #[default]
    Rust,
    /// JavaScript: a script `src/plugin.js`.
    Js,
    /// Python: a script `src/plugin.py`.
    Python,
}

impl Language {
    /// Returns the language of the plugin in a folder; `None` if the folder has no plugin.
    pub fn of(folder: &Path) -> anyhow::Result<Option<Self>> {
        let has = |language: &Self| folder.join(language.sign()).is_file();
        // A crate may also contain scripts for other purposes.
        if has(&Self::Rust) {
            return Ok(Some(Self::Rust));
        }
        match (has(&Self::Js), has(&Self::Python)) {
            (true, true) => {
                let hint = "a plugin has one language: remove or rename one of the two files";
                Err(Hinted::error(
                    format!("{}: there are both src/plugin.js and src/plugin.py", folder.display()),
                    hint,
                ))
            }
            (js, python) => Ok(js.then_some(Self::Js).or_else(|| python.then_some(Self::Python))),
        }
    }

    /// Returns the path of the file by which a plugin's language is recognised.
    fn sign(self) -> &'static str {
        match self {
            Self::Rust => "Cargo.toml",
            Self::Js => "src/plugin.js",
            Self::Python => "src/plugin.py",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(files: &[&str], expect: Option<Option<Language>>) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("src")).expect("a folder");
        for file in files {
            fs::write(folder.path().join(file), "").expect("a file");
        }
        assert_eq!(Language::of(folder.path()).ok(), expect, "{files:?}");
    }

    #[test]
    fn a_folder_tells_its_language() {
        check(&["Cargo.toml", "src/lib.rs"], Some(Some(Language::Rust)));
        check(&["src/plugin.js", "package.json"], Some(Some(Language::Js)));
        check(&["src/plugin.py"], Some(Some(Language::Python)));
        check(&["Cargo.toml", "src/plugin.py"], Some(Some(Language::Rust)));
        check(&["package.json", "src/other.js"], Some(None));
        check(&["src/plugin.js", "src/plugin.py"], None);
    }
}
