//! The tokenizer of BERT's uncased models: normalisation, words, and pieces of words.
//!
//! Equals the tokenizer with which the model was trained, except that the names of
//! special tokens (such as `[SEP]`) in a text are text. It reads a text only as far as
//! the model does.

use std::collections::HashMap;
use std::iter::once;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The maximum number of tokens of a text, including one at each end. The rest of a text
/// is not read: the model was trained with short texts.
pub const TOKENS_MAX: usize = 256;
/// The maximum number of characters of a word; a longer word is unknown.
const WORD_CHARS_MAX: usize = 100;
/// The prefix of a piece that does not begin a word.
const CONTINUED: &str = "##";
/// The tokens of the vocabulary, one per line, in the order of their ids.
const VOCABULARY: &str = include_str!("vocabulary.txt");

const UNKNOWN: i32 = 100;
const BEGIN: i32 = 101;
const END: i32 = 102;

/// The tokenizer, with its vocabulary.
#[derive(Debug)]
pub(crate) struct WordPiece {
    ids: HashMap<&'static str, i32>,
}

impl WordPiece {
    pub(crate) fn new() -> Self {
        Self { ids: VOCABULARY.lines().zip(0..).collect() }
    }

    /// Returns the ids of a text's tokens, between those of its begin and end.
    pub(crate) fn ids(&self, text: &str) -> Vec<i32> {
        let mut ids = vec![BEGIN];
        let mut word = Word::default();
        let mut pieces = String::new();
        // The space ends the last word.
        for c in text.chars().chain(once(' ')).filter(|c| !is_removed(*c)).flat_map(normalised) {
            if !is_separator(c) {
                word.push(c);
                continue;
            }
            self.add_word(&word, &mut pieces, &mut ids);
            word = Word::default();
            if !c.is_whitespace() {
                word.push(c);
                self.add_word(&word, &mut pieces, &mut ids);
                word = Word::default();
            }
            if ids.len() >= TOKENS_MAX {
                break;
            }
        }
        ids.truncate(TOKENS_MAX - 1);
        ids.push(END);
        ids
    }

    /// Adds the longest known pieces of a word, from its begin to its end. If one part of
    /// the word has no known piece, the whole word is unknown.
    fn add_word(&self, word: &Word, piece: &mut String, ids: &mut Vec<i32>) {
        if word.chars == 0 {
            return;
        }
        if word.chars > WORD_CHARS_MAX {
            ids.push(UNKNOWN);
            return;
        }
        let before = ids.len();
        let mut rest = word.text.as_str();
        while !rest.is_empty() {
            piece.clear();
            if ids.len() > before {
                piece.push_str(CONTINUED);
            }
            let prefix = piece.len();
            piece.push_str(rest);
            let found = loop {
                if let Some(id) = self.ids.get(piece.as_str()) {
                    break Some((*id, piece.len() - prefix));
                }
                if piece.pop().is_none() || piece.len() <= prefix {
                    break None;
                }
            };
            let Some((id, after)) = found.and_then(|(id, bytes)| Some((id, rest.get(bytes..)?))) else {
                ids.truncate(before);
                ids.push(UNKNOWN);
                return;
            };
            ids.push(id);
            rest = after;
        }
    }
}

/// A word; its text stops growing above the maximum length.
#[derive(Default)]
struct Word {
    text: String,
    chars: usize,
}

impl Word {
    fn push(&mut self, c: char) {
        self.chars = self.chars.saturating_add(1);
        if self.chars <= WORD_CHARS_MAX {
            self.text.push(c);
        }
    }
}

/// Returns the characters for one character of a text: in lower case, without accents.
fn normalised(c: char) -> impl Iterator<Item = char> {
    once(c).nfd().filter(|c| c.general_category() != GeneralCategory::NonspacingMark).flat_map(char::to_lowercase)
}

/// Returns whether a character is removed: a control character, an invisible one, or one
/// without a meaning.
fn is_removed(c: char) -> bool {
    let is_space = matches!(c, '\t' | '\n' | '\r');
    let is_other = c.general_category_group() == GeneralCategoryGroup::Other
        && c.general_category() != GeneralCategory::Unassigned;
    !is_space && (c == '\u{fffd}' || is_other)
}

/// Returns whether a character ends a word: a space, or a character that
/// forms a word alone.
fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || c.is_ascii_punctuation()
        || is_ideograph(c)
        || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// Returns whether a character is Chinese. The ranges are those of the original
/// tokenizer.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f | 0x2b740..=0x2b81f
        | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected ids are those of the package `tokenizers` 0.23 in Python.
    #[test]
    fn texts_have_the_ids_of_the_original_tokenizer() {
        let tokenizer = WordPiece::new();
        assert_eq!(tokenizer.ids.len(), 30_522);
        for (name, id) in [("[UNK]", UNKNOWN), ("[CLS]", BEGIN), ("[SEP]", END)] {
            assert_eq!(tokenizer.ids.get(name), Some(&id));
        }
        for (text, ids) in EXPECTED {
            let found = tokenizer.ids(text);
            assert_eq!(found.get(1..found.len() - 1), Some(*ids), "{text:?}");
        }
    }

    #[test]
    fn a_long_text_is_read_only_to_the_maximum() {
        let tokenizer = WordPiece::new();
        for text in ["word ".repeat(1_000_000), "a".repeat(1_000_000), "!".repeat(1_000_000)] {
            let began = std::time::Instant::now();
            let ids = tokenizer.ids(&text);
            assert!(ids.len() <= TOKENS_MAX && ids.last() == Some(&END), "{}", ids.len());
            assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        }
    }

    const EXPECTED: &[(&str, &[i32])] = &[
        ("How do I reset my password?", &[2129, 2079, 1045, 25141, 2026, 20786, 1029]),
        (
            "Stra\u{df}e, Gr\u{f6}\u{df}e und s\u{fc}\u{df}e \u{c4}pfel",
            &[2358, 27807, 1010, 24665, 2080, 17499, 6151, 10514, 17499, 9706, 7959, 2140],
        ),
        (
            "na\u{ef}ve caf\u{e9} \u{201c}quotes\u{201d} \u{2013} dashes",
            &[15743, 7668, 1523, 16614, 1524, 1516, 11454, 2229],
        ),
        ("\u{4e1c}\u{4eac} is \u{6771}\u{4eac}", &[100, 1755, 2003, 1879, 1755]),
        ("tabs\tand\nnew\u{200b}lines\u{0}", &[21628, 2015, 1998, 2047, 12735]),
        ("\u{130}stanbul \u{fb01}anc\u{e9} \u{2167}", &[9960, 1984, 6651, 100]),
        (
            "user@example.com costs $1,234.56",
            &[5310, 1030, 2742, 1012, 4012, 5366, 1002, 1015, 1010, 22018, 1012, 5179],
        ),
        ("\u{1f642} emoji e\u{301}", &[100, 7861, 29147, 2072, 1041]),
        (
            "supercalifragilisticexpialidocious",
            &[3565, 9289, 10128, 29181, 24411, 4588, 10288, 19312, 21273, 10085, 6313],
        ),
        ("\u{d55c}\u{ad6d}\u{c5b4}", &[1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008]),
        ("", &[]),
    ];
}
