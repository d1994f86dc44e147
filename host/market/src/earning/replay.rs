//! Repeats of sealed transactions. A repeat with the same `Idempotency-Key` gets the
//! stored answer, any other repeat status 409.

use bytes::Bytes;
use tollbridge_ledger::idempotency::{self, IdempotencyKey, RequestIdentity};
use tollbridge_ledger::{Notary, Sealed};
use tollbridge_store::{Hash, Store, StoredAnswer};

use super::error::EarningError;

/// A sealed transaction and its stored answer.
#[derive(Debug)]
pub struct EarningReceipt {
    /// Body of the answer.
    pub body: Bytes,
    /// Transaction id.
    pub tx: Hash,
    /// Seal of the record.
    pub seal: Hash,
    /// Whether an earlier request sealed the transaction.
    pub replayed: bool,
}

/// Returns the answer to an earlier request with this identity, if that request was
/// sealed.
pub(super) fn find_replay(
    store: &dyn Store,
    notary: &Notary,
    identity: &RequestIdentity,
) -> Result<Option<EarningReceipt>, EarningError> {
    let replayed = idempotency::replay(store, notary, identity)?;
    Ok(replayed.map(|answer| EarningReceipt { body: answer.body, tx: answer.tx, seal: answer.seal, replayed: true }))
}

/// Returns the identity of a request. `once` names an action that each account may do
/// only once.
pub(super) fn identity(
    account: &str,
    route: &str,
    once: Option<&str>,
    key: Option<&str>,
    body: &[u8],
) -> Result<RequestIdentity, EarningError> {
    let key = key.map(IdempotencyKey::parse).transpose()?;
    Ok(RequestIdentity::of_earning(account, route, once, key, body)?)
}

/// Builds the row that stores a JSON answer for repeats of the request.
pub(super) fn stored_answer(identity: &RequestIdentity, body: Vec<u8>, now_ms: u64) -> StoredAnswer {
    identity.stored_answer(None, "application/json", body.into(), now_ms)
}

impl From<Sealed> for EarningReceipt {
    fn from(sealed: Sealed) -> Self {
        let (tx, seal) = (*sealed.tx(), *sealed.seal());
        Self { body: sealed.into_body(), tx, seal, replayed: false }
    }
}
