//! Values of known forms in a text, each with the place of its first character, and values
//! read as a kind. A form that can be read in two ways has no value.

use std::ops::Range;
use std::sync::LazyLock;

use agent_common::dates::{self, Order};
use agent_common::labels::Labels;
use agent_common::number_runs;
use agent_common::quantity::{self, Style};
use regex_lite::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::input::{DateOrder, Decimals, Input, Kind};

/// Most values that are listed.
const FOUND_MAX: usize = 2_000;

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExtractedValue {
    /// labelled, amount, date, url, email, phone, iban, card, name and so on.
    pub kind: String,
    /// The label before it.
    pub label: Option<String>,
    /// The value as written; a date as YYYY-MM-DD.
    pub value: Value,
    /// Place of its first character, from 0, in characters.
    pub start: usize,
}

/// A span of the bridge `pii_redaction`.
#[derive(Debug, Deserialize)]
pub struct Span {
    #[serde(rename = "type")]
    kind: String,
    start_byte: usize,
    end_byte: usize,
}

/// How the numbers and dates of a text are written.
#[derive(Debug, Clone, Copy)]
pub struct Writing {
    order: Option<Order>,
    style: Option<Style>,
    /// Some numbers have a decimal comma, others a decimal point.
    mixed: bool,
}

impl Writing {
    /// Returns what the input states, or the text shows.
    pub fn of(text: &str, input: &Input) -> Self {
        let words: Vec<&str> =
            text.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', ':', '(', ')'])).collect();
        let own = |style: Style| words.iter().any(|word| plain_number(word) && quantity::style(&[word]) == Some(style));
        let (point, comma) = (own(Style::Point), own(Style::Comma));
        let style = input.decimals.map(|decimals| match decimals {
            Decimals::Point => Style::Point,
            Decimals::Comma => Style::Comma,
        });
        let order = input.dates.map(|order| match order {
            DateOrder::DayFirst => Order::DayFirst,
            DateOrder::MonthFirst => Order::MonthFirst,
        });
        let slashed: Vec<&str> = words.iter().copied().filter(|word| word.contains('/')).collect();
        let shown = if comma && !point { Some(Style::Comma) } else { point.then_some(Style::Point) };
        Self {
            order: order.or_else(|| dates::order(&slashed)),
            mixed: style.is_none() && point && comma,
            style: style.or(shown),
        }
    }
}

/// Returns whether a word is a number with points or commas, and no date, version or address.
fn plain_number(word: &str) -> bool {
    let digits = word.trim_matches(|c: char| !c.is_ascii_digit());
    let parts: Vec<&str> = digits.split(['.', ',']).collect();
    let whole = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let groups = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
    let last = parts.last().map_or(0, |part| part.len());
    let one_sign = !(digits.contains('.') && digits.contains(','));
    whole
        && parts.len() > 1
        && groups.iter().all(|group| group.len() == 3)
        && (groups.is_empty() || !one_sign || last == 3)
}

static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let number = r"\d[\d.,'’\u{a0}\u{202f}]*(?: \d{3})*(?:[.,]\d+)?";
    let code = "(?:[A-Z]{1,2})?[£$€¥₹]|EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|INR|CNY|ZAR|NZD";
    Regex::new(&format!(r"(?:{code}) ?-?{number}|{number} ?(?:{code})")).ok()
});
static URL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"https?://[^\s<>"”)\]]+|www\.[^\s<>"”)\]]+"#).ok());
static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[^\s@<>,;:]+@[^\s@<>,;:]+\.[^\s@<>,;:]*[A-Za-z]$").ok());

/// Returns the labelled values, amounts, dates, links and personal data of a text, by place.
pub fn all(text: &str, labels: &Labels, spans: &[Span], writing: Writing) -> Vec<ExtractedValue> {
    let value = |kind: &str, start: usize, value: &str| ExtractedValue {
        kind: kind.to_owned(),
        label: None,
        value: json!(value),
        start: text.get(..start).map_or(0, |before| before.chars().count()),
    };
    let personal = spans
        .iter()
        .filter_map(|span| Some(value(&span.kind, span.start_byte, text.get(span.start_byte..span.end_byte)?)));
    let labelled = labels.values.iter().filter(|found| found.unclear.is_none()).filter_map(|found| {
        let content = found.value.as_str().filter(|content| !content.is_empty())?;
        Some(ExtractedValue { label: Some(found.label.clone()), ..value("labelled", found.start?, content) })
    });
    let day = |found: &dates::Found| {
        (!found.ambiguous || writing.order.is_some()).then(|| value("date", found.start, &found.date.iso()))
    };
    let days: Vec<_> = dates::scan(text, writing.order).iter().filter_map(day).collect();
    let matched = |kind: &'static str, regex: &Option<Regex>| {
        let found = regex.iter().flat_map(|regex| regex.find_iter(text));
        let trimmed = |found: &str| found.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']).to_owned();
        found.map(|found| value(kind, found.start(), &trimmed(found.as_str()))).collect::<Vec<_>>()
    };
    let mut found: Vec<ExtractedValue> = personal.chain(labelled).chain(days).collect();
    found.extend(matched("amount", &AMOUNT));
    found.extend(matched("url", &URL));
    found.sort_by_key(|value| value.start);
    found.truncate(FOUND_MAX);
    found
}

