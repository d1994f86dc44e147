//! The sentences of a text with their places.
//!
//! Unicode's rules (UAX 29) within each paragraph, then joined again where the break is after an abbreviation of the
//! language or a single capital letter.

use unicode_segmentation::UnicodeSegmentation;

use crate::input::Language;
use bridge_common::table::find;

const ABBREVIATIONS: &str = include_str!("../data/abbreviations.tsv");

/// CLDR leaves these out of its English list, as they end an address too (Drive, Street); in prose they begin a name.
const TITLES: [&str; 2] = ["Dr.", "St."];

/// A sentence: its bytes in the text, without white space around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// All sentences of a text, in order.
#[must_use]
pub fn sentences(text: &str, language: Language) -> Vec<Span> {
    // A single line break is white space here. The bytes keep their places.
    let mut spans = Vec::new();
    for (start, paragraph) in paragraphs(text) {
        let flat = paragraph.replace(['\n', '\r'], " ");
        let mut open: Option<usize> = None;
        for (at, piece) in flat.split_sentence_bound_indices() {
            let begin = *open.get_or_insert(at);
            if !goes_on(piece, language) {
                push(
                    &mut spans,
                    text,
                    start.saturating_add(begin),
                    start.saturating_add(at).saturating_add(piece.len()),
                );
                open = None;
            }
        }
        if let Some(begin) = open {
            push(&mut spans, text, start.saturating_add(begin), start.saturating_add(paragraph.len()));
        }
    }
    spans
}

/// Blocks between blank lines; a heading or an item of a list (Markdown) is one of its own.
fn paragraphs(text: &str) -> Vec<(usize, &str)> {
    let mut paragraphs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0usize;
    let mut alone = true;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let mark = bare.starts_with(['#', '•', '|']) || ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark));
        let end = at.saturating_add(line.len());
        match paragraphs.last_mut() {
            Some(last) if !alone && !mark && !bare.is_empty() => last.1 = end,
            _ => paragraphs.push((at, end)),
        }
        // Nothing joins a blank line or a heading; an item of a list may go on in the next line.
        alone = bare.is_empty() || bare.starts_with(['#', '|']);
        at = end;
    }
    paragraphs.into_iter().filter_map(|(start, end)| Some((start, text.get(start..end)?))).collect()
}

fn push(found: &mut Vec<Span>, text: &str, start: usize, end: usize) {
    let Some(piece) = text.get(start..end) else { return };
    let bare = piece.trim_start();
    let start = start.saturating_add(piece.len().saturating_sub(bare.len()));
    let bare = bare.trim_end();
    if bare.chars().any(char::is_alphanumeric) {
        found.push(Span { start, end: start.saturating_add(bare.len()) });
    }
}

/// Whether the sentence does not end with this piece.
fn goes_on(piece: &str, language: Language) -> bool {
    let Some(word) = piece.split_whitespace().last() else { return false };
    let word = word.trim_start_matches(['(', '[', '"', '\'', '“', '„', '«']);
    let Some(stem) = word.strip_suffix('.') else { return false };
    let mut letters = stem.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    initial || (language == Language::En && TITLES.contains(&word)) || is_abbreviation(word, language)
}

fn is_abbreviation(word: &str, language: Language) -> bool {
    let code = match language {
        Language::De => "de",
        Language::En => "en",
        Language::Es => "es",
        Language::Fr => "fr",
        Language::It => "it",
        Language::Pt => "pt",
        Language::Ru => "ru",
        Language::Other => return false,
    };
    word.len() < 40 && find(ABBREVIATIONS, &format!("{code}:{word}")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let texts: Vec<&str> = sentences(text, Language::En).iter().map(|span| &text[span.start..span.end]).collect();
        assert_eq!(texts, expect);
    }

    #[test]
    fn sentences_of_english() {
        check(
            "Mr. J. Smith paid $3.50. He left! Did he? \"Yes.\" ok",
            &["Mr. J. Smith paid $3.50.", "He left!", "Did he?", "\"Yes.\" ok"],
        );
        check("One line\nbroken here. Two.\n\nNo end\n\n...\n", &["One line\nbroken here.", "Two.", "No end"]);
        check(
            "# Title\nText here.\n- one\n- two\n  goes on\n",
            &["# Title", "Text here.", "- one", "- two\n  goes on"],
        );
        check("今日は晴れ。明日は雨。", &["今日は晴れ。", "明日は雨。"]);
        check(" \n\n ", &[]);
    }
}
