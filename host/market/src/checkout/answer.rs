//! Answers: how they leave, how they are kept, and how a lost one is found.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::call::{Call, Identity};
use super::{Checkout, Error};
use tollbridge_core::limits::ANSWER_KEPT_MS;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Route, Sealed};
use tollbridge_payment::PaymentAuthorization;
use tollbridge_store::{Answer as KeptAnswer, Hash, StoreError};

/// What a call is answered with. A paid answer can only be made from a seal.
#[derive(Debug)]
pub enum Answer {
    Free(Bytes),
    Paid {
        sealed: Sealed,
        /// What is left of the intent that paid.
        remaining: Option<Millipence>,
        /// What the record says, of an agent's task.
        task: Option<Box<Route>>,
    },
    /// The stored answer of a call that was sealed before.
    Replayed(Recovered),
}

/// A sealed answer, found again.
#[derive(Debug)]
pub struct Recovered {
    pub body: Bytes,
    pub tx: Hash,
    pub seal: Hash,
}

/// The row that keeps an answer for a caller that loses it.
pub(super) fn keep(call: &Call, identity: &Identity, draw: &PaymentAuthorization, body: &Bytes) -> KeptAnswer {
    KeptAnswer {
        intent: draw.intent().map(str::to_owned),
        fingerprint: identity.fingerprint,
        content_type: "application/json".into(),
        expires_ms: call.now_ms.saturating_add(ANSWER_KEPT_MS),
        body: body.clone(),
    }
}

impl Checkout {
    /// The answer of an earlier call with the same identity, if there was one.
    pub fn replay(&self, identity: &Identity) -> Result<Option<Answer>, Error> {
        if !identity.repeatable {
            return Ok(None);
        }
        let Some(seq) = self.store.seq_of_tx(&identity.tx)? else { return Ok(None) };
        let Some(kept) = self.store.answer(seq)? else {
            return Err(Error::AlreadySealed {
                message: "this transaction is already sealed and its answer is no longer kept; use a new \
                          Idempotency-Key for a new call"
                    .to_owned(),
                answer: None,
            });
        };
        if kept.fingerprint != identity.fingerprint {
            return Err(Error::KeyReused);
        }
        Ok(Some(Answer::Replayed(self.recovered(seq, kept)?)))
    }

    /// The last answer that an intent paid for, while it is kept.
    pub fn answer_of_intent(&self, handle: &str) -> Result<Option<Recovered>, Error> {
        let store = &self.store;
        let Some(seq) = store.answer_of_intent(handle)? else { return Ok(None) };
        let Some(kept) = store.answer(seq)? else { return Ok(None) };
        Ok(Some(self.recovered(seq, kept)?))
    }

    /// Whether the last answer that an intent paid for is still kept.
    pub(super) fn has_answer(&self, handle: &str) -> Result<bool, StoreError> {
        Ok(match self.store.answer_of_intent(handle)? {
            Some(seq) => self.store.answer(seq)?.is_some(),
            None => false,
        })
    }

    fn recovered(&self, seq: u64, kept: KeptAnswer) -> Result<Recovered, Error> {
        let (tx, seal) = self.notary.names_of(seq)?;
        Ok(Recovered { body: kept.body, tx, seal })
    }
}

/// Transactions that are on their way, so that a repeat waits its turn.
#[derive(Clone, Default)]
pub(super) struct InProgress(Arc<Mutex<HashSet<Hash>>>);

/// Ends the turn when dropped.
#[must_use]
pub(super) struct Turn {
    all: InProgress,
    tx: Option<Hash>,
}

impl InProgress {
    /// Fails when the same transaction is already on its way.
    pub(super) fn enter(&self, identity: &Identity) -> Result<Turn, Error> {
        if !identity.repeatable {
            return Ok(Turn { all: self.clone(), tx: None });
        }
        if !self.0.lock().insert(identity.tx) {
            return Err(Error::InProgress);
        }
        Ok(Turn { all: self.clone(), tx: Some(identity.tx) })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(tx) = self.tx {
            self.all.0.lock().remove(&tx);
        }
    }
}
