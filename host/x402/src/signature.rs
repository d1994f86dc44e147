//! `Signature`: recovers the account that signed a digest, on the curve secp256k1.

use std::str::FromStr;

use k256::ecdsa::{self, RecoveryId, VerifyingKey};
use sha3::{Digest, Keccak256};

use crate::address::Address;
use crate::text::hex_bytes;

/// A signature made with a key: r, s and v. Of the two equivalent signatures (a low and a
/// high s), only the one with the lower s is accepted: chains refuse the other, and an
/// authorization must have only one signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    inner: ecdsa::Signature,
    recovery: RecoveryId,
}

/// An error of parsing a signature or recovering the key that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum SignatureError {
    #[error("a signature is 0x and 130 hexadecimal digits")]
    Malformed,
    #[error("signatures of contracts are not accepted; pay from an account with a key")]
    OfContract,
    #[error("the last byte of a signature is 27 or 28, or 0 or 1, not {0}")]
    RecoveryByte(u8),
    #[error("r or s is out of range")]
    OutOfRange,
    #[error("s is the higher of two possible values; chains accept only the lower")]
    HighS,
    #[error("no key can have made the signature")]
    NoKey,
}

impl Signature {
    /// Returns the account whose key signed a digest. The caller must compare it with the
    /// expected account.
    ///
    /// # Errors
    ///
    /// Returns [`SignatureError::NoKey`] if no key can have made the signature.
    pub fn signer(&self, digest: &[u8; 32]) -> Result<Address, SignatureError> {
        let key = VerifyingKey::recover_from_prehash(digest, &self.inner, self.recovery)
            .map_err(|_| SignatureError::NoKey)?;
        let point = key.to_sec1_point(false);
        // The first byte marks the uncompressed format.
        let (_, coordinates) = point.as_bytes().split_first().ok_or(SignatureError::NoKey)?;
        let hash: [u8; 32] = Keccak256::digest(coordinates).into();
        let bytes = hash.last_chunk::<20>().ok_or(SignatureError::NoKey)?;
        Ok(Address::new(*bytes))
    }
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hex = text.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if is_hex && text.len() > 132 {
            return Err(SignatureError::OfContract);
        }
        let [numbers @ .., last]: [u8; 65] = hex_bytes(text).ok_or(SignatureError::Malformed)?;
        let odd = match last {
            0 | 27 => false,
            1 | 28 => true,
            other => return Err(SignatureError::RecoveryByte(other)),
        };
        let inner = ecdsa::Signature::from_slice(&numbers).map_err(|_| SignatureError::OutOfRange)?;
        if inner.normalize_s() != inner {
            return Err(SignatureError::HighS);
        }
        Ok(Self { inner, recovery: RecoveryId::new(odd, false) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::eip712::digest;
    use crate::testing::signed;

    #[test]
    fn official_clients_signatures_recover_their_accounts() {
        let mut clients = std::collections::BTreeSet::new();
        for vector in signed() {
            let computed = digest(vector.requirement.token(), &vector.payload().authorization);
            assert_eq!(hex::encode(computed), vector.digest.strip_prefix("0x").unwrap(), "{}", vector.client);
            let signature: Signature = vector.payload().signature.parse().unwrap();
            assert_eq!(signature.signer(&computed), Ok(vector.payer), "{}", vector.client);
            clients.insert(vector.client);
        }
        assert_eq!(clients.len(), 2, "{clients:?}");
    }

    #[test]
    fn the_last_byte_counts_from_27_or_from_0() {
        let vector = signed().remove(0);
        let text = vector.payload().signature;
        let (numbers, last) = text.split_at(130);
        let computed = digest(vector.requirement.token(), &vector.payload().authorization);
        let other = match last {
            "1b" => "00",
            _ => "01",
        };
        let signature: Signature = format!("{numbers}{other}").parse().unwrap();
        assert_eq!(signature.signer(&computed), Ok(vector.payer));
        for byte in [2_u8, 26, 29, 255] {
            let wrong = format!("{numbers}{byte:02x}").parse::<Signature>();
            assert_eq!(wrong, Err(SignatureError::RecoveryByte(byte)));
        }
    }

    #[test]
    fn the_other_s_is_refused() {
        let vector = signed().remove(0);
        let [numbers @ .., last]: [u8; 65] = hex_bytes(&vector.payload().signature).unwrap();
        let inner = ecdsa::Signature::from_slice(&numbers).unwrap();
        let (r, s) = (inner.r(), inner.s());
        let high = ecdsa::Signature::from_scalars(*r, -*s).unwrap();
        let other = if last == 27 { 28 } else { 27 };
        let text = format!("0x{}{other:02x}", hex::encode(high.to_bytes()));
        assert_eq!(text.parse::<Signature>(), Err(SignatureError::HighS));
    }

    #[test]
    fn an_invalid_signature_is_refused() {
        let zeros = "00".repeat(32);
        for (text, error) in [
            (format!("0x{zeros}{zeros}1b"), SignatureError::OutOfRange),
            (format!("0x{}{zeros}1b", "ff".repeat(32)), SignatureError::OutOfRange),
            (format!("0x{}", "ab".repeat(96)), SignatureError::OfContract),
            (format!("0x{}", "ab".repeat(64)), SignatureError::Malformed),
            (format!("0x{}", "é".repeat(66)), SignatureError::Malformed),
            (String::new(), SignatureError::Malformed),
        ] {
            assert_eq!(text.parse::<Signature>(), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..70), hash: [u8; 32]) {
            let mut bytes = bytes;
            if let Some(last) = bytes.get_mut(64) {
                *last &= 1;
            }
            if let Ok(signature) = format!("0x{}", hex::encode(bytes)).parse::<Signature>() {
                let _ = signature.signer(&hash);
            }
        }
    }
}
