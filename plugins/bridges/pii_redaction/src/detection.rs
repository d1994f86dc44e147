//! Something found, and the words around it.

use crate::input::Kind;

/// A place in the text, in bytes, and why it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    /// checksum, format or context.
    pub evidence: &'static str,
}

/// Up to so many bytes before a place, in small letters.
#[must_use]
pub fn before(text: &str, at: usize, bytes: usize) -> String {
    let mut from = at.saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from = from.saturating_add(1);
    }
    text.get(from..at).unwrap_or_default().to_lowercase()
}

/// Up to so many bytes after a place, in small letters.
#[must_use]
pub fn after(text: &str, at: usize, bytes: usize) -> String {
    let mut to = at.saturating_add(bytes).min(text.len());
    while !text.is_char_boundary(to) {
        to = to.saturating_sub(1);
    }
    text.get(at..to).unwrap_or_default().to_lowercase()
}

/// Whether one of the words stands near a place: before it within so many bytes, or shortly after it.
#[must_use]
pub fn near(text: &str, start: usize, end: usize, bytes: usize, words: &[&str]) -> bool {
    let (before, after) = (before(text, start, bytes), after(text, end, 30));
    words.iter().any(|word| has_word(&before, word) || has_word(&after, word))
}

/// Whether a word begins somewhere in a text of small letters; it may go on ("card" in "cards").
#[must_use]
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text.get(..at).unwrap_or_default().ends_with(char::is_alphanumeric))
}

/// Whether no letter or digit touches a place from outside.
#[must_use]
pub fn free(text: &str, start: usize, end: usize) -> bool {
    let left = text.get(..start).unwrap_or_default().chars().next_back();
    let right = text.get(end..).unwrap_or_default().chars().next();
    !left.is_some_and(char::is_alphanumeric) && !right.is_some_and(char::is_alphanumeric)
}

/// Whether a sign belongs to the letter before it: accents, vowel signs, viramas, and what joins letters.
#[must_use]
pub fn is_mark(sign: char) -> bool {
    let code = u32::from(sign);
    // Nukta and virama have the same places in each of the Indic blocks.
    let indic = (0x900..0xd80).contains(&code) && matches!(code % 0x80, 0x3c | 0x4d);
    let places = [
        (0x300, 0x36f),
        (0x483, 0x487),
        (0x591, 0x5c7),
        (0x610, 0x61a),
        (0x64b, 0x65f),
        (0x6d6, 0x6ed),
        (0xe47, 0xe4e),
        (0xeb9, 0xece),
        (0xf18, 0xf87),
        (0x1037, 0x103a),
        (0x135d, 0x135f),
        (0x17b4, 0x17d3),
        (0x1ab0, 0x1aff),
        (0x1dc0, 0x1dff),
        (0x200c, 0x200d),
        (0x20d0, 0x20ff),
        (0x3099, 0x309a),
        (0xfe20, 0xfe2f),
    ];
    indic || sign == '\u{dca}' || places.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// A group of digits: where it begins and ends, and its digits.
#[derive(Debug, Clone)]
pub struct Group {
    pub start: usize,
    pub end: usize,
    pub digits: Vec<u32>,
}

/// Runs of groups of digits with at most one space, hyphen or dot between two groups (or ") " after an area code).
#[must_use]
pub fn runs(text: &str) -> Vec<Vec<Group>> {
    let mut runs: Vec<Vec<Group>> = Vec::new();
    let mut group: Option<Group> = None;
    let mut groups: Vec<Group> = Vec::new();
    for (at, sign) in text.char_indices().chain(std::iter::once((text.len(), '\u{0}'))) {
        if let Some(digit) = sign.to_digit(10) {
            let open = group.get_or_insert(Group { start: at, end: at, digits: Vec::new() });
            open.end = at.saturating_add(1);
            open.digits.push(digit);
            continue;
        }
        if let Some(done) = group.take() {
            groups.push(done);
        }
        let gap = groups.last().and_then(|last| text.get(last.end..at)).unwrap_or_default();
        let joins = matches!(sign, ' ' | '-' | '.' | '\u{a0}') && gap.is_empty()
            || sign == ')' && gap.is_empty()
            || sign == '(' && gap == " "
            || sign == '(' && gap.is_empty()
            || matches!(sign, ' ' | '-') && gap == ")";
        if !joins && !groups.is_empty() {
            runs.push(std::mem::take(&mut groups));
        }
    }
    runs
}
