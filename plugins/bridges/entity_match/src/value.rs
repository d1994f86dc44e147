//! A value made comparable: folded, cut, split, and for its type turned into digits, a date or a number.

use crate::input::{Kind, LONGEST_VALUE};
use crate::similar::{jaro_winkler, one_error, words};

/// Titles and legal forms that say nothing about who it is.
const EMPTY_WORDS: [&str; 32] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "dr",
    "prof",
    "sir",
    "jr",
    "sr",
    "ltd",
    "limited",
    "plc",
    "llc",
    "llp",
    "inc",
    "incorporated",
    "corp",
    "corporation",
    "co",
    "company",
    "gmbh",
    "ag",
    "kg",
    "sa",
    "sarl",
    "bv",
    "nv",
    "srl",
    "spa",
    "ab",
    "oy",
    "the",
];
/// Words of addresses and what they are written as in full.
const ADDRESS_WORDS: [(&str, &str); 24] = [
    ("st", "street"),
    ("str", "street"),
    ("rd", "road"),
    ("ave", "avenue"),
    ("av", "avenue"),
    ("dr", "drive"),
    ("ln", "lane"),
    ("ct", "court"),
    ("crt", "court"),
    ("pl", "place"),
    ("sq", "square"),
    ("cres", "crescent"),
    ("cr", "crescent"),
    ("blvd", "boulevard"),
    ("hwy", "highway"),
    ("pde", "parade"),
    ("tce", "terrace"),
    ("cl", "close"),
    ("gdns", "gardens"),
    ("apt", "flat"),
    ("unit", "flat"),
    ("n", "north"),
    ("s", "south"),
    ("mt", "mount"),
];

/// A value ready to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Folded and without spaces and marks; never empty. Equal keys are exact agreement.
    pub key: String,
    letters: Vec<char>,
    pub words: Vec<Vec<char>>,
    number: Option<f64>,
}

impl Value {
    /// Makes a value; none when nothing comparable is in it.
    #[must_use]
    pub fn new(kind: Kind, text: &str) -> Option<Self> {
        let text: String = text.chars().take(LONGEST_VALUE).collect();
        let mut number = None;
        let parts: Vec<String> = match kind {
            Kind::Name => named(&text),
            Kind::Address => split(&text).iter().map(|word| opened(word)).collect(),
            Kind::Text => split(&text),
            Kind::Date => vec![date(&text).unwrap_or_else(|| split(&text).concat())],
            Kind::Number => {
                number = text.trim().replace(',', "").parse::<f64>().ok().filter(|n| n.is_finite());
                vec![number.map_or_else(|| split(&text).concat(), |number| (number + 0.0).to_string())]
            }
            Kind::Email => vec![text.trim().to_lowercase()],
            Kind::Phone => vec![phone(&text)],
            Kind::Code => vec![split(&text).concat()],
        };
        let key: String = parts.concat();
        let words = parts.iter().filter(|word| !word.is_empty()).map(|word| word.chars().collect()).collect();
        let letters = key.chars().collect();
        (!key.is_empty()).then_some(Self { key, letters, words, number })
    }

    /// Similarity to another value of the same kind, 1 only for equal keys.
    #[must_use]
    pub fn similarity(&self, other: &Self, kind: Kind) -> f64 {
        if self.key == other.key {
            return 1.0;
        }
        let (a, b) = (&self.letters, &other.letters);
        let max_distance = match kind {
            Kind::Name | Kind::Address | Kind::Text => {
                let digits = a.iter().chain(b).any(char::is_ascii_digit);
                let whole = if digits && kind == Kind::Address { 0.0 } else { jaro_winkler(a, b) };
                // Jaro's similarity of unrelated texts is about one half; it says something above that.
                whole.max(words(&self.words, &other.words))
            }
            Kind::Date => dates(a, b),
            Kind::Number => numbers(self.number, other.number),
            Kind::Email => emails(&self.key, &other.key),
            Kind::Phone | Kind::Code => {
                if a.len().min(b.len()) >= 3 && one_error(a, b) {
                    0.93
                } else {
                    jaro_winkler(a, b).min(0.85) * 0.9
                }
            }
        };
        max_distance.clamp(0.0, 0.999)
    }

    /// The first letters of the key.
    #[must_use]
    pub fn start(&self, count: usize) -> String {
        self.letters.iter().take(count).collect()
    }

    /// The last letters of the key.
    #[must_use]
    pub fn end(&self, count: usize) -> String {
        self.letters.iter().skip(self.letters.len().saturating_sub(count)).collect()
    }
}

