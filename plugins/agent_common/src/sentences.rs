//! Sentences of a text, and the words in them that carry meaning.

use std::collections::BTreeSet;

/// A sentence of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The sentence without white space around it.
    pub text: &'t str,
    /// Place of its first character in the text, from 0, in characters.
    pub start: usize,
}

/// Sentences end with `.`, `!` or `?` before white space, or with a line.
#[must_use]
pub fn split(text: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    let mut rest = text;
    let mut start = 0;
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(end(rest));
        let indent = piece.chars().take_while(|c| c.is_whitespace()).count();
        if !piece.trim().is_empty() {
            sentences.push(Sentence { text: piece.trim(), start: start + indent });
        }
        start += piece.chars().count();
        rest = left;
    }
    sentences
}

/// Where the first sentence ends, in bytes.
fn end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let stops = c == '\n' || (".!?".contains(c) && next.is_none_or(char::is_whitespace));
        if stops {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Words that say nothing of what a sentence is about.
const STOP: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "in", "into", "is", "it", "its",
    "more", "of", "on", "or", "our", "she", "so", "some", "such", "than", "that", "the", "their", "them", "there",
    "these", "they", "this", "to", "was", "we", "were", "which", "who", "will", "with", "would", "you",
];

/// The content words of a text in small letters, each cut to its stem by a few
/// endings of English; numbers stay whole.
#[must_use]
pub fn stems(text: &str) -> BTreeSet<String> {
    let lower = without_grouping(&text.to_lowercase());
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '\'' && c != '%');
    let words = words.map(|word| word.trim_matches(['.', '\'']).trim_end_matches("'s"));
    words.filter(|word| !word.is_empty() && !STOP.contains(word)).map(stem).collect()
}

/// `1,700` as `1700`: a comma between digits groups them.
fn without_grouping(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let groups = c == ',' && before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
        if !groups {
            plain.push(c);
        }
        before = c;
    }
    plain
}

fn stem(word: &str) -> String {
    if word.len() < 5 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let cut =
        ["ing", "ed", "es", "s", "e"].iter().find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() > 3));
    cut.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_know_their_place() {
        let sentences = split("Né en 1.5 s. Yes!\nNo end");
        let expect = [("Né en 1.5 s.", 0), ("Yes!", 13), ("No end", 18)];
        assert_eq!(sentences.iter().map(|s| (s.text, s.start)).collect::<Vec<_>>(), expect);
        assert!(split(" \n ").is_empty());
    }

    #[test]
    fn stems_bring_forms_together() {
        assert_eq!(stems("The bridges closed"), stems("closes the bridge"));
        assert!(stems("grew by 4.5%.").contains("4.5%"));
        assert_eq!(stems("1,700, 2"), stems("1700 2"));
    }
}
