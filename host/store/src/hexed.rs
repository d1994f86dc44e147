//! Fast hex encoding for code that runs on every call. The functions of the crate `hex`
//! are slower, because they append digit by digit to a heap-allocated string.

use serde::{Serializer, ser};

pub use hex::serde::deserialize;

/// Encodes bytes as hex.
pub fn text(bytes: &[u8]) -> String {
    let mut digits = vec![0; bytes.len().saturating_mul(2)];
    match hex::encode_to_slice(bytes, &mut digits) {
        Ok(()) => String::from_utf8(digits).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

/// Serializes at most 32 bytes as hex, for `#[serde(with = "hexed")]`.
pub fn serialize<S: Serializer, const N: usize>(bytes: &[u8; N], serializer: S) -> Result<S::Ok, S::Error> {
    let mut digits = [0; 64];
    let digits = digits.get_mut(..2 * N).ok_or_else(|| ser::Error::custom("longer than a digest"))?;
    hex::encode_to_slice(bytes, digits).map_err(ser::Error::custom)?;
    serializer.serialize_str(str::from_utf8(digits).map_err(ser::Error::custom)?)
}