/// Returns why a list of all values of a kind could be incomplete or wrong.
pub fn doubt(text: &str, kind: Kind, spans: &[Span], writing: Writing) -> Option<String> {
    let covered = |from: usize, to: usize| spans.iter().any(|span| span.start_byte < to && from < span.end_byte);
    let first = |places: Vec<Range<usize>>| {
        let open =
            places.into_iter().filter(|place| !covered(place.start, place.end)).filter_map(|place| text.get(place));
        open.map(str::to_owned).find(|run| dates::scan(run, writing.order).is_empty())
    };
    match kind {
        Kind::Iban => first(number_runs::ibans(text))
            .map(|run| format!("`{run}` looks like an IBAN, but its check digits are wrong")),
        Kind::Phone => {
            let tax = spans.iter().filter(|span| span.kind == "phone").find_map(|span| {
                let before = text.get(..span.start_byte)?.trim_end();
                let letters = before.chars().rev().take_while(char::is_ascii_uppercase).count();
                (letters == 2).then(|| text.get(span.start_byte..span.end_byte).map(str::to_owned))?
            });
            let run = first(number_runs::digits(text, 7)).or(tax);
            run.map(|run| format!("`{run}` could be a phone number or another number"))
        }
        Kind::Email => {
            let at = text.match_indices('@').find(|(at, _)| {
                !covered(*at, *at + 1) && text.get(at + 1..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
            });
            at.filter(|(at, _)| text.get(..*at).is_some_and(|before| before.ends_with(char::is_alphanumeric)))
                .map(|_| "an `@` belongs to no e-mail address".to_owned())
        }
        Kind::Date => {
            let unclear = dates::scan(text, None).into_iter().find(|found| found.ambiguous && writing.order.is_none());
            unclear.and_then(|found| {
                Some(format!(
                    "`{}` can be two days; add `dates are day first` or `dates are month first`",
                    text.get(found.start..found.end)?
                ))
            })
        }
        Kind::Amount => {
            let all: Vec<_> = AMOUNT.iter().flat_map(|regex| regex.find_iter(text)).collect();
            let scales = ["million", "billion", "thousand", "m", "mn", "bn", "k", "mio", "tsd"];
            let scaled = all.iter().filter_map(|hit| text.get(hit.end()..)).any(|rest| {
                let word = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                rest.starts_with(char::is_alphabetic) || scales.contains(&word.to_lowercase().as_str())
            });
            let spoken = quantity::scan(text).iter().filter(|quantity| quantity.currency.is_some()).count();
            (scaled || spoken > all.len())
                .then(|| "some amounts of money are not digits with a currency sign or code".to_owned())
        }
        Kind::Url | Kind::Text | Kind::Number => None,
    }
}

/// Reads a labelled value as a kind.
///
/// # Errors
/// Why it has no value of this kind.
pub fn convert(value: &Value, kind: Kind, writing: Writing) -> Result<Value, String> {
    let Some(text) = value.as_str() else {
        let fits = matches!(kind, Kind::Text) || (kind == Kind::Number && value.is_number()) || value.is_null();
        return if fits { Ok(value.clone()) } else { convert(&json!(value.to_string()), kind, writing) };
    };
    let text = text.trim();
    let not = || format!("`{}` is no {}", text.chars().take(60).collect::<String>(), kind.name());
    let is = |regex: &Option<Regex>| {
        regex.as_ref().is_some_and(|regex| regex.find(text).is_some_and(|hit| hit.as_str() == text))
    };
    match kind {
        Kind::Text => Ok(json!(text)),
        Kind::Number => number(text, writing),
        Kind::Amount => quantity::read(text, writing.style).map(|_| json!(text)).ok_or_else(not),
        Kind::Date => dates::read(text, writing.order).map(|date| json!(date.iso())).ok_or_else(|| {
            let unclear = dates::scan(text, None).iter().any(|found| found.ambiguous);
            if unclear { format!("`{text}` can be two days; state the order of day and month") } else { not() }
        }),
        Kind::Email => is(&EMAIL).then(|| json!(text)).ok_or_else(not),
        Kind::Url => is(&URL).then(|| json!(text)).ok_or_else(not),
        Kind::Phone => {
            let digits = text.chars().filter(char::is_ascii_digit).count();
            let plain = text.chars().all(|c| c.is_ascii_digit() || "+()-./ ".contains(c));
            (plain && (5..=15).contains(&digits)).then(|| json!(text)).ok_or_else(not)
        }
        Kind::Iban => {
            is_iban(text).then(|| json!(text)).ok_or_else(|| format!("{}: its check digits are wrong", not()))
        }
    }
}

fn number(text: &str, writing: Writing) -> Result<Value, String> {
    let found = quantity::read(text, writing.style).filter(|found| !found.in_words);
    let found = found.ok_or_else(|| format!("`{}` is no single number", text.chars().take(60).collect::<String>()))?;
    let digits = text.get(found.start..found.end).unwrap_or(text);
    let core: String = digits.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let signs: Vec<char> = core.chars().filter(|c| !c.is_ascii_digit()).collect();
    let open = signs.len() == 1 && quantity::style(&[&core]).is_none();
    if open && (writing.mixed || (writing.style.is_none() && signs == ['.'])) {
        return Err(format!("`{text}` can be two numbers; state the decimal sign"));
    }
    let exact = serde_json::from_str::<Value>(&found.exact).ok().filter(Value::is_number);
    exact.ok_or_else(|| format!("`{text}` is no number"))
}

/// Returns whether a text is an IBAN by its check digits (ISO 7064 mod 97-10).
fn is_iban(text: &str) -> bool {
    let signs: Vec<u32> = text.chars().filter(|c| !matches!(c, ' ' | '-')).filter_map(|c| c.to_digit(36)).collect();
    let (head, tail) = signs.split_at_checked(4).unwrap_or_default();
    let rest = tail.iter().chain(head).fold(0, |rest, sign| (rest * if *sign > 9 { 100 } else { 10 } + sign) % 97);
    (15..=34).contains(&signs.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-'))
        && rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, value: &str, kind: Kind) -> String {
        match convert(&json!(value), kind, Writing::of(text, &Input::default())) {
            Ok(value) => value.to_string(),
            Err(reason) => format!("error: {reason}"),
        }
    }

    #[test]
    fn values_are_read_as_kinds() {
        let cases = [
            ("", "£1,234.50", Kind::Number, "1234.5"),
            ("", "17,655 kWh", Kind::Number, "17655"),
            ("3,50 and 1.200 EUR", "1.200 EUR", Kind::Number, "1200"),
            ("", "1.200", Kind::Number, "error: `1.200` can be two numbers; state the decimal sign"),
            ("3,50 and 1.25", "1,200", Kind::Number, "error: `1,200` can be two numbers; state the decimal sign"),
            ("", "2.784,60 EUR", Kind::Number, "2784.6"),
            ("", "see page 5", Kind::Number, "error: `see page 5` is no single number"),
            ("at 192.168.1.1 or v2.4.1", "1,234", Kind::Number, "1234"),
            ("", "GB7-44", Kind::Number, "error: `GB7-44` is no single number"),
            ("", "3 March 2026", Kind::Date, "\"2026-03-03\""),
            ("", "14.10.2024", Kind::Date, "\"2024-10-14\""),
            ("", "03/04/2024", Kind::Date, "error: `03/04/2024` can be two days; state the order of day and month"),
            ("paid 25/04/2024", "03/04/2024", Kind::Date, "\"2024-04-03\""),
            ("", "a@b.org", Kind::Email, "\"a@b.org\""),
            ("", "Jo <a@b.org>", Kind::Email, "error: `Jo <a@b.org>` is no email"),
            ("", "GB29 NWBK 6016 1331 9268 19", Kind::Iban, "\"GB29 NWBK 6016 1331 9268 19\""),
            (
                "",
                "GB30 NWBK 6016 1331 9268 19",
                Kind::Iban,
                "error: `GB30 NWBK 6016 1331 9268 19` is no iban: its check digits are wrong",
            ),
            ("", "+44 20 7946 0018", Kind::Phone, "\"+44 20 7946 0018\""),
            ("", "https://a.b/c?d=e", Kind::Url, "\"https://a.b/c?d=e\""),
        ];
        for (text, value, kind, expect) in cases {
            assert_eq!(shown(&format!("{text} {value}"), value, kind), expect, "{value}");
        }
    }
}
