//! A repeat of a sealed transaction: 409, or under the same `Idempotency-Key`
//! the stored answer.

use bytes::Bytes;
use tollbridge_ledger::Sealed;
use tollbridge_ledger::idempotency::{self, IdempotencyKey, RequestIdentity};
use tollbridge_store::{Hash, StoredAnswer};

use super::error::EarningError;
use super::service::EarningService;

/// A transaction that is sealed, and what to answer.
#[derive(Debug)]
pub struct EarningReceipt {
    /// Body.
    pub body: Bytes,
    /// Transaction id.
    pub tx: Hash,
    /// Seal of the record.
    pub seal: Hash,
    /// Whether it was sealed by an earlier request.
    pub replayed: bool,
}

impl EarningService {
    /// What an earlier request with this identity was answered, if it was sealed.
    pub(super) fn find_replay(&self, identity: &RequestIdentity) -> Result<Option<EarningReceipt>, EarningError> {
        let replayed = idempotency::replay(self.store.as_ref(), &self.notary, identity)?;
        Ok(replayed.map(|answer| EarningReceipt {
            body: answer.body,
            tx: answer.tx,
            seal: answer.seal,
            replayed: true,
        }))
    }
}

/// Which transaction a request is. `once` names what can happen only once for
/// the account.
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

/// The row that keeps a JSON answer for a repeat.
pub(super) fn stored_answer(identity: &RequestIdentity, body: Vec<u8>, now_ms: u64) -> StoredAnswer {
    identity.stored_answer(None, "application/json", body.into(), now_ms)
}

impl From<Sealed> for EarningReceipt {
    fn from(sealed: Sealed) -> Self {
        let (tx, seal) = (*sealed.tx(), *sealed.seal());
        Self { body: sealed.into_body(), tx, seal, replayed: false }
    }
}
