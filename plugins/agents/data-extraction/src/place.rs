//! Values by their form in a text: each with its raw text and place.

use agent_common::dates;
use agent_common::exact::Exact;
use agent_common::quantity;
use serde_json::{Value, json};

use crate::sort::Sort;

/// A value and where it stands, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub value: Value,
    pub start: usize,
    pub end: usize,
}

/// An exact number of JSON.
pub fn number(exact: &str) -> Option<Value> {
    let exact = Exact::read(exact)?;
    if exact.is_whole() {
        exact.text().parse::<i64>().ok().map(Value::from)
    } else {
        serde_json::Number::from_f64(exact.number()).map(Value::Number)
    }
}

/// Whether a raw value is a few words.
pub(crate) fn is_short(raw: &str) -> bool {
    raw.split_whitespace().count() <= 6
}

/// All values of a kind in a text, in order.
pub fn all(text: &str, sort: Sort) -> Vec<Place> {
    match sort {
        Sort::Day => dates::scan(text, None)
            .into_iter()
            .map(|day| Place { value: json!(day.date.iso()), start: day.start, end: day.end })
            .collect(),
        Sort::Amount | Sort::Count => numbers(text)
            .into_iter()
            .filter(|q| sort == Sort::Count || !q.percent)
            .filter_map(|q| Some(Place { value: number(&q.exact)?, start: q.start, end: q.end }))
            .collect(),
        Sort::Percent => numbers(text)
            .into_iter()
            .filter(|q| q.percent)
            .filter_map(|q| Some(Place { value: number(&q.exact)?, start: q.start, end: q.end }))
            .collect(),
        Sort::Phone => phones(text),
        Sort::Iban => ibans(text),
        Sort::Email | Sort::Url | Sort::Hashtag | Sort::Mention | Sort::Time | Sort::Postcode | Sort::Code => {
            words(text)
                .into_iter()
                .filter(|(_, word)| fits(word, sort))
                .map(|(start, word)| Place { value: json!(word), start, end: start + word.len() })
                .collect()
        }
        Sort::Name | Sort::Text => Vec::new(),
    }
}

/// Amounts of money: with a sign or code of currency.
pub fn money(text: &str) -> Vec<Place> {
    numbers(text)
        .into_iter()
        .filter(|q| q.currency.is_some())
        .filter_map(|q| Some(Place { value: number(&q.exact)?, start: q.start, end: q.end }))
        .collect()
}

fn numbers(text: &str) -> Vec<quantity::Quantity> {
    let days = dates::scan(text, None);
    let outside = |q: &quantity::Quantity| !q.ordinal && !days.iter().any(|day| day.start < q.end && q.start < day.end);
    // `1 May` and `May 1` are days even without their year.
    let month = |word: Option<&str>| {
        word.is_some_and(|word| word.len() > 2 && dates::month(&word.trim_matches(['.', ',']).to_lowercase()).is_some())
    };
    let dated = |q: &quantity::Quantity| {
        let (before, after) = (text.get(..q.start).unwrap_or_default(), text.get(q.end..).unwrap_or_default());
        month(after.split_whitespace().next())
            || (before.ends_with(' ') && month(before.split_whitespace().next_back()))
    };
    quantity::scan(text).into_iter().filter(|q| outside(q) && (q.currency.is_some() || !dated(q))).collect()
}

/// Words between spaces without the signs around them.
pub fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let apart = c.is_whitespace() || "()[]<>\"“”„«»|;".contains(c);
        match (apart, open) {
            (true, Some(start)) => {
                let raw = text.get(start..at).unwrap_or_default();
                let front = raw.len() - raw.trim_start_matches(['\'', ',', '.', ':', '=']).len();
                let word = raw.get(front..).unwrap_or_default().trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
                if !word.is_empty() {
                    found.push((start + front, word));
                }
                open = None;
            }
            (false, None) => open = Some(at),
            _ => {}
        }
    }
    found
}

fn fits(word: &str, sort: Sort) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    match sort {
        Sort::Email => word
            .split_once('@')
            .is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.') && !domain.ends_with('.')),
        Sort::Url => word.starts_with("http://") || word.starts_with("https://") || word.starts_with("www."),
        Sort::Hashtag => word.strip_prefix('#').is_some_and(|rest| {
            rest.chars().all(|c| c.is_alphanumeric() || c == '_') && rest.chars().any(char::is_alphabetic)
        }),
        Sort::Mention => word
            .strip_prefix('@')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_alphanumeric() || "_.".contains(c))),
        Sort::Time => {
            let mut parts = word.split([':', 'h']);
            let part = |text: Option<&str>, most: u32| {
                text.is_some_and(|text| (1..=2).contains(&text.len()) && text.parse::<u32>().is_ok_and(|n| n <= most))
            };
            word.contains(':') && part(parts.next(), 24) && part(parts.next(), 59)
        }
        Sort::Postcode => (4..=6).contains(&digits) && digits == word.len(),
        Sort::Code => {
            digits > 0
                && word.chars().all(|c| c.is_alphanumeric() || "-/._#".contains(c))
                && dates::read(word, None).is_none()
        }
        _ => false,
    }
}

/// Runs of digits, spaces and signs of phones with six digits at least that begin with `+`, `0` or `(`, or have groups.
fn phones(text: &str) -> Vec<Place> {
    let mut found = Vec::new();
    let days = dates::scan(text, None);
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let opens = (c == '+' || c == '(' || c.is_ascii_digit())
            && !before.is_some_and(|c| c.is_alphanumeric() || "-/.,".contains(c));
        if !opens {
            at += c.len_utf8();
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let len = rest.find(|c: char| !(c.is_ascii_digit() || "+ ()-/.\u{a0}".contains(c))).unwrap_or(rest.len());
        let raw = rest.get(..len).unwrap_or_default().trim_end_matches([' ', '-', '/', '.', '(', '\u{a0}']);
        let digits = raw.bytes().filter(u8::is_ascii_digit).count();
        let groups = raw.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
        let day = days.iter().any(|day| day.start < at + raw.len() && at < day.end);
        let letters = rest.get(raw.len()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        if (7..=15).contains(&digits)
            && !day
            && !letters
            && (raw.starts_with(['+', '0', '(']) || groups > 1)
            && !raw.contains(". ")
        {
            found.push(Place { value: json!(raw), start: at, end: at + raw.len() });
        }
        at += len.max(c.len_utf8());
    }
    found
}

fn ibans(text: &str) -> Vec<Place> {
    let mut found = Vec::new();
    for (start, word) in words(text) {
        let head = word.len() >= 4
            && word.is_char_boundary(4)
            && word.get(..2).is_some_and(|code| code.bytes().all(|b| b.is_ascii_uppercase()))
            && word.get(2..4).is_some_and(|check| check.bytes().all(|b| b.is_ascii_digit()));
        if !head {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let len =
            rest.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ')).unwrap_or(rest.len());
        let mut raw = rest.get(..len).unwrap_or_default().trim_end();
        // A word of letters behind it is no part of it.
        while let Some((head, tail)) = raw.rsplit_once(' ') {
            if tail.bytes().any(|byte| byte.is_ascii_digit()) {
                break;
            }
            raw = head.trim_end();
        }
        let size = raw.chars().filter(|c| !c.is_whitespace()).count();
        if (15..=34).contains(&size) {
            found.push(Place { value: json!(raw), start, end: start + raw.len() });
        }
    }
    found
}
