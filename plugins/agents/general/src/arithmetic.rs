//! Arithmetic with exact decimals: amounts, expressions and units.

use agent_common::exact::Exact;
use agent_common::lexer::{Kind, Token};
use agent_common::slots;
use serde_json::{Value, json};

/// Most digits behind the point of a result.
const DIGITS: u32 = 10;
/// Deepest parentheses of an expression.
const DEPTH_MAX: usize = 20;

/// An amount of money, or a number.
#[derive(Debug, Clone)]
pub struct Amount {
    pub value: Exact,
    pub currency: Option<String>,
}

impl Amount {
    /// Reads the value of a slot `amount`.
    pub fn of(slot: &Value) -> Option<Self> {
        let currency = slot.get(1)?.as_str().map(str::to_owned);
        Some(Self { value: Exact::read(slot.get(0)?.as_str()?)?, currency })
    }

    /// Returns another value in this currency, with at least two digits if it has a fraction.
    pub fn text(&self, value: Exact) -> String {
        let text = shown(value);
        let Some(currency) = &self.currency else { return text };
        let zero = if text.split_once('.').is_some_and(|(_, digits)| digits.len() == 1) { "0" } else { "" };
        let space = if currency.chars().all(char::is_alphabetic) { " " } else { "" };
        format!("{currency}{space}{text}{zero}")
    }
}

/// Reads an amount that begins with the first token: its length, and its number and currency.
pub fn amount(tokens: &[Token]) -> Option<(usize, Value)> {
    let currency = |token: &Token| {
        let is = matches!(token.lower.as_str(), "gbp" | "eur" | "usd" | "chf" | "jpy" | "£" | "€" | "$" | "¥");
        is.then(|| token.text.to_uppercase())
    };
    let before = tokens.first().and_then(currency);
    let start = usize::from(before.is_some());
    let (length, number) = slots::number(tokens.get(start..)?)?;
    let next = tokens.get(start + length);
    let after = next.and_then(currency).filter(|_| before.is_none());
    // `17 % of 340`: a percentage is no amount.
    if next.is_some_and(|token| matches!(token.lower.as_str(), "%" | "percent")) {
        return None;
    }
    let end = start + length + usize::from(after.is_some());
    Some((end, json!([number, before.or(after)])))
}

/// Returns a value with at most ten digits behind the point.
pub fn shown(value: Exact) -> String {
    value.rounded(DIGITS).text()
}

/// The signs and words of operators, by level: sums and products.
const OPERATORS: [&[(&str, char)]; 2] = [
    &[("+", '+'), ("plus", '+'), ("-", '-'), ("−", '-'), ("–", '-'), ("minus", '-')],
    &[
        ("*", '*'),
        ("×", '*'),
        ("x", '*'),
        ("times", '*'),
        ("multiplied by", '*'),
        ("/", '/'),
        ("÷", '/'),
        ("divided by", '/'),
    ],
];

/// Evaluates the longest expression at the beginning; none if it has no operator.
pub fn expression(tokens: &[Token]) -> Option<(usize, Exact)> {
    let (length, value) = terms(tokens, 0, 0)?;
    let numbers = tokens.iter().take(length).filter(|token| token.kind == Kind::Number).count();
    (numbers > 1).then_some((length, value))
}

/// Evaluates terms with the operators of a level between them.
fn terms(tokens: &[Token], level: usize, depth: usize) -> Option<(usize, Exact)> {
    let Some(operators) = OPERATORS.get(level) else { return factor(tokens, depth) };
    let (mut end, mut value) = terms(tokens, level + 1, depth)?;
    while let Some((length, sign)) = operator(tokens.get(end..)?, operators) {
        let (more, next) = terms(tokens.get(end + length..)?, level + 1, depth)?;
        value = match sign {
            '+' => value.plus(next)?,
            '-' => value.minus(next)?,
            '*' => value.times(next)?,
            _ => value.over(next)?,
        };
        end += length + more;
    }
    Some((end, value))
}

