//! Answers to calls: new and stored ones, and finding a lost answer by its payment.

use bytes::Bytes;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_ledger::{Route, Sealed};
use tollbridge_store::StoreError;

use super::error::CheckoutError;
use super::service::Checkout;

/// The answer to a call. A paid answer can only be created from the proof of a seal.
#[derive(Debug)]
pub enum CallAnswer {
    /// The answer to a free call.
    Free(Bytes),
    /// The answer to a paid call, whose record is durable.
    Paid {
        /// Proof that the call's record is durable.
        sealed: Sealed,
        /// Remaining amount of the payment intent that paid, if one did.
        remaining: Option<Millipence>,
        /// Content of the record, if the call was an agent's task.
        task: Option<Box<Route>>,
    },
    /// The stored answer to a call that was sealed before.
    Replayed(ReplayedAnswer),
}

impl Checkout {
    /// Returns the last answer that a payment intent paid for; `None` once the answer is
    /// deleted.
    pub fn answer_of_intent(&self, handle: &str) -> Result<Option<ReplayedAnswer>, CheckoutError> {
        let store = self.db.store();
        let Some(seq) = store.answer_of_intent(handle)? else { return Ok(None) };
        let Some(stored_answer) = store.answer(seq)? else { return Ok(None) };
        Ok(Some(ReplayedAnswer::of_record(&self.notary, seq, stored_answer)?))
    }

    /// Returns whether the last answer that a payment intent paid for is still stored.
    pub(super) fn has_answer(&self, handle: &str) -> Result<bool, StoreError> {
        Ok(match self.db.answer_of_intent(handle)? {
            Some(seq) => self.db.answer(seq)?.is_some(),
            None => false,
        })
    }
}
