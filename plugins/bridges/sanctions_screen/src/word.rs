//! The words of a name: how each sounds, what it counts for, and of which given name it is a form.

use std::collections::{BTreeMap, BTreeSet};

use tollbridge_sdk::Ready;

use crate::{
    distance::{likeness, sounds},
    han,
};

const GIVEN: &str = include_str!("../data/given.txt");
const ORGANISATION: &str = include_str!("../data/organisation.txt");

/// Sounds less alike than this are two names.
const ALIKE_MIN: f64 = 0.77;
/// Another form of the same given name: Bob and Robert.
const FORM: f64 = 0.95;
/// Pinyin against Wade and Giles; where the latter is pinyin as well, it may be another name.
const WADE: (f64, f64) = (0.95, 0.87);
/// A name against its first letter.
const INITIAL: f64 = 0.88;
/// `Abdul Rahman` against `Rahman`, `Alhamid` against `Hamid`, `Salahuddin` against `Salah`.
const PART: f64 = 0.88;
/// Shorter words are common.
const RARE_LETTERS: usize = 6;
const BEFORE: [&str; 14] =
    ["abd", "al", "el", "le", "la", "de", "di", "du", "da", "van", "von", "vander", "vanden", "bin"];
const BEHIND: [&str; 12] =
    ["uddin", "udin", "eddine", "eddin", "aldin", "aldeen", "din", "deen", "ullah", "ollah", "allah", "ulla"];

/// What a word says of who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A name.
    Name,
    /// One letter.
    Initial,
    /// A particle, kept because little else is there.
    Particle,
    /// A word that many organisations have.
    Generic,
    /// A legal form.
    Legal,
}

struct Tables {
    /// Forms of given names by sound, with the groups that have them.
    given: BTreeMap<Vec<u8>, Vec<u16>>,
    legal: BTreeSet<&'static str>,
    places: BTreeSet<&'static str>,
    generic: BTreeSet<&'static str>,
    phrases: Vec<Vec<&'static str>>,
}

static TABLES: Ready<Tables> = Ready::new(|| {
    let mut given: BTreeMap<Vec<u8>, Vec<u16>> = BTreeMap::new();
    for (group, line) in (0..).zip(GIVEN.lines()) {
        for form in line.split_whitespace() {
            let groups = given.entry(sounds(form)).or_default();
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    let rows = |kind: &'static str| {
        ORGANISATION.lines().filter_map(move |line| line.strip_prefix(kind)).map(str::split_whitespace)
    };
    let mut phrases: Vec<Vec<&str>> = rows("phrase ").map(Iterator::collect).collect();
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    let words = |kind| rows(kind).flatten().collect();
    Tables { given, legal: words("legal "), places: words("place "), generic: words("generic "), phrases }
});

/// Makes the tables, once.
pub fn prepare() {
    TABLES.prepare();
}

/// How many words from here on are a legal form of several words.
pub fn phrase_length(words: &[String]) -> usize {
    let begins = |phrase: &&Vec<&str>| phrase.len() <= words.len() && phrase.iter().zip(words).all(|(a, b)| a == b);
    TABLES.phrases.iter().find(begins).map_or(0, Vec::len)
}

/// What a word counts as.
pub fn role(word: &str) -> Role {
    if word.chars().count() == 1 && !word.bytes().any(|sign| sign.is_ascii_digit()) {
        Role::Initial
    } else if TABLES.legal.contains(word) {
        Role::Legal
    } else if TABLES.generic.contains(word) {
        Role::Generic
    } else {
        Role::Name
    }
}

/// A word as it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spelt {
    /// The word in Latin letters.
    pub text: String,
    /// What it says.
    pub role: Role,
    /// Whether its vowels are not written.
    pub loose: bool,
}

impl Spelt {
    /// A word, with its role alone.
    pub fn new(text: String, loose: bool) -> Self {
        Self { role: role(&text), text, loose }
    }
}

