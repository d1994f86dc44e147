//! API keys: `tb_test_` or `tb_live_`, 160 random bits and a checksum.
//!
//! The prefix lets scanners find leaked keys. The checksum detects typing errors without
//! a look-up in the store. Only the SHA-256 of a key is stored; a slow hash would add
//! nothing, because 160 random bits cannot be guessed from a digest.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use tollbridge_core::config::Processor;
use zeroize::Zeroizing;

/// The mode of a key: test or live. A server refuses keys of the other mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMode {
    /// The sandbox mode: no real money moves.
    Test,
    /// The live mode: real money moves.
    Live,
}

/// An API key in plain text. `Debug` does not show its secret; its memory is wiped on
/// drop.
pub struct ApiKey(Zeroizing<String>);

/// The SHA-256 of a key, under which the key's row is stored. The look-up needs no
/// constant-time comparison: without the key, an attacker cannot choose the bytes of its
/// digest, so timing does not help to find the key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyDigest([u8; 32]);

/// The reason a text is not a key of this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyParseError {
    /// The text has white space or control characters.
    #[error("the key has white space in it or around it; send it exactly as it was shown")]
    Space,
    /// The key is of the other mode; the value is the mode that this server accepts.
    #[error("this is a {} key, but this server accepts {} keys", other(*.0), .0.prefix())]
    WrongMode(KeyMode),
    /// The text does not start like a key of this mode.
    #[error("this is not an API key; API keys begin with {}", .0.prefix())]
    NotAKey(KeyMode),
    /// The key is cut off or too long.
    #[error("the key is cut off or too long; send it exactly as it was shown")]
    Length,
    /// The checksum is wrong, probably after a typing error.
    #[error("the key has a typing error in it (its checksum is wrong); send it exactly as it was shown")]
    Checksum,
}

const ALPHABET: [u8; 62] = *b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Base-62 characters for the 160 random bits: 62^27 > 2^160.
const BODY_CHARS: usize = 27;
/// Base-62 characters for the 32-bit checksum: 62^6 > 2^32.
const CHECK_CHARS: usize = 6;

impl KeyMode {
    /// Returns the key mode of a server with this payment processor.
    pub const fn of(processor: Processor) -> Self {
        match processor {
            Processor::Sandbox => Self::Test,
            Processor::Stripe => Self::Live,
        }
    }

    /// Returns the prefix of keys of this mode.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Test => "tb_test_",
            Self::Live => "tb_live_",
        }
    }
}

impl ApiKey {
    /// Generates a key from the operating system's randomness.
    ///
    /// # Errors
    /// The operating system provides no randomness.
    pub fn generate(mode: KeyMode) -> Result<Self, getrandom::Error> {
        let mut limbs = Zeroizing::new([0_u32; 5]);
        for limb in limbs.iter_mut() {
            *limb = getrandom::u32()?;
        }
        Ok(Self::from_random(mode, &limbs))
    }

    /// Parses a key that a caller sent.
    ///
    /// # Errors
    /// The text is malformed. A well-formed key need not exist.
    pub fn parse(mode: KeyMode, text: &str) -> Result<Self, KeyParseError> {
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(KeyParseError::Space);
        }
        let Some(rest) = text.strip_prefix(mode.prefix()) else {
            let foreign = [KeyMode::Test, KeyMode::Live].iter().any(|other| text.starts_with(other.prefix()));
            return Err(if foreign { KeyParseError::WrongMode(mode) } else { KeyParseError::NotAKey(mode) });
        };
        if rest.len() != BODY_CHARS + CHECK_CHARS {
            return Err(KeyParseError::Length);
        }
        let whole = text.split_at_checked(text.len() - CHECK_CHARS);
        match whole {
            Some((checked, sum)) if checksum(checked) == sum => Ok(Self(Zeroizing::new(text.to_owned()))),
            _ => Err(KeyParseError::Checksum),
        }
    }

    /// Returns the plain key, which is shown only when the key is created.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the digest, which is stored in place of the key.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Sha256::digest(self.0.as_bytes()).into())
    }

    fn from_random(mode: KeyMode, limbs: &[u32; 5]) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(64));
        text.push_str(mode.prefix());
        text.push_str(&base62(limbs, BODY_CHARS));
        let sum = checksum(&text);
        text.push_str(&sum);
        Self(text)
    }
}

impl KeyDigest {
    /// Returns the public id of the key, which lists and revocations use: 64 bits of the
    /// digest.
    pub fn id(&self) -> String {
        format!("key_{}", hex::encode(self.0.first_chunk::<8>().unwrap_or(&[0; 8])))
    }

    /// Returns the value that replaces a key's digest for an account's e-mail sign-ins.
    pub(super) fn of_email(account: &str) -> Self {
        Self(Sha256::new().chain_update(b"tollbridge e-mail v1 ").chain_update(account).finalize().into())
    }

    /// Returns the value that replaces a key's digest for an OAuth grant.
    pub(super) fn of_grant(id: &str) -> Self {
        Self(Sha256::new().chain_update(b"tollbridge grant v1 ").chain_update(id).finalize().into())
    }
}

impl fmt::Display for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl FromStr for KeyDigest {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Self(bytes))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

fn other(mode: KeyMode) -> &'static str {
    match mode {
        KeyMode::Test => KeyMode::Live.prefix(),
        KeyMode::Live => KeyMode::Test.prefix(),
    }
}

/// Returns the CRC-32 over everything before the checksum, so that a changed
/// prefix is detected too.
fn checksum(text: &str) -> String {
    base62(&[crc32(text.as_bytes())], CHECK_CHARS)
}

