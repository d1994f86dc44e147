//! Answers: how they leave, and how a lost one is found by its payment.

use bytes::Bytes;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_ledger::{Route, Sealed};
use tollbridge_store::StoreError;

use super::error::CheckoutError;
use super::service::Checkout;

/// What a call is answered with. A paid answer can only be made from a seal.
#[derive(Debug)]
pub enum CallAnswer {
    /// An answer that costs nothing.
    Free(Bytes),
    /// An answer whose record is durable.
    Paid {
        /// Proof that its record is durable.
        sealed: Sealed,
        /// What is left of the intent that paid.
        remaining: Option<Millipence>,
        /// What the record says, of an agent's task.
        task: Option<Box<Route>>,
    },
    /// The stored answer of a call that was sealed before.
    Replayed(ReplayedAnswer),
}

impl Checkout {
    /// The last answer that an intent paid for, while it is kept.
    pub fn answer_of_intent(&self, handle: &str) -> Result<Option<ReplayedAnswer>, CheckoutError> {
        let store = self.db.store();
        let Some(seq) = store.answer_of_intent(handle)? else { return Ok(None) };
        let Some(stored_answer) = store.answer(seq)? else { return Ok(None) };
        Ok(Some(ReplayedAnswer::of_record(&self.notary, seq, stored_answer)?))
    }

    /// Whether the last answer that an intent paid for is still kept.
    pub(super) fn has_answer(&self, handle: &str) -> Result<bool, StoreError> {
        Ok(match self.db.answer_of_intent(handle)? {
            Some(seq) => self.db.answer(seq)?.is_some(),
            None => false,
        })
    }
}
