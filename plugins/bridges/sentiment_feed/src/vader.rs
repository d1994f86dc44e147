//! VADER (Hutto and Gilbert 2014): the sentiment of one text from rated words and five rules — capitals, degree words,
//! negation, "but", punctuation.
//!
//! It follows release 3.3.2 of the authors' package to the letter, oddities included, so that its scores can be
//! compared with published ones. Words are those between white space, without punctuation around them.

use crate::words::{Words, boost, emoji, negates, phrase};

/// What capitals add among words in small letters.
const CAPITALS: f64 = 0.733;
/// By what a negation multiplies.
const NEGATION: f64 = -0.74;
/// Brings a sum of valences between −1 and 1.
const ALPHA: f64 = 15.0;

/// The sentiment of one text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Score {
    /// −1 to 1.
    pub compound: f64,
    /// Shares of the text that are positive, neutral and negative; they add up to 1 (or are all 0 without words).
    pub positive: f64,
    pub neutral: f64,
    pub negative: f64,
    /// Words with a part in it, in order: as written, and with what value.
    pub words: Vec<(String, f64)>,
}

/// The words of a text.
struct Text {
    words: Vec<String>,
    lower: Vec<String>,
    /// Some words are in capitals and some are not.
    mixed: bool,
    rated: Words,
}

/// Scores a text.
#[must_use]
pub fn score(text: &str, rated: Words) -> Score {
    let plain = without_emoji(text);
    let text = Text::new(&plain, rated);
    let mut values: Vec<f64> = (0..text.words.len()).map(|at| text.value(at)).collect();
    text.weigh_but(&mut values);
    let words = text.words.iter().zip(&values).filter(|(_, value)| **value != 0.0);
    let words = words.map(|(word, value)| (word.clone(), *value)).collect();
    Score { words, ..sum_up(&values, emphasis(&plain)) }
}

impl Text {
    fn new(text: &str, rated: Words) -> Self {
        let words: Vec<String> = text.split_whitespace().map(|word| bare(word).to_owned()).collect();
        let lower = words.iter().map(|word| word.to_lowercase()).collect();
        let capitals = words.iter().filter(|word| is_upper(word)).count();
        Self { mixed: capitals > 0 && capitals < words.len(), words, lower, rated }
    }

    /// The word `back` places before `at`, in small letters.
    fn before(&self, at: usize, back: usize) -> Option<&str> {
        self.lower.get(at.checked_sub(back)?).map(String::as_str)
    }

    fn after(&self, at: usize, on: usize) -> Option<&str> {
        self.lower.get(at.saturating_add(on)).map(String::as_str)
    }

    fn emphasised(&self, at: usize) -> bool {
        self.mixed && self.words.get(at).is_some_and(|word| is_upper(word))
    }

    /// What the word at a place adds, with all rules but "but".
    fn value(&self, at: usize) -> f64 {
        let Some(word) = self.lower.get(at) else { return 0.0 };
        if boost(word).is_some() || (word == "kind" && self.after(at, 1) == Some("of")) {
            return 0.0;
        }
        let Some(own) = self.rated.valence(word) else { return 0.0 };
        let mut value = self.with_no(at, word, own);
        if self.emphasised(at) {
            value += if value > 0.0 { CAPITALS } else { -CAPITALS };
        }
        for back in 1..=3usize {
            let Some(previous) = self.before(at, back) else { break };
            if self.rated.valence(previous).is_some() {
                continue;
            }
            value +=
                self.degree(at.saturating_sub(back), previous, value) * [1.0, 0.95, 0.9].get(back - 1).unwrap_or(&0.9);
            value = self.negated(at, back, value);
            if back == 3 {
                value = self.in_phrase(at, value);
            }
        }
        if self.before(at, 1) == Some("least") && self.rated.valence("least").is_none() {
            let superlative = matches!(self.before(at, 2), Some("at" | "very"));
            value *= if superlative { 1.0 } else { NEGATION };
        }
        value
    }

    /// "no" right before a rated word is a negation, else a word of its own.
    fn with_no(&self, at: usize, word: &str, own: f64) -> f64 {
        let opens = word == "no" && self.after(at, 1).is_some_and(|next| self.rated.valence(next).is_some());
        let no = |back| self.before(at, back) == Some("no");
        if no(1) || no(2) || (no(3) && matches!(self.before(at, 1), Some("or" | "nor"))) {
            own * NEGATION
        } else if opens {
            0.0
        } else {
            own
        }
    }

    fn degree(&self, at: usize, word: &str, value: f64) -> f64 {
        let Some(amount) = boost(word) else { return 0.0 };
        let amount = if value < 0.0 { -amount } else { amount };
        match (self.emphasised(at), value > 0.0) {
            (false, _) => amount,
            (true, true) => amount + CAPITALS,
            (true, false) => amount - CAPITALS,
        }
    }

