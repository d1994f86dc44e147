//! Values of known forms in a text, each with the place of its first character, and values
//! read as a kind. A form that can be read in two ways has no value.

use std::ops::Range;

use agent_common::dates::{self, Order};
use agent_common::formats::Format;
use agent_common::labels::Labels;
use agent_common::quantity::{self, Style};
use agent_common::{number_runs, patterns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::input::{DateOrder, Decimals, Input, Kind};

/// Most values that are listed.
const FOUND_MAX: usize = 2_000;
/// Marks that end a sentence and not a link or amount before them.
const ENDS: [char; 7] = ['.', ',', ';', ':', '!', '?', '\''];

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

/// A number with points or commas that is no date, version or address.
const PLAIN_NUMBER: &str = r"^\D*\d+(?:[.,]\d+|(?:,\d{3})+\.\d+|(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}|(?:,\d{3}){2,})\D*$";

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
        let numbers: Vec<&str> = words.iter().copied().filter(|word| patterns::is_match(PLAIN_NUMBER, word)).collect();
        let has = |style: Style| numbers.iter().any(|number| quantity::style(&[number]) == Some(style));
        let (point, comma) = (has(Style::Point), has(Style::Comma));
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

/// A web address.
const URL: &str = r#"https?://[^\s<>"”)\]]+|www\.[^\s<>"”)\]]+"#;

/// Returns the places of amounts of money: digits with a currency sign or code.
fn amounts(text: &str) -> Vec<Range<usize>> {
    let number = r"\d[\d.,'’\u{a0}\u{202f}]*(?: \d{3})*(?:[.,]\d+)?";
    let code = "(?:[A-Z]{1,2})?[£$€¥₹]|EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|INR|CNY|ZAR|NZD";
    places(&format!(r"(?:{code}) ?-?{number}|{number} ?(?:{code})"), text)
}

fn places(pattern: &str, text: &str) -> Vec<Range<usize>> {
    let regex = patterns::compiled(pattern);
    regex.iter().flat_map(|regex| regex.find_iter(text)).map(|hit| hit.range()).collect()
}

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
    let matched = |kind: &str, places: Vec<Range<usize>>| -> Vec<ExtractedValue> {
        let trimmed = |place: Range<usize>| text.get(place).map(|hit| hit.trim_end_matches(ENDS)).unwrap_or_default();
        places.into_iter().map(|place| value(kind, place.start, trimmed(place))).collect()
    };
    let mut found: Vec<ExtractedValue> = personal.chain(labelled).chain(days).collect();
    found.extend(matched("amount", amounts(text)));
    found.extend(matched("url", places(URL, text)));
    found.sort_by_key(|value| value.start);
    found.truncate(FOUND_MAX);
    found
}

/// Returns why a list of all values of a kind could be incomplete or wrong.
pub fn doubt(text: &str, kind: Kind, spans: &[Span], writing: Writing) -> Option<String> {
    let covered = |from: usize, to: usize| spans.iter().any(|span| span.start_byte < to && from < span.end_byte);
    let first = |places: Vec<Range<usize>>| {
        let open = places.into_iter().filter(|place| !covered(place.start, place.end));
        let mut runs = open.filter_map(|place| text.get(place));
        runs.find(|run| dates::scan(run, writing.order).is_empty())
    };
    match kind {
        Kind::Iban => first(number_runs::ibans(text))
            .map(|run| format!("`{run}` looks like an IBAN, but its check digits are wrong")),
        Kind::Phone => {
            // Two capital letters before a number make it a tax number.
            let is_tax = |span: &&Span| {
                let before = text.get(..span.start_byte).unwrap_or_default().trim_end();
                span.kind == "phone" && before.chars().rev().take_while(char::is_ascii_uppercase).count() == 2
            };
            let tax = spans.iter().find(is_tax).and_then(|span| text.get(span.start_byte..span.end_byte));
            let run = first(number_runs::digits(text, 7)).or(tax);
            run.map(|run| format!("`{run}` could be a phone number or another number"))
        }
        Kind::Email => {
            let is_open = |at: usize| {
                let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
                !covered(at, at + 1)
                    && before.ends_with(char::is_alphanumeric)
                    && after.starts_with(char::is_alphanumeric)
            };
            let open = text.match_indices('@').any(|(at, _)| is_open(at));
            open.then(|| "an `@` belongs to no e-mail address".to_owned())
        }
        Kind::Date if writing.order.is_none() => {
            let unclear = dates::scan(text, None).into_iter().find(|found| found.ambiguous)?;
            let shown = text.get(unclear.start..unclear.end)?;
            Some(format!("`{shown}` can be two days; add `dates are day first` or `dates are month first`"))
        }
        Kind::Amount => {
            let all = amounts(text);
            let scales = ["million", "billion", "thousand", "m", "mn", "bn", "k", "mio", "tsd"];
            let scaled = all.iter().filter_map(|hit| text.get(hit.end..)).any(|rest| {
                let word = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                rest.starts_with(char::is_alphabetic) || scales.contains(&word.to_lowercase().as_str())
            });
            let spoken = quantity::scan(text).iter().filter(|quantity| quantity.currency.is_some()).count();
            (scaled || spoken > all.len())
                .then(|| "some amounts of money are not digits with a currency sign or code".to_owned())
        }
        _ => None,
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
    let same = |fits: bool| fits.then(|| json!(text)).ok_or_else(not);
    match kind {
        Kind::Text => Ok(json!(text)),
        Kind::Number => number(text, writing),
        Kind::Amount => same(quantity::read(text, writing.style).is_some()),
        Kind::Date => dates::read(text, writing.order).map(|date| json!(date.iso())).ok_or_else(|| {
            let unclear = dates::scan(text, None).iter().any(|found| found.ambiguous);
            if unclear { format!("`{text}` can be two days; state the order of day and month") } else { not() }
        }),
        Kind::Email => same(Format::Email.fits(text, None)),
        Kind::Url => same(patterns::is_match(&format!("^(?:{URL})$"), text)),
        Kind::Phone => same(Format::Phone.fits(text, None)),
        Kind::Iban => same(Format::Iban.fits(&text.replace('-', " "), None))
            .map_err(|reason| format!("{reason}: its check digits are wrong")),
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
