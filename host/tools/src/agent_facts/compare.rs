//! Compares texts and numbers as a person would: without case, accents and punctuation, and nearly.

use serde_json::Value;
use unicode_normalization::{UnicodeNormalization as _, char::canonical_combining_class};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use super::value::{number, text_of};

/// Removes case, accents and punctuation from a text.
pub(super) fn plain(text: &str) -> String {
    let mut text = without_case(&text.nfkd().collect::<String>());
    text.retain(|character| canonical_combining_class(character) == 0);
    text.split(|character| !is_word(character)).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Folds the case of a text.
fn without_case(text: &str) -> String {
    // By way of upper case, which makes `ss` of `ß`; but it would make `i` of `ı`, and nothing of `ẞ`.
    let fold = |part: &str| part.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    text.replace('ẞ', "ss").split('ı').map(fold).collect::<Vec<String>>().join("ı")
}

/// Returns whether a character is part of a word.
pub(super) fn is_word(character: char) -> bool {
    let group = character.general_category_group();
    character == '_' || matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// Returns whether a character is white space, including the separators of ASCII.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// Returns whether a text equals one of the alternatives `a|b`.
pub(super) fn same(expected: &Value, value: &Value) -> bool {
    let value = plain(&text_of(value));
    text_of(expected).split('|').any(|part| plain(part) == value)
}

/// Returns whether a text contains one of the alternatives, a list or `a|b`.
pub(super) fn has(text: &str, alternatives: &Value) -> bool {
    match alternatives {
        Value::Array(parts) => parts.iter().any(|part| contains(text, &text_of(part))),
        parts => text_of(parts).split('|').any(|part| contains(text, part)),
    }
}

/// Returns whether a text contains another: as whole words, or verbatim except for case.
pub(super) fn contains(text: &str, part: &str) -> bool {
    let words = plain(part);
    (!words.is_empty() && format!(" {} ", plain(text)).contains(&format!(" {words} ")))
        || without_case(text).contains(&without_case(part))
}

/// Returns whether one of two names contains the other.
pub(super) fn related(one: &str, other: &str) -> bool {
    contains(one, other) || contains(other, one)
}

/// Returns whether a number differs from the expected one by at most half a percent.
#[expect(clippy::float_arithmetic, reason = "a tolerance is about floats; no money here")]
pub(super) fn near(expected: &Value, number: f64) -> bool {
    to_number(expected).is_some_and(|expected| (expected - number).abs() <= expected.abs() * 0.005 + 1e-9)
}

/// Returns a number, or that which a text consists of.
pub(super) fn to_number(value: &Value) -> Option<f64> {
    value.as_str().map_or_else(|| number(value).ok(), parsed)
}

/// Returns the number that a text consists of, in the digits of any script.
fn parsed(text: &str) -> Option<f64> {
    text.trim_matches(is_space).chars().map(ascii_digit).collect::<String>().parse().ok()
}

fn ascii_digit(character: char) -> char {
    // The digits of a script are in a row from 0 to 9; some rows follow each other.
    let is_digit_before = |back: &u32| char::from_u32(u32::from(character) - back).is_some_and(is_digit);
    let before = (0..100).take_while(is_digit_before).last();
    before.and_then(|before| char::from_digit(before % 10, 10)).unwrap_or(character)
}

fn is_digit(character: char) -> bool {
    character.general_category() == GeneralCategory::DecimalNumber
}

/// Returns all numbers of a value, including those in its texts.
pub(super) fn numbers_in(value: &Value) -> Vec<f64> {
    match value {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::Number(number) => number.as_f64().into_iter().collect(),
        Value::String(text) => numbers_in_text(text),
        Value::Array(items) => items.iter().flat_map(numbers_in).collect(),
        Value::Object(members) => members.values().flat_map(numbers_in).collect(),
    }
}

fn numbers_in_text(text: &str) -> Vec<f64> {
    let (mut numbers, mut rest) = (Vec::new(), text);
    while let Some((before, start)) = rest.find(is_digit).and_then(|at| rest.split_at_checked(at)) {
        rest = after_number(start);
        let sign = if before.ends_with(['-', '−']) { "-" } else { "" };
        let digits = start.strip_suffix(rest).unwrap_or(start).replace([',', '\'', '’', ' '], "");
        numbers.extend(parsed(&format!("{sign}{digits}")));
    }
    numbers
}

/// Returns what follows a number: digits in groups, with an optional fraction and exponent.
fn after_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|character| is_digit(character) || matches!(character, ',' | '\'' | '’' | ' '));
    let rest = rest.strip_prefix('.').and_then(after_digits).unwrap_or(rest);
    let power = rest.strip_prefix('e').map(|power| power.strip_prefix(['-', '+']).unwrap_or(power));
    power.and_then(after_digits).unwrap_or(rest)
}

/// Returns what follows the digits at the start of a text; `None` if there are none.
pub(super) fn after_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_digit);
    (rest.len() < text.len()).then_some(rest)
}

/// Returns the possible values of an amount: of two separators, the last is the decimal separator.
pub(super) fn amounts(value: &Value) -> Vec<f64> {
    if let Ok(number) = number(value) {
        return vec![number];
    }
    let mut digits = text_of(value);
    digits.retain(|character| is_digit(character) || matches!(character, '.' | ',' | '-'));
    let digits = digits.trim_matches(['.', ',']);
    let readings = [digits.replace(',', ""), digits.replace('.', "").replace(',', ".")];
    readings.iter().filter_map(|reading| parsed(reading)).collect()
}

/// Joins all texts of a value except its limitations.
pub(super) fn texts_in(value: &Value) -> String {
    let texts: Vec<_> = match value {
        Value::Null => return String::new(),
        Value::Array(items) => items.iter().map(texts_in).collect(),
        Value::Object(members) => {
            members.iter().filter(|(name, _)| *name != "limitations").map(|(_, part)| texts_in(part)).collect()
        }
        other => return text_of(other),
    };
    texts.join("\n")
}
