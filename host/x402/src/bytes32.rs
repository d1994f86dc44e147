//! 32-byte values: nonces of authorizations, and transaction hashes.

use std::fmt;
use std::str::FromStr;

use tollbridge_core::excerpt::excerpt;

use crate::text::{hex_bytes, text_in_json};

/// An error of parsing 32 bytes; contains the beginning of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not 32 bytes; write 0x and 64 hexadecimal digits")]
pub struct Bytes32Error(String);

/// A nonce chosen by the payer, which makes an authorization single-use. Unique per payer
/// and token, so payer, token and nonce together identify a payment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nonce([u8; 32]);

/// The hash of a transaction on a chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionHash([u8; 32]);

/// Implements creation, parsing and display as `0x` and 64 digits for a 32-byte type.
macro_rules! bytes32 {
    ($name:ident) => {
        text_in_json!($name);

        impl $name {
            /// Creates the value from its bytes.
            pub const fn new(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// Returns the bytes.
            pub const fn bytes(self) -> [u8; 32] {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = Bytes32Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                hex_bytes(text).map(Self).ok_or_else(|| Bytes32Error(excerpt(text, 80)))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "0x{}", hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

bytes32!(Nonce);
bytes32!(TransactionHash);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn written_values_are_read_back(bytes: [u8; 32]) {
            prop_assert_eq!(Nonce::new(bytes).to_string().parse(), Ok(Nonce::new(bytes)));
        }

        #[test]
        fn anything_else_is_refused(text in "(0x)?[0-9a-g]{0,70}") {
            let is_one = text.len() == 66 && text.starts_with("0x") && !text.contains('g');
            prop_assert_eq!(text.parse::<TransactionHash>().is_ok(), is_one);
        }
    }
}
