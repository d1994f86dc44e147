//! Typed events for webhooks: names, members and envelopes.
//!
//! A crate that changes something puts the event into the same
//! [`Change`](tollbridge_store::Change): `outbox: vec![events::agent_completed(…)]`. The
//! writer drops events without a subscriber. When the event is sent, `data.worm_seal` and
//! `data.record_id` are added from the record of the same change. [`announce`] seals an
//! event that belongs to no transaction as a record of kind `event`.
//!
//! Invariants: an event contains nothing that its account may not see; amounts in whole
//! pence sum to the total that they are parts of; personal data is never in the record.

mod announce;
mod body;
mod members;
mod names;
mod sample;
mod split;
#[cfg(test)]
mod tests;

pub use announce::{AnnounceError, announce, attach, seal};
pub use body::{EventId, body};
pub use members::{
    Deployed, Suspicion, agent_completed, agent_deployed, agent_failed, credit_low, earn_completed, fraud_blocked,
    fraud_detected, payout_completed, refund_failed, signup_created, webhook_test, withdrawal_failed,
    withdrawal_initiated, withdrawal_returned,
};
pub use names::{
    AGENT_COMPLETED, AGENT_DEPLOYED, AGENT_FAILED, ALL, BILLING_SPLIT, CREDIT_LOW, EARN_COMPLETED, FRAUD_BLOCKED,
    FRAUD_DETECTED, OPERATOR, PAYOUT_COMPLETED, REFUND_FAILED, SIGNUP_CREATED, Set, WEBHOOK_TEST, WITHDRAWAL_FAILED,
    WITHDRAWAL_INITIATED, by_name,
};
pub use sample::{samples, unsealed};
pub use split::{CallSplit, billing_split, billing_split_of_call, complete, split_parties};
