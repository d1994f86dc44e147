//! Bytes as hex on the path of a call: `hex::serde` and `hex::encode` write digit
//! by digit into a string on the heap.

use serde::{Serializer, ser};

pub use hex::serde::deserialize;

/// As text.
pub fn text(bytes: &[u8]) -> String {
    let mut digits = vec![0; bytes.len().saturating_mul(2)];
    match hex::encode_to_slice(bytes, &mut digits) {
        Ok(()) => String::from_utf8(digits).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

/// For `#[serde(with = "hexed")]`; at most 32 bytes.
pub fn serialize<S: Serializer, const N: usize>(bytes: &[u8; N], serializer: S) -> Result<S::Ok, S::Error> {
    let mut digits = [0; 64];
    let digits = digits.get_mut(..2 * N).ok_or_else(|| ser::Error::custom("more bytes than a digest has"))?;
    hex::encode_to_slice(bytes, digits).map_err(ser::Error::custom)?;
    serializer.serialize_str(str::from_utf8(digits).map_err(ser::Error::custom)?)
}
