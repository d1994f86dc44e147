//! Regular expressions, each compiled once.

use std::cell::RefCell;
use std::collections::HashMap;

use regex_lite::{Captures, Regex};

thread_local! {
    static COMPILED: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
}

/// Returns the compiled pattern; none if it is no regular expression.
pub fn compiled(pattern: &str) -> Option<Regex> {
    COMPILED.with_borrow_mut(|known| {
        if let Some(regex) = known.get(pattern) {
            return regex.clone();
        }
        let regex = Regex::new(pattern).ok();
        known.insert(pattern.to_owned(), regex.clone());
        regex
    })
}

/// Returns whether a pattern matches somewhere.
pub fn is_match(pattern: &str, text: &str) -> bool {
    compiled(pattern).is_some_and(|regex| regex.is_match(text))
}

/// Returns group 1 (without groups, the whole) of every match.
pub fn all(pattern: &str, text: &str) -> Vec<String> {
    let Some(regex) = compiled(pattern) else { return Vec::new() };
    let group = |found: Captures<'_>| found.get(1).or_else(|| found.get(0)).map(|group| group.as_str().to_owned());
    regex.captures_iter(text).filter_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_pattern_matches_nothing() {
        assert!(is_match(r"\bb\b", "a b c") && !is_match("(", "a"));
        assert_eq!((all("a(.)", "ab ac"), all("(", "a")), (vec!["b".to_owned(), "c".to_owned()], Vec::new()));
    }
}