    fn negated(&self, at: usize, back: usize, value: f64) -> f64 {
        let previous = self.before(at, back).unwrap_or_default();
        let so = |word: Option<&str>| matches!(word, Some("so" | "this"));
        let doubt = |back| self.before(at, back) == Some("doubt");
        let (praised, doubtless) = match back {
            2 => (previous == "never" && so(self.before(at, 1)), previous == "without" && doubt(1)),
            3 => (
                (previous == "never" && so(self.before(at, 2))) || so(self.before(at, 1)),
                previous == "without" && (doubt(2) || doubt(1)),
            ),
            _ => (false, false),
        };
        if praised {
            value * 1.25
        } else if !doubtless && negates(previous) {
            value * NEGATION
        } else {
            value
        }
    }

    /// Phrases with a meaning of their own around a word with at least three words before it.
    fn in_phrase(&self, at: usize, value: f64) -> f64 {
        let join = |from: usize, count: usize| {
            let words = self.lower.get(from..from.saturating_add(count))?;
            Some(words.join(" "))
        };
        let back = |by: usize, count: usize| join(at.saturating_sub(by), count);
        let sequences = [back(1, 2), back(2, 3), back(2, 2), back(3, 3), back(3, 2)];
        let mut value = sequences.iter().flatten().find_map(|words| phrase(words)).unwrap_or(value);
        for count in [2, 3] {
            value = join(at, count).and_then(|words| phrase(&words)).unwrap_or(value);
        }
        [back(3, 3), back(3, 2), back(2, 2)].iter().flatten().filter_map(|words| boost(words)).fold(value, |a, b| a + b)
    }

    /// What stands before the first "but" counts half, what stands after it half as much again.
    ///
    /// The reference looks each value up by its first equal; an equal value that was weighed before is weighed again.
    fn weigh_but(&self, values: &mut [f64]) {
        let Some(but) = self.lower.iter().position(|word| word == "but") else { return };
        for turn in 0..values.len() {
            let Some(value) = values.get(turn).copied() else { break };
            let Some(place) = values.iter().position(|other| *other == value) else { break };
            if let Some(found) = values.get_mut(place) {
                *found *= match place.cmp(&but) {
                    std::cmp::Ordering::Less => 0.5,
                    std::cmp::Ordering::Equal => 1.0,
                    std::cmp::Ordering::Greater => 1.5,
                };
            }
        }
    }
}

/// Emoji replaced by their names, as words of their own.
fn without_emoji(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut after_space = true;
    for sign in text.chars() {
        match emoji(sign) {
            Some(name) => {
                if !after_space {
                    plain.push(' ');
                }
                plain.push_str(name);
                after_space = false;
            }
            None => {
                plain.push(sign);
                after_space = sign == ' ';
            }
        }
    }
    plain.trim().to_owned()
}

/// A word without punctuation around it; kept whole if hardly anything would be left, as it may be an emoticon.
fn bare(word: &str) -> &str {
    let stripped = word.trim_matches(|sign: char| sign.is_ascii_punctuation());
    if stripped.chars().count() <= 2 { word } else { stripped }
}

/// Whether a word has capitals and no small letters.
fn is_upper(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

/// What exclamation and question marks add.
fn emphasis(text: &str) -> f64 {
    let count = |mark: char| u32::try_from(text.chars().filter(|sign| *sign == mark).count()).unwrap_or(u32::MAX);
    let exclaimed = f64::from(count('!').min(4)) * 0.292;
    let asked = match count('?') {
        0 | 1 => 0.0,
        few @ 2..=3 => f64::from(few) * 0.18,
        _ => 0.96,
    };
    exclaimed + asked
}

fn sum_up(values: &[f64], emphasis: f64) -> Score {
    let sum: f64 = values.iter().sum();
    if values.is_empty() {
        return Score::default();
    }
    let sum = if sum > 0.0 {
        sum + emphasis
    } else if sum < 0.0 {
        sum - emphasis
    } else {
        0.0
    };
    let mut positive: f64 = values.iter().filter(|value| **value > 0.0).map(|value| value + 1.0).sum();
    let mut negative: f64 = values.iter().filter(|value| **value < 0.0).map(|value| 1.0 - value).sum();
    let neutral = values.iter().filter(|value| **value == 0.0).count() as f64;
    if positive > negative {
        positive += emphasis;
    } else if positive < negative {
        negative += emphasis;
    }
    let all = positive + negative + neutral;
    Score {
        compound: (sum / (sum * sum + ALPHA).sqrt()).clamp(-1.0, 1.0),
        positive: positive / all,
        neutral: neutral / all,
        negative: negative / all,
        words: Vec::new(),
    }
}
