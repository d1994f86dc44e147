//! Whether JSON fits the parts of a schema that tell most mistakes of models: type, required, properties,
//! additionalProperties: false, items, enum, const.
//!
//! Invariants: every problem named is one by the JSON Schema standard; what is not checked is listed. Work is bounded.

use bridge_common::depth;
use serde_json::Value;

/// Problems that are listed.
const PROBLEMS_MAX: usize = 20;
/// Levels of a value that is passed on.
const DEPTH_MAX: usize = 56;
/// Values that are looked at.
const VALUES_MAX: usize = 20_000;
/// Keywords that are checked, or say nothing of validity.
const KNOWN: [&str; 14] = [
    "type",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$comment",
];

/// Problems, and keywords that were not checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fit {
    pub problems: Vec<String>,
    pub unchecked: Vec<String>,
}

/// Compares a value with a schema.
pub fn fit(value: &Value, schema: &Value) -> Fit {
    let mut fit = Fit::default();
    let mut waiting = vec![(String::new(), value, schema)];
    let mut values_seen = 0usize;
    while let Some((path, value, schema)) = waiting.pop() {
        values_seen = values_seen.saturating_add(1);
        if values_seen > VALUES_MAX || fit.problems.len() >= PROBLEMS_MAX {
            fit.unchecked.push("values after the first problems, or beyond the bounds of this bridge".into());
            break;
        }
        match schema {
            Value::Bool(false) => fit.problems.push(format!("{path}: nothing is allowed here")),
            Value::Object(_) => one(&path, value, schema, &mut fit, &mut waiting),
            _ => {}
        }
    }
    fit.unchecked.sort();
    fit.unchecked.dedup();
    fit.unchecked.truncate(PROBLEMS_MAX);
    fit
}

/// Whether a value is nested so little that it fits into an answer, which the host allows 64 levels.
pub fn is_shallow(value: &Value) -> bool {
    depth::is_shallow(value, DEPTH_MAX)
}

type Waiting<'v> = Vec<(String, &'v Value, &'v Value)>;

fn one<'v>(path: &str, value: &'v Value, schema: &'v Value, fit: &mut Fit, waiting: &mut Waiting<'v>) {
    let keywords = schema.as_object().into_iter().flatten();
    fit.unchecked
        .extend(keywords.map(|(name, _)| name).filter(|name| !KNOWN.contains(&name.as_str())).map(|name| cut(name)));
    let mut problem = |text: String| fit.problems.push(format!("{path}: {text}"));
    if let Some(kind) = schema.get("type").filter(|kind| !is_of(value, kind)) {
        problem(format!("should be of type {}", cut(&kind.to_string())));
        return;
    }
    let listed = schema.get("enum").and_then(Value::as_array);
    if listed.is_some_and(|values| !values.contains(value)) || schema.get("const").is_some_and(|only| only != value) {
        problem("is none of the values allowed".into());
    }
    if let (Some(items), Some(schema)) = (value.as_array(), schema.get("items")) {
        waiting.extend(items.iter().enumerate().rev().map(|(place, item)| (format!("{path}/{place}"), item, schema)));
    }
    let Some(members) = value.as_object() else { return };
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) {
            problem(format!("lacks the member {}", cut(name)));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members {
        match (properties.and_then(|all| all.get(name)), schema.get("additionalProperties")) {
            (Some(schema), _) | (None, Some(schema @ Value::Object(_))) => {
                waiting.push((format!("{path}/{}", cut(name)), member, schema));
            }
            (None, Some(Value::Bool(false))) => problem(format!("has the member {}, which is not allowed", cut(name))),
            _ => {}
        }
    }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    let is = |name: &str| match name {
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => true,
    };
    match kind {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn problems_by_the_standard() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"enum": ["x", "y"]}}, "c": {"pattern": "^z"}}});
        let check = |value: Value, problems: &[&str]| assert_eq!(fit(&value, &schema).problems, problems, "{value}");
        check(json!({"a": 1}), &[]);
        check(json!({"a": 1.0, "b": ["x", "y"]}), &[]);
        check(json!([]), &[": should be of type \"object\""]);
        check(json!({}), &[": lacks the member a"]);
        check(json!({"a": "1"}), &["/a: should be of type \"integer\""]);
        check(json!({"a": 1, "b": ["x", "z"]}), &["/b/1: is none of the values allowed"]);
        check(json!({"a": 1, "d": 1}), &[": has the member d, which is not allowed"]);
        assert_eq!(fit(&json!({"a": 1, "c": "q"}), &schema).unchecked, ["pattern"]);
    }
}
