//! Idempotency: recognizes repeated requests and answers them with the stored answer.
//!
//! 1. [`RequestIdentity`] derives the transaction id and the fingerprint of a request.
//! 2. [`find_sealed`] and [`replay`] find the answer of the first request.
//! 3. `tollbridge_core::in_flight::InFlight` refuses a repeat while the first request is
//!    still running.
//! 4. [`RequestIdentity::stored_answer`] is the row that the first request writes with
//!    its seal, to answer its repeats.
//!
//! Invariants:
//! - the ledger seals a transaction id once, so a repeat is never charged again;
//! - a repeat gets the stored answer only if its fingerprint is the same;
//! - domains and the order of their parts are on disk and never change.

use std::borrow::Cow;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tollbridge_core::planted::Defect;
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Hash, Store, StoreError, StoredAnswer};

use super::notary::Notary;
use super::{LedgerError, random_tx};

/// Time for which the answer of a sealed request is stored, for a caller that did not
/// receive it.
pub const ANSWER_KEPT_MS: u64 = DAY_MS;
/// Maximum length of an `Idempotency-Key`.
const IDEMPOTENCY_KEY_BYTES_MAX: usize = 255;

/// The reason why a request is refused, or why its stored answer is not returned.
#[derive(Debug, thiserror::Error)]
pub enum IdempotencyError {
    /// The header's value is not a valid idempotency key.
    #[error("an Idempotency-Key is 1 to 255 printable ASCII characters without spaces")]
    InvalidKey,
    /// The key was already used for a request with another fingerprint.
    #[error("this Idempotency-Key was used for another request; use a new one")]
    KeyReused,
    /// The transaction is sealed, but no answer is stored for this request.
    #[error("this transaction is already sealed")]
    AlreadySealed,
    /// The operating system provides no random bytes for a transaction id.
    #[error("no randomness is available")]
    NoRandomness,
    /// The record of a stored answer cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The value of an `Idempotency-Key` header: 1 to 255 printable ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdempotencyKey<'a>(&'a str);

impl<'a> IdempotencyKey<'a> {
    /// Parses a key; refuses an invalid header value.
    pub fn parse(key: &'a str) -> Result<Self, IdempotencyError> {
        let is_printable = key.bytes().all(|byte| (0x21..0x7f).contains(&byte));
        if key.is_empty() || key.len() > IDEMPOTENCY_KEY_BYTES_MAX || !is_printable {
            return Err(IdempotencyError::InvalidKey);
        }
        Ok(Self(key))
    }

    /// Returns the key as it was sent.
    pub const fn as_str(&self) -> &'a str {
        self.0
    }
}

/// The response to a repeat, that is, to a later request with the same transaction id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRepeat {
    /// The request cannot be repeated, because its transaction id is random.
    Never,
    /// The stored answer is returned.
    Replay,
    /// The repeat is refused, because the action can happen only once. If it has an
    /// idempotency key and the same fingerprint, the stored answer is returned instead.
    Once {
        /// Whether the request has an idempotency key.
        has_key: bool,
    },
}

/// The identity of a request, by which its repeats are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestIdentity {
    /// The transaction id.
    pub tx: Hash,
    /// Digest of the request. A request with the same transaction id but another
    /// fingerprint reuses the idempotency key for something else.
    pub fingerprint: Hash,
    /// The response to a repeat of the request.
    pub on_repeat: OnRepeat,
}

impl RequestIdentity {
    /// Identifies a call with an idempotency key. `scope` is the account or the payment
    /// intent; if it is empty, nothing is stored, so the call is not repeatable.
    pub fn of_call(scope: &str, route: &str, key: IdempotencyKey<'_>, body: &[u8]) -> Self {
        let on_repeat = if scope.is_empty() { OnRepeat::Never } else { OnRepeat::Replay };
        Self { tx: call_tx(scope, route, key), fingerprint: call_fingerprint(route, body), on_repeat }
    }

    /// Identifies a call without an idempotency key. Its transaction id is random, so it
    /// is never a repeat.
    pub fn of_unkeyed_call(route: &str, body: &[u8]) -> Result<Self, IdempotencyError> {
        Ok(Self { tx: new_tx()?, fingerprint: call_fingerprint(route, body), on_repeat: OnRepeat::Never })
    }

