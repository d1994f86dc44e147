//! Regular expressions, each compiled once.

use std::cell::RefCell;
use std::collections::HashMap;

use regex_lite::Regex;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
}

/// The compiled pattern; none if it is no regular expression.
#[must_use]
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

/// Whether a pattern matches somewhere.
#[must_use]
pub fn is_match(pattern: &str, text: &str) -> bool {
    compiled(pattern).is_some_and(|regex| regex.is_match(text))
}

/// The groups of the first match, the whole first; empty without one.
#[must_use]
pub fn groups(pattern: &str, text: &str) -> Vec<String> {
    let Some(regex) = compiled(pattern) else { return Vec::new() };
    let Some(found) = regex.captures(text) else { return Vec::new() };
    found.iter().map(|group| group.map_or(String::new(), |group| group.as_str().to_owned())).collect()
}

/// Group 1 (the whole without groups) of every match.
#[must_use]
pub fn all(pattern: &str, text: &str) -> Vec<String> {
    let Some(regex) = compiled(pattern) else { return Vec::new() };
    let group = |found: regex_lite::Captures<'_>| {
        found.get(1).or_else(|| found.get(0)).map_or(String::new(), |group| group.as_str().to_owned())
    };
    regex.captures_iter(text).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_and_groups() {
        assert!(is_match(r"\bb\b", "a b c") && !is_match("(", "a"));
        assert_eq!(groups(r"(\d+) (\w+)", "12 cats, 3 dogs"), ["12 cats", "12", "cats"]);
        assert_eq!(all(r"(\d+)", "1, 22"), ["1", "22"]);
    }
}
