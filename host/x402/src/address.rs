//! `Address`: the address of an account or a contract on an EVM chain.

use std::fmt;
use std::str::FromStr;

use sha3::{Digest, Keccak256};
use tollbridge_core::excerpt::excerpt;

use crate::text::{hex_bytes, text_in_json};

/// Maximum number of characters of an invalid address that an error message includes.
const SHOWN_CHARS: usize = 60;

/// The 20-byte address of an account or contract; displayed with the EIP-55 checksum,
/// compared as bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address([u8; 20]);

text_in_json!(Address);

/// An error of parsing a configured address: the text is not an address that may receive
/// money.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum AddressError {
    #[error("`{0}` is not an address; write 0x and 40 hexadecimal digits")]
    Malformed(String),
    #[error(
        "the checksum of `{given}` is wrong: a digit is wrong, or it should be `{right}`; copy it again from its source"
    )]
    Checksum { given: String, right: Address },
    #[error("`{given}` has no checksum; if every digit is right, write it `{right}`")]
    NoChecksum { given: String, right: Address },
    #[error("the zero address has no owner")]
    Zero,
}

impl Address {
    /// Creates an address from its bytes.
    pub const fn new(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub const fn bytes(self) -> [u8; 20] {
        self.0
    }

    /// Parses an address from the operator's configuration. Because the address will
    /// receive money, it must have the EIP-55 checksum, which detects wrong digits.
    /// Addresses in protocol messages need no checksum; use `parse` for them.
    ///
    /// # Errors
    ///
    /// Fails if the text is not an address, has a wrong or missing checksum, or is all
    /// zeros.
    pub fn configured(text: &str) -> Result<Self, AddressError> {
        let right: Self = text.parse()?;
        if right.is_zero() {
            return Err(AddressError::Zero);
        }
        let written = right.to_string();
        if text == written {
            return Ok(right);
        }
        let given = text.to_owned();
        let has = |case: fn(&u8) -> bool| text.as_bytes().iter().skip(2).any(&case);
        match has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) {
            true => Err(AddressError::Checksum { given, right }),
            false => Err(AddressError::NoChecksum { given, right }),
        }
    }

    /// Returns whether this is the zero address, which has no owner.
    pub fn is_zero(self) -> bool {
        self.0 == [0; 20]
    }

    /// Returns the address as the 32-byte word that EIP-712 hashes.
    pub(crate) fn word(self) -> [u8; 32] {
        let mut word = [0; 32];
        word.split_at_mut(12).1.copy_from_slice(&self.0);
        word
    }
}

/// Accepts upper and lower case without a checksum, because EVM software compares
/// addresses by their bytes.
impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        hex_bytes(text).map(Self).ok_or_else(|| AddressError::Malformed(excerpt(text, SHOWN_CHARS)))
    }
}

/// Writes the address with the EIP-55 checksum.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = hex::encode(self.0);
        let hash = hex::encode(Keccak256::digest(digits.as_bytes()));
        let capital = |(digit, sum): (char, char)| if sum >= '8' { digit.to_ascii_uppercase() } else { digit };
        let text: String = digits.chars().zip(hash.chars()).map(capital).collect();
        write!(f, "0x{text}")
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_eip_55_are_right() {
        for text in [
            "0x52908400098527886E0F7030069857D2E4169EE7",
            "0xde709f2102306220921060314715629080e2fb77",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
            "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
        ] {
            assert_eq!(Address::configured(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_configured_address_has_its_capitals() {
        let right = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        let address: Address = right.parse().unwrap();
        assert!(matches!(
            Address::configured(&right.replace("Beaed", "BeAed").replace("aAeb", "aaeb")),
            Err(AddressError::Checksum { right, .. }) if right == address
        ));
        let error = Address::configured(&right.to_lowercase()).unwrap_err();
        assert!(matches!(error, AddressError::NoChecksum { .. }));
        assert!(error.to_string().contains(right), "{error}");
        let capitals = format!("0x{}", right.strip_prefix("0x").unwrap().to_uppercase());
        assert!(matches!(Address::configured(&capitals), Err(AddressError::NoChecksum { .. })));
        assert_eq!(Address::configured(&format!("0x{}", "0".repeat(40))), Err(AddressError::Zero));
        for text in ["", "0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe"]
        {
            assert!(matches!(Address::configured(text), Err(AddressError::Malformed(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_case_is_read_as_the_same_bytes(bytes: [u8; 20]) {
            let address = Address::new(bytes);
            prop_assert_eq!(address.to_string().parse(), Ok(address));
            prop_assert_eq!(address.to_string().to_lowercase().parse(), Ok(address));
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = Address::configured(&text);
        }
    }
}