    /// Identifies a request that earns or transfers money. `once` names an action that
    /// the account can do only once. Without `once` and without a key, the transaction id
    /// is random.
    pub fn of_earning(
        account: &str,
        route: &str,
        once: Option<&str>,
        key: Option<IdempotencyKey<'_>>,
        body: &[u8],
    ) -> Result<Self, IdempotencyError> {
        let key_text = key.map(|key| key.as_str()).unwrap_or_default();
        let fingerprint = Digester::new("tollbridge request v1").part(route).part(key_text).rest(body).finish();
        let (tx, on_repeat) = match (once, key) {
            (Some(once), _) => {
                let tx = Digester::new("tollbridge once v1").part(account).part(route).part(once).finish();
                (tx, OnRepeat::Once { has_key: key.is_some() })
            }
            (None, Some(key)) => (call_tx(account, route, key), OnRepeat::Replay),
            (None, None) => (new_tx()?, OnRepeat::Never),
        };
        Ok(Self { tx, fingerprint, on_repeat })
    }

    /// Identifies a request to the model gateway. Equal requests have equal fingerprints,
    /// even without a key.
    pub fn of_inference(
        account: &str,
        route: &str,
        key: Option<IdempotencyKey<'_>>,
        body: &[u8],
    ) -> Result<Self, IdempotencyError> {
        let digest = |domain, last: &[u8]| Digester::new(domain).part(account).part(route).part(last).finish();
        let fingerprint = digest("tollbridge inference request v1", body);
        let (tx, on_repeat) = match key {
            Some(key) => (digest("tollbridge inference transaction v1", key.as_str().as_bytes()), OnRepeat::Replay),
            None => (new_tx()?, OnRepeat::Never),
        };
        Ok(Self { tx, fingerprint, on_repeat })
    }

    /// Returns whether a later request may have the same transaction id.
    pub fn is_repeatable(&self) -> bool {
        self.on_repeat != OnRepeat::Never
    }

    /// Returns the row that stores the answer for repeats during [`ANSWER_KEPT_MS`].
    /// `intent` is the handle of the payment intent that paid, if an intent paid.
    pub fn stored_answer(
        &self,
        intent: Option<String>,
        content_type: impl Into<Cow<'static, str>>,
        body: Bytes,
        now_ms: u64,
    ) -> StoredAnswer {
        StoredAnswer {
            intent,
            fingerprint: self.fingerprint,
            content_type: content_type.into(),
            expires_ms: now_ms.saturating_add(ANSWER_KEPT_MS),
            body,
        }
    }
}

/// A stored answer with the transaction to which it belongs.
#[derive(Debug)]
pub struct ReplayedAnswer {
    /// The body as sent the first time.
    pub body: Bytes,
    /// The body's media type.
    pub content_type: Cow<'static, str>,
    /// The transaction id.
    pub tx: Hash,
    /// The seal of the transaction's record.
    pub seal: Hash,
}

impl ReplayedAnswer {
    /// Returns the stored answer of the record with this number.
    pub fn of_record(notary: &Notary, seq: u64, answer: StoredAnswer) -> Result<Self, LedgerError> {
        let (tx, seal) = notary.names_of(seq)?;
        Ok(Self { body: answer.body, content_type: answer.content_type, tx, seal })
    }
}

/// Finds the record and the stored answer of an earlier request with this identity;
/// returns `None` if there was no such request.
pub fn find_sealed(
    store: &dyn Store,
    identity: &RequestIdentity,
) -> Result<Option<(u64, StoredAnswer)>, IdempotencyError> {
    if identity.on_repeat == OnRepeat::Never {
        return Ok(None);
    }
    let Some(seq) = store.seq_of_tx(&identity.tx)? else { return Ok(None) };
    let answer = store.answer(seq)?.ok_or(IdempotencyError::AlreadySealed)?;
    let is_same = answer.fingerprint == identity.fingerprint || Defect::KeyReuseUnnoticed.is_planted();
    match identity.on_repeat {
        OnRepeat::Replay if !is_same => Err(IdempotencyError::KeyReused),
        OnRepeat::Once { has_key } if !has_key || !is_same => Err(IdempotencyError::AlreadySealed),
        _ => Ok(Some((seq, answer))),
    }
}

