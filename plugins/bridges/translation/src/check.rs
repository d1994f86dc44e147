//! Whether a translation carries over what it must.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    input::Term,
    tokens::{self, Tokens},
};

/// Things that are named for each check.
const NAMED: usize = 10;

/// A check of a translation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was compared: numbers, placeholders, addresses, glossary, kept_terms or lines.
    pub name: &'static str,
    /// Nothing is missing and nothing was added.
    pub passed: bool,
    /// What is missing from the translation, at most ten.
    pub missing: Vec<String>,
    /// What is in the translation but not in the text, at most ten.
    pub added: Vec<String>,
}

/// All checks.
pub fn checks(text: &str, translation: &str, glossary: &[Term], keep: &[String]) -> Vec<Check> {
    let (Tokens { numbers, placeholders, addresses }, after) = (tokens::find(text), tokens::find(translation));
    let mut all = vec![
        compare("numbers", &numbers, &after.numbers),
        compare("placeholders", &placeholders, &after.placeholders),
        compare("addresses", &addresses, &after.addresses),
    ];
    let has = |text: &str, term: &str| text.to_lowercase().contains(&term.to_lowercase());
    let wanted = glossary.iter().filter(|term| has(text, &term.term) && !has(translation, &term.translation));
    let missing: Vec<String> = wanted.map(|term| format!("{} → {}", term.term, term.translation)).take(NAMED).collect();
    all.push(Check { name: "glossary", passed: missing.is_empty(), missing, added: Vec::new() });
    let lost = keep.iter().filter(|term| text.contains(term.as_str()) && !translation.contains(term.as_str()));
    let missing: Vec<String> = lost.take(NAMED).cloned().collect();
    all.push(Check { name: "kept_terms", passed: missing.is_empty(), missing, added: Vec::new() });
    let lines = |text: &str| text.trim().lines().filter(|line| !line.trim().is_empty()).count();
    all.push(Check {
        name: "lines",
        passed: lines(text) == lines(translation),
        missing: Vec::new(),
        added: Vec::new(),
    });
    all
}

/// Differences of two sorted lists.
fn compare(name: &'static str, before: &[String], after: &[String]) -> Check {
    let (missing, added) = (without(before, after), without(after, before));
    Check { name, passed: missing.is_empty() && added.is_empty(), missing, added }
}

/// What the first sorted list has beyond the second, counting repetitions.
fn without(list: &[String], other: &[String]) -> Vec<String> {
    let mut rest = other.iter().peekable();
    let mut left = Vec::new();
    for item in list {
        while rest.next_if(|next| *next < item).is_some() {}
        if rest.next_if(|next| *next == item).is_none() {
            left.push(item.chars().take(200).collect());
        }
    }
    left.truncate(NAMED);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_count_repetitions() {
        let list = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(without(&list("a a b d"), &list("a c d")), ["a", "b"]);
        assert_eq!(without(&list("a c d"), &list("a a b d")), ["c"]);
    }

    #[test]
    fn failures_are_named() {
        let term = Term { term: "invoice".into(), translation: "Rechnung".into() };
        let failed = |translation: &str| -> Vec<&'static str> {
            checks("Invoice 7 of {shop} from Acme", translation, std::slice::from_ref(&term), &["Acme".to_owned()])
                .into_iter()
                .filter(|check| !check.passed)
                .map(|check| check.name)
                .collect()
        };
        assert_eq!(failed("Rechnung 7 von {shop} von Acme"), [""; 0]);
        assert_eq!(
            failed("Faktura 8 von {laden}\nvon Akme"),
            ["numbers", "placeholders", "glossary", "kept_terms", "lines"]
        );
    }
}
