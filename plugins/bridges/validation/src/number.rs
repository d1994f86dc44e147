//! Numbers of JSON as exact decimals, so that 0.1 + 0.2 is 0.3 and 1 equals 1.0.
//!
//! Invariant: a value is `digits × 10^-SCALE`. Numbers that do not fit (more
//! than 18 decimals, or beyond about 10^20) are refused, never rounded.

use std::{cmp::Ordering, fmt};

use serde_json::{Number, Value};

/// Decimals kept.
const SCALE: usize = 18;

/// An exact decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decimal(i128);

impl Decimal {
    /// The number exactly as JSON writes it, if it fits.
    pub fn of(number: &Number) -> Option<Self> {
        Self::parse(&number.to_string())
    }

    /// The sum, if it fits.
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (negative, digits) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let exponent: i32 = exponent.parse().ok()?;
        // The number is `whole fraction` × 10^(exponent − decimals).
        let decimals = i32::try_from(fraction.len()).ok()?;
        let shift = i32::try_from(SCALE).ok()?.checked_add(exponent)?.checked_sub(decimals)?;
        let all = format!("{whole}{fraction}").parse::<i128>().ok()?;
        let ten = |power: i32| 10i128.checked_pow(u32::try_from(power).ok()?);
        let scaled = match shift {
            0.. => all.checked_mul(ten(shift)?)?,
            _ if all == 0 => 0,
            _ if all % ten(-shift)? == 0 => all / ten(-shift)?,
            _ => return None,
        };
        Some(Self(if negative { -scaled } else { scaled }))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:0width$}", self.0.unsigned_abs(), width = SCALE + 1);
        let (whole, fraction) = text.split_at(text.len().saturating_sub(SCALE));
        let (sign, fraction) = (if self.0 < 0 { "-" } else { "" }, fraction.trim_end_matches('0'));
        if fraction.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}