/// Returns the answer to an earlier request with this identity, or `None` if there was no
/// such request.
pub fn replay(
    store: &dyn Store,
    notary: &Notary,
    identity: &RequestIdentity,
) -> Result<Option<ReplayedAnswer>, IdempotencyError> {
    let Some((seq, answer)) = find_sealed(store, identity)? else { return Ok(None) };
    Ok(Some(ReplayedAnswer::of_record(notary, seq, answer)?))
}

/// Computes a digest of several parts. The length of each part is hashed before the part,
/// which distinguishes ("a", "bc") from ("ab", "c").
pub struct Digester(Sha256);

impl Digester {
    /// Starts a digest. `domain` distinguishes digests for different purposes.
    pub fn new(domain: &str) -> Self {
        Self(Sha256::new().chain_update(domain))
    }

    /// Adds a part, preceded by its length (8 bytes, big-endian).
    #[must_use]
    pub fn part(self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        Self(self.0.chain_update(length.to_be_bytes()).chain_update(part))
    }

    /// Adds the last part, without its length.
    #[must_use]
    pub fn rest(self, rest: &[u8]) -> Self {
        Self(self.0.chain_update(rest))
    }

    /// Returns the digest.
    pub fn finish(self) -> Hash {
        self.0.finalize().into()
    }
}

fn call_tx(scope: &str, route: &str, key: IdempotencyKey<'_>) -> Hash {
    Digester::new("tollbridge idempotency v1").part(scope).part(route).part(key.as_str()).finish()
}

fn call_fingerprint(route: &str, body: &[u8]) -> Hash {
    Sha256::new().chain_update(route).chain_update([0]).chain_update(body).finalize().into()
}

fn new_tx() -> Result<Hash, IdempotencyError> {
    random_tx().map_err(|_| IdempotencyError::NoRandomness)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdempotencyKey<'_> {
        IdempotencyKey::parse(text).unwrap()
    }

    #[test]
    fn keys_fit_a_header() {
        for text in ["", "a b", "ü", &"k".repeat(256)] {
            assert!(IdempotencyKey::parse(text).is_err(), "{text}");
        }
    }

    /// Existing ledgers contain these digests: if they changed, repeats would be charged
    /// again.
    #[test]
    fn digests_are_those_on_disk() {
        let hex = |identity: RequestIdentity| (hex::encode(identity.tx), hex::encode(identity.fingerprint));
        let (tx, fingerprint) = hex(RequestIdentity::of_call("acc", "POST /x", key("k"), b"{}"));
        assert_eq!(tx, "0f8f6b41c58c90956837d8285ed6027a4021b8ba9877d3f729c900412567440c");
        assert_eq!(fingerprint, "aee0b04d9db2a4da91e7b83b044da70148fd5c2478e3a543bde73474394dedc6");
        let once = RequestIdentity::of_earning("acc", "POST /x", Some("task"), Some(key("k")), b"{}").unwrap();
        let (tx, fingerprint) = hex(once);
        assert_eq!(tx, "045043db952fa920236a9cba9f7100619773a1d98d7effc8ed35f503b24d46fe");
        assert_eq!(fingerprint, "75b94883249f2b759c4f3e622b02e252dbbc82a8a18a10681e71f205b5578d19");
        let inference = RequestIdentity::of_inference("acc", "POST /x", Some(key("k")), b"{}").unwrap();
        let (tx, fingerprint) = hex(inference);
        assert_eq!(tx, "ff82ab21d9d9205d0d9a7dc4e0e2de99e7ddc8f49e59ac65f9c7c1f507eccb67");
        assert_eq!(fingerprint, "2409e594c70248784690ba403ee887b6a18c2eb0ff374d652f5738440ed8d65a");
    }

    #[test]
    fn a_key_is_one_transaction_whatever_the_body() {
        let of =
            |account, body: &[u8]| RequestIdentity::of_inference(account, "POST /x", Some(key("k")), body).unwrap();
        let (one, other) = (of("a", b"{}"), of("a", b"{1}"));
        assert_eq!(one.tx, other.tx);
        assert_ne!(one.fingerprint, other.fingerprint);
        assert_ne!(one.tx, of("b", b"{}").tx);
    }

    #[test]
    fn without_a_key_the_id_is_random_and_the_fingerprint_is_not() {
        let of = || RequestIdentity::of_inference("a", "POST /x", None, b"{}").unwrap();
        let (one, other) = (of(), of());
        assert_ne!(one.tx, other.tx);
        assert_eq!(one.fingerprint, other.fingerprint);
        assert!(!one.is_repeatable());
    }
}
