//! A rate in percent, exact: an integer count of millionths of a percent.
//!
//! Invariant: between -100 and 100 percent, so that products with amounts stay
//! far inside 128 bits.

use std::fmt;

/// Millionths of a percent in one percent.
const SCALE: i64 = 1_000_000;
/// Decimals that [`SCALE`] can hold.
const DECIMALS: usize = 6;

/// A rate in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(i64);

impl Percent {
    /// No tax.
    pub const ZERO: Self = Self(0);

    /// Reads `8.1` or `-14`; at most six decimals, at most 100 either way.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !plain(whole) || !plain(fraction) || whole.len() > 3 || fraction.len() > DECIMALS {
            return None;
        }
        let millionths = whole
            .parse::<i64>()
            .ok()?
            .checked_mul(SCALE)?
            .checked_add(format!("{fraction:0<DECIMALS$}").parse().ok()?)?;
        (millionths <= 100 * SCALE).then_some(Self(if negative { -millionths } else { millionths }))
    }

    /// Both rates together, if that is still a rate.
    pub fn plus(self, other: Self) -> Option<Self> {
        let sum = self.0.checked_add(other.0)?;
        (sum.abs() <= 100 * SCALE).then_some(Self(sum))
    }

    /// Is this less than nothing, as in a region that is exempt from a national tax?
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// `amount × rate / 100`, rounded to a whole unit, halves away from zero.
    pub fn of(self, amount: i128) -> Option<i128> {
        ratio(amount, self.0.into(), 100 * i128::from(SCALE))
    }

    /// The tax inside an amount that includes tax at the rate `total`:
    /// `amount × rate / (100 + total)`, rounded as [`Self::of`] does.
    pub fn within(self, total: Self, amount: i128) -> Option<i128> {
        ratio(amount, self.0.into(), 100 * i128::from(SCALE) + i128::from(total.0))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0.abs() / SCALE, self.0.abs() % SCALE);
        let sign = if self.0 < 0 { "-" } else { "" };
        if fraction == 0 {
            return write!(f, "{sign}{whole}");
        }
        let digits = format!("{fraction:0DECIMALS$}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// `amount × over / under`, halves away from zero.
fn ratio(amount: i128, over: i128, under: i128) -> Option<i128> {
    if under <= 0 {
        return None;
    }
    let product = amount.checked_mul(over)?;
    let (quotient, rest) = (product.checked_div(under)?, product.checked_rem(under)?);
    let away = if rest.abs().checked_mul(2)? >= under { product.signum() } else { 0 };
    quotient.checked_add(away)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_and_writes_exactly() {
        for text in ["0", "20", "8.1", "9.975", "14.94", "-14", "100", "0.000001"] {
            assert_eq!(Percent::parse(text).map(|rate| rate.to_string()).as_deref(), Some(text));
        }
        for text in ["", "-", ".5", "5.", "1e3", "100.000001", "0.0000001", "٣", "1000", "+1"] {
            assert_eq!(Percent::parse(text), None, "{text}");
        }
    }

    #[test]
    fn rounds_halves_away_from_zero() {
        let check = |rate: &str, amount, expect| assert_eq!(Percent::parse(rate).unwrap().of(amount), Some(expect));
        check("20", 1000, 200);
        check("5", 10, 1); // 0.5
        check("5", -10, -1);
        check("5", 9, 0); // 0.45
        check("9.975", 10_000, 998); // 997.5
        let twenty = Percent::parse("20").unwrap();
        assert_eq!(twenty.within(twenty, 120), Some(20));
    }

    proptest! {
        #[test]
        fn rounding_is_within_half_a_unit(millionths in 0i64..=100_000_000, amount in -1_000_000_000_000_000i128..1_000_000_000_000_000) {
            let rate = Percent(millionths);
            let tax = rate.of(amount).unwrap();
            let error = tax * 100_000_000 - amount * i128::from(millionths);
            prop_assert!(error.abs() * 2 <= 100_000_000);
            prop_assert_eq!(rate.of(-amount), Some(-tax));
            prop_assert_eq!(Percent::parse(&rate.to_string()), Some(rate));
        }
    }
}
