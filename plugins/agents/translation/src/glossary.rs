//! Terms whose translations are given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A term.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// As it stands in the text.
    pub(crate) term: String,
    /// What must stand in the translation.
    pub(crate) translation: String,
}

/// The lines `term = translation`, and the text without them and their heading.
pub(crate) fn glossary(text: &str) -> (Vec<Term>, String) {
    let mut terms = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    for line in text.lines() {
        let bare = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let cut = [" = ", " -> ", " → ", " => "].iter().find_map(|sign| bare.split_once(sign));
        match cut.filter(|(term, _)| term.split_whitespace().count() <= 4) {
            Some((term, translation)) => {
                let clean = |text: &str| {
                    text.split('(').next().unwrap_or(text).trim().trim_matches(['"', '“', '”', '.', ' ']).to_owned()
                };
                terms.push(Term { term: clean(term), translation: clean(translation) });
            }
            None if line.to_lowercase().trim_start().starts_with("glossar") => {}
            None => rest.push(line),
        }
    }
    (terms, rest.join("\n").trim().to_owned())
}

/// A term that has two translations.
#[must_use]
pub fn contradiction(glossary: &[Term]) -> Option<(String, String, String)> {
    glossary.iter().enumerate().find_map(|(at, term)| {
        let other = glossary.iter().skip(at + 1).find(|other| {
            other.term.eq_ignore_ascii_case(&term.term) && !other.translation.eq_ignore_ascii_case(&term.translation)
        })?;
        Some((term.term.clone(), term.translation.clone(), other.translation.clone()))
    })
}