/// Reads an operator that an operand follows.
fn operator(tokens: &[Token], operators: &[(&str, char)]) -> Option<(usize, char)> {
    let is_operand = |token: &Token| token.kind == Kind::Number || matches!(token.text.as_str(), "(" | "-" | "−");
    operators.iter().find_map(|(words, sign)| {
        let length = words.split(' ').count();
        let (here, rest) = tokens.split_at_checked(length)?;
        let is = words.split(' ').eq(here.iter().map(|token| token.lower.as_str()));
        (is && rest.first().is_some_and(is_operand)).then_some((length, *sign))
    })
}

fn factor(tokens: &[Token], depth: usize) -> Option<(usize, Exact)> {
    if tokens.first()?.text == "(" {
        let inner = tokens.get(1..).filter(|_| depth < DEPTH_MAX)?;
        let (length, value) = terms(inner, 0, depth + 1)?;
        return (tokens.get(length + 1)?.text == ")").then_some((length + 2, value));
    }
    // `1/2` and `2024-05-01` are one token: only a plain number is a factor.
    let (length, number) = slots::number(tokens)?;
    Some((length, Exact::read(&number)?))
}

/// Units: their names, what they measure, their exact size, and what is added to a value before. Lengths are in
/// metres, masses in grams, times in seconds, temperatures in ninths of a kelvin.
const UNITS: [(&str, char, &str, &str); 24] = [
    ("mm millimetre millimeter", 'l', "0.001", "0"),
    ("cm centimetre centimeter", 'l', "0.01", "0"),
    ("m metre meter", 'l', "1", "0"),
    ("km kilometre kilometer", 'l', "1000", "0"),
    ("in inch inches", 'l', "0.0254", "0"),
    ("ft foot feet", 'l', "0.3048", "0"),
    ("yd yard", 'l', "0.9144", "0"),
    ("mi mile", 'l', "1609.344", "0"),
    ("nmi", 'l', "1852", "0"),
    ("mg milligram", 'm', "0.001", "0"),
    ("g gram", 'm', "1", "0"),
    ("kg kilogram", 'm', "1000", "0"),
    ("t tonne", 'm', "1000000", "0"),
    ("oz ounce", 'm', "28.349523125", "0"),
    ("lb lbs pound", 'm', "453.59237", "0"),
    ("st stone", 'm', "6350.29318", "0"),
    ("s second", 't', "1", "0"),
    ("min minute", 't', "60", "0"),
    ("h hour", 't', "3600", "0"),
    ("d day", 't', "86400", "0"),
    ("wk week", 't', "604800", "0"),
    ("c celsius", 'T', "9", "273.15"),
    ("f fahrenheit", 'T', "5", "459.67"),
    ("k kelvin", 'T', "9", "0"),
];

/// Returns what a unit measures, its size and its offset.
fn unit(name: &str) -> Option<(char, Exact, Exact)> {
    let lower = name.to_lowercase();
    let single = lower.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(&lower);
    let (_, kind, size, offset) =
        UNITS.iter().find(|(names, ..)| names.split(' ').any(|own| own == lower || own == single))?;
    Some((*kind, Exact::read(size)?, Exact::read(offset)?))
}

/// Reads the name of a unit that begins with the first token, and its length.
pub fn unit_name(tokens: &[Token]) -> Option<(usize, Value)> {
    let first = tokens.first()?;
    let skipped = usize::from(first.text == "°") + usize::from(matches!(first.lower.as_str(), "degree" | "degrees"));
    let token = tokens.get(skipped)?;
    unit(&token.text).filter(|(kind, ..)| skipped == 0 || *kind == 'T').map(|_| (skipped + 1, json!(token.text)))
}

/// Converts a value between two units of one kind, exactly as far as decimals can.
pub fn convert(value: Exact, from: &str, to: &str) -> Option<Exact> {
    let (kind, size, offset) = unit(from)?;
    let (_, other, zero) = unit(to).filter(|(other, ..)| *other == kind)?;
    value.plus(offset)?.times(size)?.over(other)?.minus(zero)
}
