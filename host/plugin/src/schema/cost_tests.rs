use serde_json::json;

use super::*;

const BYTES: usize = 1 << 20;

fn rate(schema: &Value) -> Rate {
    of(schema, BYTES).rate
}

#[test]
fn branches_add_up_and_members_do_not() {
    let text = json!({ "type": "string", "minLength": 1 });
    let one = rate(&text).per_value;
    let branches = rate(&json!({ "anyOf": [text, text, text] }));
    assert!(branches.per_value >= 3 * one, "{branches:?}");
    let members = rate(&json!({ "properties": { "a": text, "b": text, "c": text } }));
    assert!(members.per_value < 3 * one, "{members:?}");
    assert_eq!((branches.per_byte, members.per_byte), (0, 0));
}

#[test]
fn references_count_where_they_are_used() {
    let slow = json!({ "pattern": "a[ab]{200}[^ab]" });
    let times = |times: usize| {
        let branches = vec![json!({ "$ref": "#/$defs/slow" }); times];
        rate(&json!({ "anyOf": branches, "$defs": { "slow": slow } })).per_byte
    };
    assert_eq!((times(1), times(8)), (202, 8 * 202));
    // Unused definitions cost nothing.
    assert_eq!(times(0), 0);
}

#[test]
fn doubling_saturates_in_no_time() {
    let mut defs = Map::new();
    for level in 0..100 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        defs.insert(format!("l{level}"), json!({ "anyOf": [next, next] }));
    }
    defs.insert("l100".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "$ref": "#/$defs/l0", "$defs": defs });
    let cost = of(&schema, BYTES);
    assert_eq!(cost.rate.steps(Size::of_text(BYTES)), u64::MAX);
    assert_eq!(cost.levels, 100);
}

#[test]
fn what_looks_at_the_rest_pays_for_the_branches_again() {
    let branches = json!([{ "type": "string" }, { "type": "object", "properties": { "a": { "type": "string" } } }]);
    let plain = rate(&json!({ "anyOf": branches })).per_value;
    let rest = rate(&json!({ "anyOf": branches, "unevaluatedProperties": false })).per_value;
    assert!(rest >= 2 * plain, "{rest} after {plain}");
    // Each level of nesting of these keywords doubles the cost.
    let nested = |levels: usize| {
        let inner = (0..levels).fold(json!({ "type": "string" }), |inner, _| json!({ "unevaluatedProperties": inner }));
        rate(&inner).per_value
    };
    assert!(nested(20) > 500 * nested(10), "{} after {}", nested(20), nested(10));
    let compiled = |levels: usize| {
        let inner = (0..levels).fold(json!({ "type": "string" }), |inner, _| json!({ "unevaluatedProperties": inner }));
        of(&inner, 0).compiled
    };
    assert!(compiled(20) > 500 * compiled(10), "{} after {}", compiled(20), compiled(10));
}

#[test]
fn items_that_must_differ_cost_as_many_as_there_may_be() {
    let free = rate(&json!({ "uniqueItems": true })).per_value;
    let few = rate(&json!({ "uniqueItems": true, "maxItems": 20 })).per_value;
    assert!(free > 50_000 && few < 20, "{free} and {few}");
    let explained = of(&json!({ "anyOf": [{ "uniqueItems": true, "maxItems": 20 }] }), BYTES);
    assert_eq!(explained.levels, u64::MAX);
}

#[test]
fn names_are_matched_against_every_pattern() {
    let cost = rate(&json!({ "patternProperties": { "a[ab]{99}[^ab]": {}, "^x": { "type": "string" } } }));
    assert!(cost.per_byte >= 2 * 101, "{cost:?}");
}

#[test]
fn the_costliest_keyword_is_named() {
    for (schema, expect) in [
        (
            json!({ "properties": { "a/b": { "pattern": "a[ab]{200}[^ab]" }, "c": { "type": "string" } } }),
            "/properties/a~1b/pattern",
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/x" }], "$defs": { "x": { "uniqueItems": true } } }),
            "/$defs/x/uniqueItems",
        ),
        (json!({ "items": { "enum": vec![json!(1); 500] } }), "/items/enum"),
    ] {
        assert_eq!(costliest(&schema, BYTES), expect, "{schema}");
    }
}
