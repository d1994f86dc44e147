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
    match (Decimal::of(a), Decimal::of(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
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

    proptest! {
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
