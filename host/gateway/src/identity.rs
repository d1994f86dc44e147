//! Which requests are the same request, sent twice.

use sha2::{Digest, Sha256};

use super::error::GatewayError;
use tollbridge_core::limits::IDEMPOTENCY_KEY_BYTES_MAX;
use tollbridge_store::Hash;

/// What makes one request a repeat of another.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    /// The transaction id: follows from the key, or is random.
    pub(super) tx: Hash,
    /// Digest of account, route and body.
    pub(super) fingerprint: Hash,
    /// Whether it has an `Idempotency-Key`.
    pub(super) keyed: bool,
}

impl RequestIdentity {
    pub fn new(account: &str, route: &str, body: &[u8], key: Option<&str>) -> Result<Self, GatewayError> {
        let digest = |domain: &str, part: &[u8]| -> Hash {
            let mut digest = Sha256::new().chain_update(domain);
            for part in [account.as_bytes(), route.as_bytes(), part] {
                digest.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
                digest.update(part);
            }
            digest.finalize().into()
        };
        let fingerprint = digest("tollbridge inference request v1", body);
        let tx = match key {
            Some(key) => {
                let printable = key.bytes().all(|byte| (0x21..0x7f).contains(&byte));
                if key.is_empty() || key.len() > IDEMPOTENCY_KEY_BYTES_MAX || !printable {
                    return Err(GatewayError::BadIdempotencyKey);
                }
                digest("tollbridge inference transaction v1", key.as_bytes())
            }
            None => {
                let mut tx = [0; 32];
                getrandom::fill(&mut tx).map_err(|_| GatewayError::NoRandomness)?;
                tx
            }
        };
        Ok(Self { tx, fingerprint, keyed: key.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_is_the_same_transaction() {
        let of = |account, body: &str, key| RequestIdentity::new(account, "POST /x", body.as_bytes(), key).unwrap();
        let (one, other) = (of("a", "{}", Some("k")), of("a", "{1}", Some("k")));
        assert_eq!(one.tx, other.tx);
        assert_ne!(one.fingerprint, other.fingerprint);
        assert_ne!(one.tx, of("b", "{}", Some("k")).tx);
        assert_ne!(of("a", "{}", None).tx, of("a", "{}", None).tx);
        assert_eq!(of("a", "{}", None).fingerprint, one.fingerprint);
        for key in ["", "a b", "ü"] {
            assert!(RequestIdentity::new("a", "r", b"", Some(key)).is_err(), "{key:?}");
        }
    }
}
