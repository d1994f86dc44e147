//! Slots that the commands of several agents have: numbers, counts, dates, quotes, names
//! out of a given list.

use serde_json::{Value, json};

use crate::command::Slots;
use crate::lexer::{Kind, Token};
use crate::{columns, dates, exact::Exact};

/// Small counts in words.
const COUNTS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The kinds that need no material:
///
/// - `number`: digits with a point, commas only between groups of three, as an exact
///   decimal text; currency signs before it and `k` or `m` behind it are not accepted,
///   because they would have to be guessed;
/// - `decimal`: the same, for members that are exact decimals;
/// - `percent`: such a number with `%` or `percent`;
/// - `numbers`: three or more such numbers with commas, `and` or nothing between them;
/// - `count`: a whole number, or `one` to `twelve`;
/// - `date`: `2024-05-01`, `1 May 2024`, `May 1, 2024`, as ISO text;
/// - `quoted`: a text in quotation marks.
#[derive(Debug, Clone, Copy)]
pub struct Common;

impl Slots for Common {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let Some(first) = tokens.first() else { return Vec::new() };
        let one = |value: Option<Value>| value.map(|value| (1, value)).into_iter().collect();
        match kind {
            "number" | "decimal" => number(tokens).map(|(length, value)| (length, json!(value))).into_iter().collect(),
            "percent" => percent(tokens).into_iter().collect(),
            "count" => one(count(first).map(|count| json!(count))),
            "numbers" => numbers(tokens).into_iter().collect(),
            "date" => date(tokens),
            "quoted" => one((first.kind == Kind::Quoted).then(|| json!(first.text))),
            _ => Vec::new(),
        }
    }
}

/// Reads a number that begins with the first token: its length and exact text.
pub fn number(tokens: &[Token]) -> Option<(usize, String)> {
    let minus = tokens.first().is_some_and(|token| matches!(token.text.as_str(), "-" | "−"));
    let sign = tokens.first().filter(|_| minus).map_or(0, |_| 1);
    let token = tokens.get(sign).filter(|token| token.kind == Kind::Number)?;
    let groups = token.text.split('.').next().unwrap_or_default();
    let grouped = groups.split(',').skip(1).all(|group| group.len() == 3) && !token.text.ends_with(',');
    let plain = token.text.replace(',', "");
    Exact::read(&plain).filter(|_| grouped)?;
    Some((sign + 1, if minus { format!("-{plain}") } else { plain }))
}

fn numbers(tokens: &[Token]) -> Option<(usize, Value)> {
    let mut values: Vec<f64> = Vec::new();
    let (mut at, mut end) = (0, 0);
    while let Some((length, value)) = tokens.get(at..).and_then(number) {
        values.push(value.parse().ok()?);
        end = at + length;
        let between = |token: &&Token| matches!(token.lower.as_str(), "," | ";" | "and");
        at = end + tokens.get(end..).into_iter().flatten().take_while(between).count();
    }
    (values.len() > 2).then(|| (end, json!(values)))
}

fn percent(tokens: &[Token]) -> Option<(usize, Value)> {
    let (length, text) = number(tokens)?;
    let sign = tokens.get(length).is_some_and(|token| matches!(token.lower.as_str(), "%" | "percent"));
    sign.then(|| (length + 1, json!(text)))
}

/// Returns a count in digits or words.
pub fn count(token: &Token) -> Option<u32> {
    let word = COUNTS.iter().position(|word| *word == token.lower).and_then(|at| u32::try_from(at + 1).ok());
    word.or_else(|| token.text.parse().ok().filter(|_| token.kind == Kind::Number))
}

/// Reads a date of one to four tokens, the longest first. A date whose day and month
/// could be the other way round is not read.
fn date(tokens: &[Token]) -> Vec<(usize, Value)> {
    let read = |length: usize| {
        let text: Vec<&str> = tokens.get(..length)?.iter().map(|token| token.text.as_str()).collect();
        let found = dates::scan(&text.join(" ").replace(" , ", ", "), None);
        let [found] = found.as_slice() else { return None };
        let whole = found.start == 0 && found.end + 1 >= text.join(" ").replace(" , ", ", ").len();
        (whole && !found.ambiguous).then(|| (length, json!(found.date.iso())))
    };
    (1..=4).rev().filter_map(read).take(1).collect()
}

/// Reads one of some names, the longest first: case, `_` and plural forms do not matter.
/// The value is the name as given.
pub fn longest<T: AsRef<str>>(names: &[T], tokens: &[Token]) -> Vec<(usize, Value)> {
    let mut found: Vec<(usize, Value)> = Vec::new();
    for name in names {
        let words = columns::name_words(name.as_ref());
        let length = spoken_length(&words, tokens);
        if let Some(length) = length.filter(|_| !words.is_empty()) {
            found.push((length, json!(name.as_ref())));
        }
    }
    found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    found
}

/// Returns how many tokens name the words; `unit_price` is one token of two words.
fn spoken_length(words: &[String], tokens: &[Token]) -> Option<usize> {
    let mut left = words;
    let mut length = 0;
    while !left.is_empty() {
        let words = columns::name_words(&tokens.get(length)?.text);
        let same = words.len() <= left.len() && words.iter().zip(left).all(|(a, b)| columns::same_word(a, b));
        if words.is_empty() || !same {
            return None;
        }
        left = left.get(words.len()..).unwrap_or_default();
        length += 1;
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::tokens;
    use crate::rows;

    #[test]
    fn common_kinds() {
        for (kind, text, expect) in
            rows::<(String, String, Option<(usize, Value)>)>(include_str!("../cases/slots.json"))
        {
            assert_eq!(Common.read(&kind, &tokens(&text)).into_iter().next(), expect, "{kind} {text}");
        }
    }

    #[test]
    fn names_are_read_whole() {
        let names = ["unit_price", "unit", "Order date"];
        let read = |text: &str| longest(&names, &tokens(text)).into_iter().next();
        assert_eq!(read("unit price by"), Some((2, json!("unit_price"))));
        assert_eq!(read("Units by"), Some((1, json!("unit"))));
        assert_eq!(read("order dates"), Some((2, json!("Order date"))));
        assert_eq!(read("price"), None);
    }
}
