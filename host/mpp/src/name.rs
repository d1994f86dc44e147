//! Names of payment methods and intents.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum length of a name.
const CHARS_MAX: usize = 64;

/// The name of a payment method: `stripe`, `evm`, `tempo`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Method(Cow<'static, str>);

/// The name of a payment intent, such as `charge`: one immediate payment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Intent(Cow<'static, str>);

/// A text that is not a valid name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum NameError {
    #[error("a payment method is at most 64 lower-case letters, digits, `-`, `_` and `:`, and begins with a letter")]
    Method,
    #[error("a payment intent is at most 64 letters, digits and `-`")]
    Intent,
}

impl Method {
    /// Method: cards and wallets through Stripe.
    pub const STRIPE: Self = Self(Cow::Borrowed("stripe"));
    /// Method: tokens on EVM chains.
    pub const EVM: Self = Self(Cow::Borrowed("evm"));
    /// Method: tokens on Tempo.
    pub const TEMPO: Self = Self(Cow::Borrowed("tempo"));
}

impl Intent {
    /// Intent: one immediate payment.
    pub const CHARGE: Self = Self(Cow::Borrowed("charge"));
}

/// Checks a method name. The draft allows only lower-case letters; its authors' libraries
/// accept more.
fn is_method(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_:".contains(&byte);
    text.len() <= CHARS_MAX && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(plain)
}

fn is_intent(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !text.is_empty() && text.len() <= CHARS_MAX && text.bytes().all(plain)
}

macro_rules! name {
    ($name:ident, $is_one:ident) => {
        impl $name {
            /// Returns the name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $is_one(text).then(|| Self(Cow::Owned(text.to_owned()))).ok_or(NameError::$name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

name!(Method, is_method);
name!(Intent, is_intent);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for text in ["stripe", "tempo-v2", "vendor:method", "x402"] {
            assert!(text.parse::<Method>().is_ok(), "{text}");
        }
        for text in ["", "Stripe", "2x", "a b", "a|b", "é", &"a".repeat(65)] {
            assert!(text.parse::<Method>().is_err(), "{text}");
        }
        assert_eq!("charge".parse(), Ok(Intent::CHARGE));
        assert!("charge|".parse::<Intent>().is_err());
    }
}
