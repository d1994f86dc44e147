//! Checks that an untrusted schema can be evaluated in bounded time.
//!
//! A schema may refer to parts of itself. A naive evaluation can recurse forever, or branch so
//! often that one small input takes minutes. Therefore references must stay inside the schema and
//! must not form a cycle, and the schema with all references expanded must have at most
//! `SCHEMA_NODES_MAX` nodes.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::limits::SCHEMA_NODES_MAX;

/// The maximum number of patterns; a compiled pattern takes a few hundred kilobytes at
/// worst.
const PATTERNS_MAX: usize = 64;
/// The maximum depth of any part, counting the references followed and the objects entered from the
/// root. Bounds the stack of all code that traverses the schema.
const DEPTH_MAX: usize = 128;
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords whose value is a single schema.
pub(super) const ONE: [&str; 12] = [
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "items",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "contentSchema",
];
/// Keywords whose value is a list of schemas.
pub(super) const LIST: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Keywords whose value is an object of schemas.
pub(super) const MAP: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
/// Keywords that only define targets for references and check nothing themselves.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Rejected keywords: they would change the base of references, or choose a reference's target by
/// the input.
const FORBIDDEN: [&str; 6] =
    ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "$anchor"];

/// The reason why a schema's structure is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ShapeError {
    #[error("the schema must be a JSON object")]
    NotAnObject,
    #[error("`$schema` must be {DRAFT} (draft 2020-12), or absent")]
    OtherDraft,
    #[error("`{0}` is not supported; use `$ref` to a part of the same schema, like #/$defs/name")]
    Forbidden(String),
    #[error("`$ref` {0} must point to a part of the same schema, like #/$defs/name")]
    BadReference(String),
    #[error("`$ref` {0} leads back to itself; recursive schemas are not supported")]
    Recursive(String),
    #[error("with its references expanded, the schema has more than {SCHEMA_NODES_MAX} parts")]
    TooBranched,
    #[error("with its references expanded, the schema is nested deeper than {DEPTH_MAX}")]
    TooDeep,
    #[error("the schema has more than {PATTERNS_MAX} patterns")]
    TooManyPatterns,
}

pub(crate) fn check(root: &Value) -> Result<(), ShapeError> {
    let Some(keywords) = root.as_object() else { return Err(ShapeError::NotAnObject) };
    match keywords.get("$schema") {
        None => {}
        Some(Value::String(draft)) if draft.trim_end_matches('#') == DRAFT => {}
        Some(_) => return Err(ShapeError::OtherDraft),
    }
    let mut walk = Walk { root, sizes: HashMap::new(), patterns: 0, depth: 0 };
    walk.size(root, true).map(drop)
}

/// Returns the part that a reference points to.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    // URI escapes in the names of definitions are not supported.
    let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'))?;
    root.pointer(pointer)
}

struct Walk<'a> {
    root: &'a Value,
    /// Sizes of reference targets; `None` while a target is being measured.
    sizes: HashMap<&'a str, Option<usize>>,
    patterns: usize,
    depth: usize,
}

impl<'a> Walk<'a> {
    /// Counts the nodes of a schema with its references expanded.
    fn size(&mut self, schema: &'a Value, is_root: bool) -> Result<usize, ShapeError> {
        let Some(keywords) = schema.as_object() else { return Ok(1) };
        self.check_keywords(keywords, is_root)?;
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEPTH_MAX {
            return Err(ShapeError::TooDeep);
        }
        let size = self.size_of_parts(keywords)?;
        self.depth = self.depth.saturating_sub(1);
        Ok(size)
    }

    fn size_of_parts(&mut self, keywords: &'a Map<String, Value>) -> Result<usize, ShapeError> {
        let mut size = 1_usize;
        for (name, value) in keywords {
            let name = name.as_str();
            let more = match value {
                Value::String(reference) if name == "$ref" => self.target(reference)?,
                Value::Array(parts) if LIST.contains(&name) => self.sum(parts.iter())?,
                Value::Object(parts) if MAP.contains(&name) => self.sum(parts.values())?,
                Value::Object(parts) if DEFINITIONS.contains(&name) => {
                    self.sum(parts.values())?;
                    0
                }
                value if ONE.contains(&name) => self.size(value, false)?,
                _ => 0,
            };
            size = size.saturating_add(more);
            if size > SCHEMA_NODES_MAX {
                return Err(ShapeError::TooBranched);
            }
        }
        Ok(size)
    }

    fn sum(&mut self, parts: impl Iterator<Item = &'a Value>) -> Result<usize, ShapeError> {
        let mut sum = 0_usize;
        for part in parts {
            sum = sum.saturating_add(self.size(part, false)?);
        }
        Ok(sum)
    }

