//! Checking against a JSON Schema, draft 2020-12.
//!
//! Invariant: schemas are read only after their size, depth and patterns were
//! found within bounds and their form is right; they reach no network and no
//! file; patterns match in linear time; the work that they make with this
//! output is counted while it is done, and ends at a bound.
//!
//! The evaluator is this plugin's own. `jsonschema` makes the checker of its
//! meta-schema anew with every schema on this target, in two milliseconds. `boon`
//! compares numbers as doubles (to it 19.99 is no multiple of 0.01), takes time that
//! grows with the square of the number of schemas, and more stack than a component has.

use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    checker::{Checker, Stop},
    documents::Documents,
    finding::Findings,
    form,
    limits::OPEN_MAX,
    planner,
};

/// Adds a finding for everything in `output` that does not fit the schema.
pub fn check(documents: &Documents<'_>, output: &Value, formats: bool, findings: &mut Findings) -> Result<(), Error> {
    for document in documents.all() {
        form::check(&document.place, document.schema)?;
    }
    let plan = planner::plan(documents, formats)?;
    let mut checker = Checker::new(&plan, documents, findings);
    let _ = checker.meet(0, output, true, None);
    let refused = match checker.bounds.stopped {
        None | Some(Stop::Full) => return Ok(()),
        Some(Stop::Costly) => {
            "branches of this schema (anyOf, oneOf, allOf, $ref) multiply the checks of this output beyond the limit; use fewer or smaller alternatives".to_owned()
        }
        Some(Stop::Deep) => {
            format!("references of this schema lead from one to the next too often; at most {OPEN_MAX} schemas are open at once while one value is checked")
        }
    };
    Err(Error::invalid("/schema", refused))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::{documents::DRAFT, finding::Finding};

    fn check_one(schema: &Value, output: &Value, formats: bool) -> Result<Vec<(String, String)>, String> {
        let mut findings = Findings::new(10);
        let none = BTreeMap::new();
        let documents = Documents::read(schema, &none).map_err(|error| error.to_string())?;
        check(&documents, output, formats, &mut findings).map_err(|error| error.to_string())?;
        Ok(findings.list.into_iter().map(|finding| (finding.path, finding.keyword)).collect())
    }

    #[test]
    fn finds_what_does_not_fit() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 3}}, "additionalProperties": false});
        assert_eq!(check_one(&schema, &json!({"a": 3}), false), Ok(vec![]));
        assert_eq!(check_one(&schema, &json!({"a": 2}), false), Ok(vec![("/a".into(), "minimum".into())]));
        assert_eq!(check_one(&schema, &json!([]), false), Ok(vec![("".into(), "type".into())]));
        let mail = json!({"format": "email"});
        assert_eq!(check_one(&mail, &json!("x"), false), Ok(vec![]));
        assert_eq!(check_one(&mail, &json!("x"), true), Ok(vec![("".into(), "format".into())]));
        // A reference to the metaschema itself needs no network.
        assert_eq!(check_one(&json!({"$ref": DRAFT}), &json!({"type": 1}), false).map(|found| found.len()), Ok(1));
    }

    #[test]
    fn refuses_by_name() {
        let check = |schema: Value, part: &str| {
            let got = check_one(&schema, &json!({"a": "x"}), false);
            assert!(got.as_ref().is_err_and(|text| text.contains(part)), "{schema}: {got:?} has no {part:?}");
        };
        check(
            json!({"properties": {"a": {"$ref": "https://example.com/a.json"}}}),
            "/schema/properties/a/$ref: https://example.com/a.json is not in this schema",
        );
        check(json!({"items": {"$ref": "file:///etc/passwd"}}), "/schema/items/$ref");
        check(json!({"$id": "https://example.com/x", "items": {"$ref": "other.json#/a"}}), "/schema/items/$ref");
        check(json!({"items": {"$ref": "other.json"}}), "/schema/items/$ref: other.json is not in this schema");
        check(json!({"items": {"$ref": "other.json"}}), "by an `$id`");
        check(json!({"$ref": "#/$defs/none"}), "/schema/$ref: nothing at");
        check(json!({"$ref": "#none"}), "/schema/$ref: no anchor none");
        check(json!({"type": "strin"}), "/schema/type");
        check(json!({"properties": {"a": {"minimum": "3"}}}), "/schema/properties/a/minimum");
        check(
            json!({"pattern": "(?=a)a"}),
            "/schema/pattern: not a JSON Schema of draft 2020-12: not a regular expression that is matched in linear time",
        );
        check(json!({"pattern": "(a{1000}){1000}"}), "bounded size");
        let large: serde_json::Map<_, _> =
            (0..100).map(|number| (format!("(a{{1000}}){{10}}{number}"), json!(true))).collect();
        check(json!({ "patternProperties": large }), "bounded size");
        check(json!({"pattern": "a".repeat(5000)}), "at most 4096 bytes");
        check(json!({"$schema": "http://json-schema.org/draft-07/schema#"}), "/schema/$schema: only draft 2020-12");
        check(json!("no"), "an object, true or false");
        check((0..65).fold(json!(true), |inner, _| json!({ "items": inner })), "/schema: nested too deep: at most 64");
        check((0..70).fold(json!(true), |inner, _| json!({ "not": inner })), "/schema: nested too deep");
        let names: serde_json::Map<_, _> = (0..300).map(|number| (format!("^{number}"), json!(true))).collect();
        check(json!({ "patternProperties": names }), "at most 200 patterns");
    }

    fn with(given: &Value, schema: &Value, output: &Value) -> Result<Vec<Finding>, String> {
        let given: BTreeMap<String, Value> = serde_json::from_value(given.clone()).unwrap();
        let documents = Documents::read(schema, &given).map_err(|error| error.to_string())?;
        let mut findings = Findings::new(10);
        check(&documents, output, true, &mut findings).map_err(|error| error.to_string())?;
        Ok(findings.list)
    }

    #[test]
    fn references_lead_to_schemas_given() {
        let part =
            json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "b.json#/$defs/b"}}});
        let given = json!({
            "https://example.com/a.json": part,
            "https://EXAMPLE.com/b.json#": {"$defs": {"b": {"$id": "inner", "type": "string", "maxLength": 1}, "c": {"$ref": "a.json"}}},
            "urn:example:plain": {"const": 1},
        });
        let schema = json!({"$ref": "https://example.com/a.json", "properties": {"c": {"$ref": "urn:example:plain"}}});
        assert_eq!(with(&given, &schema, &json!({"a": 1, "b": "x", "c": 1})).map(|list| list.len()), Ok(0));
        let found = with(&given, &schema, &json!({"a": "1", "b": "xy", "c": 2})).unwrap();
        let mut shown: Vec<_> = found
            .iter()
            .map(|one| (one.path.as_str(), one.schema_uri.as_deref(), one.schema_path.as_deref(), one.expected.clone()))
            .collect();
        shown.sort_by_key(|one| one.0);
        assert_eq!(
            shown,
            [
                ("/a", Some("https://example.com/a.json"), Some("/properties/a/type"), Some(json!("integer"))),
                ("/b", Some("https://example.com/b.json"), Some("/$defs/b/maxLength"), Some(json!(1))),
                ("/c", Some("urn:example:plain"), Some("/const"), Some(json!(1))),
            ]
        );
        // One given refers to the schema itself by its `$id`, and to another by a relative reference.
        let tree =
            json!({"$id": "https://example.com/tree", "type": "object", "properties": {"next": {"$ref": "list"}}});
        let list = json!({"https://example.com/list": {"type": "array", "items": {"$ref": "tree"}}});
        assert_eq!(with(&list, &tree, &json!({"next": [{"next": []}]})).map(|list| list.len()), Ok(0));
        assert_eq!(with(&list, &tree, &json!({"next": [{"next": [1]}]})).map(|list| list.len()), Ok(1));
    }

    #[test]
    fn schemas_given_are_bounded_and_refused_by_name() {
        let schema = json!({"$ref": "https://example.com/a"});
        let check = |given: Value, part: &str| {
            let got = with(&given, &schema, &json!(1)).map(|list| list.len());
            assert!(got.as_ref().is_err_and(|text| text.contains(part)), "{given}: {got:?} has no {part:?}");
        };
        check(json!({"https://example.com/b": true}), "/schema/$ref: https://example.com/a is not in this schema");
        check(json!({}), "give it in `schemas` under this URI");
        check(
            json!({"https://example.com/a": {"items": {"$ref": "c#/x"}}}),
            "/schemas/https:~1~1example.com~1a/items/$ref: https://example.com/c is not",
        );
        check(
            json!({"https://example.com/a": {"type": "strin"}}),
            "/schemas/https:~1~1example.com~1a/type: not a JSON",
        );
        check(
            json!({"https://example.com/a": {"items": {"pattern": "(?=a)"}}}),
            "/schemas/https:~1~1example.com~1a/items/pattern: not a JSON Schema of draft 2020-12: not a regular",
        );
        check(json!({"https://example.com/a": 1}), "/schemas/https:~1~1example.com~1a: a JSON Schema is");
        check(
            json!({"https://example.com/a": {"$schema": "http://json-schema.org/draft-07/schema#"}}),
            "/schemas/https:~1~1example.com~1a/$schema: only draft 2020-12",
        );
        check(
            json!({"https://example.com/a#/b": true}),
            "/schemas/https:~1~1example.com~1a#~1b: a schema is given under",
        );
        for name in ["", "a.json", "//example.com/a", "json-schema:///a", "a b"] {
            check(json!({ name: true }), "a schema is given under its absolute URI");
        }
        check(json!({"https://example.com/a": true, "https://example.com/a#": true}), "given twice");
        let names: serde_json::Map<_, _> = (0..51).map(|number| (format!("urn:{number}"), json!(true))).collect();
        check(json!(names), "/schemas: at most 50");
        let long = json!({"title": "x".repeat(200 << 10)});
        check(json!({"urn:a": long, "urn:b": long}), "/schemas/urn:b: a schema has at most 262144 bytes");
        let patterns: serde_json::Map<_, _> = (0..150).map(|number| (format!("^{number}"), json!(true))).collect();
        let patterns = json!({ "patternProperties": patterns });
        check(json!({"urn:a": patterns, "urn:b": patterns}), "at most 200 patterns");
    }

    #[test]
    fn linear_patterns() {
        let schema = json!({"pattern": "^(a+)+$"});
        assert_eq!(
            check_one(&schema, &json!(format!("{}b", "a".repeat(100_000))), false).map(|found| found.len()),
            Ok(1)
        );
    }

    /// Is the work within bounds? What is checked does not matter.
    fn affordable(given: &BTreeMap<String, Value>, schema: &Value, output: &Value) -> bool {
        let documents = Documents::read(schema, given).unwrap();
        match check(&documents, output, false, &mut Findings::new(500)) {
            Ok(()) => true,
            Err(error) => {
                assert!(error.to_string().contains("beyond the limit"), "{schema}: {error}");
                false
            }
        }
    }

    fn doubling(times: usize) -> Value {
        let mut parts = serde_json::Map::new();
        for step in 0..times {
            let next = json!({"$ref": format!("#/$defs/a{}", step + 1)});
            parts.insert(format!("a{step}"), json!({"anyOf": [next, next]}));
        }
        parts.insert(format!("a{times}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/a0", "$defs": parts})
    }

    #[test]
    fn multiplying_branches_are_too_much() {
        let deep = |times| (0..times).fold(json!(1), |inner, _| json!({"a": inner}));
        let none = BTreeMap::new();
        assert!(affordable(&none, &doubling(5), &json!(1)));
        assert!(affordable(&none, &doubling(60), &json!("the first branch holds")));
        assert!(!affordable(&none, &doubling(60), &json!(1)));
        let twice = json!({"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]});
        assert!(affordable(&none, &twice, &deep(8)));
        assert!(!affordable(&none, &twice, &deep(60)));
        let all = json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/c"}, {"$ref": "#/$defs/d"}]}}, "$ref": "#/$defs/a"});
        let mut all = all;
        for (name, others) in [("b", "acd"), ("c", "abd"), ("d", "abc")] {
            let others: Vec<_> = others.chars().map(|other| json!({"$ref": format!("#/$defs/{other}")})).collect();
            all["$defs"][name] = json!({ "allOf": others });
        }
        assert!(affordable(&none, &all, &json!(1)));
    }

    #[test]
    fn wide_outputs_are_counted() {
        let none = BTreeMap::new();
        let mut options = vec![json!({"type": "string"}); 99];
        options.push(json!(true));
        let many = json!({"items": {"anyOf": options}});
        assert!(!affordable(&none, &many, &json!(vec![1; 50_000])));
        assert!(affordable(&none, &many, &json!(vec![1; 400])));
        let options = json!({"items": {"enum": (0..1_000).collect::<Vec<_>>(), "not": {"const": 5}}});
        assert!(!affordable(&none, &options, &json!(vec![1; 50_000])));
        let text = json!({"allOf": vec![json!({"pattern": "^a"}); 200]});
        assert!(!affordable(&none, &text, &json!("a".repeat(1 << 20))));
        let names: serde_json::Map<_, _> = (0..100).map(|number| (format!("^{number}"), json!(true))).collect();
        let members: serde_json::Map<_, _> = (0..50_000).map(|number| (format!("a{number}"), json!(1))).collect();
        assert!(!affordable(&none, &json!({ "patternProperties": names }), &json!(members)));
        let left = json!({"allOf": vec![json!({"unevaluatedProperties": true}); 100]});
        assert!(!affordable(&none, &left, &json!(members)));
        assert!(affordable(&none, &json!({"uniqueItems": true}), &json!((0..100_000).collect::<Vec<_>>())));
        assert!(affordable(
            &none,
            &json!({"items": {"properties": {"a": {"type": "integer"}}}}),
            &json!(vec![json!({"a": 1}); 50_000])
        ));
    }

    #[test]
    fn references_of_any_spelling_lead_there() {
        let named = |step: usize| format!("https://example.com/a{step}");
        for reference in [
            &named as &dyn Fn(usize) -> String,
            &|step| format!("a{step}"),
            &|step| format!("./a{step}#"),
            &|step| format!("/x/../a{step}"),
            &|step| format!("%61{step}"),
            &|step| format!("HTTPS://example.com/a{step}"),
        ] {
            let mut given: BTreeMap<String, Value> =
                (0..40).map(|step| (named(step), json!({"$ref": reference(step + 1)}))).collect();
            given.insert(named(40), json!({"type": "string"}));
            let schema = json!({"$ref": named(0)});
            let documents = Documents::read(&schema, &given).unwrap();
            let mut findings = Findings::new(10);
            check(&documents, &json!(1), false, &mut findings).unwrap();
            let uris: Vec<_> = findings.list.iter().map(|finding| finding.schema_uri.clone()).collect();
            assert_eq!(uris, [Some(named(40))], "{}", reference(1));
        }
    }

    #[test]
    fn circles_and_chains_end() {
        for (schema, output, expect) in [
            (json!({"$ref": "#"}), json!(1), vec![]),
            (json!({"allOf": [{"$ref": "#"}], "type": "string"}), json!(1), vec!["type"]),
            (json!({"anyOf": [{"$ref": "#"}, false]}), json!(1), vec![]),
            (
                json!({"properties": {"a": {"$ref": "#"}}, "minProperties": 1}),
                json!({"a": {"a": {}}}),
                vec!["minProperties"],
            ),
        ] {
            let found = check_one(&schema, &output, false).unwrap();
            let keywords: Vec<_> = found.iter().map(|(_, keyword)| keyword.as_str()).collect();
            assert_eq!(keywords, expect, "{schema}");
        }
        let chain = |length: usize| {
            let mut parts: serde_json::Map<_, _> = (0..length)
                .map(|step| (format!("a{step}"), json!({"$ref": format!("#/$defs/a{}", step + 1)})))
                .collect();
            parts.insert(format!("a{length}"), json!(false));
            json!({"$ref": "#/$defs/a0", "$defs": parts})
        };
        assert_eq!(check_one(&chain(OPEN_MAX - 2), &json!(1), false).map(|found| found.len()), Ok(1));
        let refused = check_one(&chain(OPEN_MAX), &json!(1), false);
        assert!(refused.as_ref().is_err_and(|text| text.contains("/schema: references")), "{refused:?}");
    }

    #[test]
    fn leftovers_are_of_what_held() {
        let check = |schema: Value, output: Value, expect: &[&str]| {
            let found = check_one(&schema, &output, false).unwrap();
            let keywords: Vec<_> = found.iter().map(|(_, keyword)| keyword.as_str()).collect();
            assert_eq!(keywords, expect, "{schema}");
        };
        let either = json!({"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": true}}], "unevaluatedProperties": false});
        check(either.clone(), json!({"b": 1}), &[]);
        check(either.clone(), json!({"a": "x", "b": 1}), &[]);
        check(either, json!({"a": 1, "b": 1}), &["unevaluatedProperties"]);
        let test = json!({"if": {"prefixItems": [true, {"type": "string"}]}, "unevaluatedItems": false});
        check(test.clone(), json!([1, "a"]), &[]);
        check(test.clone(), json!([1, 2]), &["unevaluatedItems"]);
        check(json!({"allOf": [test], "unevaluatedItems": false}), json!([1, "a"]), &[]);
        let cousin = json!({"allOf": [{"properties": {"a": true}}, {"unevaluatedProperties": false}]});
        check(cousin, json!({"a": 1}), &["unevaluatedProperties"]);
    }
}
