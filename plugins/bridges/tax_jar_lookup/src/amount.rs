//! Amounts of money as whole minor units (pence, cents), and as decimal text.
//!
//! Invariant: an [`Amount`] is at most [`MINOR_MAX`] minor units either way.

use std::fmt;

/// The largest amount, in minor units: more than any invoice, and far from the
/// limits of the arithmetic.
pub const MINOR_MAX: i64 = 1_000_000_000_000_000;

/// An amount in the minor units of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    minor: i128,
    /// Decimals of the currency: 2 for GBP, 0 for JPY, 3 for KWD.
    digits: usize,
}

impl Amount {
    /// An amount of `minor` units in a currency with `digits` decimals, if it is not too large.
    pub fn new(minor: i128, digits: usize) -> Option<Self> {
        (minor.unsigned_abs() <= MINOR_MAX.unsigned_abs().into() && digits <= 4).then_some(Self { minor, digits })
    }

    /// Reads decimal text such as `-12.5`. The error says what is wrong.
    pub fn parse(text: &str, digits: usize) -> Result<Self, String> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !plain(whole) || !plain(fraction) || rest.ends_with('.') {
            return Err("give a decimal number as text, for example \"19.99\"".into());
        }
        if fraction.len() > digits {
            return Err(format!("this currency has {digits} decimals, this amount has {}", fraction.len()));
        }
        let minor = format!("{whole}{fraction:0<digits$}").parse::<i128>().ok();
        let signed = minor.map(|minor| if negative { -minor } else { minor });
        signed.and_then(|minor| Self::new(minor, digits)).ok_or_else(too_large)
    }

    /// Whole minor units.
    pub fn minor(self) -> i128 {
        self.minor
    }

    /// Another amount of the same currency, if it is not too large. Sums of amounts are never more than
    /// three times the limit, so this refuses only what the caller made too large.
    pub fn with(self, minor: i128) -> Option<Self> {
        (minor.unsigned_abs() <= 3 * u128::from(MINOR_MAX.unsigned_abs()))
            .then_some(Self { minor, digits: self.digits })
    }
}

/// Why an amount is refused.
pub fn too_large() -> String {
    format!("at most {MINOR_MAX} minor units either way")
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:0width$}", self.minor.unsigned_abs(), width = self.digits + 1);
        let (whole, fraction) = text.split_at(text.len().saturating_sub(self.digits));
        let sign = if self.minor < 0 { "-" } else { "" };
        if fraction.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_decimal_text() {
        let check = |text: &str, digits, expect: Result<i128, &str>| {
            let got = Amount::parse(text, digits);
            match expect {
                Ok(minor) => assert_eq!(got.map(Amount::minor), Ok(minor), "{text}"),
                Err(part) => assert!(got.unwrap_err().contains(part), "{text}"),
            }
        };
        check("19.99", 2, Ok(1999));
        check("-19.9", 2, Ok(-1990));
        check("0", 2, Ok(0));
        check("100", 0, Ok(100));
        check("1.234", 3, Ok(1234));
        check("1.234", 2, Err("2 decimals"));
        for bad in ["", "-", ".5", "5.", "1,000", "1e3", "£5", "--1", "NaN"] {
            check(bad, 2, Err("decimal number"));
        }
        check("10000000000000.01", 2, Err("at most"));
        check(&"9".repeat(60), 2, Err("at most"));
    }

    proptest! {
        #[test]
        fn text_and_number_agree(minor in -MINOR_MAX..=MINOR_MAX, digits in 0usize..=4) {
            let amount = Amount::new(minor.into(), digits).unwrap();
            prop_assert_eq!(Amount::parse(&amount.to_string(), digits), Ok(amount));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*", digits in 0usize..=4) {
            let _ = Amount::parse(&text, digits);
        }
    }
}
