//! Creates challenges and verifies them without storing any.

use std::collections::BTreeMap;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use tollbridge_core::time::{parse_rfc3339, rfc3339};
use tollbridge_core::vault::SecretBytes;

use crate::body_digest::{body_digest, is_digest_of};
use crate::challenge::{Challenge, ChallengeError};
use crate::credential::{Credential, CredentialHeader};
use crate::encoding::{base64url, canonical};
use crate::name::{Intent, Method};
use crate::problem::{Problem, ProblemType};

/// Issues and verifies the challenges of one realm with the host's key.
pub struct ChallengeSigner {
    realm: String,
    key: SecretBytes,
    /// The previous key; its challenges are still accepted.
    previous: Option<SecretBytes>,
}

/// A text that is not a valid realm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a realm; write the host and port of this server, like \"api.example.com\"")]
pub struct RealmError(String);

/// The terms of a new challenge.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'terms> {
    /// Payment method.
    pub method: &'terms Method,
    /// Payment intent.
    pub intent: &'terms Intent,
    /// Request of the payment method, such as
    /// [`StripeCharge::request`](crate::StripeCharge::request).
    pub request: &'terms Map<String, Value>,
    /// Expiry, Unix time in seconds.
    pub expires_s: u64,
    /// Body of the request that is paid for. `None` in JSON-RPC, where the body changes
    /// when the payment is added.
    pub body: Option<&'terms [u8]>,
    /// Description for display; the challenge's id does not cover it.
    pub description: Option<&'terms str>,
    /// Data that the client returns unchanged; the client can read it.
    pub opaque: Option<&'terms BTreeMap<String, String>>,
    /// Header in which the client sends its credential.
    pub header: CredentialHeader,
}

/// A credential whose challenge was issued by this host for this body and has not
/// expired. The challenge may have been paid before, and the proof of payment is not
/// checked.
///
/// Created only by [`ChallengeSigner::verify`].
#[derive(Clone)]
pub struct Verified {
    credential: Credential,
    request: Map<String, Value>,
    opaque: BTreeMap<String, String>,
    expires_s: u64,
}

/// The reason why a credential's challenge is rejected. [`Self::problem`] converts it for
/// the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum Rejection {
    #[error("unknown or changed challenge; pay the challenge in this response")]
    Unknown,
    #[error("the challenge expired at {expires}; pay the challenge in this response")]
    Expired { expires: String },
    #[error("the challenge is for another request body; send the original body, or pay the challenge in this response")]
    OtherBody,
}

impl Rejection {
    /// Returns the problem details for the client.
    pub fn problem(&self, challenge_id: &str) -> Problem {
        let kind = match self {
            Self::Unknown | Self::Expired { .. } => ProblemType::InvalidChallenge,
            Self::OtherBody => ProblemType::VerificationFailed,
        };
        // A challenge id of this host has 43 characters. The client's id is untrusted, so
        // a longer one is truncated in the response.
        let challenge_id = challenge_id.chars().take(43).collect();
        Problem { kind, detail: self.to_string(), challenge_id: Some(challenge_id) }
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified").field("challenge", &self.challenge_id()).finish_non_exhaustive()
    }
}

impl Verified {
    /// Returns the id of the challenge, unique for each payment.
    pub fn challenge_id(&self) -> &str {
        &self.credential.challenge.id
    }

    /// Returns the challenge.
    pub const fn challenge(&self) -> &Challenge {
        &self.credential.challenge
    }

    /// Returns the request of the challenge.
    pub const fn request(&self) -> &Map<String, Value> {
        &self.request
    }

    /// Returns the challenge's opaque data, as returned by the client.
    pub const fn opaque(&self) -> &BTreeMap<String, String> {
        &self.opaque
    }

    /// Returns the expiry of the challenge, Unix time in seconds.
    pub const fn expires_s(&self) -> u64 {
        self.expires_s
    }

    /// Returns the credential with its proof of payment.
    pub const fn credential(&self) -> &Credential {
        &self.credential
    }
}

impl ChallengeSigner {
    /// Creates a signer for a realm. After a key change, pass the old key as `previous`
    /// until the last challenge issued with it has expired.
    ///
    /// # Errors
    ///
    /// Fails if `realm` is empty or contains `|` or anything but visible ASCII.
    pub fn new(realm: &str, key: SecretBytes, previous: Option<SecretBytes>) -> Result<Self, RealmError> {
        let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'|';
        match !realm.is_empty() && realm.len() <= 255 && realm.bytes().all(plain) {
            true => Ok(Self { realm: realm.to_owned(), key, previous }),
            false => Err(RealmError(tollbridge_core::excerpt::excerpt(realm, 60))),
        }
    }

