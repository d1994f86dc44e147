//! Secrets and signatures of deliveries.
//!
//! Every delivery carries two kinds of signature. `X-Service-Signature` is the lower-case
//! hex HMAC-SHA256 of the raw body, keyed with the bytes of the secret's text. The
//! headers of Standard Webhooks sign id, time and body; their key is the decoded base64
//! after `whsec_` in the secret, or the secret's own bytes if it has no such prefix.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::error::WebhookError;
use crate::limits::{WEBHOOK_SECRET_CHARS_MAX, WEBHOOK_SECRET_CHARS_MIN};

const PREFIX: &str = "whsec_";

/// Generates a secret of 256 random bits.
pub(super) fn new() -> Result<String, WebhookError> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).map_err(|_| WebhookError::NoRandomness)?;
    Ok(format!("{PREFIX}{}", STANDARD.encode(random)))
}

/// Refuses a secret that is too short, or that starts with `whsec_` without valid base64.
pub(super) fn check(secret: String) -> Result<String, WebhookError> {
    if !(WEBHOOK_SECRET_CHARS_MIN..=WEBHOOK_SECRET_CHARS_MAX).contains(&secret.chars().count()) {
        return Err(WebhookError::Secret(format!(
            "must have {WEBHOOK_SECRET_CHARS_MIN} to {WEBHOOK_SECRET_CHARS_MAX} characters; omit it to get a new one"
        )));
    }
    match secret.strip_prefix(PREFIX).map(|rest| STANDARD.decode(rest)) {
        Some(Err(_)) => Err(WebhookError::Secret("whsec_ must be followed by base64".to_owned())),
        Some(Ok(key)) if key.len() < WEBHOOK_SECRET_CHARS_MIN => {
            Err(WebhookError::Secret(format!("whsec_ needs at least {WEBHOOK_SECRET_CHARS_MIN} bytes in base64")))
        }
        _ => Ok(secret),
    }
}

/// Returns the lower-case hex HMAC-SHA256 of a body.
pub fn signature(secret: &str, body: &[u8]) -> String {
    hex::encode(mac(secret.as_bytes(), &[body]))
}

/// Returns whether `given` is the signature of a body.
pub fn verifies(secret: &str, body: &[u8], given: &str) -> bool {
    let expected = signature(secret, body);
    bool::from(expected.as_bytes().ct_eq(given.trim().as_bytes()))
}

/// Returns the signature headers of one attempt. `secrets` are the currently valid ones,
/// newest first.
pub fn headers<'s>(
    name: &str,
    secrets: impl Iterator<Item = &'s str>,
    id: &str,
    time_s: u64,
    body: &[u8],
) -> Result<HeaderMap, http::Error> {
    let mut headers = HeaderMap::new();
    let stamp = time_s.to_string();
    let mut standard = Vec::new();
    for (position, secret) in secrets.enumerate() {
        // A receiver that still uses the old secret checks this second header.
        let header = if position == 0 { name.to_owned() } else { format!("{name}-Previous") };
        headers.insert(HeaderName::try_from(header)?, HeaderValue::try_from(signature(secret, body))?);
        let key = secret.strip_prefix(PREFIX).and_then(|rest| STANDARD.decode(rest).ok());
        let key = key.unwrap_or_else(|| secret.as_bytes().to_vec());
        let mac = mac(&key, &[id.as_bytes(), b".", stamp.as_bytes(), b".", body]);
        standard.push(format!("v1,{}", STANDARD.encode(mac)));
    }
    headers.insert("webhook-id", HeaderValue::try_from(id)?);
    headers.insert("webhook-timestamp", HeaderValue::try_from(stamp)?);
    headers.insert("webhook-signature", HeaderValue::try_from(standard.join(" "))?);
    headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(http::header::USER_AGENT, HeaderValue::from_static("Tollbridge-Webhooks/1"));
    Ok(headers)
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC accepts keys of every length, so the error cannot happen.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; 32] };
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_standards() {
        // RFC 4231, test case 2.
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signature("Jefe", b"what do ya want for nothing?"), known);
        assert!(verifies("Jefe", b"what do ya want for nothing?", &format!(" {known}\n")));
        assert!(!verifies("Jefe", b"what do ya want for nothing!", known));
        // The example of the Standard Webhooks specification.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let made = headers(
            "X-S",
            [secret].into_iter(),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(made.unwrap()["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_rolled_secret_signs_beside_the_new_one() {
        let made = headers(
            "X-Service-Signature",
            ["new".repeat(6), "old".repeat(6)].iter().map(String::as_str),
            "e",
            1,
            b"{}",
        );
        let made = made.unwrap();
        assert_eq!(made["x-service-signature"], signature(&"new".repeat(6), b"{}"));
        assert_eq!(made["x-service-signature-previous"], signature(&"old".repeat(6), b"{}"));
        assert_eq!(made["webhook-signature"].to_str().unwrap().split(' ').count(), 2);
    }

    #[test]
    fn weak_secrets_are_refused() {
        for bad in ["", "short", &"x".repeat(257), "whsec_!!!!!!!!!!!!!!!!", "whsec_YWJjZGVmZ2hpamts"] {
            assert!(check(bad.to_owned()).is_err(), "{bad}");
        }
        for good in ["x".repeat(16), new().unwrap()] {
            assert_eq!(check(good.clone()).unwrap(), good);
        }
    }
}
