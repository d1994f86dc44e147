//! `Amount`: an amount in a token's smallest unit.

use std::fmt;
use std::str::FromStr;

use tollbridge_core::excerpt::excerpt;

use crate::text::text_in_json;

/// Maximum number of characters of an invalid amount that an error message includes.
const SHOWN_CHARS: usize = 60;

/// An amount as a whole number of a token's smallest unit (`"10000"` is 0.01 USDC); a
/// decimal string in JSON.
///
/// Tokens use 256 bits; values above 128 bits are rejected, because no price is nearly
/// that large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(u128);

text_in_json!(Amount);

/// An error of parsing an amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum AmountError {
    #[error("`{0}` is not a whole number of smallest units; write it like \"10000\"")]
    Malformed(String),
    #[error("`{0}` does not fit into 128 bits")]
    TooLarge(String),
}

impl Amount {
    /// Creates an amount from a number of smallest units.
    pub const fn new(units: u128) -> Self {
        Self(units)
    }

    /// Returns the number of smallest units.
    pub const fn get(self) -> u128 {
        self.0
    }

    /// Returns whether the amount is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns the amount as the 32 bytes of a `uint256`.
    pub(crate) fn word(self) -> [u8; 32] {
        let mut word = [0; 32];
        word.split_at_mut(16).1.copy_from_slice(&self.0.to_be_bytes());
        word
    }
}

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shown = || excerpt(text, SHOWN_CHARS);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || (text.len() > 1 && text.starts_with('0')) {
            return Err(AmountError::Malformed(shown()));
        }
        text.parse().map(Self).map_err(|_| AmountError::TooLarge(shown()))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_whole_numbers_are_amounts() {
        for text in ["", "-1", "+1", "01", "1.0", "1e3", " 1", "0x10", "１"] {
            assert!(matches!(text.parse::<Amount>(), Err(AmountError::Malformed(_))), "{text}");
        }
        assert_eq!("0".parse(), Ok(Amount::new(0)));
        assert_eq!(u128::MAX.to_string().parse(), Ok(Amount::new(u128::MAX)));
        assert!(matches!(format!("{}0", u128::MAX).parse::<Amount>(), Err(AmountError::TooLarge(_))));
        assert!(serde_json::from_str::<Amount>("10000").is_err(), "a number was accepted instead of a string");
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(units: u128) {
            prop_assert_eq!(Amount::new(units).to_string().parse(), Ok(Amount::new(units)));
        }

        #[test]
        fn read_values_are_written_unchanged(text in "\\PC*") {
            if let Ok(amount) = text.parse::<Amount>() {
                prop_assert_eq!(amount.to_string(), text);
            }
        }
    }
}
