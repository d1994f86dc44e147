//! What rules of words and rules of numbers have in common.

/// A label, how sure, and what shows it; or why nothing can be decided.
pub type Decided = Result<(String, f64, Vec<String>), String>;

/// Words that open the rule for all the rest.
pub(crate) const OTHERWISE: &[&str] = &[
    "all the rest",
    "the rest",
    "everything else",
    "anything else",
    "all else",
    "all others",
    "all other",
    "otherwise",
    "else",
    "if none",
];

/// Where a word stands that is no part of another.
pub(crate) fn word_at(lower: &str, word: &str) -> Option<usize> {
    lower.match_indices(word).map(|(at, _)| at).find(|at| {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        edge(lower.get(..*at).and_then(|text| text.chars().next_back()))
            && edge(lower.get(at + word.len()..).and_then(|text| text.chars().next()))
    })
}

/// The label that a piece of text names first.
pub(crate) fn label_in(text: &str, labels: &[String]) -> Option<String> {
    let lower = text.to_lowercase();
    let named = labels.iter().filter_map(|label| word_at(&lower, &label.to_lowercase()).map(|at| (at, label)));
    if let Some((_, label)) = named.min_by_key(|(at, label)| (*at, usize::MAX - label.len())) {
        return Some(label.clone());
    }
    let bare = text.trim().trim_matches(|c: char| "\"“”'`.:;,() ".contains(c));
    let bare = bare
        .trim_start_matches("label ")
        .trim_start_matches("it ")
        .trim_start_matches("as ")
        .trim_start_matches("is ")
        .trim_start_matches("goes to ")
        .trim_start_matches("to ")
        .trim_matches(|c: char| "\"“”'`.:;,() ".contains(c));
    let clean = labels.is_empty() && !bare.is_empty() && bare.split_whitespace().count() < 3;
    clean.then(|| bare.to_owned())
}
