//! Amounts of money, exact: whole units of 1e-15.
//!
//! Invariant: what does not fit is none, never a wrong number.

/// Decimals of a unit.
const DECIMALS: usize = 15;
/// Decimals of an exchange rate.
const RATE_DECIMALS: usize = 6;
/// Millionths in a rate of 1.
const RATE_ONE: u128 = 1_000_000;

/// An amount in 1e-15 of a currency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub u128);

impl Amount {
    /// The sum, if it fits.
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// So many times this.
    pub fn times(self, count: u64) -> Option<Self> {
        self.0.checked_mul(count.into()).map(Self)
    }

    /// In another currency, rounded half up to a unit.
    pub fn at(self, rate: Rate) -> Option<Self> {
        let scaled = self.0.checked_mul(rate.0.into())?.checked_add(RATE_ONE / 2)?;
        Some(Self(scaled / RATE_ONE))
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unit = 10u128.pow(15);
        let (whole, fraction) = (self.0 / unit, self.0 % unit);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:0DECIMALS$}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// An exchange rate in millionths, above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(u64);

impl Rate {
    /// Reads `0.7634`: above 0, below 1,000, at most six decimals.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || whole.len() > 3 || fraction.len() > RATE_DECIMALS {
            return None;
        }
        let fraction: u64 = format!("{fraction:0<RATE_DECIMALS$}").parse().ok()?;
        let rate = whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(fraction)?;
        (rate > 0).then_some(Self(rate))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn writes_without_needless_zeros() {
        for (amount, expect) in [
            (0, "0"),
            (1, "0.000000000000001"),
            (2_500_000_000, "0.0000025"),
            (10u128.pow(15), "1"),
            (1_250_000_000_000_000, "1.25"),
        ] {
            assert_eq!(Amount(amount).to_string(), expect);
        }
    }

    #[test]
    fn rates_are_positive_decimals() {
        assert_eq!(Rate::parse("0.7634"), Some(Rate(763_400)));
        assert_eq!(Rate::parse("1"), Some(Rate(1_000_000)));
        for text in ["", "0", "0.000000", "-1", ".5", "1.", "1e3", "1000", "0.1234567", "٣"] {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
        assert_eq!(Amount(3).at(Rate(500_000)), Some(Amount(2)));
    }

    proptest! {
        #[test]
        fn a_rate_is_within_half_a_unit(amount in 0u128..1 << 90, rate in 1u64..1_000_000_000) {
            let converted = Amount(amount).at(Rate(rate)).unwrap();
            let exact = amount * u128::from(rate);
            prop_assert!((converted.0 * RATE_ONE).abs_diff(exact) <= RATE_ONE / 2);
        }
    }
}
