//! The body of a webhook: the envelope and data of an event, and its stable id.
//!
//! Invariant: the same outbox row always yields the same bytes and the same id, however
//! often it is sent.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use tollbridge_store::{OutboxPosition, OutboxRow};

use super::members::members;
use super::names::{EARN_COMPLETED, Set, by_name};

/// The id of an event: `evt_<record>-<position>-<beginning of the seal>`. It is the same
/// for all endpoints and all delivery attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventId {
    /// Position of the event in the outbox.
    pub place: OutboxPosition,
    check: String,
}

impl EventId {
    /// Returns the id of the event in an outbox row.
    pub fn of(row: &OutboxRow) -> Self {
        Self { place: row.place, check: hex::encode(row.seal.get(..4).unwrap_or_default()) }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt_{}-{}-{}", self.place.seq, self.place.index, self.check)
    }
}

impl FromStr for EventId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{}` is not the id of an event", text.chars().take(64).collect::<String>());
        let mut parts = text.strip_prefix("evt_").ok_or_else(bad)?.splitn(3, '-');
        let (seq, index, check) = (parts.next(), parts.next(), parts.next());
        let place = OutboxPosition {
            seq: seq.and_then(|seq| seq.parse().ok()).ok_or_else(bad)?,
            index: index.and_then(|index| index.parse().ok()).ok_or_else(bad)?,
        };
        let id = Self { place, check: check.ok_or_else(bad)?.to_owned() };
        if id.to_string() == text && id.check.len() == 8 { Ok(id) } else { Err(bad()) }
    }
}

/// Returns the bytes of the webhook's body, which are signed and sent.
pub fn body(row: &OutboxRow) -> Vec<u8> {
    let mut data = members(&row.data);
    data.insert("worm_seal".to_owned(), Value::String(hex::encode(row.seal)));
    data.insert("record_id".to_owned(), Value::String(format!("tx_{}", hex::encode(row.tx))));
    if row.event == EARN_COMPLETED {
        data.insert("balance_pence".to_owned(), row.balance.map(|balance| balance.pence_floor()).into());
    }
    let (event, data) = (Value::String(row.event.clone()), Value::Object(data));
    let stamp = match by_name(&row.event) {
        Some((_, Set::B)) => format!("\"timestamp\":{}", row.time_ms / 1000),
        _ => format!("\"ts\":{}", row.time_ms),
    };
    format!("{{\"event\":{event},{stamp},\"data\":{data}}}").into_bytes()
}
