//! Values of known forms in a text, each with the place of its first character.

use agent_common::{decimal::Decimal, words};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::input::Kind;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const CODES: [&str; 6] = ["GBP", "EUR", "USD", "CHF", "JPY", "CAD"];
const FOUND_MAX: usize = 2_000;

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExtractedValue {
    /// labelled, amount, date, url, email, phone, iban, card, name and so on.
    pub kind: String,
    /// The label before it.
    pub label: Option<String>,
    /// The value as it stands; a date as YYYY-MM-DD.
    pub value: Value,
    /// Place of its first character, from 0, in characters.
    pub start: usize,
}

/// Labelled lines, amounts, dates and addresses of the web.
pub fn all(text: &str) -> Vec<ExtractedValue> {
    let labelled = words::labelled(text).into_iter().map(|line| ExtractedValue {
        kind: "labelled".into(),
        label: Some(line.label.into()),
        value: json!(line.value),
        start: line.start,
    });
    let mut values: Vec<ExtractedValue> = labelled.collect();
    let tokens = tokens(text);
    for (at, (start, token)) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(at + n).map(|(_, token)| *token);
        let mut add = |kind: &str, value: Value| {
            values.push(ExtractedValue { kind: kind.into(), label: None, value, start: *start })
        };
        let three = || Some(format!("{token} {} {}", next(1)?, next(2)?));
        if token.starts_with("http://") || token.starts_with("https://") {
            add("url", json!(token));
        } else if let Some(day) = date(token).or_else(|| date(&three()?)) {
            add("date", json!(day));
        } else if token.starts_with(['£', '$', '€']) && amount(token).is_some() {
            add("amount", json!(token));
        } else if let Some(code) = next(1).filter(|code| CODES.contains(code) && amount(token).is_some()) {
            add("amount", json!(format!("{token} {code}")));
        } else if let Some(sum) = next(1).filter(|sum| CODES.contains(token) && amount(sum).is_some()) {
            add("amount", json!(format!("{token} {sum}")));
        }
    }
    values.truncate(FOUND_MAX);
    values
}

/// A labelled value as a kind; none where it is not of that kind.
pub fn convert(value: &Value, kind: Kind) -> Option<Value> {
    let text = value.as_str()?.trim();
    let first = || text.split_whitespace().next().unwrap_or_default();
    match kind {
        Kind::Text => Some(json!(text)),
        Kind::Number => amount(text).or_else(|| amount(first())).map(|number| json!(number.number())),
        Kind::Amount => text.bytes().any(|byte| byte.is_ascii_digit()).then(|| json!(text)),
        Kind::Date => date(text).or_else(|| date(first())).map(|day| json!(day)),
        Kind::Email => first().contains('@').then(|| json!(first())),
        Kind::Url => (first().starts_with("http") || first().starts_with("www.")).then(|| json!(first())),
        Kind::Phone | Kind::Iban => (text.bytes().filter(u8::is_ascii_digit).count() > 5).then(|| json!(text)),
    }
}

/// Words without the punctuation around them, and where they start.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let (mut characters, mut open) = (0, None::<(usize, usize)>);
    for (byte, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_whitespace() || "()[]<>\"".contains(c), open) {
            (true, Some((start, from))) => {
                let token = text.get(from..byte).unwrap_or_default().trim_end_matches(['.', ',', ';', ':', '!', '?']);
                if !token.is_empty() {
                    tokens.push((start, token));
                }
                open = None;
            }
            (false, None) => open = Some((characters, byte)),
            _ => {}
        }
        characters += 1;
    }
    tokens
}

/// `£1,234.50`: commas group three digits.
fn amount(text: &str) -> Option<Decimal> {
    let digits = text.trim().trim_start_matches(['£', '$', '€']);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let grouped = whole.contains(',') && whole.split(',').skip(1).any(|group| group.len() != 3);
    let point = if part.is_empty() { "" } else { "." };
    (!grouped).then(|| Decimal::read(&format!("{}{point}{part}", whole.replace(',', "")))).flatten()
}

/// A date as YYYY-MM-DD: `2026-01-31`, `31/1/2026`, `31 January 2026`, `January 31, 2026`.
fn date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(['-', '/', '.', ' ', ',']).filter(|part| !part.is_empty()).collect();
    let [a, b, c] = parts.as_slice() else { return None };
    let month = |name: &str| {
        MONTHS
            .iter()
            .position(|short| name.is_char_boundary(3) && name.len() > 2 && name.to_lowercase().starts_with(short))
            .map(|at| at + 1)
    };
    let number = |text: &str| text.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse::<usize>().ok();
    let (year, month, day) = match (month(a), month(b)) {
        (Some(month), _) => (number(c)?, month, number(b)?),
        (_, Some(month)) => (number(c)?, month, number(a)?),
        _ if text.contains(' ') => return None,
        _ if a.len() == 4 => (number(a)?, number(b)?, number(c)?),
        _ => (number(c)?, number(b)?, number(a)?),
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    ((1000..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days).contains(&day))
        .then(|| format!("{year}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart() {
        for (text, expect) in [
            ("2026-01-31", Some("2026-01-31")),
            ("31/1/2026", Some("2026-01-31")),
            ("3rd March 2026", Some("2026-03-03")),
            ("January 31, 2026", Some("2026-01-31")),
            ("29.2.2026", None),
            ("1.2.3", None),
            ("one two three", None),
        ] {
            assert_eq!(date(text).as_deref(), expect, "{text}");
        }
        let values = all("Né: due 3 March 2026, pay £1,234.50 or 12 EUR at https://a.b/c.");
        let kinds: Vec<(&str, usize)> = values.iter().map(|value| (value.kind.as_str(), value.start)).collect();
        assert_eq!(kinds, [("labelled", 4), ("date", 8), ("amount", 26), ("amount", 39), ("url", 49)]);
        assert_eq!(convert(&json!("£1,234.50 net"), Kind::Number), Some(json!(1234.5)));
        assert_eq!(convert(&json!("soon"), Kind::Date), None);
    }
}
