//! Formats the answers of commands as text for people.

use serde::Serialize;
use serde_json::Value;

/// Formats a value of an answer as text; null becomes an empty string.
pub(super) fn shown(value: &impl Serialize) -> String {
    match serde_json::to_value(value).unwrap_or_default() {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Formats a tuple of values as the cells of a row.
pub(super) fn cells(row: impl Serialize) -> Vec<String> {
    match serde_json::to_value(row) {
        Ok(Value::Array(values)) => values.iter().map(shown).collect(),
        _ => Vec::new(),
    }
}

/// Formats an object as `name  value`, one member per line.
pub(super) fn lines(answer: &impl Serialize) -> String {
    let answer = serde_json::to_value(answer).unwrap_or_default();
    let members = answer.as_object().into_iter().flatten();
    members.map(|(name, value)| format!("{name:<16}{}", shown(value))).collect::<Vec<_>>().join("\n")
}
