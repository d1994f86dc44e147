//! Candidate phrases, their places, and which of similar ones to keep.

use std::collections::BTreeMap;

use crate::score::Words;
use crate::tokens::{Shape, Token};

/// Longest phrase in bytes; what is longer is no phrase.
const LONGEST: usize = 200;
/// Candidates that are compared with better ones.
const MOST_COMPARED: usize = 2_000;

/// A phrase of the text.
#[derive(Debug, Clone)]
pub struct Phrase {
    /// In small letters, with single spaces.
    pub key: String,
    pub score: f64,
    /// First and last byte (not included) of every occurrence.
    pub places: Vec<(usize, usize)>,
}

/// The phrases of up to so many words, best first.
#[must_use]
pub fn phrases(chunks: &[Vec<Token>], words: &Words, longest: usize) -> Vec<Phrase> {
    let mut places: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for chunk in chunks {
        for length in 1..=longest {
            for tokens in chunk.windows(length) {
                let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
                let odd = tokens.iter().any(|token| matches!(token.shape, Shape::Number | Shape::Odd));
                if first.stop || last.stop || odd || last.end.saturating_sub(first.start) > LONGEST {
                    continue;
                }
                let key = tokens.iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ");
                places.entry(key).or_default().push((first.start, last.end));
            }
        }
    }
    let scored = |(key, places): (String, Vec<(usize, usize)>)| {
        let parts: Vec<&str> = key.split(' ').collect();
        let score = words.phrase(&parts, places.len() as f64)?;
        Some(Phrase { key, score, places })
    };
    let mut phrases: Vec<Phrase> = places.into_iter().filter_map(scored).collect();
    phrases.sort_by(|a, b| a.score.total_cmp(&b.score).then_with(|| a.places.cmp(&b.places)));
    phrases
}

/// The best phrases that are not too similar to better ones.
#[must_use]
pub fn distinct(phrases: Vec<Phrase>, most: usize, limit: f64) -> Vec<Phrase> {
    let mut distinct: Vec<Phrase> = Vec::new();
    for phrase in phrases.into_iter().take(MOST_COMPARED) {
        if distinct.len() >= most {
            break;
        }
        if limit >= 1.0 || distinct.iter().all(|better| similarity(&better.key, &phrase.key) < limit) {
            distinct.push(phrase);
        }
    }
    distinct
}

/// 1 less the share of characters to change (Levenshtein).
fn similarity(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longest = a.len().max(b.len()).max(1);
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (done, x) in (1usize..).zip(&a) {
        let mut corner = done - 1;
        let mut left = done;
        if let Some(first) = row.first_mut() {
            *first = done;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let cost = corner + usize::from(x != y);
            corner = *cell;
            left = cost.min(*cell + 1).min(left + 1);
            *cell = left;
        }
    }
    1.0 - row.last().copied().unwrap_or(0) as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_by_edits() {
        // Kitten and sitting: three edits of seven characters (Levenshtein's textbook example).
        assert!((similarity("kitten", "sitting") - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!((similarity("", ""), similarity("a", "a"), similarity("ab", "")), (1.0, 1.0, 0.0));
    }
}
