//! Step 0 of a call: if the call repeats a sealed call, it gets the stored answer.

use tollbridge_core::in_flight::InFlightGuard;
use tollbridge_ledger::idempotency::{self, RequestIdentity};
use tollbridge_store::Hash;

use super::answer::CallAnswer;
use super::call::Call;
use super::error::CheckoutError;
use super::service::Checkout;
use crate::catalog::Offer;

/// The result of looking for an earlier call.
pub(super) enum Idempotency {
    /// The call was sealed before; contains the stored answer.
    Replayed(CallAnswer),
    /// The call is new.
    New {
        /// Identity of the call; `None` if it has no key, so that it has no repeats: its
        /// identity is then created when needed.
        identity: Option<RequestIdentity>,
        /// Makes concurrent repeats of the call be refused until it is dropped.
        guard: Option<InFlightGuard<Hash>>,
    },
}

impl Checkout {
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
}
