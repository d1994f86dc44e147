//! Sentences as counted words.

use std::collections::{BTreeMap, HashMap};

/// Words of a sentence by number, with their counts, in order of number.
pub type Counts = Vec<(usize, f64)>;

/// Numbers the words of all sentences.
#[derive(Debug, Default)]
pub struct Terms {
    // Only looked up, never walked through: its order is not the same everywhere.
    numbers: HashMap<String, usize>,
}

impl Terms {
    /// Counts the words of a sentence; words not met before get a number.
    pub fn learn(&mut self, sentence: &str) -> Counts {
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        for word in words(sentence) {
            let next = self.numbers.len();
            *counts.entry(*self.numbers.entry(word).or_insert(next)).or_insert(0.0) += 1.0;
        }
        counts.into_iter().collect()
    }

    /// How many words are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Runs of letters and digits in small letters; of scripts written without spaces, pairs of signs.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split(|sign: char| !sign.is_alphanumeric() && sign != '\'' && sign != '’') {
        let word = word.trim_matches(['\'', '’']);
        if word.is_empty() {
            continue;
        }
        let signs: Vec<char> = word.chars().collect();
        if signs.len() > 1 && signs.iter().any(|sign| ('\u{2e80}'..'\u{ac00}').contains(sign)) {
            words.extend(signs.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            words.push(word.to_lowercase());
        }
    }
    words
}

/// TF-IDF vectors of length 1, with idf = ln(N / df) over these sentences; a word that is in all of them tells nothing.
#[must_use]
pub fn vectors(counts: &[Counts], terms: usize) -> Vec<Counts> {
    let mut frequency = vec![0.0f64; terms];
    for (term, _) in counts.iter().flatten() {
        if let Some(value) = frequency.get_mut(*term) {
            *value += 1.0;
        }
    }
    let all = counts.len() as f64;
    let idf = |term: usize| frequency.get(term).filter(|df| **df > 0.0).map_or(0.0, |df| (all / df).ln());
    let vector = |counts: &Counts| {
        let weights = counts.iter().map(|(term, count)| (*term, count * idf(*term)));
        let mut weights: Counts = weights.filter(|(_, weight)| *weight > 0.0).collect();
        let length = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        weights.iter_mut().for_each(|(_, weight)| *weight /= length);
        weights
    };
    counts.iter().map(vector).collect()
}

/// The sum over common words of the products of their weights. For vectors of length 1 the cosine.
#[must_use]
pub fn product(a: &Counts, b: &Counts) -> f64 {
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    let mut sum = 0.0;
    while let (Some((x, weight)), Some((y, other))) = (left.peek(), right.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => left.next(),
            std::cmp::Ordering::Greater => right.next(),
            std::cmp::Ordering::Equal => {
                sum += weight * other;
                left.next();
                right.next()
            }
        };
    }
    sum
}
