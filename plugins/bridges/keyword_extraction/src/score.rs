//! YAKE (Campos and others 2020): how little a word tells of the text, from five features; the lower, the better.
//!
//! Case, place, frequency, how many different neighbours a word has, and in how many sentences it stands. A phrase's
//! score is made from those of its words and its own frequency.

use std::collections::{BTreeMap, HashMap};

use crate::tokens::{Shape, Token};

/// What is known of a word.
#[derive(Debug, Default)]
struct Word {
    count: f64,
    acronyms: f64,
    proper: f64,
    /// In order, each once.
    sentences: Vec<usize>,
    /// How often each word stands right before and after it.
    left: BTreeMap<usize, f64>,
    right: BTreeMap<usize, f64>,
    stop: bool,
    score: f64,
}

/// All words of a text with their scores.
#[derive(Debug, Default)]
pub struct Words {
    // Only looked up, never walked through: its order is not the same everywhere.
    numbers: HashMap<String, usize>,
    words: Vec<Word>,
}

impl Words {
    /// Scores the words of chunks.
    #[must_use]
    pub fn new(chunks: &[Vec<Token>], sentences: usize) -> Self {
        let mut all = Self::default();
        for chunk in chunks {
            let mut before: Option<usize> = None;
            for token in chunk {
                if matches!(token.shape, Shape::Number | Shape::Odd) {
                    before = None;
                    continue;
                }
                let number = all.add(token);
                if let Some(before) = before {
                    all.meet(before, number);
                }
                before = Some(number);
            }
        }
        all.rate(sentences);
        all
    }

    fn add(&mut self, token: &Token) -> usize {
        let next = self.words.len();
        let number = *self.numbers.entry(token.lower.clone()).or_insert(next);
        if number == next {
            self.words.push(Word { stop: token.stop, ..Word::default() });
        }
        if let Some(word) = self.words.get_mut(number) {
            word.count += 1.0;
            word.acronyms += f64::from(u8::from(token.shape == Shape::Acronym));
            word.proper += f64::from(u8::from(token.shape == Shape::Proper));
            if word.sentences.last() != Some(&token.sentence) {
                word.sentences.push(token.sentence);
            }
        }
        number
    }

    fn meet(&mut self, before: usize, after: usize) {
        if let Some(word) = self.words.get_mut(before) {
            *word.right.entry(after).or_insert(0.0) += 1.0;
        }
        if let Some(word) = self.words.get_mut(after) {
            *word.left.entry(before).or_insert(0.0) += 1.0;
        }
    }

    fn rate(&mut self, sentences: usize) {
        let counts: Vec<f64> = self.words.iter().filter(|word| !word.stop).map(|word| word.count).collect();
        let n = counts.len().max(1) as f64;
        let mean = counts.iter().sum::<f64>() / n;
        let deviation = (counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / n).sqrt();
        let usual = if mean > 0.0 { mean + deviation } else { 1.0 };
        let max_count = self.words.iter().map(|word| word.count).fold(1.0, f64::max);
        for word in &mut self.words {
            let case = word.acronyms.max(word.proper) / (1.0 + word.count.ln());
            let place = (3.0 + median(&word.sentences)).ln().ln();
            let frequency = word.count / usual;
            let relatedness = 1.0 + (variety(&word.left) + variety(&word.right)) * word.count / max_count;
            let spread = word.sentences.len() as f64 / sentences.max(1) as f64;
            word.score = relatedness * place / (case + frequency / relatedness + spread / relatedness);
        }
    }

    /// The score of a phrase of known words, that occurs so often.
    #[must_use]
    pub fn phrase(&self, phrase: &[&str], count: f64) -> Option<f64> {
        let numbers: Vec<usize> = phrase.iter().map(|word| self.numbers.get(*word).copied()).collect::<Option<_>>()?;
        let (mut product, mut sum) = (1.0, 0.0);
        for (place, number) in numbers.iter().enumerate() {
            let word = self.words.get(*number)?;
            if word.stop {
                // A stop word inside a phrase counts by how unlikely it is between its neighbours.
                let before = place.checked_sub(1).and_then(|place| numbers.get(place));
                let bound =
                    self.bound(before, *number) * self.bound_after(*number, numbers.get(place.saturating_add(1)));
                product *= 2.0 - bound;
                sum -= 1.0 - bound;
            } else {
                product *= word.score;
                sum += word.score;
            }
        }
        // Loose stop words could turn the divisor round; such phrases belong last.
        Some(product / (count * (1.0 + sum).max(0.01)))
    }

    /// How often the word before is followed by this one.
    fn bound(&self, before: Option<&usize>, number: usize) -> f64 {
        let Some(before) = before.and_then(|before| self.words.get(*before)) else { return 0.0 };
        before.right.get(&number).copied().unwrap_or(0.0) / before.count.max(1.0)
    }

    /// How often the word after follows this one.
    fn bound_after(&self, number: usize, after: Option<&usize>) -> f64 {
        let Some((number_after, after)) = after.and_then(|after| Some((after, self.words.get(*after)?))) else {
            return 0.0;
        };
        let together = self.words.get(number).and_then(|word| word.right.get(number_after)).copied().unwrap_or(0.0);
        together / after.count.max(1.0)
    }
}

/// Different neighbours by all neighbours: high for words that go with everything.
fn variety(neighbours: &BTreeMap<usize, f64>) -> f64 {
    let all: f64 = neighbours.values().sum();
    if all > 0.0 { neighbours.len() as f64 / all } else { 0.0 }
}

fn median(sentences: &[usize]) -> f64 {
    let at = |place: usize| sentences.get(place).map_or(0.0, |number| *number as f64);
    let half = sentences.len() / 2;
    if sentences.len() % 2 == 1 { at(half) } else { (at(half.saturating_sub(1)) + at(half)) / 2.0 }
}
