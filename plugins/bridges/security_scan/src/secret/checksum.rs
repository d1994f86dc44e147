//! Checksums that providers put into their keys, so that a made-up key can be told from a real one.

/// CRC-32 as in zip files.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// The last six characters are the CRC-32 of those before, in base 62 (digits, capitals, small letters): GitHub and npm.
#[must_use]
pub fn base62_tail(token: &str) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((body, tail)) = token.len().checked_sub(6).and_then(|at| token.split_at_checked(at)) else { return false };
    let mut rest = crc32(body.as_bytes());
    tail.bytes().rev().all(|byte| {
        let digit = DIGITS.get((rest % 62) as usize).copied();
        rest /= 62;
        digit == Some(byte)
    })
}

/// The last eight characters are the CRC-32 of those before the underscore, in hexadecimal: Grafana.
#[must_use]
pub fn hex_tail(token: &str) -> bool {
    token.rsplit_once('_').is_some_and(|(body, tail)| u32::from_str_radix(tail, 16) == Ok(crc32(body.as_bytes())))
}

/// Decodes base64url without padding, at most 512 characters; stops at the first other character.
#[must_use]
pub fn base64url(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' | b'+' => Some(62),
        b'_' | b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0u32);
    for value in text.bytes().take(512).map_while(value) {
        bits = ((bits << 6) | u32::from(value)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_of_the_standard_check_text() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    /// The sum of thirty letters A, computed apart with zlib.
    #[test]
    fn github_style() {
        let good = format!("{}0uCPlr", "A".repeat(30));
        assert!(base62_tail(&good));
        assert!(!base62_tail(&good.replace("0uC", "0uD")));
        assert!(!base62_tail("abc"));
        assert!(!base62_tail("ééé"));
    }

    #[test]
    fn base64() {
        assert_eq!(base64url("eyJhbGciOiJIUzI1NiJ9"), br#"{"alg":"HS256"}"#);
        assert_eq!(base64url(""), b"");
    }
}
