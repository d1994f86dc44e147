//! Schemas that JSON Schema has no type for: amounts, and sets of members of which some
//! are required.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// The pattern of amounts: at most a million pounds, in whole pence.
const POUNDS: &str = "^£?0*([0-9]{1,6}|1000000)([.][0-9]{1,2}0*)?$";
/// The pattern of amounts in a header, which is ASCII.
const POUNDS_IN_HEADER: &str = "^0*([0-9]{1,6}|1000000)([.][0-9]{1,2}0*)?$";
const ABOUT_POUNDS: &str = "Pounds and whole pence, like \"0.50\"";

/// Returns the schema of an amount in a header.
pub fn pounds_in_header() -> Value {
    json!({ "type": "string", "pattern": POUNDS_IN_HEADER })
}

/// Returns the schema of an amount as a string.
pub fn pounds_text() -> Value {
    json!({ "type": "string", "pattern": POUNDS, "description": ABOUT_POUNDS })
}

/// Returns the schema of an amount as a string or a number, or of null.
pub fn pounds_or_null() -> Value {
    let mut schema = pounds();
    if let Some(kinds) = schema.get_mut("type").and_then(Value::as_array_mut) {
        kinds.push("null".into());
    }
    schema
}

/// Returns the schema of an amount as a string or a number.
pub fn pounds() -> Value {
    json!({
        "type": ["string", "number"],
        "pattern": POUNDS,
        "minimum": 0,
        "maximum": 1_000_000,
        "multipleOf": 0.01,
        "description": ABOUT_POUNDS,
    })
}

/// Converts a JSON value to the `Schema` type, for the schema of a member.
pub fn schema(value: Value) -> Schema {
    value.try_into().unwrap_or_default()
}

/// Returns a schema that requires these members to be present and not null.
pub fn given(members: &[&str]) -> Value {
    let there = members.iter().map(|member| ((*member).to_owned(), json!({ "not": { "type": "null" } })));
    json!({ "required": members, "properties": there.collect::<Map<_, _>>() })
}

/// Returns a list of schemas, each of which requires one of these members; for `anyOf` or
/// `oneOf`.
pub fn each(members: &[&str]) -> Value {
    members.iter().map(|member| given(&[member])).collect()
}

#[cfg(test)]
mod tests {
    use tollbridge_core::money::Millipence;

    use super::*;

    fn fits(schema: &Value, value: &Value) -> bool {
        jsonschema::validator_for(schema).unwrap().is_valid(value)
    }

    #[test]
    fn amounts_are_those_that_are_read() {
        for text in [
            "0",
            "£5.00",
            "0.5",
            "0.50",
            "0.500",
            "007",
            "999999.99",
            "1000000",
            "1000000.00",
            "12.345",
            "1000001",
            "",
            ".5",
            "1.",
            "-1",
        ] {
            let is_read = text.parse::<Millipence>().is_ok();
            assert_eq!(fits(&pounds_text(), &json!(text)), is_read, "{text}");
            assert_eq!(fits(&pounds_or_null(), &json!(text)), is_read, "{text}");
            assert_eq!(fits(&pounds_in_header(), &json!(text)), is_read && text.is_ascii(), "{text}");
        }
        for (number, expect) in [(json!(0.29), true), (json!(1), true), (json!(0.005), false), (json!(-1), false)] {
            assert_eq!(fits(&pounds(), &number), expect, "{number}");
            assert_eq!(number.to_string().parse::<Millipence>().is_ok(), expect, "{number}");
        }
    }

    #[test]
    fn null_is_not_given() {
        let schema = json!({ "oneOf": each(&["a", "b"]) });
        for (value, expect) in [
            (json!({ "a": 1 }), true),
            (json!({ "a": 1, "b": null }), true),
            (json!({ "a": 1, "b": 2 }), false),
            (json!({ "a": null }), false),
            (json!({}), false),
        ] {
            assert_eq!(fits(&schema, &value), expect, "{value}");
        }
    }
}
