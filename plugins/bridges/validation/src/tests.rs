use proptest::{collection, prelude::*};
use serde_json::{Map, json};
use tollbridge_sdk::{Stored, guest};

use super::*;

tollbridge_sdk::test_cases!(handle);

/// Keywords, so that random schemas are often meaningful.
const KEYWORDS: [&str; 30] = [
    "$ref",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$defs",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "contains",
    "unevaluatedItems",
    "type",
    "enum",
    "const",
    "pattern",
    "format",
    "required",
    "multipleOf",
    "minimum",
];
const WORDS: [&str; 14] = [
    "",
    "#",
    "#/$defs/a",
    "#/anyOf/0",
    "#a",
    "a",
    "b",
    "string",
    "object",
    "array",
    "^a+$",
    "(",
    "date",
    "https://example.com/x",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::sample::select(&KEYWORDS[..]).prop_map(str::to_owned),
        1 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ]
}

fn json_like() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-2i64..3).prop_map(Value::from),
        name().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            collection::vec((name(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn fine(result: Result<Output, Error>) {
    match result {
        Ok(output) => {
            assert_eq!(output.result.valid, output.result.errors.is_empty());
            assert!(output.result.errors.len() <= ERRORS_MAX);
        }
        Err(error) => assert_eq!(error.kind(), "invalid-input", "{error}"),
    }
}

#[test]
fn longest_answer_fits_the_manifest() {
    let wide = "x".repeat(900);
    let items: Vec<Value> = (0..600).map(|_| json!({ wide.clone(): "y".repeat(500) })).collect();
    let schema = json!({"items": {"additionalProperties": {"enum": ["z".repeat(1000)]}}});
    let input =
        Input { output: Some(json!(items)), schema: Some(schema), max_errors: Some(ERRORS_MAX), ..Input::default() };
    let output = handle(&Call::default(), input).unwrap();
    assert!(output.result.truncated && output.result.errors.len() == ERRORS_MAX);
    let bytes = serde_json::to_vec(&output).unwrap().len();
    assert!(bytes < 1 << 20, "{bytes}");
}

#[test]
fn multiplying_schemas_end() {
    let mut parts = Map::new();
    for step in 0..64 {
        let next = json!({"$ref": format!("#/$defs/a{}", step + 1)});
        parts.insert(format!("a{step}"), json!({"oneOf": [next, {"allOf": [next, next]}]}));
    }
    parts.insert("a64".into(), json!({"type": "string"}));
    let input = Input {
        output: Some(json!(1)),
        schema: Some(json!({"$ref": "#/$defs/a0", "$defs": parts})),
        ..Input::default()
    };
    assert_eq!(handle(&Call::default(), input).unwrap_err().field(), Some("/schema"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_schema_and_any_output_end(schema in json_like(), output in json_like(), assert_formats: bool, given in collection::btree_map("https://example.com/[xab]|urn:a|\\PC{0,4}", json_like(), 0..3)) {
        fine(handle(&Call::default(), Input { output: Some(output), schema: Some(schema), schemas: given, assert_formats, ..Input::default() }));
    }

    #[test]
    fn any_assertion_ends(output in json_like(), value in json_like(), op in 0..18usize, path in "(/[a-z0-9]{0,2}){0,3}|.{0,5}", each in proptest::option::of("(/[a-z])?")) {
        let ops = [
            "equals", "not_equals", "exists", "absent", "type", "gt", "gte", "lt", "lte", "length_min", "length_max", "contains",
            "not_contains", "matches", "one_of", "format", "unique", "sum_equals",
        ];
        let assertion = json!({"path": path, "op": ops[op], "value": value, "each": each});
        let bytes = json!({"output": output, "assertions": [assertion]}).to_string();
        if let Err(error) = guest::handle(handle, &Call::default(), bytes.as_bytes()) {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
    }

    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>, content_type in "\\PC{0,20}|text/plain|application/json") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let resource = Stored { id: "res_1".into(), content_type, bytes };
        fine(handle(&Call { resource: Some(resource), ..Call::default() }, Input::default()));
    }
}
