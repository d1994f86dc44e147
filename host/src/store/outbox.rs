//! The outbox: what is to be told, written in the same change as what it tells.
//!
//! The store knows neither events nor who listens. It gives each row the place
//! and the names of the record of its change, so that a webhook can carry the
//! seal of what it speaks of although nobody knows it before the write.

use serde::{Deserialize, Serialize};

use super::tables::{decode_headed, encode_headed};
use super::{Hash, StoreError, hexed};
use crate::money::Millipence;

/// Something to tell to the endpoints of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Whose endpoints hear it.
    pub account: String,
    /// Name of the event.
    pub event: &'static str,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    /// Members of `data`: a JSON object.
    pub data: Vec<u8>,
    /// A ledger account whose balance after the change is kept with the row.
    pub balance_of: Option<String>,
}

/// Where something stands in the outbox, and so in the order of all things
/// told: the number of its record, and its position among those of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub seq: u64,
    pub index: u16,
}

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRow {
    #[serde(skip, default = "Place::first")]
    pub place: Place,
    pub event: String,
    pub time_ms: u64,
    /// Names of the record that it tells of.
    #[serde(with = "hexed")]
    pub seal: Hash,
    #[serde(with = "hexed")]
    pub tx: Hash,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub balance: Option<Millipence>,
    #[serde(skip)]
    pub data: Vec<u8>,
}

/// Forgets what was told to an account: rows of records before `below`, at most
/// `limit` of them, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forget {
    pub account: String,
    pub below: u64,
    pub limit: usize,
}

/// Who listens to the outbox. Supplied by a room above; asked before a change
/// is queued, told after it is durable.
pub trait Audience: Send + Sync + 'static {
    /// Whether anybody wants to hear; what nobody wants is not written.
    fn listens(&self, account: &str, event: &str) -> bool;
    /// There are `count` more rows for this account.
    fn written(&self, account: &str, count: usize);
}

impl Place {
    /// Before everything that can be told.
    pub const fn first() -> Self {
        Self { seq: 0, index: 0 }
    }
}

impl OutboxRow {
    /// Makes `row` length of the header (u32, little endian), the header as
    /// JSON, the data.
    pub(super) fn encode(&self, row: &mut Vec<u8>) -> Result<(), StoreError> {
        let bad = |error| StoreError { doing: "encoding an event", source: Box::new(error) };
        encode_headed(self, &self.data, row).map_err(bad)
    }

    /// The reverse of `encode`; `None` when the bytes are no such row.
    pub(super) fn decode(place: Place, bytes: &[u8]) -> Option<Self> {
        let (row, data): (Self, _) = decode_headed(bytes)?;
        Some(Self { place, data: data.to_vec(), ..row })
    }
}
