//! Events as stored in the outbox, and the listener for new ones.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;

use crate::hexed;
use crate::sealing::Hash;

/// An event to deliver to the webhook endpoints of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEvent {
    /// Account whose endpoints receive the event.
    pub account: String,
    /// Name of the event.
    pub event: &'static str,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Members of the event's `data` object, as JSON. Empty if the record contains
    /// everything.
    pub data: Vec<u8>,
    /// A ledger account whose balance after the change is stored with the row.
    pub balance_of: Option<String>,
}

/// A position in the outbox, which defines the order of all events: the number of the
/// event's record, and the index among the events of that record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OutboxPosition {
    /// Number of the event's record.
    pub seq: u64,
    /// Index among the events of that record.
    pub index: u16,
}

/// An event as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRow {
    /// Position in the outbox.
    #[serde(skip, default = "OutboxPosition::first")]
    pub place: OutboxPosition,
    /// Name of the event.
    pub event: String,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Seal of the event's record.
    #[serde(with = "hexed")]
    pub seal: Hash,
    /// Transaction id of the record.
    #[serde(with = "hexed")]
    pub tx: Hash,
    /// Balance of `OutboxEvent::balance_of` after the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub balance: Option<Millipence>,
    /// Members of the event's `data` object, as JSON.
    #[serde(skip)]
    pub data: Vec<u8>,
}

/// Deletes events of an account whose records have numbers below `below`: at most `limit`
/// rows, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxPrune {
    /// Account id.
    pub account: String,
    /// Exclusive upper bound of the record numbers.
    pub below: u64,
    /// Maximum number of rows to delete.
    pub limit: usize,
}

/// Decides which events are written to the outbox. Implemented by the webhooks crate;
/// queried before a change is queued, and notified after the change is durable.
pub trait OutboxListener: Send + Sync + 'static {
    /// Returns whether the account has a listener for this event; other events are not
    /// written.
    fn listens_to(&self, account: &str, event: &str) -> bool;
    /// Notifies the listener that `count` more events of this account are durable.
    fn written(&self, account: &str, count: usize);
}

impl OutboxPosition {
    /// Returns the lowest possible position.
    pub const fn first() -> Self {
        Self::of(0)
    }

    /// Returns the position of a record's first event.
    pub const fn of(seq: u64) -> Self {
        Self { seq, index: 0 }
    }

    /// Returns the position after this one.
    pub const fn next(self) -> Self {
        match self.index.checked_add(1) {
            Some(index) => Self { index, ..self },
            None => Self::of(self.seq.saturating_add(1)),
        }
    }
}
