//! Numbers that are written as words.

/// English numbers from zero, and the tens from twenty.
const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen";
const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";
const ORDINALS: &str = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth";
const SCALES: [(&str, f64); 5] =
    [("dozen", 12.0), ("hundred", 100.0), ("thousand", 1e3), ("million", 1e6), ("billion", 1e9)];
/// Words of other languages for 1 to 12 that mean nothing else in English.
const FOREIGN: [&str; 12] = [
    "einen eine",
    "zwei deux dos twee",
    "drei trois tres três tre drie",
    "vier quatre cuatro quatro",
    "fünf cinq cinco cinque vijf",
    "sechs seis sei zes",
    "sieben sept siete zeven",
    "acht huit ocho",
    "neun neuf nueve",
    "zehn dix diez",
    "onze",
    "zwölf douze",
];

fn place(words: &str, word: &str) -> Option<u32> {
    words.split(' ').position(|one| one == word).and_then(|at| u32::try_from(at).ok())
}

fn small(word: &str) -> Option<u32> {
    place(SMALL, word).or_else(|| place(TENS, word).map(|at| 10 * at + 20))
}

/// Returns the value of one counting word: `three`, `zwölf`, `dozen`, `twenty-five`.
pub(crate) fn cardinal(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if let Some((ten, one)) = word.split_once('-') {
        return Some(small(ten).filter(|ten| *ten >= 20)? + small(one).filter(|one| *one < 10)?);
    }
    let foreign = || FOREIGN.iter().position(|words| place(words, &word).is_some());
    let foreign = || foreign().and_then(|at| u32::try_from(at + 1).ok());
    small(&word).or_else(foreign).or((word == "dozen").then_some(12))
}

/// Reads the number in words that begins a text: its value, and how many bytes it takes.
pub(crate) fn read(text: &str) -> Option<(f64, usize)> {
    let (mut sum, mut at, mut length, mut article) = (Sum::default(), 0, 0, false);
    while let Some(word) = word_at(text, at) {
        let next = at + word.len();
        let lower = word.to_lowercase();
        let word = lower.as_str();
        let begins = length == 0;
        match word {
            "half" if begins && !article => return Some((0.5, next)),
            "half" if !begins && article => return Some((sum.total() + 0.5, next)),
            "a" | "an" if begins && !article => article = true,
            "a" if !begins => article = true,
            "and" if !begins => {}
            _ if begins && !article && place(ORDINALS, word).is_some() => {
                return place(ORDINALS, word).map(|at| (f64::from(at + 1), next));
            }
            _ if sum.add(word, article && begins) => length = next,
            _ => break,
        }
        // A comma or a full stop ends the number; a hyphen or a space does not.
        if !text.get(next..).is_some_and(|rest| rest.starts_with([' ', '-'])) {
            break;
        }
        at = next + 1;
    }
    (length > 0).then(|| (sum.total(), length))
}

/// The words of a number so far.
#[derive(Default)]
struct Sum {
    thousands: f64,
    rest: f64,
    /// The value of the last word.
    last: Option<f64>,
}

impl Sum {
    fn total(&self) -> f64 {
        self.thousands + self.rest
    }

    /// Adds one word, and returns whether it continues the number. After an article only a
    /// scale does: `a hundred`.
    fn add(&mut self, word: &str, article: bool) -> bool {
        if let Some((_, size)) = SCALES.iter().find(|(name, _)| *name == word) {
            if self.last.is_none() && !article {
                return false;
            }
            let part = size * if self.rest > 0.0 { self.rest } else { 1.0 };
            let (thousands, rest) = if *size >= 1e3 { (part, 0.0) } else { (0.0, part) };
            (self.thousands, self.rest, self.last) = (self.thousands + thousands, rest, Some(*size));
            return true;
        }
        let Some(value) = small(word).map(f64::from).filter(|_| !article) else { return false };
        let fits = |last: f64| last >= 100.0 || (last >= 20.0 && value < 10.0 && value > 0.0);
        if !self.last.is_none_or(fits) {
            return false;
        }
        (self.rest, self.last) = (self.rest + value, Some(value));
        true
    }
}

fn word_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    rest.get(..length).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn words_count() {
        for (text, expect) in rows::<(String, Option<f64>)>(include_str!("../cases/number_words.json")) {
            assert_eq!(read(&text).map(|(value, _)| value), expect, "{text}");
        }
        assert_eq!((cardinal("twenty-five"), cardinal("Zwölf"), cardinal("x")), (Some(25), Some(12), None));
    }
}
