//! The structure of a JSON Schema, for code that traverses it.

use serde_json::{Map, Value};

use super::shape::{self, LIST, MAP, ONE};

/// Keywords that do not restrict values.
pub(super) const SAYS_NOTHING: [&str; 16] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "format",
    "readOnly",
    "title",
    "writeOnly",
];

/// The largest `enum` of texts that is compared one by one; larger ones use a hash set.
const TEXTS_COMPARED_MAX: usize = 10;

/// The position of a subschema relative to the schema that uses it.
pub(crate) enum Place {
    /// Inside the schema: the remainder of its JSON pointer.
    Below(String),
    /// The target of a reference: a JSON pointer from the root.
    Elsewhere(String),
}

impl Place {
    /// Returns the JSON pointer from the root, given the pointer of the schema that uses this one.
    pub(crate) fn under(self, pointer: &str) -> String {
        match self {
            Self::Below(rest) => format!("{pointer}{rest}"),
            Self::Elsewhere(pointer) => pointer,
        }
    }
}

/// Returns the subschemas that a schema applies to a value or its parts.
pub(crate) fn parts<'a>(root: &'a Value, keywords: &'a Map<String, Value>) -> Vec<(Place, &'a Value)> {
    let mut parts = Vec::new();
    for (name, value) in keywords {
        let name = name.as_str();
        let below = |rest: &str| Place::Below(format!("/{name}/{}", escaped(rest)));
        match value {
            Value::String(reference) if name == "$ref" => {
                if let Some(target) = shape::resolve(root, reference) {
                    let pointer = reference.trim_start_matches('#').to_owned();
                    parts.push((Place::Elsewhere(pointer), target));
                }
            }
            Value::Array(list) if LIST.contains(&name) => {
                parts.extend(list.iter().enumerate().map(|(index, part)| (below(&index.to_string()), part)));
            }
            Value::Object(map) if MAP.contains(&name) => {
                parts.extend(map.iter().map(|(member, part)| (below(member), part)));
            }
            value if ONE.contains(&name) => parts.push((Place::Below(format!("/{name}")), value)),
            _ => {}
        }
    }
    parts
}

/// Returns whether a schema accepts every JSON object.
pub(crate) fn accepts_any_object(schema: &Value) -> bool {
    schema.as_object().is_some_and(|keywords| {
        keywords.iter().all(|(name, value)| match name.as_str() {
            "type" => value == "object",
            name => SAYS_NOTHING.contains(&name),
        })
    })
}

/// Returns the number of values of an `enum` that a value is compared with; `None` if a hash set is
/// used.
pub(crate) fn among(values: &[Value]) -> Option<u64> {
    let are_texts = values.iter().all(Value::is_string);
    let compared = if are_texts && values.len() > TEXTS_COMPARED_MAX { None } else { Some(values.len()) };
    compared.map(|compared| u64::try_from(compared).unwrap_or(u64::MAX))
}

/// Escapes a name for a JSON pointer, RFC 6901.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_says_nothing_is_known() {
        for schema in [
            json!({}),
            json!({ "type": "object" }),
            json!({ "$schema": "x", "title": "Anything", "type": "object", "$defs": { "a": { "type": "string" } } }),
        ] {
            assert!(accepts_any_object(&schema), "{schema}");
        }
        for schema in [
            json!({ "type": ["object"] }),
            json!({ "type": "array" }),
            json!({ "required": ["a"] }),
            json!({ "properties": {} }),
            json!({ "$ref": "#/$defs/a" }),
            json!({ "additionalProperties": false }),
        ] {
            assert!(!accepts_any_object(&schema), "{schema}");
        }
    }

    #[test]
    fn pointers_are_whole() {
        let schema = json!({ "properties": { "a/b": {} }, "anyOf": [{ "$ref": "#/$defs/c" }], "$defs": { "c": {} } });
        let keywords = schema.as_object().unwrap();
        let places: Vec<String> = parts(&schema, keywords).into_iter().map(|(place, _)| place.under("/x")).collect();
        assert_eq!(places, ["/x/anyOf/0", "/x/properties/a~1b"]);
        let branch = schema.pointer("/anyOf/0").and_then(Value::as_object).unwrap();
        let places: Vec<String> = parts(&schema, branch).into_iter().map(|(place, _)| place.under("/x")).collect();
        assert_eq!(places, ["/$defs/c"]);
    }
}
