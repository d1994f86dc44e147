//! How deeply JSON is nested.

use tollbridge_sdk::serde_json::Value;

/// Whether no value lies more than `most` levels below the outermost. Takes no stack.
#[must_use]
pub fn is_shallow(value: &Value, most: usize) -> bool {
    let mut waiting = vec![(value, 0usize)];
    while let Some((value, depth)) = waiting.pop() {
        if depth > most {
            return false;
        }
        let below = depth.saturating_add(1);
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, below))),
            Value::Object(members) => waiting.extend(members.values().map(|member| (member, below))),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_counts() {
        let value: Value = tollbridge_sdk::serde_json::from_str(r#"{"a": [1, {"b": 2}]}"#).unwrap();
        assert!(is_shallow(&value, 3) && !is_shallow(&value, 2));
    }
}
