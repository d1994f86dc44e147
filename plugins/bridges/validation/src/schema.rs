//! Checking against a JSON Schema, draft 2020-12.
//!
//! Invariant: schemas are compiled only after their size, depth, patterns and
//! the work they make with this output were found within bounds; they reach no
//! network and no file; patterns match in linear time.

use jsonschema::{Draft, PatternOptions, ReferencingError, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    cost::Graph,
    documents::{Documents, NOWHERE},
    finding::{Finding, Findings},
    limits::{MESSAGE_BYTES_MAX, PATH_BYTES_MAX, REGEX_BYTES_MAX},
    shown,
};

/// Adds a finding for everything in `output` that does not fit the schema.
pub fn check(documents: &Documents<'_>, output: &Value, formats: bool, findings: &mut Findings) -> Result<(), Error> {
    if !Graph::of(documents).affordable(output) {
        let message = "branches of this schema (anyOf, oneOf, allOf, $ref) multiply the checks of this output beyond the limit; use fewer or smaller alternatives";
        return Err(Error::invalid("/schema", message));
    }
    let validator = compile(documents, formats)?;
    for error in validator.iter_errors(output) {
        if !findings.add(finding(documents, &error)) {
            break;
        }
    }
    Ok(())
}

/// Does a text have a format of draft 2020-12? None if the format is not known.
pub fn has_format(name: &str, text: &str) -> Result<Option<bool>, Error> {
    let options = jsonschema::options().with_draft(Draft::Draft202012).offline().should_validate_formats(true);
    if !options.is_known_format(Draft::Draft202012, name) {
        return Ok(None);
    }
    let schema = serde_json::json!({ "format": name });
    let validator = options.build(&schema).map_err(|error| Error::internal(error.to_string()))?;
    Ok(Some(validator.is_valid(&Value::String(text.to_owned()))))
}

fn compile(documents: &Documents<'_>, formats: bool) -> Result<Validator, Error> {
    // The library looks at the form of the first document alone.
    for (place, schema) in documents.given() {
        jsonschema::draft202012::meta::validate(schema).map_err(|error| malformed(place, &error))?;
    }
    let patterns = PatternOptions::regex().size_limit(REGEX_BYTES_MAX);
    let options = jsonschema::options().with_draft(Draft::Draft202012).with_retriever(documents.library());
    let built = options.should_validate_formats(formats).with_pattern_options(patterns).build(documents.root());
    built.map_err(|error| refusal(documents, &error))
}

/// Why the schemas do not compile, at its place in the input.
fn refusal(documents: &Documents<'_>, error: &ValidationError<'_>) -> Error {
    match error.kind() {
        ValidationErrorKind::Referencing(why) => unresolved(documents, why),
        _ => {
            let place = documents.place_of(error.instance_path().as_str(), error.instance());
            malformed(place.unwrap_or("/schema"), error)
        }
    }
}

fn malformed(document: &str, error: &ValidationError<'_>) -> Error {
    let mut message = error.masked_with("this value").to_string();
    if matches!(error.kind(), ValidationErrorKind::Format { format } if format == "regex") {
        message =
            "not a regular expression that is matched in linear time (no lookaround, no backreferences, bounded size)"
                .into();
    }
    let place = shown::cut(&format!("{document}{}", error.instance_path().as_str()), PATH_BYTES_MAX);
    Error::invalid(place, format!("not a JSON Schema of draft 2020-12: {}", shown::cut(&message, MESSAGE_BYTES_MAX)))
}

/// A reference that leads nowhere, named.
fn unresolved(documents: &Documents<'_>, why: &ReferencingError) -> Error {
    let (wanted, message) = match why {
        ReferencingError::Unretrievable { uri, .. } => {
            let wanted = shown::cut(uri.strip_prefix(NOWHERE).unwrap_or(uri), 200);
            let how = if uri.starts_with(NOWHERE) || !uri.contains(':') {
                "put it under $defs, or make the reference absolute (by an `$id` of the schema) and give it in `schemas`"
            } else {
                "give it in `schemas` under this URI, or put it under $defs"
            };
            let message = format!("{wanted} is not in this schema, and nothing is fetched; {how}");
            (wanted, message)
        }
        ReferencingError::PointerToNowhere { pointer } => {
            (pointer.clone(), format!("nothing at {}", shown::cut(pointer, 200)))
        }
        ReferencingError::NoSuchAnchor { anchor } => (anchor.clone(), format!("no anchor {}", shown::cut(anchor, 200))),
        other => (String::new(), shown::cut(&other.to_string(), MESSAGE_BYTES_MAX)),
    };
    let place = documents.place_of_reference(&wanted).unwrap_or_else(|| "/schema".into());
    Error::invalid(shown::cut(&place, PATH_BYTES_MAX), message)
}

fn finding(documents: &Documents<'_>, error: &ValidationError<'_>) -> Finding {
    let place = error.schema_path().as_str();
    let (uri, schema) = documents.at(error.absolute_keyword_location().map(|location| location.as_str()));
    Finding {
        path: shown::cut(error.instance_path().as_str(), PATH_BYTES_MAX),
        schema_uri: uri.map(|uri| shown::cut(uri, PATH_BYTES_MAX)),
        schema_path: Some(shown::cut(place, PATH_BYTES_MAX)),
        assertion: None,
        keyword: error.kind().keyword().to_owned(),
        message: shown::cut(&error.masked_with("this value").to_string(), MESSAGE_BYTES_MAX),
        expected: schema.pointer(place).map(shown::value),
        actual: Some(shown::value(error.instance())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::documents::DRAFT;

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
        check(json!({"pattern": "a".repeat(5000)}), "at most 4096 bytes");
        check(json!({"$schema": "http://json-schema.org/draft-07/schema#"}), "/schema/$schema: only draft 2020-12");
        check(json!("no"), "an object, true or false");
        check((0..19).fold(json!(true), |inner, _| json!({ "unevaluatedItems": inner })), "/schema: nested too deep");
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

    #[test]
    fn formats() {
        assert_eq!(has_format("date", "2024-02-30"), Ok(Some(false)));
        assert_eq!(has_format("ipv4", "127.0.0.1"), Ok(Some(true)));
        assert_eq!(has_format("colour", "red"), Ok(None));
        for (format, text, expect) in [
            ("idn-hostname", "münchen.de", true),
            ("idn-hostname", "실례.테스트", true),
            ("idn-hostname", "xn--mnchen-3ya.de", true),
            ("idn-hostname", "〮실례.테스트", false),
            ("idn-hostname", "-münchen.de", false),
            ("idn-hostname", "a b", false),
            ("idn-hostname", "xn--0", false),
            ("idn-hostname", "ä".repeat(64).as_str(), false),
            ("idn-email", "실례@실례.테스트", true),
            ("idn-email", "имя@münchen.de", true),
            ("idn-email", "имя", false),
            ("idn-email", "a@-münchen.de", false),
        ] {
            assert_eq!(has_format(format, text), Ok(Some(expect)), "{format} {text}");
        }
    }
}
