use serde_json::json;

use super::*;

const LIMIT: SizeLimit = SizeLimit { name: "limits.input_bytes", bytes: 64 << 10 };

fn schema(value: Value) -> Schema {
    Schema::parse(&value.to_string(), LIMIT).unwrap()
}

fn postcode() -> Schema {
    schema(json!({
        "type": "object",
        "properties": {
            "resource_id": { "type": "string", "maxLength": 20 },
            "values": { "type": "array", "items": { "type": "integer" } },
            "place": { "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }
        },
        "required": ["resource_id", "values"],
        "additionalProperties": false
    }))
}

#[test]
fn what_is_missing_can_be_quoted() {
    let schema = postcode();
    for value in [json!({}), json!({ "resource_id": "x" }), json!({ "values": [1] })] {
        assert!(matches!(schema.fit(&value), Ok(Some(_))), "{value}");
        assert!(schema.check_complete(&value).is_err(), "{value}");
    }
    let whole = json!({ "resource_id": "x", "values": [] });
    assert_eq!(schema.check_complete(&whole), Ok(()));
    assert_eq!(schema.fit(&whole), Ok(None));
}

#[test]
fn what_is_there_and_wrong_is_named() {
    let schema = postcode();
    for (value, field) in [
        (json!({ "values": [1, "x"] }), "/values/1"),
        (json!({ "resource_id": 3 }), "/resource_id"),
        (json!({ "place": {} }), "/place/city"),
        (json!({ "other": 1 }), "/other"),
        (json!({ "a/b~c": 1 }), "/a~1b~0c"),
        (json!([]), ""),
    ] {
        assert_eq!(schema.fit(&value).unwrap_err().field, field, "{value}");
        assert!(schema.check_complete(&value).is_err(), "{value}");
    }
}

fn refusal(value: Value, sent: Value) -> String {
    schema(value).fit(&sent).unwrap_err().message
}

#[test]
fn a_refusal_names_the_member_and_what_is_allowed() {
    let place = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "zip": { "type": "string" } },
        "additionalProperties": false
    });
    let shapes = json!({ "oneOf": [
        { "properties": { "is": { "const": "circle" }, "r": { "type": "number" } }, "required": ["is", "r"] },
        { "properties": { "is": { "const": "box" }, "w": { "type": "number" } }, "required": ["is", "w"] }
    ] });
    for (member, sent, expect) in [
        (json!({ "type": ["null", "integer"] }), json!("x"), "`m` must be an integer or null"),
        (json!({ "enum": ["a", "b"] }), json!("c"), "`m` must be one of \"a\", \"b\""),
        (json!({ "enum": ["a"] }), json!("c"), "`m` must be \"a\""),
        (json!({ "const": 7 }), json!(8), "`m` must be 7"),
        (json!({ "minimum": 1 }), json!(0), "`m` must be at least 1"),
        (json!({ "exclusiveMaximum": 1.5 }), json!(2), "`m` must be less than 1.5"),
        (json!({ "multipleOf": 5 }), json!(3), "`m` must be a multiple of 5"),
        (json!({ "minLength": 1 }), json!(""), "`m` must be a string of at least 1 character"),
        (json!({ "maxLength": 2 }), json!("abc"), "`m` must be a string of at most 2 characters"),
        (json!({ "pattern": "^[A-Z]{2}$" }), json!("x"), "`m` must be a string that matches ^[A-Z]{2}$"),
        (json!({ "minItems": 2 }), json!([]), "`m` must be an array of at least 2 items"),
        (json!({ "items": { "type": "string" } }), json!(["a", 1]), "`m[1]` must be a string"),
        (json!({ "required": ["k"] }), json!({}), "`m.k` is required"),
        (place.clone(), json!({ "town": 1 }), "`m.town` is not known here; known are: city, zip"),
        (
            json!({ "anyOf": [{ "enum": ["a", "b"] }, { "type": "null" }] }),
            json!(1),
            "`m` must be one of \"a\", \"b\" or null",
        ),
        (
            json!({ "anyOf": [{ "$ref": "#/$defs/place" }, { "type": "null" }] }),
            json!({ "city": 1 }),
            "`m.city` must be a string",
        ),
        (
            json!({ "anyOf": [{ "$ref": "#/$defs/place" }, { "type": "null" }] }),
            json!({ "town": 1 }),
            "`m.town` is not known here; known are: city, zip",
        ),
        (shapes.clone(), json!({ "is": "ball", "r": 1, "w": 1 }), "`m.is` must be \"circle\" or \"box\""),
        (shapes, json!({ "is": "box", "w": "x" }), "`m.w` must be a number"),
    ] {
        let whole = json!({ "properties": { "m": member }, "$defs": { "place": place } });
        assert_eq!(refusal(whole, json!({ "m": sent })), expect);
    }
    assert_eq!(refusal(json!({ "type": "object" }), json!([])), "the value must be an object");
    let unknown = postcode().fit(&json!({ "jurisdiction": "x" })).unwrap_err().message;
    assert_eq!(unknown, "`jurisdiction` is not known here; known are: place, resource_id, values");
}

#[test]
fn a_long_enumeration_is_cut_and_counted() {
    let many: Vec<String> = (0..500).map(|number| format!("code-{number}")).collect();
    let message = refusal(json!({ "properties": { "m": { "enum": many } } }), json!({ "m": 1 }));
    assert!(message.len() <= 500 && message.contains("\"code-0\", ") && message.ends_with(" more"), "{message}");
}

#[test]
fn messages_do_not_repeat_the_input() {
    let value = json!({ "resource_id": "s".repeat(100_000) });
    let message = postcode().fit(&value).unwrap_err().message;
    assert!(message.len() <= 500 && !message.contains("sss"), "{message}");
    let unknown = postcode().fit(&json!({ "x": 1 })).unwrap_err().message;
    assert!(unknown.contains("resource_id"), "{unknown}");
}

