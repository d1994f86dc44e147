//! Events that do not belong to a transaction.
//!
//! Such an event becomes a record of kind `event`, so that the sent event has a seal. The
//! record contains only members that may be public for ever: no client addresses.

use serde_json::Value;
use tollbridge_store::{Change, OutboxEvent, Receipt, SubmitError, Writer};

use super::members::members;
use crate::bodies::Event;
use crate::entry::Entry;
use crate::entry_error::EntryError;
use crate::notary::{NotaryError, random_tx};

/// Members of an event that its record omits because they are personal data.
const PERSONAL: [&str; 1] = ["ip"];

/// The reason why an event could not be recorded.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum AnnounceError {
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

/// Seals and sends an event if an endpoint is subscribed to it; otherwise writes nothing
/// and returns `None`. `events` is one event, repeated for each account that receives it.
pub async fn announce(writer: &Writer, events: Vec<OutboxEvent>) -> Result<Option<Receipt>, AnnounceError> {
    if !events.iter().any(|event| writer.has_listener_for(event)) {
        return Ok(None);
    }
    seal(writer, events).await.map(Some)
}

/// Seals a record of the event, even if no endpoint is subscribed, and sends the event.
pub async fn seal(writer: &Writer, events: Vec<OutboxEvent>) -> Result<Receipt, AnnounceError> {
    let record = match events.first() {
        Some(first) => Some(entry(first).draft(random_tx()?, first.time_ms)?),
        None => None,
    };
    Ok(writer.submit(Change { record, outbox: events, ..Change::default() }).await?)
}

/// Adds those events that have a subscriber to a change. If the change has no record,
/// also adds a record of the event.
pub fn attach(writer: &Writer, mut change: Change, events: Vec<OutboxEvent>) -> Result<Change, AnnounceError> {
    let listened_to: Vec<OutboxEvent> = events.into_iter().filter(|event| writer.has_listener_for(event)).collect();
    if let (None, Some(first)) = (&change.record, listened_to.first()) {
        change.record = Some(entry(first).draft(random_tx()?, first.time_ms)?);
    }
    change.outbox.extend(listened_to);
    Ok(change)
}

fn entry(event: &OutboxEvent) -> Entry {
    let mut data = members(&event.data);
    data.retain(|name, value| !PERSONAL.contains(&name.as_str()) && *value != Value::Null);
    Entry::Event(Event { event: event.event.to_owned(), data })
}
