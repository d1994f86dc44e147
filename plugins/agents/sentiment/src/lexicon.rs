//! What single words and short phrases of a text say, by language.

use std::collections::{BTreeMap, BTreeSet};

use tollbridge_sdk::Ready;

use crate::abroad::{self, Words};
use crate::english;
use crate::tokens::Token;

/// The general lexicon: VADER's, MIT, as in the bridge `sentiment_feed`; values in tenths.
const GENERAL: &str = include_str!("../../../bridges/sentiment_feed/data/lexicon.tsv");

/// English words that hardly stand in other languages.
const ENGLISH_LITTLE: &[&str] = &[
    "the", "and", "is", "was", "it", "i", "to", "of", "this", "my", "for", "in", "we", "with", "but", "not", "are",
    "were", "you", "at", "they", "our", "that", "it's", "be", "have", "had", "as", "on", "no", "so", "all", "me", "or",
    "very",
];

const EMOJI: &[(f64, &str)] = &[
    (2.5, "😀😃😄😁😊😍🥰🤩😻👍❤♥💕💖💯🎉👏🙌🔥😘🤗💪✨🏆😋🥳👌☺💙💚💛💜🧡🤍😎"),
    (-2.5, "😡🤬😠👎😤😒😞😔😢😭💔🤮🤢😩😫😖😣🙁☹😕😾🖕💩😟😰😱🥴"),
];

/// A phrase, and what it says from -4 to 4.
type Entry = (Vec<&'static str>, f64);

/// The entries of one language by their first words.
type Index = BTreeMap<&'static str, Vec<Entry>>;

/// The words of the general lexicon, with the value of those that say something of things and are not weak.
static WORDS: Ready<BTreeMap<&'static str, Option<f64>>> = Ready::new(|| {
    let silent: BTreeSet<&str> = english::SILENT.split('|').collect();
    let line = |line: &'static str| {
        let (word, value) = line.split_once('\t')?;
        let value = value.parse::<f64>().ok()? / 10.0;
        Some((word, Some(value).filter(|value| value.abs() >= 1.2 && !silent.contains(word))))
    };
    GENERAL.lines().filter_map(line).collect()
});

static ENGLISH: Ready<Index> = Ready::new(|| {
    let bad: Vec<(f64, &str)> = english::BAD.iter().map(|(value, list)| (-value, *list)).collect();
    index(&[english::GOOD, &bad].concat())
});

static MARKET: Ready<Index> = Ready::new(|| index(english::MARKET));

/// In the order of the languages abroad.
static FOREIGN: Ready<Vec<Index>> = Ready::new(|| {
    let of = |words: &Words| index(&[(2.0, words.good), (-2.0, words.bad)]);
    abroad::LANGUAGES.iter().map(of).collect()
});

/// Makes all lists ready.
pub fn prepare() {
    WORDS.prepare();
    ENGLISH.prepare();
    MARKET.prepare();
    FOREIGN.prepare();
}

/// Which words count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lexicon {
    /// Place in the languages abroad; English without.
    abroad: Option<usize>,
    /// Words of market news count first.
    market: bool,
}

/// A phrase that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// How many words.
    pub count: usize,
    /// -4 to 4.
    pub value: f64,
    /// The phrase is one of several words, with its negation in it.
    pub is_phrase: bool,
    /// It comes from the general lexicon, not from the words of reviews.
    pub is_general: bool,
}

impl Lexicon {
    /// The lexicon for a text.
    #[must_use]
    pub fn of(tokens: &[Token], market: bool) -> Self {
        let count = |list: &[&str]| tokens.iter().filter(|token| list.contains(&token.word.as_str())).count();
        let known = |at: usize| (0..tokens.len()).filter(|place| foreign(at, tokens, *place).is_some()).count();
        let hits = (0..tokens.len()).filter(|place| found(&ENGLISH, tokens, *place).is_some()).count();
        let english = count(ENGLISH_LITTLE) + hits;
        let score = |(at, words): (usize, &Words)| (count(words.little) + known(at), at);
        let best = abroad::LANGUAGES.iter().enumerate().map(score).max_by_key(|(score, at)| (*score, usize::MAX - at));
        let abroad = best.filter(|(score, _)| *score > english).map(|(_, at)| at);
        let general = tokens.iter().filter(|token| general(&token.word).is_some()).count();
        let abroad =
            abroad.filter(|at| count(abroad::LANGUAGES.get(*at).map_or(&[], |words| words.little)) > 0 || general == 0);
        Self { abroad, market: market && abroad.is_none() }
    }

