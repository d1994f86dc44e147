//! Verifies the signature of an event: an HMAC-SHA256 of its time stamp and raw body,
//! with a recent time stamp.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tollbridge_core::config::Secret;

/// Maximum age of the signature of an event from Stripe, the same as Stripe's default
/// tolerance.
const STRIPE_EVENT_AGE_S_MAX: u64 = 300;

/// The signing secret of the endpoint that receives Stripe's events.
#[derive(Clone)]
pub struct StripeWebhookSecret(Secret);

/// A reason why the signature of an event is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StripeSignatureError {
    /// The header is missing or malformed.
    #[error("there is no Stripe-Signature header of the form t=…,v1=…")]
    Malformed,
    /// No signature matches the body and the secret.
    #[error("none of the signatures matches this body and payments.stripe.webhook_secret")]
    Wrong,
    /// The event was signed too long ago, or in the future.
    #[error("the event was signed more than {STRIPE_EVENT_AGE_S_MAX} seconds ago, or in the future; check the clock")]
    Stale,
}

impl StripeWebhookSecret {
    /// Wraps a secret as shown by Stripe, `whsec_…`.
    pub const fn new(secret: Secret) -> Self {
        Self(secret)
    }

    /// Checks the header `Stripe-Signature` of an event.
    pub fn verify(&self, header: &str, body: &[u8], now_s: u64) -> Result<(), StripeSignatureError> {
        let (mut time, mut signatures) = (None, Vec::new());
        for part in header.split(',') {
            match part.trim().split_once('=') {
                Some(("t", value)) => time = Some(value),
                Some(("v1", value)) => signatures.push(value),
                _ => {}
            }
        }
        let time = time.ok_or(StripeSignatureError::Malformed)?;
        let signed_s: u64 = time.parse().map_err(|_| StripeSignatureError::Malformed)?;
        if signatures.is_empty() {
            return Err(StripeSignatureError::Malformed);
        }
        let verified = signatures.iter().any(|signature| self.matches(signature, time, body));
        if !verified {
            return Err(StripeSignatureError::Wrong);
        }
        if signed_s.abs_diff(now_s) > STRIPE_EVENT_AGE_S_MAX {
            return Err(StripeSignatureError::Stale);
        }
        Ok(())
    }

    fn matches(&self, signature: &str, time: &str, body: &[u8]) -> bool {
        let Ok(signature) = hex::decode(signature) else { return false };
        // HMAC accepts keys of any length, so the error cannot occur.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(self.0.expose().as_bytes()) else { return false };
        mac.chain_update(time).chain_update(b".").chain_update(body).verify_slice(&signature).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: u64 = 1_700_000_000;

    fn sign(secret: &str, time: &str, body: &[u8]) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        hex::encode(mac.chain_update(time).chain_update(b".").chain_update(body).finalize().into_bytes())
    }

    #[test]
    fn only_fresh_and_unchanged_events_are_accepted() {
        let secret = StripeWebhookSecret::new(Secret::new("whsec_test"));
        let good = sign("whsec_test", "1700000000", b"{}");
        let header = format!("t=1700000000,v1={good},v0=ignored");
        assert_eq!(secret.verify(&header, b"{}", NOW_S), Ok(()));
        assert_eq!(secret.verify(&header, b"{}", NOW_S + 300), Ok(()));
        assert_eq!(secret.verify(&header, b"{}", NOW_S + 301), Err(StripeSignatureError::Stale));
        assert_eq!(secret.verify(&header, b"{}", NOW_S - 301), Err(StripeSignatureError::Stale));
        assert_eq!(secret.verify(&header, b"{ }", NOW_S), Err(StripeSignatureError::Wrong));
        assert_eq!(secret.verify(&format!("t=1700000001,v1={good}"), b"{}", NOW_S), Err(StripeSignatureError::Wrong));
        // While the secret is being rotated, there are two signatures.
        let other = sign("another", "1700000000", b"{}");
        assert_eq!(secret.verify(&format!("t=1700000000,v1={other},v1={good}"), b"{}", NOW_S), Ok(()));
        assert_eq!(secret.verify(&format!("t=1700000000,v1={other}"), b"{}", NOW_S), Err(StripeSignatureError::Wrong));
        for bad in ["", "t=1700000000", "v1=ab", "t=x,v1=ab", "nonsense"] {
            assert_eq!(secret.verify(bad, b"{}", NOW_S), Err(StripeSignatureError::Malformed), "{bad}");
        }
    }
}
