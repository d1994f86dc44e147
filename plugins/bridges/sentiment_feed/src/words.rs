//! The word lists: VADER's lexicon and rules' words, the finance list that goes over it, and the news list in its place.

use bridge_common::table::find;

const LEXICON: &str = include_str!("../data/lexicon.tsv");
const FINANCE: &str = include_str!("../data/finance.tsv");
const NEWS: &str = include_str!("../data/news.tsv");
const EMOJI: &str = include_str!("../data/emoji.tsv");
const NEGATIONS: &str = include_str!("../data/negations.tsv");
const BOOSTERS: &str = include_str!("../data/boosters.tsv");
const PHRASES: &str = include_str!("../data/phrases.tsv");

/// What a degree word adds to or takes from the next rated word (VADER, measured on human ratings).
const BOOST: f64 = 0.293;

/// Which lists rate words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// VADER's lexicon.
    General,
    /// The finance list too, over the general one.
    Finance,
    /// The mean of three lists.
    News,
}

impl Words {
    /// How good or bad a lower-case word is, −4 to 4; none for a word that is in no list.
    #[must_use]
    pub fn valence(self, word: &str) -> Option<f64> {
        tenths(match self {
            Self::General => find(LEXICON, word)?,
            Self::Finance => find(FINANCE, word).or_else(|| find(LEXICON, word))?,
            Self::News => find(NEWS, word)?,
        })
    }

    /// The list that the value of a lower-case word comes from.
    #[must_use]
    pub fn list(self, word: &str) -> &'static str {
        match self {
            Self::Finance if find(FINANCE, word).is_some() => "finance",
            Self::General | Self::Finance => "vader",
            Self::News => "news",
        }
    }
}

/// The English name of an emoji.
#[must_use]
pub fn emoji(sign: char) -> Option<&'static str> {
    // Letters and most signs are never in the list; they need no search.
    if sign.is_ascii() {
        return None;
    }
    find(EMOJI, sign.encode_utf8(&mut [0; 4]))
}

/// Whether a lower-case word negates what follows.
#[must_use]
pub fn negates(word: &str) -> bool {
    find(NEGATIONS, word).is_some() || word.contains("n't")
}

/// What a lower-case degree word or phrase adds.
#[must_use]
pub fn boost(words: &str) -> Option<f64> {
    match find(BOOSTERS, words)? {
        "-1" => Some(-BOOST),
        _ => Some(BOOST),
    }
}

/// The value of a lower-case phrase that means something else than its words.
#[must_use]
pub fn phrase(words: &str) -> Option<f64> {
    tenths(find(PHRASES, words)?)
}

fn tenths(text: &str) -> Option<f64> {
    text.parse::<i32>().ok().map(|value| f64::from(value) / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_readable() {
        for table in [LEXICON, FINANCE, NEWS, EMOJI, NEGATIONS, BOOSTERS, PHRASES] {
            let keys: Vec<&str> = table.lines().filter_map(|line| line.split('\t').next()).collect();
            assert!(keys.windows(2).all(|pair| pair[0].as_bytes() < pair[1].as_bytes()));
            assert!(keys.iter().all(|key| find(table, key).is_some()));
        }
        for line in LEXICON.lines().chain(FINANCE.lines()).chain(NEWS.lines()).chain(PHRASES.lines()) {
            let value = line.split('\t').nth(1).and_then(tenths).unwrap();
            assert!(value.abs() <= 4.0, "{line}");
        }
    }

    #[test]
    fn finance_goes_over_the_general_list() {
        let (general, finance) = (Words::General, Words::Finance);
        assert_eq!((general.valence("plunges"), finance.valence("plunges")), (None, Some(-4.0)));
        assert_eq!((general.valence("good"), finance.valence("good")), (Some(1.9), Some(1.9)));
    }

    #[test]
    fn news_is_the_mean_of_three_lists() {
        // (1.9 + 3 / 2 + 4 × 0.7 / 4) / 1.75; "war" is in two lists, "abrupt" in the third alone.
        assert_eq!(Words::News.valence("good"), Some(2.3));
        assert_eq!(Words::News.valence("war"), Some(-2.2));
        assert_eq!((Words::General.valence("abrupt"), Words::News.valence("abrupt")), (None, Some(-0.1)));
    }
}