    fn target(&mut self, reference: &'a str) -> Result<usize, ShapeError> {
        match self.sizes.get(reference) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => return Err(ShapeError::Recursive(reference.to_owned())),
            None => {}
        }
        let target = resolve(self.root, reference).ok_or_else(|| ShapeError::BadReference(reference.to_owned()))?;
        self.sizes.insert(reference, None);
        let size = self.size(target, std::ptr::eq(target, self.root))?;
        self.sizes.insert(reference, Some(size));
        Ok(size)
    }

    fn check_keywords(&mut self, keywords: &Map<String, Value>, is_root: bool) -> Result<(), ShapeError> {
        if let Some(name) = FORBIDDEN.iter().find(|name| keywords.contains_key(**name)) {
            return Err(ShapeError::Forbidden((*name).to_owned()));
        }
        if !is_root && keywords.contains_key("$id") {
            return Err(ShapeError::Forbidden("$id".to_owned()));
        }
        let named = keywords.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
        let patterns_here = usize::from(keywords.contains_key("pattern"));
        self.patterns = self.patterns.saturating_add(named).saturating_add(patterns_here);
        if self.patterns > PATTERNS_MAX { Err(ShapeError::TooManyPatterns) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_schemas_pass() {
        for schema in [
            json!({}),
            json!({ "$schema": DRAFT, "$id": "urn:x", "type": "object" }),
            json!({ "properties": { "a": { "$ref": "#/$defs/a" }, "b": { "$ref": "#/$defs/a" } },
                    "$defs": { "a": { "type": "string" } } }),
            // Inside `properties`, members named like keywords are ordinary members.
            json!({ "properties": { "$ref": { "type": "string" }, "$dynamicRef": true, "pattern": {} } }),
            json!({ "enum": [{ "$ref": "https://example.com" }] }),
        ] {
            assert_eq!(check(&schema), Ok(()), "{schema}");
        }
    }

    #[test]
    fn cycles_are_refused() {
        for schema in [
            json!({ "$ref": "#" }),
            json!({ "properties": { "child": { "$ref": "#" } } }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            json!({ "$defs": { "a": { "items": { "$ref": "#/$defs/a" } } } }),
            json!({ "properties": { "a": { "not": { "$ref": "#/properties/a" } } } }),
        ] {
            assert!(matches!(check(&schema), Err(ShapeError::Recursive(_))), "{schema}");
        }
    }

    #[test]
    fn doubling_is_refused() {
        let mut defs = Map::new();
        for level in 0..30 {
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            defs.insert(format!("l{level}"), json!({ "anyOf": [next, next] }));
        }
        defs.insert("l30".to_owned(), json!({ "type": "string" }));
        assert_eq!(check(&json!({ "$ref": "#/$defs/l0", "$defs": defs })), Err(ShapeError::TooBranched));
    }

    #[test]
    fn long_chains_are_refused_before_they_use_up_the_stack() {
        let mut defs: Map<String, Value> =
            (0..5_000).map(|link| (format!("l{link}"), json!({ "$ref": format!("#/$defs/l{}", link + 1) }))).collect();
        defs.insert("l5000".to_owned(), json!(true));
        assert_eq!(check(&json!({ "$ref": "#/$defs/l0", "$defs": defs })), Err(ShapeError::TooDeep));
    }

    #[test]
    fn references_out_are_refused() {
        for reference in ["other.json", "https://example.com/#/a", "#name", "#/$defs/none", "#/%24defs/a", "", "/a"] {
            let schema = json!({ "items": { "$ref": reference } });
            assert_eq!(check(&schema), Err(ShapeError::BadReference(reference.to_owned())), "{reference}");
        }
    }

    #[test]
    fn tricks_with_bases_are_refused() {
        for name in FORBIDDEN {
            assert!(matches!(check(&json!({ "items": { name: "#x" } })), Err(ShapeError::Forbidden(_))), "{name}");
        }
        assert!(matches!(check(&json!({ "items": { "$id": "urn:y" } })), Err(ShapeError::Forbidden(_))));
        assert_eq!(
            check(&json!({ "$schema": "http://json-schema.org/draft-07/schema#" })),
            Err(ShapeError::OtherDraft)
        );
        assert_eq!(check(&json!(true)), Err(ShapeError::NotAnObject));
    }

    #[test]
    fn patterns_are_counted() {
        let many: Map<String, Value> = (0..=PATTERNS_MAX).map(|index| (format!("^{index}"), json!({}))).collect();
        assert_eq!(check(&json!({ "patternProperties": many })), Err(ShapeError::TooManyPatterns));
    }
}