#[test]
fn demands_of_parts_and_references_are_relaxed_too() {
    let schema = schema(json!({
        "$ref": "#/$defs/base",
        "allOf": [{ "required": ["a"] }, { "minProperties": 2 }],
        "anyOf": [{ "required": ["b"] }, { "required": ["c"] }],
        "$defs": { "base": { "type": "object", "required": ["d"], "properties": { "d": { "type": "integer" } } } }
    }));
    assert!(matches!(schema.fit(&json!({})), Ok(Some(_))));
    assert!(schema.fit(&json!({ "d": "x" })).is_err());
    assert!(schema.check_complete(&json!({ "a": 1, "b": 1 })).is_err());
    assert_eq!(schema.check_complete(&json!({ "a": 1, "b": 1, "d": 1 })), Ok(()));
}

#[test]
fn a_schema_without_demands_is_compiled_once() {
    assert!(schema(json!({ "type": "object" })).present.is_none());
    assert!(postcode().present.is_some());
}

fn refused(value: Value, expect: &str) {
    let error = Schema::parse(&value.to_string(), LIMIT).unwrap_err().to_string();
    assert!(error.contains(expect), "{value}: {error}");
}

#[test]
fn refuses_what_reaches_out_or_runs_away() {
    refused(json!({ "$ref": "https://example.com/schema.json" }), "$ref");
    refused(json!({ "$ref": "file:///etc/passwd" }), "$ref");
    refused(json!({ "$schema": "http://json-schema.org/draft-07/schema#" }), "2020-12");
    refused(json!({ "type": "objekt" }), "objekt");
    refused(json!({ "properties": { "x": { "pattern": "(a+)+(?=b)" } } }), "regex");
    refused(json!({ "properties": { "x": { "pattern": "(\\w{1,1000}){1,1000}" } } }), "regex");
    refused(json!({ "properties": { "x": { "pattern": "(" } } }), "regex");
}

#[test]
fn patterns_take_linear_time() {
    let schema = schema(json!({ "properties": { "x": { "pattern": "^(a|a?)+$" } } }));
    let started = std::time::Instant::now();
    let text = format!("{}!", "a".repeat(5_000));
    assert!(schema.fit(&json!({ "x": text })).is_err());
    assert!(started.elapsed() < std::time::Duration::from_secs(1));
}

#[test]
fn refuses_text_that_is_no_schema() {
    assert!(matches!(Schema::parse("{", LIMIT), Err(SchemaError::NotJson(_))));
    assert!(matches!(Schema::parse(&"[".repeat(1_000), LIMIT), Err(SchemaError::NotJson(_))));
    assert_eq!(Schema::parse(&" ".repeat(SCHEMA_BYTES_MAX + 1), LIMIT).unwrap_err(), SchemaError::TooLarge);
}

/// A past denial-of-service attack: a pattern with two hundred positions to track for each byte,
/// referenced eight times.
fn slow() -> Value {
    let slow = json!({ "$ref": "#/$defs/slow" });
    json!({ "anyOf": vec![json!({ "properties": { "text": slow } }); 8],
            "$defs": { "slow": { "type": "string", "pattern": "a[ab]{200}[^ab]" } } })
}

#[test]
fn a_schema_that_costs_too_much_is_refused_with_the_place_and_the_way_out() {
    let error = Schema::parse(&slow().to_string(), LIMIT).unwrap_err();
    let SchemaError::TooCostly { steps, at, fits, .. } = &error else { panic!("{error}") };
    assert!(*steps > SCHEMA_STEPS_MAX && at == "/$defs/slow/pattern", "{error}");
    let text = error.to_string();
    assert!(text.contains("65536 bytes (`limits.input_bytes`)") && text.contains(&fits.to_string()), "{text}");
    let lower = SizeLimit { bytes: usize::try_from(*fits).unwrap(), ..LIMIT };
    Schema::parse(&slow().to_string(), lower).unwrap();
    let higher = SizeLimit { bytes: lower.bytes + 100, ..LIMIT };
    assert!(Schema::parse(&slow().to_string(), higher).is_err());
}

#[test]
fn what_is_too_large_to_explain_is_refused_in_short() {
    let schema = schema(json!({ "properties": { "list": { "items": {
        "anyOf": vec![json!({ "type": "string" }); 20] } } } }));
    let wrong = |items: usize| schema.fit(&json!({ "list": vec![1; items] })).unwrap_err();
    assert_eq!(wrong(10).field, "/list/0");
    let large = wrong(30_000);
    assert!(large.field.is_empty() && large.message.contains("too large to say where"), "{large:?}");
}

#[test]
fn alternatives_are_told_in_words() {
    let given = json!({ "not": { "type": "null" } });
    let one = |name: &str| json!({ "required": [name], "properties": { name: given } });
    let schema = schema(json!({
        "type": "object",
        "properties": { "text": { "type": ["string", "null"] }, "resource_id": { "type": ["string", "null"] } },
        "oneOf": [one("text"), one("resource_id")],
        "additionalProperties": false,
    }));
    for (value, field) in [
        (json!({}), "/text"),
        (json!({ "text": null }), "/text"),
        (json!({ "text": "a", "resource_id": "b" }), "/resource_id"),
    ] {
        let Ok(Some(missing)) = schema.fit(&value) else { panic!("{value} cannot be quoted") };
        assert_eq!(
            (missing.field.as_str(), missing.message.as_str()),
            (field, "give exactly one of: `text`, `resource_id`")
        );
    }
    assert_eq!(schema.fit(&json!({ "text": "a", "resource_id": null })), Ok(None));
}
