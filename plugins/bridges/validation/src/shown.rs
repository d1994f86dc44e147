//! Values and texts as findings show them: short, cut at a character.

use serde_json::Value;

use crate::limits::{SHOWN_BYTES_MAX, SHOWN_DEPTH_MAX};

/// A value for a finding: itself if it is short, else the beginning of its text.
pub fn value(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > SHOWN_BYTES_MAX => Value::String(cut(text, SHOWN_BYTES_MAX)),
        Value::Array(items) if !items.is_empty() => short(value, format!("an array of {} items", items.len())),
        Value::Object(members) if !members.is_empty() => {
            short(value, format!("an object of {} members", members.len()))
        }
        _ => value.clone(),
    }
}

/// `text`, at most `max` bytes of it.
pub fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max.saturating_sub("…".len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Containers are shown whole only if that is short, which is decided without
/// writing the whole: a value of n values has at least n bytes.
fn short(value: &Value, otherwise: String) -> Value {
    if size(value, SHOWN_BYTES_MAX) <= SHOWN_BYTES_MAX && value.to_string().len() <= SHOWN_BYTES_MAX {
        return value.clone();
    }
    Value::String(otherwise)
}

/// About how many bytes a value has, counted up to a little more than `enough`; that also if it is nested too deep.
fn size(value: &Value, enough: usize) -> usize {
    let mut sum = 0usize;
    let mut rest = vec![(value, 0usize)];
    while let Some((value, depth)) = rest.pop() {
        sum = sum.saturating_add(if depth > SHOWN_DEPTH_MAX { enough } else { 0 }).saturating_add(1);
        match value {
            Value::String(text) => sum = sum.saturating_add(text.len()),
            Value::Array(items) => rest.extend(items.iter().take(enough).map(|inner| (inner, depth + 1))),
            Value::Object(members) => {
                for (name, value) in members.iter().take(enough) {
                    sum = sum.saturating_add(name.len());
                    rest.push((value, depth + 1));
                }
            }
            _ => {}
        }
        if sum > enough {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_described() {
        assert_eq!(value(&json!([1, 2])), json!([1, 2]));
        assert_eq!(value(&json!(vec![0; 500])), json!("an array of 500 items"));
        let deep = |times| (0..times).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(value(&deep(30)), deep(30));
        assert_eq!(value(&deep(60)), json!("an array of 1 items"));
        assert_eq!(value(&json!({"a": "x".repeat(500)})), json!("an object of 1 members"));
        assert_eq!(value(&json!("é".repeat(150))).as_str().map(str::len), Some(199));
    }

    proptest! {
        #[test]
        fn cut_never_exceeds(text in ".*", max in 3usize..50) {
            prop_assert!(cut(&text, max).len() <= max.max(text.len().min(max)));
        }
    }
}
