//! `Signature`: the content of `plugin.sig`, and the exact bytes that are signed.
//!
//! The signature covers a domain string followed by the exact bytes of `plugin.toml`. The manifest
//! names the digest of the component, so one signature covers both. Because of the domain string, a
//! signature made for another purpose does not verify.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::fields::{self, FieldError};
use super::id::Name;
use super::key_id::KeyId;
use super::keys::{PublisherKey, PublisherPublicKey};

pub(super) const FILE: &str = "plugin.sig";
const DOMAIN: &[u8] = b"tollbridge plugin manifest v1\n";

/// The content of a `plugin.sig` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The publisher that the file claims as signer.
    pub publisher: Name,
    /// The id of the key that the file claims was used.
    pub key_id: KeyId,
    bytes: [u8; 64],
}

impl Signature {
    /// Signs the exact bytes of a published manifest with this key.
    pub fn sign(key: &PublisherKey, manifest: &[u8]) -> Self {
        Self { publisher: key.name().clone(), key_id: key.public().id(), bytes: key.sign(&message(manifest)) }
    }

    /// Returns whether `key` signed exactly these bytes.
    pub fn verifies(&self, key: &PublisherPublicKey, manifest: &[u8]) -> bool {
        key.verifies(&message(manifest), &self.bytes)
    }

    /// Parses a `plugin.sig`; does not verify the signature.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let mut top = fields::parse(FILE, text, &["publisher", "key_id", "signature"])?;
        let publisher = top.parsed("publisher", "the publisher's name", str::parse::<Name>)?;
        let key_id = top.parsed("key_id", "the id of the publisher's key", KeyId::from_text)?;
        let bytes = top.parsed("signature", "64 bytes in base64", |text| {
            let bytes = STANDARD.decode(text).ok().and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
            bytes.ok_or("not a signature; it is 64 bytes in base64. Publish again")
        })?;
        Ok(Self { publisher, key_id, bytes })
    }

    /// Returns the text of `plugin.sig`: TOML, three lines.
    pub fn to_toml(&self) -> String {
        let signature = STANDARD.encode(self.bytes);
        format!("publisher = \"{}\"\nkey_id = \"{}\"\nsignature = \"{signature}\"\n", self.publisher, self.key_id)
    }
}

fn message(manifest: &[u8]) -> Vec<u8> {
    [DOMAIN, manifest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> PublisherKey {
        PublisherKey::from_seed("alice".parse().unwrap(), &[seed; 32])
    }

    #[test]
    fn a_signature_fits_one_key_and_one_text() {
        let signature = Signature::sign(&key(1), b"manifest");
        assert!(signature.verifies(&key(1).public(), b"manifest"));
        assert!(!signature.verifies(&key(2).public(), b"manifest"));
        assert!(!signature.verifies(&key(1).public(), b"manifest "));
        // The same key and bytes without the domain string, as if signed for another purpose.
        let bare = Signature { bytes: key(1).sign(b"manifest"), ..signature };
        assert!(!bare.verifies(&key(1).public(), b"manifest"));
    }

    #[test]
    fn a_shifted_signature_is_not_another_valid_one() {
        let signature = Signature::sign(&key(1), b"manifest");
        // The group order L: `s + L` is the same scalar, which a lax verifier would accept.
        let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
        let mut order_bytes = [0; 32];
        hex::decode_to_slice(order, &mut order_bytes).unwrap();
        let mut bytes = signature.bytes;
        let mut carry = 0_u16;
        for (byte, add) in bytes[32..].iter_mut().zip(order_bytes) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            (*byte, carry) = (sum as u8, sum >> 8);
        }
        assert!(!Signature { bytes, ..signature }.verifies(&key(1).public(), b"manifest"));
    }

    #[test]
    fn files_read_back_and_damage_is_named() {
        let signature = Signature::sign(&key(1), b"manifest");
        let text = signature.to_toml();
        assert_eq!(Signature::parse(&text), Ok(signature));
        for (from, to, field) in [
            ("publisher = \"alice\"", "", "publisher"),
            ("alice", "Alice", "publisher"),
            ("key_id = \"", "key_id = \"z", "key_id"),
            ("signature = \"", "signature = \"A", "signature"),
            ("signature", "signatur", "signatur"),
        ] {
            assert_eq!(Signature::parse(&text.replacen(from, to, 1)).unwrap_err().field, field);
        }
    }
}
