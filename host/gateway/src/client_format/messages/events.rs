//! Stream events in the format of Anthropic's Messages API.

use bytes::Bytes;
use serde_json::{Value, json};

/// Writes one event; as Anthropic's clients expect, the data contains the event's type as
/// well.
pub(super) fn write_event(events: &mut String, name: &str, mut data: Value) {
    if let Some(members) = data.as_object_mut() {
        members.insert("type".to_owned(), name.into());
    }
    events.push_str("event: ");
    events.push_str(name);
    events.push_str("\ndata: ");
    events.push_str(&data.to_string());
    events.push_str("\n\n");
}

/// Returns the last event of a message that ended regularly.
pub(crate) fn stop_event() -> Bytes {
    Bytes::from_static(b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
}

/// Returns the last event of a message that broke off.
pub(crate) fn error_event(message: &str, code: &str) -> Bytes {
    let mut event = String::new();
    let error = json!({ "type": "api_error", "message": message, "code": code });
    write_event(&mut event, "error", json!({ "error": error }));
    event.into()
}
