//! Compares an output with the expected one and lists the differences.

use serde_json::{Map, Value};

/// The strictness of a comparison.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exactness {
    /// Tolerance for numbers: absolute, and relative to the expected number.
    pub(crate) tolerance: f64,
    /// Whether members that are missing from the expected object are ignored.
    pub(crate) partial: bool,
}

/// Returns all differences, each as `pointer: expected …, got …`; empty if there are none.
pub(crate) fn differences(expected: &Value, actual: &Value, exactness: Exactness) -> Vec<String> {
    let mut differences = Vec::new();
    compare("", expected, actual, exactness, &mut differences);
    differences
}

fn compare(path: &str, expected: &Value, actual: &Value, exactness: Exactness, differences: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => objects(path, expected, actual, exactness, differences),
        (Value::Array(expected), Value::Array(actual)) => arrays(path, expected, actual, exactness, differences),
        (Value::Number(a), Value::Number(b)) if close(a, b, exactness.tolerance) => {}
        _ if expected == actual => {}
        _ => differences.push(format!("{}: expected {expected}, got {actual}", shown(path))),
    }
}

fn objects(
    path: &str,
    expected: &Map<String, Value>,
    actual: &Map<String, Value>,
    exactness: Exactness,
    differences: &mut Vec<String>,
) {
    for (key, value) in expected {
        let path = format!("{path}/{key}");
        match actual.get(key) {
            Some(actual) => compare(&path, value, actual, exactness, differences),
            None => differences.push(format!("{path}: expected {value}, got nothing")),
        }
    }
    if exactness.partial {
        return;
    }
    for (key, value) in actual.iter().filter(|(key, _)| !expected.contains_key(*key)) {
        differences.push(format!("{path}/{key}: expected nothing, got {value}"));
    }
}

fn arrays(path: &str, expected: &[Value], actual: &[Value], exactness: Exactness, differences: &mut Vec<String>) {
    if expected.len() != actual.len() {
        differences.push(format!("{}: expected {} elements, got {}", shown(path), expected.len(), actual.len()));
    }
    for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        compare(&format!("{path}/{index}"), expected, actual, exactness, differences);
    }
}

/// Returns whether two numbers are equal within the tolerance. `1` equals `1.0`; integers beyond
/// 2^53 are compared exactly first.
#[allow(clippy::float_arithmetic, reason = "a tolerance is about floats; no money here")]
fn close(expected: &serde_json::Number, actual: &serde_json::Number, tolerance: f64) -> bool {
    if expected == actual {
        return true;
    }
    if expected.as_i128().is_some() && actual.as_i128().is_some() && tolerance == 0.0 {
        return false;
    }
    let (Some(expected), Some(actual)) = (expected.as_f64(), actual.as_f64()) else {
        return false;
    };
    (expected - actual).abs() <= tolerance * expected.abs().max(1.0)
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "the output" } else { path }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(expected: Value, actual: Value, exactness: Exactness, expect: &[&str]) {
        assert_eq!(differences(&expected, &actual, exactness), expect);
    }

    #[test]
    fn each_difference_is_named() {
        let exact = Exactness::default();
        check(json!({"a": 1, "b": [1, 2]}), json!({"b": [1.0, 2], "a": 1}), exact, &[]);
        check(json!({"a": 1}), json!({"a": 2}), exact, &["/a: expected 1, got 2"]);
        check(json!({"a": 1}), json!({"b": 1}), exact, &["/a: expected 1, got nothing", "/b: expected nothing, got 1"]);
        check(json!([1, 2]), json!([1]), exact, &["the output: expected 2 elements, got 1"]);
        check(json!({"a": [{"b": null}]}), json!({"a": [{"b": "x"}]}), exact, &[r#"/a/0/b: expected null, got "x""#]);
        check(
            json!(9007199254740993u64),
            json!(9007199254740992u64),
            exact,
            &["the output: expected 9007199254740993, got 9007199254740992"],
        );
    }

    #[test]
    fn tolerance_is_absolute_below_one_and_relative_above() {
        let loose = Exactness { tolerance: 1e-6, partial: false };
        check(json!(1e9), json!(1e9 + 1.0), loose, &[]);
        check(json!(0.0), json!(1e-7), loose, &[]);
        check(json!(0.5), json!(0.50001), loose, &["the output: expected 0.5, got 0.50001"]);
    }

    #[test]
    fn partial_ignores_members_but_not_elements() {
        let partial = Exactness { tolerance: 0.0, partial: true };
        check(json!({"a": {"b": 1}}), json!({"a": {"b": 1, "c": 2}, "d": 3}), partial, &[]);
        check(json!({"a": [1]}), json!({"a": [1, 2]}), partial, &["/a: expected 1 elements, got 2"]);
    }
}
