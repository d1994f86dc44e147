//! The tokens of the model, and words in pieces of them.

use std::cmp::Ordering;

/// The tokens with their ids, sorted by bytes: `token id`, one a line.
const TOKENS: &str = include_str!("../data/vocabulary.txt");
/// A longer word has no pieces, in characters.
const WORD_MAX: usize = 100;

/// Returns the pieces of a word: the longest token that it begins with, then the longest
/// continuations. A word with a rest that is no token has none.
pub(crate) fn pieces(word: &str) -> Vec<u16> {
    if word.chars().count() > WORD_MAX {
        return Vec::new();
    }
    let mut pieces = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let begin = if pieces.is_empty() { "" } else { "##" };
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        let longest = ends
            .filter_map(|end| rest.split_at_checked(end))
            .find_map(|(piece, rest)| Some((id(&format!("{begin}{piece}"))?, rest)));
        let Some((piece, after)) = longest else { return Vec::new() };
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Returns the id of a token, by binary search over the lines.
fn id(token: &str) -> Option<u16> {
    let (mut low, mut high) = (0, TOKENS.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let bytes = TOKENS.as_bytes();
        let start = bytes.get(low..middle)?.iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
        let line = TOKENS.get(start..)?.lines().next()?;
        let (name, id) = line.rsplit_once(' ')?;
        match name.as_bytes().cmp(token.as_bytes()) {
            Ordering::Equal => return id.parse().ok(),
            Ordering::Less => low = start + line.len() + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found() {
        assert_eq!(TOKENS.lines().count(), 30_522);
        for line in TOKENS.lines() {
            let (name, number) = line.rsplit_once(' ').unwrap();
            assert_eq!(id(name), number.parse().ok(), "{name}");
        }
        assert_eq!(id("qwertz"), None);
        assert!(pieces("☃☃").is_empty());
        assert!(pieces(&"a".repeat(101)).is_empty());
    }
}
