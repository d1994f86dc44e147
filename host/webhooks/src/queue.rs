//! Deliveries whose first attempt failed: waiting deliveries, which will be retried, and
//! dead ones, which ran out of attempts.
//!
//! Rows of `Collection::Webhooks`: `r/{endpoint}/{due}/{seq}-{index}` for a waiting
//! delivery, `d/{endpoint}/{seq}-{index}` for a dead one. Numbers are zero-padded, so
//! that keys sort in order. The event itself stays in the outbox.

use serde::{Deserialize, Serialize};
use tollbridge_store::{Collection, Expect, OutboxPosition, Put, Store, StoreError};

use super::endpoint::{decode, encode, row};

/// A delivery that waits for a retry or is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingDelivery {
    pub(super) place: OutboxPosition,
    /// Time of the next attempt, or of the last one if the delivery is dead; Unix
    /// milliseconds.
    pub(super) due_ms: u64,
    pub(super) tried: AttemptHistory,
}

/// The number of attempts so far, and the result of the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AttemptHistory {
    pub(super) attempts: u32,
    pub(super) status: Option<u16>,
    pub(super) error: Option<String>,
    /// Time of the last attempt if the delivery is dead, in Unix milliseconds.
    pub(super) dead_ms: Option<u64>,
}

/// Returns the waiting deliveries of an endpoint, earliest due first.
pub(super) fn waiting(store: &dyn Store, endpoint: &str, limit: usize) -> Result<Vec<PendingDelivery>, StoreError> {
    let prefix = format!("r/{endpoint}/");
    let rows = store.list(Collection::Webhooks, &prefix, limit)?;
    let of_endpoint = rows.iter().map_while(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
    let mut deliveries = Vec::new();
    for (key, value) in of_endpoint {
        let parsed = key.split_once('/').and_then(|(due, place)| Some((due.parse().ok()?, read_place(place)?)));
        let Some((due_ms, place)) = parsed else { continue };
        deliveries.push(PendingDelivery { place, due_ms, tried: decode(value)? });
    }
    Ok(deliveries)
}

/// Returns the dead deliveries of an endpoint after position `after`, oldest events
/// first.
pub(super) fn dead(
    store: &dyn Store,
    endpoint: &str,
    after: Option<OutboxPosition>,
    limit: usize,
) -> Result<Vec<PendingDelivery>, StoreError> {
    let prefix = format!("d/{endpoint}/");
    let after = after.map_or_else(|| prefix.clone(), |place| dead_key(endpoint, place));
    let rows = store.list(Collection::Webhooks, &after, limit)?;
    let mut deliveries = Vec::new();
    for (key, value) in &rows {
        let Some(rest) = key.strip_prefix(&prefix) else { break };
        let Some(place) = read_place(rest) else { continue };
        let tried: AttemptHistory = decode(value)?;
        deliveries.push(PendingDelivery { place, due_ms: tried.dead_ms.unwrap_or(0), tried });
    }
    Ok(deliveries)
}

impl PendingDelivery {
    pub(super) fn put_waiting(&self, endpoint: &str) -> Result<Put, StoreError> {
        Ok(row(waiting_key(endpoint, self), Some(encode(&self.tried)?), Expect::Any))
    }

    pub(super) fn remove_waiting(&self, endpoint: &str) -> Put {
        row(waiting_key(endpoint, self), None, Expect::Any)
    }

    pub(super) fn put_dead(&self, endpoint: &str) -> Result<Put, StoreError> {
        Ok(row(dead_key(endpoint, self.place), Some(encode(&self.tried)?), Expect::Any))
    }

    pub(super) fn remove_dead(&self, endpoint: &str) -> Put {
        row(dead_key(endpoint, self.place), None, Expect::Any)
    }
}

/// Returns the keys of all queued deliveries of an endpoint, at most `limit`.
pub(super) fn keys(store: &dyn Store, endpoint: &str, limit: usize) -> Result<Vec<String>, StoreError> {
    let mut deliveries = Vec::new();
    for prefix in [format!("r/{endpoint}/"), format!("d/{endpoint}/")] {
        let rows = store.list(Collection::Webhooks, &prefix, limit)?;
        deliveries.extend(rows.into_iter().map(|(key, _)| key).take_while(|key| key.starts_with(&prefix)));
    }
    deliveries.truncate(limit);
    Ok(deliveries)
}

fn waiting_key(endpoint: &str, waiting: &PendingDelivery) -> String {
    format!("r/{endpoint}/{:020}/{}", waiting.due_ms, place_text(waiting.place))
}

fn dead_key(endpoint: &str, place: OutboxPosition) -> String {
    format!("d/{endpoint}/{}", place_text(place))
}

fn place_text(place: OutboxPosition) -> String {
    format!("{:020}-{:05}", place.seq, place.index)
}

fn read_place(text: &str) -> Option<OutboxPosition> {
    let (seq, index) = text.split_once('-')?;
    Some(OutboxPosition { seq: seq.parse().ok()?, index: index.parse().ok()? })
}