/// A word as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word in Latin letters.
    pub text: String,
    /// What it says.
    pub role: Role,
    /// Whether its vowels are not written.
    pub loose: bool,
    sounds: Vec<u8>,
    given: Vec<u16>,
    /// Pinyin as Wade and Giles write it; and the word, if it can be in their spelling.
    pinyin: Option<String>,
    wade: Option<String>,
}

impl Word {
    /// Prepares a word.
    pub fn new(Spelt { text, role, loose }: Spelt) -> Self {
        let sounds = sounds(&text);
        let given = TABLES.given.get(&sounds).cloned().unwrap_or_default();
        let (pinyin, wade) = (han::wade_of_pinyin(&text), han::wade(&text));
        Self { role, loose, given, pinyin, wade, sounds, text }
    }

    /// Whether an organisation may be known by this word, whatever common words are beside it.
    pub fn is_rare(&self) -> bool {
        self.role == Role::Name && self.text.len() >= RARE_LETTERS && !TABLES.places.contains(self.text.as_str())
    }

    /// What the word weighs in a name.
    pub fn weight(&self) -> f64 {
        match self.role {
            Role::Name => (self.text.len() as f64).clamp(3.0, 10.0),
            Role::Initial => 1.5,
            Role::Particle => 1.0,
            Role::Generic => 2.0,
            Role::Legal => 0.2,
        }
    }

    /// How alike two words are, from 0 to 1; 0 if they are two names.
    pub fn alike(&self, other: &Self) -> f64 {
        if self.text == other.text {
            return 1.0;
        }
        if self.role == Role::Initial || other.role == Role::Initial {
            return if self.text.chars().next() == other.text.chars().next() { INITIAL } else { 0.0 };
        }
        // Numbers are equal or different.
        let number = |word: &Self| word.text.bytes().any(|sign| sign.is_ascii_digit());
        if number(self) || number(other) {
            return 0.0;
        }
        let mut best = likeness(&self.sounds, &other.sounds, self.loose || other.loose);
        if best < 1.0 {
            if self.given.iter().any(|group| other.given.contains(group)) {
                best = best.max(FORM);
            }
            best = best.max(self.chinese(other)).max(other.chinese(self));
            best = best.max(self.part(other)).max(other.part(self));
        }
        // Other letters are a little less than the same ones.
        if best >= ALIKE_MIN { best.min(0.99) } else { 0.0 }
    }

    /// This in pinyin against the other one in the spelling of Wade and Giles.
    fn chinese(&self, other: &Self) -> f64 {
        match (&self.pinyin, &other.wade) {
            (Some(mine), Some(theirs)) if mine == theirs => {
                if other.pinyin.is_some() {
                    WADE.1
                } else {
                    WADE.0
                }
            }
            _ => 0.0,
        }
    }

    /// A compound against its telling part: `abdrahman` and `rahman`.
    fn part(&self, other: &Self) -> f64 {
        let rests = BEFORE.iter().filter_map(|part| self.text.strip_prefix(part));
        let rests = rests.chain(BEHIND.iter().filter_map(|part| self.text.strip_suffix(part)));
        let mut alike = rests.filter(|rest| rest.len() >= 3 && rest.len().abs_diff(other.text.len()) <= 2);
        let loose = self.loose || other.loose;
        if alike.any(|rest| likeness(&sounds(rest), &other.sounds, loose) >= 0.9) { PART } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: &str, b: &str) -> f64 {
        let word = |text: &str| Word::new(Spelt::new(text.to_owned(), false));
        word(a).alike(&word(b))
    }

    #[test]
    fn forms_of_a_name() {
        for (a, b) in [
            ("robert", "bob"),
            ("mikhail", "misha"),
            ("vladimir", "volodya"),
            ("zedong", "tsetung"),
            ("v", "vladimir"),
            ("abdrahman", "rahman"),
            ("qadhafi", "gaddafi"),
        ] {
            assert!(alike(a, b) > 0.8, "{a} {b} {}", alike(a, b));
            assert_eq!(alike(a, b), alike(b, a));
        }
        for (a, b) in [("bill", "bob"), ("1", "2"), ("ivanov", "ivashov"), ("v", "putin")] {
            assert_eq!(alike(a, b), 0.0, "{a} {b}");
        }
    }
}
