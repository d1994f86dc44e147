//! A repeat of a sealed transaction: 409, or under the same `Idempotency-Key`
//! the stored answer.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{Earning, EarningError};
use tollbridge_core::limits::{ANSWER_KEPT_MS, IDEMPOTENCY_KEY_BYTES_MAX};
use tollbridge_ledger::Sealed;
use tollbridge_store::{Answer, Hash};

/// A transaction that is sealed, and what to answer.
#[derive(Debug)]
pub struct Done {
    pub body: Bytes,
    pub tx: Hash,
    pub seal: Hash,
    /// Whether it was sealed by an earlier request.
    pub replayed: bool,
}

/// Which transaction a request is.
pub(super) struct Identity {
    pub(super) tx: Hash,
    pub(super) fingerprint: Hash,
    /// Whether a repeat may have the stored answer.
    keyed: bool,
}

impl Identity {
    /// `once` names what can happen only once for the account; without it, and
    /// without a key, every request is a transaction of its own.
    pub(super) fn of(
        account: &str,
        route: &str,
        once: Option<&str>,
        key: Option<&str>,
        body: &[u8],
    ) -> Result<Self, EarningError> {
        let printable = |key: &str| key.bytes().all(|byte| (0x21..0x7f).contains(&byte));
        if key.is_some_and(|key| key.is_empty() || key.len() > IDEMPOTENCY_KEY_BYTES_MAX || !printable(key)) {
            return Err(EarningError::BadKey);
        }
        let fingerprint = hash("tollbridge request v1", &[route, key.unwrap_or_default()], body);
        let tx = match (once, key) {
            (Some(once), _) => hash("tollbridge once v1", &[account, route, once], b""),
            // The same id that a paid call with this key would have.
            (None, Some(key)) => hash("tollbridge idempotency v1", &[account, route, key], b""),
            (None, None) => {
                let mut tx = [0; 32];
                getrandom::fill(&mut tx).map_err(|_| EarningError::NoRandomness)?;
                tx
            }
        };
        Ok(Self { tx, fingerprint, keyed: key.is_some() })
    }

    /// The row that keeps an answer for a repeat.
    pub(super) fn keep(&self, body: Vec<u8>, now_ms: u64) -> Answer {
        Answer {
            intent: None,
            fingerprint: self.fingerprint,
            content_type: "application/json".into(),
            expires_ms: now_ms.saturating_add(ANSWER_KEPT_MS),
            body: body.into(),
        }
    }
}

impl Earning {
    /// What an earlier request with this identity was answered, if it was sealed.
    pub(super) fn earlier(&self, identity: &Identity, once: bool) -> Result<Option<Done>, EarningError> {
        let Some(seq) = self.store.seq_of_tx(&identity.tx)? else { return Ok(None) };
        let kept = self.store.answer(seq)?.ok_or(EarningError::AlreadySealed)?;
        if !identity.keyed {
            return Err(EarningError::AlreadySealed);
        }
        if kept.fingerprint != identity.fingerprint {
            // Another key for what can happen only once, or the key for something else.
            return Err(if once { EarningError::AlreadySealed } else { EarningError::KeyReused });
        }
        let (tx, seal) = self.notary.names_of(seq)?;
        Ok(Some(Done { body: kept.body, tx, seal, replayed: true }))
    }
}

impl From<Sealed> for Done {
    fn from(sealed: Sealed) -> Self {
        let (tx, seal) = (*sealed.tx(), *sealed.seal());
        Self { body: sealed.into_body(), tx, seal, replayed: false }
    }
}

fn hash(domain: &str, parts: &[&str], rest: &[u8]) -> Hash {
    let mut hash = Sha256::new().chain_update(domain);
    for part in parts {
        // Lengths keep ("a", "bc") apart from ("ab", "c").
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.update(rest);
    hash.finalize().into()
}
