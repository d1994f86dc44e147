//! Arithmetic with exact decimals: percentages, sums, means, expressions and units.

use agent_common::exact::Exact;
use agent_common::lexer::{Kind, Token};
use agent_common::slots;

/// Most digits behind the point of a result.
const DIGITS: u32 = 10;

/// An amount of money, or a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    pub value: Exact,
    pub currency: Option<String>,
}

/// Reads an amount that begins with the first token, and its length.
pub fn amount(tokens: &[Token]) -> Option<(usize, Amount)> {
    let currency = |token: &Token| {
        let code = matches!(token.lower.as_str(), "gbp" | "eur" | "usd" | "chf" | "jpy");
        (code || matches!(token.text.as_str(), "£" | "€" | "$" | "¥")).then(|| token.text.to_uppercase())
    };
    let before = tokens.first().and_then(currency);
    let start = usize::from(before.is_some());
    let (length, number) = slots::number(tokens.get(start..)?)?;
    let after = tokens.get(start + length).and_then(currency).filter(|_| before.is_none());
    // `17 % of 340`: a percentage is no amount.
    if tokens.get(start + length).is_some_and(|token| matches!(token.lower.as_str(), "%" | "percent")) {
        return None;
    }
    let end = start + length + usize::from(after.is_some());
    Some((end, Amount { value: Exact::read(&number)?, currency: before.or(after) }))
}

/// Returns a value with at most ten digits behind the point.
pub fn shown(value: Exact) -> String {
    value.rounded(DIGITS).text()
}

/// Evaluates tokens as an expression; the length is that of the longest expression at the
/// beginning that has an operator.
pub fn expression(tokens: &[Token]) -> Option<(usize, Exact)> {
    let mut reader = Reader { tokens, at: 0, operators: 0 };
    let value = reader.sum(0)?;
    (reader.operators > 0).then_some((reader.at, value))
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    operators: usize,
}

impl Reader<'_> {
    fn operator(&mut self, signs: &[(&str, char)]) -> Option<char> {
        let here = self.tokens.get(self.at..)?;
        let fits = |words: &str| {
            words.split(' ').enumerate().all(|(at, word)| here.get(at).is_some_and(|token| token.lower == word))
        };
        let (words, sign) = signs.iter().find(|(words, _)| fits(words))?;
        let after = self.at + words.split(' ').count();
        let operand = self
            .tokens
            .get(after)
            .is_some_and(|token| token.kind == Kind::Number || matches!(token.text.as_str(), "(" | "-" | "−"));
        operand.then(|| {
            self.at = after;
            self.operators += 1;
            *sign
        })
    }

    fn sum(&mut self, depth: usize) -> Option<Exact> {
        let mut value = self.product(depth)?;
        while let Some(sign) =
            self.operator(&[("+", '+'), ("plus", '+'), ("-", '-'), ("−", '-'), ("–", '-'), ("minus", '-')])
        {
            let next = self.product(depth)?;
            value = if sign == '+' { value.plus(next)? } else { value.minus(next)? };
        }
        Some(value)
    }

    fn product(&mut self, depth: usize) -> Option<Exact> {
        let mut value = self.factor(depth)?;
        let signs = [
            ("*", '*'),
            ("×", '*'),
            ("x", '*'),
            ("times", '*'),
            ("multiplied by", '*'),
            ("/", '/'),
            ("÷", '/'),
            ("divided by", '/'),
        ];
        while let Some(sign) = self.operator(&signs) {
            let next = self.factor(depth)?;
            value = if sign == '*' { value.times(next)? } else { value.over(next)? };
        }
        Some(value)
    }

    fn factor(&mut self, depth: usize) -> Option<Exact> {
        let token = self.tokens.get(self.at)?;
        if token.text == "(" {
            self.at += 1;
            let value = if depth < 20 { self.sum(depth + 1)? } else { return None };
            let closed = self.tokens.get(self.at).is_some_and(|token| token.text == ")");
            self.at += 1;
            return closed.then_some(value);
        }
        // `1/2` and `2024-05-01` are one token: only a plain number is a factor.
        let (length, number) = slots::number(self.tokens.get(self.at..)?)?;
        self.at += length;
        Exact::read(&number)
    }
}

/// A unit: what it measures, and its exact size in the base unit.
struct Unit {
    names: &'static str,
    kind: char,
    size: &'static str,
}

