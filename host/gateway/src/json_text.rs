//! The amount of text in a JSON value, and its nesting depth.

use serde_json::Value;

/// Bytes counted for the quotes, colon, comma and indentation of one member.
pub(super) const MEMBER_BYTES: usize = 12;
/// Bytes counted for the separators of a number in a list. Fewer than `MEMBER_BYTES`,
/// because the whole number may be a token (in the `input` of embeddings).
pub(super) const LISTED_NUMBER_BYTES: usize = 2;
/// Bytes counted for `true`, `false` or `null`: the length of the longest.
pub(super) const LITERAL_BYTES: usize = 5;

/// Counts the bytes of all strings in a value.
pub(super) fn text_bytes_in(part: &Value) -> usize {
    match part {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes_in).sum(),
        Value::Object(members) => members.values().map(text_bytes_in).sum(),
        _ => 0,
    }
}

/// Counts the bytes of a value in the form that a model may read.
pub(super) fn prompt_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(in_list).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| MEMBER_BYTES + name.len() + prompt_bytes(value)).sum()
        }
        Value::Number(number) => number.to_string().len(),
        Value::Bool(_) | Value::Null => LITERAL_BYTES,
    }
}

fn in_list(item: &Value) -> usize {
    prompt_bytes(item) + if item.is_number() { LISTED_NUMBER_BYTES } else { MEMBER_BYTES }
}

/// Returns whether a value is nested deeper than `left` levels.
pub(super) fn is_deeper_than(value: &Value, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper_than(item, left)),
        Value::Object(members) => members.values().any(|member| is_deeper_than(member, left)),
        _ => false,
    }
}
