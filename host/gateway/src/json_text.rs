//! How much text is in JSON, and how deep it is.

use serde_json::Value;

/// Bytes of the texts of a value.
pub(super) fn text_bytes_in(part: &Value) -> usize {
    match part {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes_in).sum(),
        Value::Object(members) => members.values().map(text_bytes_in).sum(),
        _ => 0,
    }
}

/// Whether a value is nested deeper than `left` levels.
pub(super) fn too_deep(value: &Value, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| too_deep(item, left)),
        Value::Object(members) => members.values().any(|member| too_deep(member, left)),
        _ => false,
    }
}
