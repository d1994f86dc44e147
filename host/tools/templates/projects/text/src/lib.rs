//! The length of a text: characters, words, sentences, and reading time.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, OneOf};

/// Maximum length of a text, in bytes.
const BYTES_MAX: usize = 200_000;
/// Words per minute that adults read silently (Brysbaert 2019, English non-fiction).
const WORDS_A_MINUTE: usize = 238;

/// A text, or the id of a stored one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = OneOf("text | resource_id"))]
pub struct Input {
    /// The text; 200,000 bytes at most. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 200_000))]
    text: Option<String>,
    /// The id (`res_…`) of a stored text in UTF-8.
    resource_id: Option<String>,
}

/// The figures of the text.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Unicode characters, including spaces and punctuation.
    characters: usize,
    /// Whitespace-separated tokens that contain a letter or digit; `so-called` and `3.50`
    /// are one word each. Not for languages without spaces between words.
    words: usize,
    /// Different words, ignoring case.
    distinct_words: usize,
    /// Text segments that end with `.`, `!`, `?` or `…` before a space; the last segment
    /// needs no such mark. A full stop after an abbreviation counts as an end.
    sentences: usize,
    /// Average words per sentence, to one decimal.
    words_per_sentence: f64,
    /// Time to read the text silently, in whole seconds: 238 words per minute.
    reading_seconds: usize,
}

/// Answers one call; an error costs the caller nothing.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let (field, text) = match (&input.text, &input.resource_id) {
        (Some(text), None) => ("/text", text.as_str()),
        (None, Some(_)) => ("/resource_id", call.stored()?.text()?),
        _ => return Err(Error::invalid("/text", "give `text` or `resource_id`, one of them")),
    };
    if text.len() > BYTES_MAX {
        let message = format!("{} bytes are more than {BYTES_MAX}; send it in parts", text.len());
        return Err(Error::invalid(field, message));
    }
    let (mut words, mut distinct) = (0, BTreeSet::new());
    for word in words_of(text) {
        words += 1;
        distinct.insert(word.to_lowercase());
    }
    let sentences = sentences(text);
    if words == 0 || sentences == 0 {
        return Err(Error::invalid(field, "there is no word in this text"));
    }
    Ok(Output {
        characters: text.chars().count(),
        words,
        distinct_words: distinct.len(),
        sentences,
        words_per_sentence: (words as f64 / sentences as f64 * 10.0).round() / 10.0,
        reading_seconds: (words * 60).div_ceil(WORDS_A_MINUTE),
    })
}

/// Returns the words of a text, without the punctuation around them.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let between = |c: char| c.is_whitespace() || matches!(c, '/' | '–' | '—');
    text.split(between).map(|part| part.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty())
}

fn sentences(text: &str) -> usize {
    let (mut found, mut open) = (0, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        open |= c.is_alphanumeric();
        let closes = |next: &char| next.is_whitespace() || matches!(next, '"' | '”' | '’' | ')' | '»');
        if open && matches!(c, '.' | '!' | '?' | '…') && rest.peek().is_none_or(closes) {
            found += 1;
            open = false;
        }
    }
    found + usize::from(open)
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/two_sentences.json"] }
tollbridge_sdk::test_cases!(handle);