    /// Issues a challenge. Equal terms give equal challenges with equal ids; to
    /// distinguish two payments, put different data into `opaque`.
    ///
    /// # Errors
    ///
    /// Fails if the description has control characters, the expiry is out of range, or
    /// the challenge is too long to be parsed.
    pub fn issue(&self, terms: Terms<'_>) -> Result<Challenge, ChallengeError> {
        let mut challenge = Challenge {
            id: String::new(),
            realm: self.realm.clone(),
            method: terms.method.clone(),
            intent: terms.intent.clone(),
            request: canonical(terms.request),
            expires: Some(rfc3339(terms.expires_s.saturating_mul(1000))),
            digest: terms.body.map(body_digest),
            description: terms.description.map(str::to_owned),
            opaque: terms.opaque.map(canonical),
            header: terms.header.advertised().map(str::to_owned),
        };
        challenge.check_text()?;
        if challenge.expires.as_deref().and_then(parse_rfc3339) != Some(terms.expires_s.saturating_mul(1000)) {
            let why = format!("{} s is out of range", terms.expires_s);
            return Err(ChallengeError::Wrong { member: "expires", why });
        }
        challenge.id = base64url(&mac(&self.key, &challenge));
        challenge.check_length()?;
        Ok(challenge)
    }

    /// Checks that a credential's challenge was issued by this host, for this body, and
    /// has not expired at `now_s` (Unix time in seconds).
    ///
    /// # Errors
    ///
    /// Returns a [`Rejection`]; answer with 402 and a fresh challenge.
    pub fn verify(&self, credential: Credential, body: &[u8], now_s: u64) -> Result<Verified, Rejection> {
        let challenge = &credential.challenge;
        if challenge.realm != self.realm || !self.made(challenge) {
            return Err(Rejection::Unknown);
        }
        // From here on, the challenge is known to be authentic.
        let expires = challenge.expires.clone().ok_or(Rejection::Unknown)?;
        let expires_s = parse_rfc3339(&expires).ok_or(Rejection::Unknown)?.div_euclid(1000);
        if now_s >= expires_s {
            return Err(Rejection::Expired { expires });
        }
        if challenge.digest.as_deref().is_some_and(|digest| !is_digest_of(digest, body)) {
            return Err(Rejection::OtherBody);
        }
        let request = challenge.request().map_err(|_| Rejection::Unknown)?;
        let opaque = challenge.opaque().map_err(|_| Rejection::Unknown)?;
        Ok(Verified { credential, request, opaque, expires_s })
    }

    /// Checks in constant time that the id matches the challenge's members.
    fn made(&self, challenge: &Challenge) -> bool {
        // A `|` within a member could shift the boundary between members while the MAC
        // stays the same.
        if slots(challenge).iter().flatten().any(|slot| slot.contains('|')) {
            return false;
        }
        let is_of = |key: &SecretBytes| challenge.id.as_bytes().ct_eq(base64url(&mac(key, challenge)).as_bytes());
        let current = is_of(&self.key);
        self.previous.as_ref().map_or(current, |previous| current | is_of(previous)).into()
    }
}

/// Returns the members covered by the id, in the order of the draft. The header is
/// included only if present, as in the libraries of the draft's authors.
fn slots(challenge: &Challenge) -> [Option<&str>; 8] {
    [
        Some(&challenge.realm),
        Some(challenge.method.as_str()),
        Some(challenge.intent.as_str()),
        Some(&challenge.request),
        Some(challenge.expires.as_deref().unwrap_or_default()),
        Some(challenge.digest.as_deref().unwrap_or_default()),
        challenge.header.as_deref(),
        Some(challenge.opaque.as_deref().unwrap_or_default()),
    ]
}

