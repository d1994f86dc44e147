//! Regular expressions of schemas, matched in linear time.
//!
//! The engine for long texts takes twenty times as long to make as the one for
//! short ones, and most calls match a pattern against a few short texts. So it
//! is made only where a pattern has seen enough text.
//!
//! Invariant: no compiled pattern is larger than [`REGEX_BYTES_MAX`].

use std::{
    cell::{Cell, OnceCell, RefCell},
    fmt,
    str::Chars,
};

use regex::{Regex, RegexBuilder};
use regex_automata::nfa::thompson::{
    self, WhichCaptures,
    backtrack::{self, BoundedBacktracker},
    pikevm::PikeVM,
};

use crate::limits::REGEX_BYTES_MAX;

/// Why a pattern is refused.
pub const REFUSED: &str =
    "not a regular expression that is matched in linear time (no lookaround, no backreferences, bounded size)";

/// Steps of the engine for short texts after which the other one is made: about as many as that takes.
const SHORT_STEPS_MAX: usize = 1 << 16;

/// What `\s` means in ECMA-262.
const SPACES: &str = "\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

/// A compiled pattern.
pub struct Pattern {
    /// As the engines read it.
    text: String,
    short: BoundedBacktracker,
    cache: RefCell<Option<backtrack::Cache>>,
    steps: Cell<usize>,
    long: OnceCell<Option<Regex>>,
}

impl Pattern {
    /// What a pattern of ECMA-262 means, if it can be matched in linear time.
    pub fn new(pattern: &str) -> Option<Self> {
        let text = translated(pattern)?;
        let config = thompson::Config::new().nfa_size_limit(Some(REGEX_BYTES_MAX)).which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(config).build(&text).ok()?;
        let short = BoundedBacktracker::new_from_nfa(nfa).ok()?;
        Some(Self { text, short, cache: RefCell::default(), steps: Cell::new(0), long: OnceCell::new() })
    }

    /// Does it match the text somewhere?
    pub fn matches(&self, text: &str) -> bool {
        self.matches_short(text).unwrap_or_else(|| match self.long.get_or_init(|| self.long()) {
            Some(regex) => regex.is_match(text),
            // Too large for that engine, where it was not for the other.
            None => PikeVM::new_from_nfa(self.short.get_nfa().clone())
                .is_ok_and(|engine| engine.is_match(&mut engine.create_cache(), text)),
        })
    }

    /// What it takes of memory, until it has seen much text.
    pub fn memory(&self) -> usize {
        self.short.get_nfa().memory_usage().saturating_add(self.text.len())
    }

    fn matches_short(&self, text: &str) -> Option<bool> {
        let states = self.short.get_nfa().states().len();
        let steps = self.steps.get().saturating_add(states.saturating_mul(text.len().saturating_add(1)));
        if steps > SHORT_STEPS_MAX {
            return None;
        }
        self.steps.set(steps);
        let mut cache = self.cache.try_borrow_mut().ok()?;
        self.short.try_is_match(cache.get_or_insert_with(|| self.short.create_cache()), text).ok()
    }

    fn long(&self) -> Option<Regex> {
        RegexBuilder::new(&self.text).size_limit(REGEX_BYTES_MAX).build().ok()
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

/// A pattern of ECMA-262 as the engines read it.
fn translated(pattern: &str) -> Option<String> {
    let (text, plain) = spelled_out(pattern);
    if plain {
        return Some(text);
    }
    jsonschema_regex::to_rust_regex(&text).ok().map(std::borrow::Cow::into_owned)
}

/// A pattern with its escapes outside of classes written as classes, and with control letters as what they mean: what
/// a full translation does one at a time, reading the pattern again after each. And whether a full translation would
/// change nothing more.
fn spelled_out(pattern: &str) -> (String, bool) {
    let mut text = String::with_capacity(pattern.len());
    let mut plain = !["&&", "~~", "--"].iter().any(|operator| pattern.contains(operator));
    let mut in_class = false;
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => {
                plain &= escape(&mut text, &mut rest, in_class);
                continue;
            }
            '[' => {
                plain &= !in_class;
                in_class = true;
            }
            ']' => in_class = false,
            _ => {}
        }
        text.push(character);
    }
    (text, plain)
}

