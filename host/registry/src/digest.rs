//! `Digest`: a SHA-256 digest, written in hex.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; 64 lower-case hex digits as text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// The error for text that is not a SHA-256 digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 digest; write 64 lower-case hex digits")]
pub struct InvalidDigest;

impl Digest {
    /// Returns the SHA-256 digest of the bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the digest as 32 bytes.
    pub const fn bytes(self) -> [u8; 32] {
        self.0
    }
}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| InvalidDigest)?;
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(InvalidDigest);
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_one_spelling() {
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), text);
        assert_eq!(text.parse(), Ok(Digest::of(b"abc")));
        for other in ["", "00", &text.to_uppercase(), &format!("{text}00")] {
            assert!(other.parse::<Digest>().is_err(), "{other}");
        }
    }
}