/// Lower case, without accents, split at everything that is no letter or digit; apostrophes join.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in text.chars().flat_map(char::to_lowercase) {
        match letter {
            '\'' | '’' | '`' => {}
            letter if letter.is_alphanumeric() => {
                if let Some(part) = parts.last_mut() {
                    match fold(letter) {
                        Some(folded) => part.push_str(folded),
                        None => part.push(letter),
                    }
                }
            }
            _ => parts.push(String::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Letters with marks as their plain ones, where Latin alphabets have them.
fn fold(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ä' | 'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => "e",
        'ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => "i",
        'ł' | 'ľ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ő' => "o",
        'ö' | 'ø' | 'œ' => "oe",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' | 'ű' => "u",
        'ü' => "ue",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

fn named(text: &str) -> Vec<String> {
    let all = split(text);
    let telling: Vec<String> = all.iter().filter(|word| !EMPTY_WORDS.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

fn opened(word: &str) -> String {
    let full = ADDRESS_WORDS.iter().find(|(short, _)| *short == word);
    full.map_or_else(|| word.to_owned(), |(_, full)| (*full).to_owned())
}

fn phone(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    // Nine digits tell lines apart; what is before them (country code, leading zero) is written or left out.
    let from = digits.len().saturating_sub(9);
    digits.get(from..).unwrap_or_default().to_owned()
}

/// `20260131` of a date in a usual form: ISO, without marks, or day first.
fn date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.trim().split(['-', '/', '.', 'T', ' ']).collect();
    let number = |part: &&str| part.parse::<u32>().ok();
    match parts.as_slice() {
        [whole] if whole.len() == 8 && whole.bytes().all(|b| b.is_ascii_digit()) => Some((*whole).to_owned()),
        [a, b, c, ..] if a.len() == 4 => Some(format!("{:04}{:02}{:02}", number(a)?, number(b)?, number(c)?)),
        [a, b, c, ..] if c.len() == 4 => Some(format!("{:04}{:02}{:02}", number(c)?, number(b)?, number(a)?)),
        _ => None,
    }
}

fn dates(a: &[char], b: &[char]) -> f64 {
    match (a, b) {
        ([y @ .., m1, m2, d1, d2], [z @ .., n1, n2, e1, e2])
            if y == z && a.len() == 8 && b.len() == 8 && [m1, m2, d1, d2] == [e1, e2, n1, n2] =>
        {
            0.95
        }
        _ if one_error(a, b) => 0.93,
        _ => {
            let differ = a.iter().zip(b).filter(|(x, y)| x != y).count();
            if a.len() == b.len() && differ == 2 { 0.82 } else { 0.0 }
        }
    }
}

fn numbers(a: Option<f64>, b: Option<f64>) -> f64 {
    let (Some(a), Some(b)) = (a, b) else { return 0.0 };
    let apart = (a / 2.0 - b / 2.0).abs() / (a.abs().max(b.abs()) / 2.0).max(f64::MIN_POSITIVE);
    match apart {
        apart if apart <= 0.01 => 0.95,
        apart if apart <= 0.05 => 0.85,
        _ => 0.0,
    }
}

fn emails(a: &str, b: &str) -> f64 {
    let part = |text: &str| {
        let (local, domain) = text.rsplit_once('@').unwrap_or((text, ""));
        let local = local.split('+').next().unwrap_or_default();
        (local.chars().filter(|c| *c != '.').collect::<Vec<char>>(), domain.chars().collect::<Vec<char>>())
    };
    let ((local_a, domain_a), (local_b, domain_b)) = (part(a), part(b));
    let same_domain = domain_a == domain_b;
    match local_a == local_b {
        true if same_domain => 0.98,
        true if local_a.len() >= 5 => 0.93_f64.max(jaro_winkler(&domain_a, &domain_b)),
        true => 0.85,
        false if same_domain && one_error(&local_a, &local_b) && local_a.len() >= 4 => 0.93,
        false if same_domain => jaro_winkler(&local_a, &local_b) * 0.9,
        false => jaro_winkler(&local_a, &local_b) * 0.8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, a: &str, b: &str, least: f64, most: f64) {
        let (x, y) = (Value::new(kind, a).expect("a value"), Value::new(kind, b).expect("a value"));
        let got = x.similarity(&y, kind);
        assert!((least..=most).contains(&got), "{a} / {b}: {got}");
    }

    #[test]
    fn by_type() {
        check(Kind::Name, "Dr. José Müller", "MUELLER, Jose", 0.95, 0.999);
        check(Kind::Name, "ACME Ltd", "Acme Limited", 1.0, 1.0);
        check(Kind::Name, "Anna Schmidt", "Bernd Wagner", 0.0, 0.7);
        check(Kind::Address, "12 High St.", "12 High Street", 1.0, 1.0);
        check(Kind::Address, "12 High Street", "21 High Street", 0.0, 0.85);
        check(Kind::Date, "1984-03-12", "12/03/1984", 1.0, 1.0);
        check(Kind::Date, "1984-03-12", "1984-12-03", 0.95, 0.95);
        check(Kind::Date, "19840312", "19840313", 0.93, 0.93);
        check(Kind::Number, "1,000", "1000.0", 1.0, 1.0);
        check(Kind::Number, "1000", "1004", 0.95, 0.95);
        check(Kind::Email, "A.Bee@x.org", "abee@x.org", 0.98, 0.98);
        check(Kind::Phone, "+44 20 7946 0018", "020 7946 0018", 1.0, 1.0);
        check(Kind::Code, "AB1 2CD", "ab12cd", 1.0, 1.0);
        check(Kind::Code, "AB1 2CD", "AB1 2CE", 0.93, 0.93);
        assert!(Value::new(Kind::Name, " -- ").is_none());
    }
}