/// Which of two numbers is larger: exactly if both fit, else as doubles.
pub fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
        return Some(a.cmp(&b));
    }
    // As doubles, if both are what JSON wrote.
    if let (Some(a), Some(b)) = (double(a), double(b)) {
        return a.partial_cmp(&b);
    }
    match (Decimal::of(a), Decimal::of(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// The number as a double, unless it is an integer that a double may not hold.
fn double(number: &Number) -> Option<f64> {
    let exact = number.is_f64() || number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= 1 << 53);
    exact.then(|| number.as_f64()).flatten()
}

/// Is a number another one times a whole number? Exactly, as JSON writes both.
pub fn is_multiple(number: &Number, divisor: &Number) -> bool {
    match (number.as_i64(), divisor.as_i64()) {
        (Some(number), Some(divisor)) => divisor == 0 || number.checked_rem(divisor).is_none_or(|rest| rest == 0),
        _ => scientific(number).zip(scientific(divisor)).is_some_and(|(number, divisor)| divides(number, divisor)),
    }
}

/// Does `divisor` divide `number`? Each is digits and an exponent of ten.
fn divides((digits, exponent): (u64, i32), (by, by_exponent): (u64, i32)) -> bool {
    if digits == 0 || by == 0 {
        return true;
    }
    let (digits, by) = (u128::from(digits), u128::from(by));
    let shift = exponent.saturating_sub(by_exponent);
    if shift >= 0 {
        return (digits % by * power_of_ten(shift.unsigned_abs(), by)).is_multiple_of(by);
    }
    let scale = 10u128.checked_pow(shift.unsigned_abs()).and_then(|ten| by.checked_mul(ten));
    scale.is_some_and(|scale| digits.is_multiple_of(scale))
}

/// What 10^exponent leaves over when it is divided by `by`, which fits 64 bits.
fn power_of_ten(mut exponent: u32, by: u128) -> u128 {
    let (mut rest, mut square) = (1 % by, 10 % by);
    while exponent > 0 {
        if exponent % 2 == 1 {
            rest = rest * square % by;
        }
        square = square * square % by;
        exponent /= 2;
    }
    rest
}

/// The digits of a number and the exponent of ten of their last, without its sign.
fn scientific(number: &Number) -> Option<(u64, i32)> {
    let text = number.to_string();
    let text = text.trim_start_matches('-');
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    // A large double is written with zeros behind what it holds.
    let plain = digits.trim_end_matches('0');
    let zeros = i32::try_from(digits.len().checked_sub(plain.len())?).ok()?;
    let decimals = i32::try_from(fraction.len()).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_add(zeros)?.checked_sub(decimals)?;
    Some((if plain.is_empty() { 0 } else { plain.parse().ok()? }, exponent))
}

/// Are two values the same? Numbers by value (1 is 1.0), objects without order.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// A text that is the same for values that are the same, to find repeats
/// without comparing each with each.
pub fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => Decimal::of(number)
            .map_or_else(|| format!("f{:?}", number.as_f64()), |Decimal(digits)| format!("d{digits}")),
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut parts: Vec<String> =
                members.iter().map(|(name, value)| format!("{}:{}", Value::String(name.clone()), key(value))).collect();
            parts.sort_unstable();
            format!("{{{}}}", parts.join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn decimal(text: &str) -> Option<Decimal> {
        serde_json::from_str::<Number>(text).ok().and_then(|number| Decimal::of(&number))
    }

    #[test]
    fn exact_or_refused() {
        assert_eq!(decimal("0.1").unwrap().plus(decimal("0.2").unwrap()), decimal("0.3"));
        assert_eq!(decimal("1e2"), decimal("100"));
        assert_eq!(decimal("-0.0"), decimal("0"));
        assert_eq!(decimal("1.5e-3"), decimal("0.0015"));
        for text in ["1e300", "1e-300", "5e-324", "1e21"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn compares_across_kinds() {
        let check = |a: Value, b: Value, expect| assert_eq!(same(&a, &b), expect, "{a} {b}");
        check(json!(1), json!(1.0), true);
        check(json!(9_007_199_254_740_993u64), json!(9_007_199_254_740_992u64), false);
        check(json!({"a": [1, {"b": 2.50}]}), json!({"a": [1.0, {"b": 2.5}]}), true);
        check(json!([1]), json!([1, 1]), false);
        check(json!("1"), json!(1), false);
        check(json!(1e300), json!(1e300), true);
    }

    #[test]
    fn multiples_are_exact() {
        let check = |number: &str, divisor: &str, expect| {
            let parse = |text: &str| serde_json::from_str::<Number>(text).unwrap();
            assert_eq!(is_multiple(&parse(number), &parse(divisor)), expect, "{number} {divisor}");
        };
        check("19.99", "0.01", true);
        check("4.02", "0.01", true);
        check("0.3", "0.1", true);
        check("0.35", "0.1", false);
        check("-7.5", "2.5", true);
        check("0", "0.3", true);
        check("0.0075", "0.0001", true);
        check("0.00751", "0.0001", false);
        check("1e308", "0.123456789", false);
        check("1e308", "0.5", true);
        check("7e300", "7e-300", true);
        check("7e300", "18446744073709551557", false);
        check("1e-300", "0.5", false);
        check("5e-324", "5e-324", true);
        check("12345678901234567890123", "0.5", true);
        check("18446744073709551615", "5", true);
        check("18446744073709551615", "2", false);
        check("-9223372036854775808", "-1", true);
        check("1.0", "1", true);
        check("1.5", "1e20", false);
        check("100", "1e2", true);
    }

    #[test]
    fn bounds_beyond_doubles_are_exact() {
        let check = |a: Value, b: Value, expect| {
            assert_eq!(a.as_number().and_then(|a| compare(a, b.as_number()?)), Some(expect), "{a} {b}");
        };
        check(json!(9_007_199_254_740_992u64), json!(9_007_199_254_740_993u64), Ordering::Less);
        check(json!(u64::MAX), json!(-1), Ordering::Greater);
        check(json!(0.1), json!(0), Ordering::Greater);
        check(json!(-0.0), json!(0), Ordering::Equal);
        check(json!(9_007_199_254_740_993i64), json!(9_007_199_254_740_992.0), Ordering::Greater);
        check(json!(1e300), json!(i64::MAX), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn any_number_is_a_multiple_of_itself_and_of_what_made_it(a: f64, b in 1i64..1_000_000, c in -1_000_000i64..1_000_000) {
            let number = |value: Value| value.as_number().cloned();
            if let Some(a) = number(json!(a)) {
                prop_assert!(is_multiple(&a, &a));
            }
            if let (Some(cents), Some(product)) = (serde_json::from_str(&format!("{}.{:02}", b / 100, b % 100)).ok(), serde_json::from_str(&format!("{}{}.{:02}", if c < 0 { "-" } else { "" }, (b * c.abs()) / 100, (b * c.abs()) % 100)).ok()) {
                prop_assert!(is_multiple(&product, &cents), "{} {}", product, cents);
            }
        }

        #[test]
        fn integers_compare_as_integers(a: i64, b: i64) {
            prop_assert_eq!(compare(&a.into(), &b.into()), Some(a.cmp(&b)));
        }

        #[test]
        fn any_double_is_taken(a: f64, b: f64) {
            let (a, b) = (json!(a), json!(b));
            prop_assert_eq!(same(&a, &b), key(&a) == key(&b));
        }
    }
}
