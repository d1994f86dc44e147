//! The salted digests that a record of a paid call has of its request and answer.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Whether the record's digest at `pointer` is that of `text`: SHA-256 of the 16 bytes of the record's salt, then the
/// text. None when the record is not visible or has no such digest.
pub fn matches(record: Option<&Value>, pointer: &str, text: &str) -> Option<bool> {
    let record = record?;
    let salt = unhex(record.pointer("/body/salt")?.as_str()?)?;
    let expected = unhex(record.pointer(pointer)?.as_str()?)?;
    let actual = Sha256::new().chain_update(salt).chain_update(text.as_bytes()).finalize();
    Some(actual.as_slice() == expected)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || text.len() > 64 || !text.is_ascii() {
        return None;
    }
    let digits: Option<Vec<u8>> = text.chars().map(|sign| sign.to_digit(16).map(|digit| digit as u8)).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0u8, |byte, digit| byte << 4 | digit)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn salted_digest() {
        // SHA-256 of "abc" (FIPS 180-4), with "a" as the salt.
        let record =
            json!({"body": {"salt": "61", "x": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}});
        assert_eq!(matches(Some(&record), "/body/x", "bc"), Some(true));
        assert_eq!(matches(Some(&record), "/body/x", "bd"), Some(false));
        assert_eq!(matches(Some(&record), "/body/y", "bc"), None);
        assert_eq!(matches(None, "/body/x", "bc"), None);
        assert_eq!([unhex("0g"), unhex("0"), unhex("é")], [None, None, None]);
    }
}
