//! A text as chunks of words: no phrase goes beyond a sentence or a sign of punctuation.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

use crate::input::Language;
use crate::stopwords::{elided, is_stop, lower};

/// Words shorter than this do not begin or end a phrase.
const SHORT: usize = 3;

/// What a word looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number,
    /// Letters mixed with digits or signs, which is no word.
    Odd,
    /// All capitals.
    Acronym,
    /// A capital first, not at the beginning of a sentence.
    Proper,
    Plain,
}

/// A word of the text.
#[derive(Debug, Clone)]
pub struct Token {
    pub lower: String,
    pub shape: Shape,
    /// Bytes in the text.
    pub start: usize,
    pub end: usize,
    pub sentence: usize,
    pub stop: bool,
}

/// Which words may not begin or end a phrase.
struct Bounds<'w> {
    language: Language,
    excluded: HashSet<&'w str>,
}

impl Bounds<'_> {
    fn is_stop(&self, word: &str) -> bool {
        self.excluded.contains(word) || word.chars().count() < SHORT || is_stop(word, self.language)
    }
}

/// The chunks of a text, and how many sentences it has. Words of `exclude` count as stop words.
#[must_use]
pub fn chunks(text: &str, language: Language, exclude: &[String]) -> (Vec<Vec<Token>>, usize) {
    let excluded: Vec<String> = exclude.iter().map(|word| lower(word.trim(), language)).collect();
    let bounds = Bounds { language, excluded: excluded.iter().map(String::as_str).collect() };
    let mut chunks = Vec::new();
    let mut sentences = 0usize;
    let mut base = 0usize;
    for paragraph in text.split_inclusive("\n\n") {
        // A single line break is white space; the bytes keep their places.
        let flat = paragraph.replace(['\n', '\r'], " ");
        for (at, sentence) in flat.split_sentence_bound_indices() {
            let chunks_of_sentence = sentence_chunks(sentence, base.saturating_add(at), sentences, &bounds);
            if !chunks_of_sentence.is_empty() {
                sentences = sentences.saturating_add(1);
                chunks.extend(chunks_of_sentence);
            }
        }
        base = base.saturating_add(paragraph.len());
    }
    (chunks, sentences)
}

fn sentence_chunks(sentence: &str, base: usize, number: usize, bounds: &Bounds<'_>) -> Vec<Vec<Token>> {
    let mut chunks: Vec<Vec<Token>> = Vec::new();
    let mut open: Vec<Token> = Vec::new();
    let mut first = true;
    for (at, word) in words(sentence).into_iter().flat_map(|word| parted(word, bounds.language)) {
        if !word.chars().any(char::is_alphanumeric) {
            if !word.trim().is_empty() && !open.is_empty() {
                chunks.push(std::mem::take(&mut open));
            }
            continue;
        }
        let lower = lower(word, bounds.language);
        let start = base.saturating_add(at);
        let stop = bounds.is_stop(&lower);
        let shape = shape(word, first);
        first = false;
        open.push(Token { lower, shape, start, end: start.saturating_add(word.len()), sentence: number, stop });
    }
    if !open.is_empty() {
        chunks.push(open);
    }
    chunks
}

/// Words and what is between them. Hyphens and apostrophes between letters belong to the word.
fn words(sentence: &str) -> Vec<(usize, &str)> {
    let inner = |sign: char| matches!(sign, '-' | '\'' | '’' | '.' | '&');
    let mut bounds = vec![0usize];
    let mut last: Option<bool> = None;
    let signs: Vec<(usize, char)> = sentence.char_indices().collect();
    for (place, (at, sign)) in signs.iter().enumerate() {
        let neighbour =
            |by: Option<usize>| by.and_then(|by| signs.get(by)).is_some_and(|(_, sign)| sign.is_alphanumeric());
        let joins = inner(*sign) && neighbour(place.checked_sub(1)) && neighbour(place.checked_add(1));
        let inside = sign.is_alphanumeric() || joins;
        if last.is_some_and(|last| last != inside) {
            bounds.push(*at);
        }
        last = Some(inside);
    }
    bounds.push(sentence.len());
    let pairs = bounds.iter().zip(bounds.iter().skip(1));
    pairs.filter_map(|(from, to)| Some((*from, sentence.get(*from..*to)?))).collect()
}

/// A word without the stop word that is elided before it, which is a word of its own.
fn parted((at, word): (usize, &str), language: Language) -> Vec<(usize, &str)> {
    let parts = elided(word, language).and_then(|end| word.split_at_checked(end));
    match parts {
        Some((article, rest)) => {
            let name = article.trim_end_matches(['\'', '’']);
            vec![(at, name), (at.saturating_add(article.len()), rest)]
        }
        None => vec![(at, word)],
    }
}

fn shape(word: &str, first: bool) -> Shape {
    let count = |is: fn(char) -> bool| word.chars().filter(|sign| is(*sign)).count();
    let (letters, digits) = (count(char::is_alphabetic), count(char::is_numeric));
    let others = word.chars().count().saturating_sub(letters).saturating_sub(digits);
    if letters == 0 {
        Shape::Number
    } else if digits > 0 || others > 1 {
        Shape::Odd
    } else if count(char::is_uppercase) == letters && letters > 1 {
        Shape::Acronym
    } else if !first && word.chars().next().is_some_and(char::is_uppercase) {
        Shape::Proper
    } else {
        Shape::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_end_at_punctuation() {
        let (chunks_found, sentences) = chunks("The well-known NASA, in 2024. Ask Ann's team3", Language::En, &[]);
        let shown: Vec<Vec<(&str, Shape, bool)>> = chunks_found
            .iter()
            .map(|chunk| chunk.iter().map(|t| (t.lower.as_str(), t.shape, t.stop)).collect())
            .collect();
        assert_eq!(sentences, 2);
        assert_eq!(shown[0][1], ("well-known", Shape::Plain, false));
        assert_eq!(shown[0][2], ("nasa", Shape::Acronym, false));
        assert_eq!(shown[1][1], ("2024", Shape::Number, false));
        assert_eq!(shown[2][1], ("ann's", Shape::Proper, false));
        assert_eq!(shown[2][2].1, Shape::Odd);
    }
}
