//! Checking against a JSON Schema, draft 2020-12.
//!
//! Invariant: a schema is compiled only after its size, depth, patterns and
//! the work it makes with this output were found within bounds; it reaches no
//! network and no file; patterns match in linear time.

use jsonschema::{Draft, PatternOptions, ReferencingError, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    cost::Graph,
    finding::{Finding, Findings, token},
    limits::{
        MESSAGE_BYTES_MAX, NESTING_MAX, PATH_BYTES_MAX, PATTERN_BYTES_MAX, PATTERNS_MAX, REGEX_BYTES_MAX,
        SCHEMA_BYTES_MAX,
    },
    shown,
};

/// What draft 2020-12 calls itself.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Adds a finding for everything in `output` that does not fit `schema`.
pub fn check(schema: &Value, output: &Value, formats: bool, findings: &mut Findings) -> Result<(), Error> {
    bounded(schema)?;
    if !Graph::of(schema).affordable(output) {
        let message = "branches of this schema (anyOf, oneOf, allOf, $ref) multiply the checks of this output beyond the limit; use fewer or smaller alternatives";
        return Err(Error::invalid("/schema", message));
    }
    let validator = compile(schema, formats)?;
    for error in validator.iter_errors(output) {
        if !findings.add(finding(schema, &error)) {
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

fn compile(schema: &Value, formats: bool) -> Result<Validator, Error> {
    let patterns = PatternOptions::regex().size_limit(REGEX_BYTES_MAX);
    let options = jsonschema::options().with_draft(Draft::Draft202012).offline();
    let built = options.should_validate_formats(formats).with_pattern_options(patterns).build(schema);
    built.map_err(|error| refusal(schema, &error))
}

/// Refuses what is too large, too deep, of another draft, or has too many patterns.
fn bounded(schema: &Value) -> Result<(), Error> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err(Error::invalid("/schema", "a JSON Schema is an object, true or false"));
    }
    if let Some(draft) =
        schema.get("$schema").filter(|draft| draft.as_str().is_none_or(|uri| uri.trim_end_matches('#') != DRAFT))
    {
        let message =
            format!("only draft 2020-12 is checked ({DRAFT}); this says {}", shown::cut(&draft.to_string(), 100));
        return Err(Error::invalid("/schema/$schema", message));
    }
    let mut patterns = 0usize;
    walk(schema, &mut |value, pointer, load| {
        if load > NESTING_MAX {
            let message = "nested too deep: at most 64 levels, 32 of additionalProperties, 18 of unevaluatedProperties or unevaluatedItems";
            return Err(Error::invalid("/schema", message));
        }
        for (text, member) in patterns_of(value) {
            patterns = patterns.saturating_add(1);
            let place = || format!("/schema{pointer}/{member}");
            if text.len() > PATTERN_BYTES_MAX {
                return Err(Error::invalid(place(), format!("a pattern has at most {PATTERN_BYTES_MAX} bytes")));
            }
            if patterns > PATTERNS_MAX {
                return Err(Error::invalid(place(), format!("at most {PATTERNS_MAX} patterns")));
            }
        }
        Ok(())
    })?;
    if schema.to_string().len() > SCHEMA_BYTES_MAX {
        return Err(Error::invalid("/schema", format!("a schema has at most {SCHEMA_BYTES_MAX} bytes")));
    }
    Ok(())
}

/// The patterns that a schema object holds itself, and the member they stand in.
fn patterns_of(value: &Value) -> Vec<(&str, &'static str)> {
    let pattern = value.get("pattern").and_then(Value::as_str).map(|text| (text, "pattern"));
    let names = value.get("patternProperties").and_then(Value::as_object);
    let names = names.into_iter().flat_map(|names| names.keys().map(|text| (text.as_str(), "patternProperties")));
    pattern.into_iter().chain(names).collect()
}

/// Visits every value, parents first, with its pointer and how much stack its
/// nesting takes; not recursive, because the depth is not known yet.
fn walk<'v>(root: &'v Value, visit: &mut impl FnMut(&'v Value, &str, usize) -> Result<(), Error>) -> Result<(), Error> {
    let mut waiting = vec![(root, String::new(), 0usize)];
    while let Some((value, pointer, load)) = waiting.pop() {
        visit(value, &pointer, load)?;
        let below = |name: &str| format!("{pointer}/{}", token(name));
        match value {
            Value::Object(members) => {
                waiting.extend(members.iter().rev().map(|(name, inner)| (inner, below(name), load + load_of(name))));
            }
            Value::Array(items) => {
                let numbered = items.iter().enumerate().rev();
                waiting.extend(numbered.map(|(index, inner)| (inner, below(&index.to_string()), load + 2)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a level of nesting takes of [`NESTING_MAX`]: measured with the stack of
/// a component, where these keywords take more than others. Nested ones of the
/// last kind also double the time with each level.
fn load_of(keyword: &str) -> usize {
    match keyword {
        "contains" => 3,
        "additionalProperties" => 4,
        "unevaluatedProperties" | "unevaluatedItems" => 7,
        _ => 2,
    }
}

/// Why a schema does not compile, at its place in the input.
fn refusal(schema: &Value, error: &ValidationError<'_>) -> Error {
    if let ValidationErrorKind::Referencing(why) = error.kind() {
        return unresolved(schema, why);
    }
    let mut message = error.masked_with("this value").to_string();
    if matches!(error.kind(), ValidationErrorKind::Format { format } if format == "regex") {
        message =
            "not a regular expression that is matched in linear time (no lookaround, no backreferences, bounded size)"
                .into();
    }
    let place = shown::cut(&format!("/schema{}", error.instance_path().as_str()), PATH_BYTES_MAX);
    Error::invalid(place, format!("not a JSON Schema of draft 2020-12: {}", shown::cut(&message, MESSAGE_BYTES_MAX)))
}

/// A reference that leads nowhere, named.
fn unresolved(schema: &Value, why: &ReferencingError) -> Error {
    let (wanted, message) = match why {
        ReferencingError::Unretrievable { uri, .. } => {
            let uri = shown::cut(uri, 200);
            (uri.clone(), format!("{uri} is not in this schema, and nothing is fetched; put it under $defs"))
        }
        ReferencingError::PointerToNowhere { pointer } => {
            (pointer.clone(), format!("nothing at {}", shown::cut(pointer, 200)))
        }
        ReferencingError::NoSuchAnchor { anchor } => (anchor.clone(), format!("no anchor {}", shown::cut(anchor, 200))),
        other => (String::new(), shown::cut(&other.to_string(), MESSAGE_BYTES_MAX)),
    };
    let mut place = None;
    let _ = walk(schema, &mut |value, pointer, _| {
        for keyword in ["$ref", "$dynamicRef"] {
            let text = value.get(keyword).and_then(Value::as_str).unwrap_or_default();
            let uri = text.split('#').next().unwrap_or_default();
            let meant = !text.is_empty()
                && !wanted.is_empty()
                && (text.contains(&wanted) || (!uri.is_empty() && wanted.contains(uri)));
            if meant && place.is_none() {
                place = Some(format!("/schema{pointer}/{keyword}"));
            }
        }
        Ok(())
    });
    Error::invalid(shown::cut(&place.unwrap_or_else(|| "/schema".into()), PATH_BYTES_MAX), message)
}

fn finding(schema: &Value, error: &ValidationError<'_>) -> Finding {
    let place = error.schema_path().as_str();
    Finding {
        path: shown::cut(error.instance_path().as_str(), PATH_BYTES_MAX),
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
    use serde_json::json;

    use super::*;

    fn check_one(schema: &Value, output: &Value, formats: bool) -> Result<Vec<(String, String)>, String> {
        let mut findings = Findings::new(10);
        check(schema, output, formats, &mut findings).map_err(|error| error.to_string())?;
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
    }
}
