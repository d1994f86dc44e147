//! The ids of publishers' keys.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// The id of a public key: the first 16 bytes of its SHA-256, in hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(String);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl KeyId {
    /// Returns the id of the public key with these bytes.
    pub(super) fn of(public_key: &[u8; 32]) -> Self {
        Self(Digest::of(public_key).to_string().chars().take(32).collect())
    }

    pub(super) fn from_text(text: &str) -> Result<Self, String> {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if text.len() != 32 || !text.bytes().all(hex) {
            return Err("not a key id; it has 32 lower-case hex digits".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}
