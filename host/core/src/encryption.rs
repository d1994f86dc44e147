//! Encryption of secrets in database rows: ChaCha20-Poly1305 with a key from the vault
//! and a random nonce for each text.
//!
//! Invariants: a text decrypts only under its own key and in its own context (the key of
//! its row), so moving a text to another row is detected; a text that does not decrypt
//! causes an error and is never read as an empty secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use zeroize::Zeroizing;

use crate::vault::SecretBytes;

/// The prefix of every encrypted text: the version of its format.
const VERSION: &str = "v1:";

/// Encrypts and decrypts texts.
pub struct EncryptionKey(LessSafeKey);

/// An error from encrypting or decrypting a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum EncryptionError {
    #[error("no randomness is available")]
    NoRandomness,
    #[error("a text cannot be encrypted")]
    Refused,
    #[error("the text was encrypted with another key, or was changed")]
    DoesNotOpen,
}

impl EncryptionKey {
    /// Creates a key from 32 random bytes.
    pub fn new(secret: &SecretBytes) -> Result<Self, EncryptionError> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, secret.as_ref()).map_err(|_| EncryptionError::Refused)?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Encrypts a text for a context, for example the key of the text's row.
    pub fn encrypt(&self, context: &str, text: &str) -> Result<String, EncryptionError> {
        let mut nonce = [0_u8; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| EncryptionError::NoRandomness)?;
        let mut bytes = Vec::with_capacity(text.len());
        bytes.extend_from_slice(text.as_bytes());
        let sealing = self.0.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(context.as_bytes()),
            &mut bytes,
        );
        sealing.map_err(|_| EncryptionError::Refused)?;
        Ok(format!("{VERSION}{}", STANDARD.encode([&nonce[..], &bytes].concat())))
    }

    /// Decrypts a text that was encrypted for this context.
    pub fn decrypt(&self, context: &str, encrypted: &str) -> Result<Zeroizing<String>, EncryptionError> {
        let broken = EncryptionError::DoesNotOpen;
        let bytes = encrypted.strip_prefix(VERSION).and_then(|text| STANDARD.decode(text).ok()).ok_or(broken)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>().ok_or(broken)?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut sealed = Zeroizing::new(sealed.to_vec());
        let text = self.0.open_in_place(nonce, Aad::from(context.as_bytes()), &mut sealed).map_err(|_| broken)?;
        std::str::from_utf8(text).map(|text| Zeroizing::new(text.to_owned())).map_err(|_| broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> EncryptionKey {
        EncryptionKey::new(&SecretBytes::new([byte; 32])).unwrap()
    }

    #[test]
    fn a_text_opens_under_its_key_and_in_its_context_only() {
        let encrypted = key(1).encrypt("e/acct_a/wh_1", "whsec_hush").unwrap();
        assert!(!encrypted.contains("hush") && encrypted.starts_with("v1:"), "{encrypted}");
        assert_eq!(key(1).decrypt("e/acct_a/wh_1", &encrypted).unwrap().as_str(), "whsec_hush");
        assert_eq!(key(2).decrypt("e/acct_a/wh_1", &encrypted), Err(EncryptionError::DoesNotOpen));
        assert_eq!(key(1).decrypt("e/acct_b/wh_1", &encrypted), Err(EncryptionError::DoesNotOpen));
        // Encrypting the same text twice gives different results.
        assert_ne!(key(1).encrypt("e/acct_a/wh_1", "whsec_hush").unwrap(), encrypted);
    }

    #[test]
    fn altered_ciphertext_does_not_decrypt() {
        let encrypted = key(1).encrypt("row", "a secret of some length").unwrap();
        for at in VERSION.len()..encrypted.len() {
            let mut changed = encrypted.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(key(1).decrypt("row", &changed), Err(EncryptionError::DoesNotOpen), "{changed}");
        }
        for bad in ["", "v1:", "v1:AAAA", "v2:AAAA", "whsec_plain", &encrypted[..encrypted.len() - 8]] {
            assert_eq!(key(1).decrypt("row", bad), Err(EncryptionError::DoesNotOpen), "{bad}");
        }
    }
}
