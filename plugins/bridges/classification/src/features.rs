//! Texts as counted features: words in small letters and, if wanted, pieces of them.
//!
//! Features have numbers, given in the order in which they first occur; a text is its features with their counts, by
//! number.

use std::collections::HashMap;

/// Longest word that is looked at, in characters; what is longer is no word.
const LONGEST_WORD: usize = 60;
/// Lengths of pieces, counting a mark at both ends of a word; scripts without spaces have shorter ones.
const PIECES: [usize; 3] = [3, 4, 5];
const PIECES_DENSE: [usize; 2] = [1, 2];

/// Counted features by number.
pub type Counts = Vec<(usize, f64)>;

/// The features of the texts to learn from.
#[derive(Debug, Default)]
pub struct Vocabulary {
    // Only looked up, never walked through: its order is not the same everywhere.
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    subwords: bool,
}

impl Vocabulary {
    #[must_use]
    pub fn new(subwords: bool) -> Self {
        Self { subwords, ..Self::default() }
    }

    /// The features of a text to learn from.
    pub fn learn(&mut self, text: &str) -> Counts {
        let features = features(text, self.subwords);
        let mut numbers = Vec::with_capacity(features.len());
        for feature in features {
            let next = self.names.len();
            let number = *self.numbers.entry(feature.clone()).or_insert(next);
            if number == next {
                self.names.push(feature);
            }
            numbers.push(number);
        }
        counted(numbers)
    }

    /// The known features of a text.
    #[must_use]
    pub fn read(&self, text: &str) -> Counts {
        counted(features(text, self.subwords).iter().filter_map(|feature| self.numbers.get(feature).copied()).collect())
    }

    /// A feature's name, if it is a whole word; pieces begin with a mark.
    #[must_use]
    pub fn word(&self, number: usize) -> Option<&str> {
        self.names.get(number).map(String::as_str).filter(|name| !name.starts_with('\u{1}'))
    }
}

fn counted(mut numbers: Vec<usize>) -> Counts {
    numbers.sort_unstable();
    let mut counts: Counts = Vec::new();
    for number in numbers {
        match counts.last_mut() {
            Some((last, count)) if *last == number => *count += 1.0,
            _ => counts.push((number, 1.0)),
        }
    }
    counts
}

fn features(text: &str, subwords: bool) -> Vec<String> {
    let mut features = Vec::new();
    for word in words(text) {
        if subwords {
            pieces(&word, &mut features);
        }
        features.push(word);
    }
    features
}

/// Runs of letters and digits with apostrophes inside, in small letters.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let parts = text.split(|sign: char| !sign.is_alphanumeric() && sign != '\'' && sign != '’');
    let bare = parts.map(|part| part.trim_matches(['\'', '’']));
    bare.filter(|word| !word.is_empty() && word.chars().count() <= LONGEST_WORD).map(str::to_lowercase).collect()
}

fn pieces(word: &str, found: &mut Vec<String>) {
    // From here on scripts that write words without spaces between them: Chinese, Japanese and others.
    let dense = word.chars().any(|sign| sign >= '\u{2e80}');
    let signs: Vec<char> = match dense {
        true => word.chars().collect(),
        false => std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect(),
    };
    let lengths: &[usize] = if dense { &PIECES_DENSE } else { &PIECES };
    for length in lengths {
        for piece in signs.windows(*length) {
            found.push(std::iter::once('\u{1}').chain(piece.iter().copied()).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pieces() {
        assert_eq!(words("Don't PAY 3.50, 'now'!"), ["don't", "pay", "3", "50", "now"]);
        let mut features = Vec::new();
        pieces("pay", &mut features);
        assert_eq!(features, ["\u{1}<pa", "\u{1}pay", "\u{1}ay>", "\u{1}<pay", "\u{1}pay>", "\u{1}<pay>"]);
    }

    #[test]
    fn unknown_features_are_left_out() {
        let mut vocabulary = Vocabulary::new(false);
        assert_eq!(vocabulary.learn("b a b"), [(0, 2.0), (1, 1.0)]);
        assert_eq!(vocabulary.read("a c A"), [(1, 2.0)]);
    }
}