/// Writes what a backslash and the characters behind it mean; false if that is left to a full translation.
fn escape(text: &mut String, rest: &mut Chars<'_>, in_class: bool) -> bool {
    let escaped = rest.next();
    let letter = rest.as_str().bytes().next().filter(u8::is_ascii_alphabetic);
    match (escaped, class(escaped), letter) {
        (Some('c'), _, Some(letter)) => {
            rest.next();
            text.push(char::from(letter % 32));
            true
        }
        (_, Some((negated, inner)), _) if !in_class => {
            text.push_str(if negated { "[^" } else { "[" });
            text.push_str(inner);
            text.push(']');
            true
        }
        _ => {
            text.push('\\');
            text.extend(escaped);
            false
        }
    }
}

/// Is the class of an escape negated, and what is in it?
fn class(escaped: Option<char>) -> Option<(bool, &'static str)> {
    let escaped = escaped?;
    let inner = match escaped.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "A-Za-z0-9_",
        's' => SPACES,
        _ => return None,
    };
    Some((escaped.is_ascii_uppercase(), inner))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_mean_what_ecma_says() {
        let check = |pattern: &str, text: &str, expect| {
            assert_eq!(Pattern::new(pattern).map(|pattern| pattern.matches(text)), expect, "{pattern} {text}");
        };
        check(r"^\d+$", "12", Some(true));
        check(r"^\d+$", "१२", Some(false));
        check(r"^\cA$", "\u{1}", Some(true));
        check(r"^\w$", "é", Some(false));
        check(r"^\s$", "\u{feff}", Some(true));
        check(r"^[\d\-x]+$", "1-x", Some(true));
        check(r"^[[a]+$", "[a", Some(true));
        check(r"\\d", r"\d", Some(true));
        check("(?=a)a", "a", None);
        check(r"(a)\1", "aa", None);
        check("(", "", None);
        check("(a{1000}){1000}", "", None);
        check("\\", "", None);
    }

    #[test]
    fn spaces_are_those_of_the_library() {
        let pattern = Pattern::new(r"^\s$").unwrap();
        for character in (0..=0x1_ffff).filter_map(char::from_u32) {
            let text = character.to_string();
            assert_eq!(pattern.matches(&text), jsonschema_regex::is_ecma_whitespace(character), "{character:?}");
        }
    }

    #[test]
    fn many_escapes_take_no_longer() {
        for escape in [r"\d", r"\S", r"\cA", r"[\w]"] {
            assert!(Pattern::new(&escape.repeat(800)).is_some(), "{escape}");
        }
    }

    #[test]
    fn both_engines_answer() {
        let pattern = Pattern::new("^(a|b)+c?$").unwrap();
        let long = "ab".repeat(100_000);
        for (text, expect) in [("abc", true), ("abcc", false), (long.as_str(), true), ("abc", true), ("abcc", false)] {
            assert_eq!(pattern.matches(text), expect, "{} bytes", text.len());
        }
        assert!(pattern.long.get().is_some());
    }

    proptest! {
        #[test]
        fn as_the_full_translation_says(pattern in r"(\\[dDwWsSbBcx.]|\\c[A-Za-z]|[\[\]a-c^$.|*+?&~-]|\(a\)|\{2\}){0,8}", text in "[a-c0-9_ é]{0,6}") {
            let full = jsonschema_regex::to_rust_regex(&pattern).ok();
            let full = full.and_then(|text| RegexBuilder::new(&text).size_limit(REGEX_BYTES_MAX).build().ok());
            let own = Pattern::new(&pattern);
            prop_assert_eq!(own.as_ref().map(|own| own.matches(&text)), full.as_ref().map(|full| full.is_match(&text)));
            prop_assert_eq!(own.as_ref().and_then(|own| own.long()).map(|long| long.is_match(&text)), full.as_ref().map(|full| full.is_match(&text)));
        }
    }
}
