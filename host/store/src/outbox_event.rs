//! Events as they stand in the outbox, and who is told of new ones.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;

use crate::hexed;
use crate::sealing::Hash;

/// Something to tell to the endpoints of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEvent {
    /// Whose endpoints hear it.
    pub account: String,
    /// Name of the event.
    pub event: &'static str,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Members of `data`: a JSON object. Empty where the record says it all.
    pub data: Vec<u8>,
    /// A ledger account whose balance after the change is kept with the row.
    pub balance_of: Option<String>,
}

/// Where something stands in the outbox, and so in the order of all things
/// told: the number of its record, and its position among those of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OutboxPosition {
    /// Number of the record.
    pub seq: u64,
    /// Position among the events of the record.
    pub index: u16,
}

/// Something told, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRow {
    /// Its place in the outbox.
    #[serde(skip, default = "OutboxPosition::first")]
    pub place: OutboxPosition,
    /// Name of the event.
    pub event: String,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Names of the record that it tells of.
    #[serde(with = "hexed")]
    pub seal: Hash,
    /// Transaction id of the record.
    #[serde(with = "hexed")]
    pub tx: Hash,
    /// Balance that was asked for, after the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub balance: Option<Millipence>,
    /// Members of the event, as JSON.
    #[serde(skip)]
    pub data: Vec<u8>,
}

/// Forgets what was told to an account: rows of records before `below`, at most
/// `limit` of them, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxPrune {
    /// Account id.
    pub account: String,
    /// Records before this number.
    pub below: u64,
    /// How many at most.
    pub limit: usize,
}

/// Chooses which events are written. Supplied by the webhooks; asked before a
/// change is queued, notified after it is durable.
pub trait OutboxListener: Send + Sync + 'static {
    /// Whether the account has a listener for this event; others are not written.
    fn listens_to(&self, account: &str, event: &str) -> bool;
    /// `count` more rows of this account are durable.
    fn written(&self, account: &str, count: usize);
}

impl OutboxPosition {
    /// Before everything that can be told.
    pub const fn first() -> Self {
        Self::of(0)
    }

    /// The first of a record.
    pub const fn of(seq: u64) -> Self {
        Self { seq, index: 0 }
    }

    /// The one behind this.
    pub const fn next(self) -> Self {
        match self.index.checked_add(1) {
            Some(index) => Self { index, ..self },
            None => Self::of(self.seq.saturating_add(1)),
        }
    }
}