    /// ISO 639-1 code of its language.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.abroad.and_then(|at| abroad::LANGUAGES.get(at)).map_or("en", |words| words.code)
    }

    /// What stands at a place.
    #[must_use]
    pub fn at(self, tokens: &[Token], place: usize) -> Option<Hit> {
        let word = &tokens.get(place)?.word;
        if let Some(value) = emoji(word) {
            return Some(Hit { count: 1, value, is_phrase: false, is_general: false });
        }
        if let Some(at) = self.abroad {
            return foreign(at, tokens, place);
        }
        let market = if self.market { found(&MARKET, tokens, place) } else { None };
        market.or_else(|| found(&ENGLISH, tokens, place)).or_else(|| {
            let value = general(word).filter(|value| !self.market || value.abs() >= 2.0)?;
            Some(Hit { count: 1, value, is_phrase: false, is_general: true })
        })
    }

    /// Whether a word turns round what follows.
    #[must_use]
    pub fn negates(self, word: &str) -> bool {
        match self.abroad.and_then(|at| abroad::LANGUAGES.get(at)) {
            Some(words) => words.negations.contains(&word),
            None => {
                word.ends_with("n't")
                    || [
                        "not", "no", "never", "without", "hardly", "barely", "isnt", "wasnt", "dont", "doesnt",
                        "didnt", "cant", "wont", "aint", "cannot", "nothing", "neither", "nor", "none", "nobody",
                        "far",
                    ]
                    .contains(&word)
            }
        }
    }
}

/// Whether a word has any feeling in the general lexicon, be it polite or of another meaning.
#[must_use]
pub fn may_feel(word: &str) -> bool {
    let plain = [
        "share",
        "shares",
        "number",
        "united",
        "like",
        "support",
        "care",
        "play",
        "top",
        "free",
        "value",
        "security",
        "pay",
        "admitted",
        "admit",
        "agreement",
        "agreed",
        "tax",
        "charge",
        "charges",
        "legal",
        "join",
        "joined",
        "party",
        "energy",
        "debt",
        "demand",
        "credit",
        "yes",
        "interest",
        "please",
        "growing",
        "increase",
        "solution",
        "award",
        "prize",
        "hand",
        "screws",
        "screw",
    ];
    WORDS.contains_key(word) && !plain.contains(&word)
}

/// The value of a word in the general lexicon, unless it is weak or says nothing of things.
fn general(word: &str) -> Option<f64> {
    WORDS.get(word).copied().flatten().filter(|_| word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\''))
}

fn emoji(word: &str) -> Option<f64> {
    match word {
        ":)" | ":-)" | "=)" | ":d" | ":-d" | ":]" | "<3" | "^^" => return Some(1.8),
        ":(" | ":-(" | ":'(" | "=(" | ":[" | "):" | ">:(" | ":/" | ":-/" => return Some(-1.8),
        _ => {}
    }
    let mut chars = word.chars();
    let (c, rest) = (chars.next()?, chars.next());
    let of = || EMOJI.iter().find(|(_, list)| list.contains(c)).map(|(value, _)| *value);
    if rest.is_none() && !c.is_alphanumeric() { of() } else { None }
}

fn index(lists: &[(f64, &'static str)]) -> Index {
    let mut index = Index::new();
    for (value, list) in lists {
        for phrase in list.split('|') {
            let words: Vec<&str> = phrase.split(' ').collect();
            if let Some(first) = words.first() {
                index.entry(first).or_default().push((words, *value));
            }
        }
    }
    index.values_mut().for_each(|entries| entries.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
    index
}

fn foreign(at: usize, tokens: &[Token], place: usize) -> Option<Hit> {
    FOREIGN.get(at).and_then(|index| found(index, tokens, place))
}

/// The longest phrase that begins at a place and does not leave its sentence.
fn found(index: &Index, tokens: &[Token], place: usize) -> Option<Hit> {
    let first = tokens.get(place)?;
    let entries = index.get(first.word.as_str())?;
    entries.iter().find_map(|(words, value)| {
        let count = matched(words, tokens, place, first.sentence)?;
        Some(Hit { count, value: *value, is_phrase: words.len() > 1, is_general: false })
    })
}

/// How many words of the text a phrase covers; none if it is not there.
fn matched(words: &[&str], tokens: &[Token], place: usize, sentence: usize) -> Option<usize> {
    let Some((first, rest)) = words.split_first() else { return Some(0) };
    let word = &tokens.get(place).filter(|token| token.sentence == sentence)?.word;
    if *first == "*" {
        return (1..=3).find_map(|skip| Some(skip + matched(rest, tokens, place + skip, sentence)?));
    }
    let fits = *first == word || (first.strip_prefix('~').is_some_and(|ending| word.ends_with(ending)));
    if !fits {
        return None;
    }
    Some(1 + matched(rest, tokens, place + 1, sentence)?)
}