fn mac(key: &SecretBytes, challenge: &Challenge) -> [u8; 32] {
    // HMAC accepts keys of any length, so this branch is unreachable.
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(key.as_slice()) else { return [0; 32] };
    let input: Vec<&str> = slots(challenge).into_iter().flatten().collect();
    mac.chain_update(input.join("|")).finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW_S: u64 = 1_800_000_000;

    fn signer(byte: u8) -> ChallengeSigner {
        ChallengeSigner::new("api.example.com", SecretBytes::new([byte; 32]), None).unwrap()
    }

    fn request() -> Map<String, Value> {
        serde_json::from_value(json!({ "amount": "30", "currency": "gbp" })).unwrap()
    }

    fn issue(signer: &ChallengeSigner, body: Option<&[u8]>, header: CredentialHeader) -> Challenge {
        let opaque = BTreeMap::from([("intent".to_owned(), "pi_1".to_owned())]);
        let request = request();
        let terms = Terms {
            method: &Method::STRIPE,
            intent: &Intent::CHARGE,
            request: &request,
            expires_s: NOW_S + 300,
            body,
            description: Some("tax — a call"),
            opaque: Some(&opaque),
            header,
        };
        signer.issue(terms).unwrap()
    }

    fn credential(challenge: &Challenge) -> Credential {
        Credential { challenge: challenge.clone(), payload: Map::new(), source: None }
    }

    #[test]
    fn a_challenge_is_known_again() {
        let signer = signer(1);
        for header in [CredentialHeader::Authorization, CredentialHeader::PaymentAuthorization] {
            let challenge = issue(&signer, Some(b"{}"), header);
            let read = Challenge::parse(&challenge.to_header()).unwrap();
            assert_eq!(read, challenge);
            let verified = signer.verify(credential(&read), b"{}", NOW_S).unwrap();
            assert_eq!(verified.request(), &request());
            assert_eq!((verified.opaque()["intent"].as_str(), verified.expires_s()), ("pi_1", NOW_S + 300));
            assert_eq!(verified.challenge_id(), challenge.id());
        }
    }

    #[test]
    fn an_unreadable_challenge_is_not_issued() {
        let (signer, request) = (signer(1), request());
        let (method, intent, header) = (&Method::STRIPE, &Intent::CHARGE, CredentialHeader::Authorization);
        let good = Terms {
            method,
            intent,
            request: &request,
            expires_s: 1,
            body: None,
            description: None,
            opaque: None,
            header,
        };
        assert!(signer.issue(good).is_ok());
        for expires_s in [u64::MAX, 1 << 50] {
            let made = signer.issue(Terms { expires_s, ..good });
            assert!(matches!(made, Err(ChallengeError::Wrong { member: "expires", .. })), "{made:?}");
        }
        let made = signer.issue(Terms { description: Some("a\r\nb: c"), ..good });
        assert!(matches!(made, Err(ChallengeError::Wrong { member: "description", .. })), "{made:?}");
        let long = "a".repeat(20_000);
        assert!(matches!(
            signer.issue(Terms { description: Some(&long), ..good }),
            Err(ChallengeError::TooLong { .. })
        ));
    }

    #[test]
    fn an_altered_challenge_is_unknown() {
        let signer = signer(1);
        let challenge = issue(&signer, None, CredentialHeader::PaymentAuthorization);
        let changes: [fn(&mut Challenge); 9] = [
            |challenge| challenge.id.push('A'),
            |challenge| challenge.realm.push('x'),
            |challenge| challenge.method = Method::EVM,
            |challenge| challenge.intent = "session".parse().unwrap(),
            |challenge| challenge.request = canonical(&json!({ "amount": "1", "currency": "gbp" })),
            |challenge| challenge.expires = Some(rfc3339((NOW_S + 9_999) * 1000)),
            |challenge| challenge.digest = Some(body_digest(b"")),
            |challenge| challenge.opaque = None,
            |challenge| challenge.header = None,
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = challenge.clone();
            change(&mut changed);
            let rejected = signer.verify(credential(&changed), b"", NOW_S).err();
            assert_eq!(rejected, Some(Rejection::Unknown), "{number}");
        }
        // The id does not cover members that are only for display.
        let other = Challenge { description: None, ..challenge };
        assert!(signer.verify(credential(&other), b"", NOW_S).is_ok());
    }

    #[test]
    fn a_bar_does_not_move_the_slots() {
        let signer = signer(1);
        let challenge = issue(&signer, None, CredentialHeader::PaymentAuthorization);
        // The MAC input stays the same, but its members are split at another place.
        let digest = Some("|Payment-Authorization".to_owned());
        let moved = Challenge { digest, header: None, ..challenge.clone() };
        assert_eq!(mac(&signer.key, &moved), mac(&signer.key, &challenge));
        assert_eq!(signer.verify(credential(&moved), b"", NOW_S).err(), Some(Rejection::Unknown));
    }

    #[test]
    fn time_body_key_and_realm_are_checked() {
        let one = signer(1);
        let challenge = issue(&one, Some(b"{}"), CredentialHeader::Authorization);
        let at =
            |signer: &ChallengeSigner, body: &[u8], now_s| signer.verify(credential(&challenge), body, now_s).err();
        assert_eq!(at(&one, b"{}", NOW_S + 299), None);
        assert!(matches!(at(&one, b"{}", NOW_S + 300), Some(Rejection::Expired { .. })));
        assert_eq!(at(&one, b"{ }", NOW_S), Some(Rejection::OtherBody));
        assert_eq!(at(&signer(2), b"{}", NOW_S), Some(Rejection::Unknown));
        let rotated =
            ChallengeSigner::new("api.example.com", SecretBytes::new([2; 32]), Some(SecretBytes::new([1; 32])));
        assert_eq!(at(&rotated.unwrap(), b"{}", NOW_S), None);
        let elsewhere = ChallengeSigner::new("other.example.com", SecretBytes::new([1; 32]), None).unwrap();
        assert_eq!(at(&elsewhere, b"{}", NOW_S), Some(Rejection::Unknown));
        for realm in ["", "a|b", "a b", "é", "a\n"] {
            assert!(ChallengeSigner::new(realm, SecretBytes::new([1; 32]), None).is_err(), "{realm}");
        }
    }
}
