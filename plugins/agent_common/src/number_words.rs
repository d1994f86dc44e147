//! Numbers that are written as words.

/// A number in words at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Words {
    pub(crate) value: f64,
    pub(crate) ordinal: bool,
    /// Bytes that it takes.
    pub(crate) len: usize,
}

const SMALL: &[(&str, u32)] = &[
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];
const ORDINALS: &[(&str, u32)] = &[
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
];
/// Counts in other languages that mean nothing else in English.
const FOREIGN: &[(&str, u32)] = &[
    ("einen", 1),
    ("eine", 1),
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
    ("zwölf", 12),
    ("deux", 2),
    ("trois", 3),
    ("quatre", 4),
    ("cinq", 5),
    ("sept", 7),
    ("huit", 8),
    ("neuf", 9),
    ("dix", 10),
    ("douze", 12),
    ("dos", 2),
    ("tres", 3),
    ("três", 3),
    ("cuatro", 4),
    ("quatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("tre", 3),
    ("cinque", 5),
    ("sei", 6),
    ("twee", 2),
    ("drie", 3),
    ("vijf", 5),
    ("zes", 6),
    ("zeven", 7),
];

fn find(list: &[(&str, u32)], word: &str) -> Option<u32> {
    list.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// The value of one counting word: `three`, `zwölf`, `dozen`.
#[must_use]
pub fn cardinal(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let parts: Vec<&str> = word.split('-').collect();
    match parts.as_slice() {
        [one] => find(SMALL, one).or_else(|| find(FOREIGN, one)).or((*one == "dozen").then_some(12)),
        [ten, one] => Some(find(SMALL, ten).filter(|ten| *ten >= 20)? + find(SMALL, one).filter(|one| *one < 10)?),
        _ => None,
    }
}

/// The value of `second` or `3rd`.
#[must_use]
pub fn ordinal(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)?.parse().ok());
    digits.or_else(|| find(ORDINALS, &word))
}

/// The number in words that a text begins with.
pub(crate) fn read(text: &str) -> Option<Words> {
    let mut state = Sum::default();
    let mut at = 0;
    let mut len = 0;
    let mut article = false;
    while let Some((word, next)) = word_at(text, at) {
        let lower = word.to_lowercase();
        let fresh = len == 0;
        if fresh && (lower == "a" || lower == "an" || lower == "half") && !article {
            if lower == "half" {
                return Some(Words { value: 0.5, ordinal: false, len: next });
            }
            article = true;
        } else if fresh && !article && find(ORDINALS, &lower).is_some() {
            return find(ORDINALS, &lower).map(|value| Words { value: value.into(), ordinal: true, len: next });
        } else if !fresh && (lower == "and" || lower == "a") {
            if lower == "a" && !article {
                article = true;
            }
        } else if !fresh && lower == "half" {
            if article {
                return Some(Words { value: state.total() + 0.5, ordinal: false, len: next });
            }
            break;
        } else if let Some(true) = state.add(&lower, article && fresh) {
            len = next;
        } else {
            break;
        }
        // A comma or a stop ends the number; a hyphen or a space does not.
        if !text.get(next..).is_some_and(|rest| rest.starts_with([' ', '-'])) {
            break;
        }
        at = next + 1;
    }
    (len > 0).then(|| Words { value: state.total(), ordinal: false, len })
}

#[derive(Default)]
struct Sum {
    done: f64,
    part: f64,
    last: f64,
    begun: bool,
}

impl Sum {
    fn total(&self) -> f64 {
        self.done + self.part
    }

    /// Takes one word in; none or false where it does not go on with the number.
    fn add(&mut self, word: &str, article: bool) -> Option<bool> {
        let size = match word {
            "hundred" => 100.0,
            "thousand" => 1e3,
            "million" => 1e6,
            "billion" => 1e9,
            "dozen" => 12.0,
            _ => 0.0,
        };
        if size > 0.0 {
            if !self.begun && !article {
                return None;
            }
            let part = if self.begun && self.part > 0.0 { self.part } else { 1.0 };
            if size >= 1e3 {
                self.done += part * size;
                self.part = 0.0;
            } else {
                self.part = part * size;
            }
            (self.last, self.begun) = (size, true);
            return Some(true);
        }
        if article {
            return None;
        }
        let value = f64::from(find(SMALL, word)?);
        let fits = !self.begun
            || self.last >= 100.0
            || (self.last >= 20.0 && self.last < 100.0 && value < 10.0 && value > 0.0);
        if !fits || (self.begun && self.last < value && self.last < 100.0) {
            return Some(false);
        }
        self.part += value;
        (self.last, self.begun) = (value, true);
        Some(true)
    }
}

fn word_at(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..)?;
    let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    (len > 0).then(|| (rest.get(..len).unwrap_or_default(), at + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count() {
        let cases = [
            ("three thousand and five", 3005.0),
            ("two hundred and ten, 19 May", 210.0),
            ("nine hundred", 900.0),
            ("one hundred", 100.0),
            ("a hundred", 100.0),
            ("two million three hundred thousand", 2_300_000.0),
            ("twenty one", 21.0),
            ("five six", 5.0),
            ("eight, Fri", 8.0),
        ];
        for (text, expect) in cases {
            assert_eq!(read(text).map(|w| w.value), Some(expect), "{text}");
        }
        for none in ["a cat", "hundred", "tenant", "ones", "", "million"] {
            assert_eq!(read(none), None, "{none}");
        }
        assert_eq!((cardinal("twenty-five"), cardinal("Zwölf"), cardinal("x")), (Some(25), Some(12), None));
        assert_eq!((ordinal("3rd"), ordinal("Second"), ordinal("two")), (Some(3), Some(2), None));
    }
}