/// Lengths in metres, masses in grams, times in seconds. Temperatures have no size.
const UNITS: [Unit; 24] = [
    Unit { names: "mm millimetre millimeter", kind: 'l', size: "0.001" },
    Unit { names: "cm centimetre centimeter", kind: 'l', size: "0.01" },
    Unit { names: "m metre meter", kind: 'l', size: "1" },
    Unit { names: "km kilometre kilometer", kind: 'l', size: "1000" },
    Unit { names: "in inch", kind: 'l', size: "0.0254" },
    Unit { names: "ft foot feet", kind: 'l', size: "0.3048" },
    Unit { names: "yd yard", kind: 'l', size: "0.9144" },
    Unit { names: "mi mile", kind: 'l', size: "1609.344" },
    Unit { names: "nmi", kind: 'l', size: "1852" },
    Unit { names: "mg milligram", kind: 'm', size: "0.001" },
    Unit { names: "g gram", kind: 'm', size: "1" },
    Unit { names: "kg kilogram", kind: 'm', size: "1000" },
    Unit { names: "t tonne", kind: 'm', size: "1000000" },
    Unit { names: "oz ounce", kind: 'm', size: "28.349523125" },
    Unit { names: "lb lbs pound", kind: 'm', size: "453.59237" },
    Unit { names: "st stone", kind: 'm', size: "6350.29318" },
    Unit { names: "s second", kind: 't', size: "1" },
    Unit { names: "min minute", kind: 't', size: "60" },
    Unit { names: "h hour", kind: 't', size: "3600" },
    Unit { names: "d day", kind: 't', size: "86400" },
    Unit { names: "wk week", kind: 't', size: "604800" },
    Unit { names: "c celsius", kind: 'C', size: "" },
    Unit { names: "f fahrenheit", kind: 'F', size: "" },
    Unit { names: "k kelvin", kind: 'K', size: "" },
];

fn unit(name: &str) -> Option<&'static Unit> {
    let lower = name.to_lowercase();
    let single = if lower == "inches" {
        "inch"
    } else {
        lower.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(&lower)
    };
    UNITS.iter().find(|unit| unit.names.split(' ').any(|own| own == lower || own == single))
}

/// Reads the name of a unit that begins with the first token, and its length.
pub fn unit_name(tokens: &[Token]) -> Option<(usize, String)> {
    let first = tokens.first()?;
    let skipped = usize::from(first.text == "°") + usize::from(matches!(first.lower.as_str(), "degree" | "degrees"));
    let token = tokens.get(skipped)?;
    unit(&token.text).filter(|unit| skipped == 0 || unit.size.is_empty()).map(|_| (skipped + 1, token.text.clone()))
}

/// Converts a value between two units of one kind, exactly as far as decimals can.
pub fn convert(value: Exact, from: &str, to: &str) -> Option<Exact> {
    let (from, to) = (unit(from)?, unit(to)?);
    if from.size.is_empty() || to.size.is_empty() {
        return temperature(value, from.kind, to.kind);
    }
    let same = from.kind == to.kind;
    value.times(Exact::read(from.size)?)?.over(Exact::read(to.size)?).filter(|_| same)
}

fn temperature(value: Exact, from: char, to: char) -> Option<Exact> {
    let [zero, offset, five, nine] = ["273.15", "32", "5", "9"].map(Exact::read);
    let celsius = match from {
        'C' => value,
        'F' => value.minus(offset?)?.times(five?)?.over(nine?)?,
        'K' => value.minus(zero?)?,
        _ => return None,
    };
    match to {
        'C' => Some(celsius),
        'F' => celsius.times(nine?)?.over(five?)?.plus(offset?),
        'K' => celsius.plus(zero?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use agent_common::lexer::tokens;

    use super::*;

    #[test]
    fn expressions_have_the_usual_order() {
        let value =
            |text: &str| expression(&tokens(text)).map(|(length, value)| (length == tokens(text).len(), shown(value)));
        let exact = |text: &str| Some((true, text.to_owned()));
        assert_eq!(value("2 + 3 * 4"), exact("14"));
        assert_eq!(value("(2 + 3) × 4 minus 1"), exact("19"));
        assert_eq!(value("0.1 + 0.2"), exact("0.3"));
        assert_eq!(value("10 divided by 4"), exact("2.5"));
        assert_eq!(value("1 / 3"), exact("0.3333333333"));
        assert_eq!(value("5 - -3"), exact("8"));
        for text in ["5", "1 / 0", "(1 + 2", "2024-05-01", "a + b", &"(".repeat(50)] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn units_are_exact() {
        let cases = [
            ("5", "miles", "km", "8.04672"),
            ("2.5", "hours", "minutes", "150"),
            ("10", "lb", "kg", "4.5359237"),
            ("98.6", "F", "Celsius", "37"),
            ("0", "kelvin", "C", "-273.15"),
            ("72", "inches", "feet", "6"),
            ("-40", "C", "F", "-40"),
        ];
        for (value, from, to, expect) in cases {
            assert_eq!(
                convert(Exact::read(value).unwrap(), from, to).map(shown),
                Some(expect.to_owned()),
                "{value} {from}"
            );
        }
        assert_eq!(convert(Exact::whole(1), "kg", "m"), None);
        assert_eq!(convert(Exact::whole(1), "C", "m"), None);
    }
}
