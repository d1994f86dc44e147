//! A text beside its translation: numbers, placeholders and addresses that differ.

use regex_lite::Regex;

use crate::Check;

/// Placeholders and tags: `{{name}}`, `${name}`, `{name}`, `<b>`, `%(name)s`, `%1$s`.
const PLACEHOLDER: &str = concat!(
    r"\{\{.{1,59}?\}\}|\$?\{[^}\n]{1,59}\}|<[A-Za-z/][^>\n]{0,58}>",
    r"|%\([^)\n]{1,59}\).|%(?:\d+\$)?(?:[sdfiu]\b|@)"
);
/// Groups of digits with one sign between them.
const DIGITS: &str = r"\d+(?:[,.:' \x{a0}\x{202f}]\d+)*";

/// Returns a difference in words.
#[must_use]
pub fn text(check: &Check) -> String {
    let list = |values: &[String]| values.iter().map(|value| format!("\"{value}\"")).collect::<Vec<_>>().join(", ");
    let (kind, missing, added) = (&check.name, list(&check.missing), list(&check.added));
    match (missing.is_empty(), added.is_empty()) {
        (false, false) => format!("The {kind} {missing} of the text is {added} in the translation."),
        (false, true) => format!("The {kind} {missing} is missing in the translation."),
        _ => format!("The {kind} {added} is only in the translation."),
    }
}

/// Returns the differences between a text and its translation.
#[must_use]
pub fn differences(source: &str, translation: &str) -> Vec<Check> {
    let kinds = [("placeholder", placeholders as fn(&str) -> Vec<String>), ("address", addresses), ("number", numbers)];
    let differences = kinds.into_iter().map(|(kind, find)| {
        let (a, b) = (find(source), find(translation));
        let key = |one: &String| if kind == "number" { digits(one) } else { one.clone() };
        Check { name: kind.to_owned(), passed: false, missing: only(&a, &b, key), added: only(&b, &a, key) }
    });
    differences.filter(|one| !one.missing.is_empty() || !one.added.is_empty()).collect()
}

/// Returns what one list has more often than the other, by a key.
fn only(own: &[String], other: &[String], key: impl Fn(&String) -> String) -> Vec<String> {
    let mut left: Vec<String> = other.iter().map(&key).collect();
    let is_new = |one: &&String| {
        let known = left.iter().position(|known| *known == key(one));
        known.map(|at| left.remove(at)).is_none()
    };
    own.iter().filter(is_new).cloned().collect()
}

/// Returns what two spellings of a number have in common: its digits, and how many of them
/// are decimals. Three digits behind the last sign are a group.
fn digits(number: &str) -> String {
    let decimals = number.rsplit_once(|c: char| !c.is_ascii_digit()).map_or(0, |(_, last)| last.len());
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    format!("{digits} {}", if decimals == 3 { 0 } else { decimals })
}

fn numbers(text: &str) -> Vec<String> {
    let mut rest = text.to_owned();
    for one in placeholders(text).into_iter().chain(addresses(text)) {
        rest = rest.replace(&one, "\n");
    }
    let mut found: Vec<String> = Vec::new();
    for run in all(DIGITS, &rest) {
        for (at, part) in run.split(' ').enumerate() {
            // Behind a space, only three digits belong to the same number.
            let is_group = at > 0 && part.bytes().take_while(u8::is_ascii_digit).count() == 3;
            match found.last_mut().filter(|_| is_group) {
                Some(last) => last.push_str(&format!(" {part}")),
                None => found.push(part.to_owned()),
            }
        }
    }
    found
}

fn placeholders(text: &str) -> Vec<String> {
    all(PLACEHOLDER, text)
}

/// Returns all matches of a pattern.
fn all(pattern: &str, text: &str) -> Vec<String> {
    let regex = Regex::new(pattern).ok();
    regex.iter().flat_map(|regex| regex.find_iter(text)).map(|found| found.as_str().to_owned()).collect()
}

fn addresses(text: &str) -> Vec<String> {
    let trim = |word: &str| word.trim_matches(|c: char| "()<>\"'“”.,;:!?«»".contains(c)).to_owned();
    let is =
        |word: &&str| word.contains("://") || word.starts_with("www.") || (word.contains('@') && word.contains('.'));
    text.split_whitespace().filter(is).map(trim).collect()
}
