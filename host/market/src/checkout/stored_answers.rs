//! Stored answers of sealed calls, found by the identity of a repeated call or by its
//! payment. Step 0 of a call: a repeat gets the stored answer.

use std::sync::Arc;

use tollbridge_core::in_flight::{InFlight, InFlightGuard};
use tollbridge_ledger::Notary;
use tollbridge_ledger::idempotency::{self, ReplayedAnswer, RequestIdentity};
use tollbridge_store::{Db, Hash, StoreError};

use super::answer::CallAnswer;
use super::call::Call;
use super::error::CheckoutError;
use crate::catalog::Offer;

/// The stored answers, and the calls in flight whose answers will be stored.
pub struct StoredAnswers {
    db: Db,
    notary: Arc<Notary>,
    in_flight: InFlight<Hash>,
}

/// The result of looking for an earlier call.
pub(super) enum Idempotency {
    /// The call was sealed before; contains the stored answer.
    Replayed(CallAnswer),
    /// The call is new.
    New {
        /// Identity of the call; `None` for a call that cannot be repeated, whose
        /// identity is created later.
        identity: Option<RequestIdentity>,
        /// While this guard exists, concurrent repeats of the call are refused.
        guard: Option<InFlightGuard<Hash>>,
    },
}

impl StoredAnswers {
    pub(super) fn new(db: Db, notary: Arc<Notary>) -> Self {
        Self { db, notary, in_flight: InFlight::default() }
    }

    /// Looks for an earlier call with the same identity. A repeat gets the original
    /// answer, even if the plugin, its schema or its price has changed since. Of two
    /// concurrent repeats the second is refused, or gets the answer that the first one
    /// sealed. Calls of a plugin that never had a price are not sealed, so they have no
    /// repeats.
    pub(super) fn begin(&self, call: &Call, offer: Option<&Offer>) -> Result<Idempotency, CheckoutError> {
        let never_sold = offer.is_some_and(|offer| offer.is_free() && !offer.was_sold);
        if call.repeat_key().is_none() || never_sold {
            return Ok(Idempotency::New { identity: None, guard: None });
        }
        let identity = call.identity()?;
        let is_free = offer.is_some_and(Offer::is_free);
        let guard = if identity.is_repeatable() && !is_free {
            Some(self.in_flight.begin(identity.tx).ok_or(CheckoutError::InProgress)?)
        } else {
            None
        };
        let replayed = self.replay(&identity).map_err(|error| match error {
            CheckoutError::KeyReused if call.repeats_by_identifier() => CheckoutError::IdentifierReused,
            error => error,
        });
        match replayed? {
            Some(answer) => Ok(Idempotency::Replayed(answer)),
            None => Ok(Idempotency::New { identity: Some(identity), guard }),
        }
    }

    /// Returns the stored answer of an earlier call with the same identity, if there was
    /// one.
    pub fn replay(&self, identity: &RequestIdentity) -> Result<Option<CallAnswer>, CheckoutError> {
        Ok(idempotency::replay(self.db.store(), &self.notary, identity)?.map(CallAnswer::Replayed))
    }

    /// Returns the last answer that a payment intent paid for; `None` once the answer is
    /// deleted.
    pub fn of_intent(&self, handle: &str) -> Result<Option<ReplayedAnswer>, CheckoutError> {
        let Some(seq) = self.db.answer_of_intent(handle)? else { return Ok(None) };
        let Some(stored_answer) = self.db.answer(seq)? else { return Ok(None) };
        Ok(Some(ReplayedAnswer::of_record(&self.notary, seq, stored_answer)?))
    }

    /// Returns whether the last answer that a payment intent paid for is still stored.
    pub(super) fn has_of_intent(&self, handle: &str) -> Result<bool, StoreError> {
        Ok(match self.db.answer_of_intent(handle)? {
            Some(seq) => self.db.answer(seq)?.is_some(),
            None => false,
        })
    }
}
