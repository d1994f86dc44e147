//! `Millipence`: an exact amount in pounds sterling.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::excerpt::excerpt;

/// An amount in thousandths of a penny. Postings may have negative amounts.
///
/// Arithmetic is checked: an overflow is an error that the caller handles, never a
/// wrap-around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millipence(i64);

/// An error from parsing an amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ParseAmountError {
    #[error("`{0}` is not an amount in pounds; write it like \"0.30\"")]
    Malformed(String),
    #[error("`{0}` has a fraction of a penny; amounts are whole pence, like \"0.30\"")]
    PartPenny(String),
    #[error("`{0}` is larger than the largest amount, 1000000.00")]
    TooLarge(String),
}

/// Number of characters of an invalid text that an error shows: enough to find the text.
const SHOWN_CHARS: usize = 60;

/// The largest amount in pounds that can be parsed.
const POUNDS_MAX: i64 = 1_000_000;

impl Millipence {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from millipence.
    pub const fn new(millipence: i64) -> Self {
        Self(millipence)
    }

    /// Creates an amount from pence; `None` on overflow.
    pub const fn from_pence(pence: i64) -> Option<Self> {
        match pence.checked_mul(1000) {
            Some(value) => Some(Self(value)),
            None => None,
        }
    }

    /// The amount in millipence.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Whether the amount is negative.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether the amount is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The amount in whole pence, rounded down (towards minus infinity): the largest
    /// amount that may be shown or paid out.
    pub const fn pence_floor(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Adds two amounts; `None` on overflow.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(value) => Some(Self(value)),
            None => None,
        }
    }

    /// Subtracts an amount; `None` on overflow.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(value) => Some(Self(value)),
            None => None,
        }
    }

    /// Negates the amount; `None` on overflow.
    pub const fn checked_neg(self) -> Option<Self> {
        match self.0.checked_neg() {
            Some(value) => Some(Self(value)),
            None => None,
        }
    }

    /// Formats the amount as plain pounds, for example `0.30`: whole pence rounded
    /// down.
    pub fn pounds(self) -> String {
        let pence = self.pence_floor();
        let sign = if pence < 0 { "-" } else { "" };
        let pence = pence.unsigned_abs();
        format!("{sign}{}.{:02}", pence / 100, pence % 100)
    }

    /// Formats the amount as the API prints balances, for example `£12.34`.
    pub fn display_gbp(self) -> String {
        let pounds = self.pounds();
        match pounds.strip_prefix('-') {
            Some(rest) => format!("-£{rest}"),
            None => format!("£{pounds}"),
        }
    }
}

impl fmt::Display for Millipence {
    /// Formats the amount as `£0.30`, with further digits as needed: `£0.305`,
    /// `£0.94802`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let rest = self.0.unsigned_abs();
        let digits = format!("{:05}", rest % 100_000);
        let (pence, millipence) = digits.split_at(2);
        write!(f, "{sign}£{}.{pence}{}", rest / 100_000, millipence.trim_end_matches('0'))
    }
}

impl FromStr for Millipence {
    type Err = ParseAmountError;

    /// Parses pounds with at most two decimals: `0.3`, `0.30`, `12`, `£5.00`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || ParseAmountError::Malformed(excerpt(text, SHOWN_CHARS));
        let plain = text.strip_prefix('£').unwrap_or(text);
        let (pounds, decimals) = plain.split_once('.').unwrap_or((plain, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(pounds) || !digits(decimals) {
            return Err(malformed());
        }
        let decimals = decimals.trim_end_matches('0');
        if decimals.len() > 2 {
            return Err(ParseAmountError::PartPenny(excerpt(text, SHOWN_CHARS)));
        }
        let too_large = || ParseAmountError::TooLarge(excerpt(text, SHOWN_CHARS));
        let pounds: i64 = pounds.parse().map_err(|_| too_large())?;
        if pounds > POUNDS_MAX {
            return Err(too_large());
        }
        let pence: i64 = format!("{decimals:0<2}").parse().map_err(|_| malformed())?;
        Self::from_pence(pounds * 100 + pence).ok_or_else(too_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_the_beginning_of_a_long_text() {
        for text in ["9".repeat(9_000), "x".repeat(9_000), format!("1.{}", "1".repeat(9_000))] {
            let message = text.parse::<Millipence>().unwrap_err().to_string();
            assert!(message.len() < 200 && message.contains('…'), "{message}");
        }
    }

    #[test]
    fn reads_and_prints_pounds() {
        for (text, millipence, pounds) in [
            ("0.30", 30_000, "0.30"),
            ("0.3", 30_000, "0.30"),
            ("12", 1_200_000, "12.00"),
            ("£5.00", 500_000, "5.00"),
            ("0.010", 1_000, "0.01"),
            ("1000000.00", 100_000_000_000, "1000000.00"),
        ] {
            let amount: Millipence = text.parse().unwrap();
            assert_eq!((amount.get(), amount.pounds().as_str()), (millipence, pounds), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_whole_pence() {
        for text in ["", ".", "1.", ".5", "0.305", "-1", "1e3", "1,00", "99999999999999999999", "1000000.01x", "£", "٣"]
        {
            assert!(text.parse::<Millipence>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn shows_less_never_more() {
        assert_eq!(Millipence::new(1_999).pounds(), "0.01");
        assert_eq!(Millipence::new(-1).pounds(), "-0.01");
        for (amount, text) in [
            (30_000, "£0.30"),
            (30_500, "£0.305"),
            (94_802, "£0.94802"),
            (-5, "-£0.00005"),
            (-100_000, "-£1.00"),
            (i64::MIN, "-£92233720368547.75808"),
        ] {
            assert_eq!(Millipence::new(amount).to_string(), text);
        }
        assert_eq!(Millipence::new(-250_000).display_gbp(), "-£2.50");
    }
}
