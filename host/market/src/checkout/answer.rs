//! Answers to calls: new and stored ones.

use bytes::Bytes;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_ledger::{Route, Sealed};

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