/// Formats a number in base 62 with a fixed number of digits; `limbs` holds the most
/// significant limb first.
fn base62<const N: usize>(limbs: &[u32; N], chars: usize) -> String {
    let mut limbs = Zeroizing::new(*limbs);
    let mut digits = Vec::with_capacity(chars);
    for _ in 0..chars {
        let mut rest = 0_u64;
        for limb in limbs.iter_mut() {
            let value = (rest << 32) | u64::from(*limb);
            // The quotient fits, because the remainder is below 62.
            *limb = u32::try_from(value / 62).unwrap_or(u32::MAX);
            rest = value % 62;
        }
        let digit = usize::try_from(rest).ok().and_then(|index| ALPHABET.get(index));
        digits.push(char::from(digit.copied().unwrap_or(b'0')));
    }
    digits.iter().rev().collect()
}

/// Computes CRC-32 as zip and Ethernet do, four bits at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, bits: u32| {
        let index = usize::try_from((crc ^ bits) & 15).unwrap_or(0);
        CRC_TABLE.get(index).copied().unwrap_or(0) ^ (crc >> 4)
    };
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        let byte = u32::from(*byte);
        step(step(crc, byte), byte >> 4)
    })
}

/// CRC-32 remainders of the sixteen four-bit values.
const CRC_TABLE: [u32; 16] = [
    0x0000_0000,
    0x1DB7_1064,
    0x3B6E_20C8,
    0x26D9_30AC,
    0x76DC_4190,
    0x6B6B_51F4,
    0x4DB2_6158,
    0x5005_713C,
    0xEDB8_8320,
    0xF00F_9344,
    0xD6D6_A3E8,
    0xCB61_B38C,
    0x9B64_C2B0,
    0x86D3_D2D4,
    0xA00A_E278,
    0xBDBD_F21C,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_checksum() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn known_base62() {
        assert_eq!(base62(&[61], 6), "00000z");
        assert_eq!(base62(&[62], 6), "000010");
        assert_eq!(base62(&[u32::MAX], 6), "4gfFC3");
        // 2^32 = 4 * 62^5 + 42 * 62^4 + 41 * 62^3 + 15 * 62^2 + 12 * 62 + 4
        assert_eq!(base62(&[1, 0], 6), "4gfFC4");
        assert_eq!(base62(&[u32::MAX; 5], BODY_CHARS).len(), BODY_CHARS);
        assert_ne!(base62(&[u32::MAX; 5], BODY_CHARS).chars().next(), Some('0'), "27 digits are needed");
        assert!(base62(&[u32::MAX; 5], BODY_CHARS + 1).starts_with('0'), "and 27 suffice");
    }

    #[test]
    fn generated_keys_are_read_back_and_differ() {
        let mut seen = BTreeSet::new();
        for mode in [KeyMode::Test, KeyMode::Live] {
            for _ in 0..100 {
                let key = ApiKey::generate(mode).unwrap();
                assert_eq!(key.expose().len(), 8 + 27 + 6);
                let again = ApiKey::parse(mode, key.expose()).unwrap();
                assert_eq!(again.digest(), key.digest());
                assert!(seen.insert(key.digest()));
            }
        }
    }

    #[test]
    fn is_never_shown() {
        let key = ApiKey::generate(KeyMode::Test).unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey(***)");
        let digest = key.digest();
        assert_eq!(digest.to_string().parse::<KeyDigest>().ok(), Some(digest));
        assert!(digest.id().starts_with("key_") && digest.id().len() == 20);
    }

    #[test]
    fn the_error_names_the_problem() {
        let key = ApiKey::from_random(KeyMode::Test, &[1, 2, 3, 4, 5]);
        let key = key.expose();
        let mut typo = key.to_owned();
        typo.replace_range(20..21, if &key[20..21] == "a" { "b" } else { "a" });
        for (text, expect) in [
            (format!(" {key}"), KeyParseError::Space),
            (format!("{key}\n"), KeyParseError::Space),
            (format!("{}\u{a0}{}", &key[..20], &key[20..]), KeyParseError::Space),
            (key.replace("test", "live"), KeyParseError::WrongMode(KeyMode::Test)),
            ("sk-1234".to_owned(), KeyParseError::NotAKey(KeyMode::Test)),
            (String::new(), KeyParseError::NotAKey(KeyMode::Test)),
            (key[..40].to_owned(), KeyParseError::Length),
            (format!("{key}0"), KeyParseError::Length),
            (typo, KeyParseError::Checksum),
            (format!("tb_test_{}", "é".repeat(16) + "a"), KeyParseError::Checksum),
        ] {
            assert_eq!(ApiKey::parse(KeyMode::Test, &text).err(), Some(expect), "{text}");
        }
        assert_eq!(ApiKey::parse(KeyMode::Live, key).err(), Some(KeyParseError::WrongMode(KeyMode::Live)));
        let message = KeyParseError::WrongMode(KeyMode::Test).to_string();
        assert_eq!(message, "this is a tb_live_ key, but this server accepts tb_test_ keys");
    }

    proptest! {
        #[test]
        fn any_one_changed_character_is_noticed(limbs: [u32; 5], at in 0_usize..41, to in 0_usize..62) {
            let key = ApiKey::from_random(KeyMode::Live, &limbs);
            let mut changed = key.expose().as_bytes().to_vec();
            prop_assume!(changed[at] != ALPHABET[to]);
            changed[at] = ALPHABET[to];
            prop_assert!(ApiKey::parse(KeyMode::Live, std::str::from_utf8(&changed).unwrap()).is_err());
        }

        #[test]
        fn nothing_panics(text in ".{0,60}", tail in "\\PC{0,40}") {
            let _ = ApiKey::parse(KeyMode::Test, &text);
            let _ = ApiKey::parse(KeyMode::Test, &format!("tb_test_{tail}"));
        }
    }
}
