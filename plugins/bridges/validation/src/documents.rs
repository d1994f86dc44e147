//! The schemas of one call: the one that the output is checked by, and those that it may refer to.
//!
//! Invariant: all of them together keep the bounds of size, depth and
//! patterns, and a URI leads to one of them or nowhere.

use std::collections::{BTreeMap, HashMap};

use jsonschema::{Retrieve, Uri, uri};
use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    finding::token,
    limits::{NESTING_MAX, PATH_BYTES_MAX, PATTERN_BYTES_MAX, PATTERNS_MAX, SCHEMA_BYTES_MAX, SCHEMAS_MAX},
    shown,
};

/// What draft 2020-12 calls itself.
pub const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What a relative reference leads to from a schema without an `$id`.
pub const NOWHERE: &str = "json-schema:///";

/// A schema that others may refer to.
#[derive(Debug)]
struct Given<'v> {
    uri: String,
    /// Where it is in the input, as a JSON pointer.
    place: String,
    schema: &'v Value,
}

/// The schemas of one call.
#[derive(Debug)]
pub struct Documents<'v> {
    root: &'v Value,
    given: Vec<Given<'v>>,
}

/// Gives what the call brought, and nothing else.
#[derive(Debug)]
pub struct Library(HashMap<String, Value>);

impl Retrieve for Library {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| "not among the schemas given".into())
    }
}

impl<'v> Documents<'v> {
    /// Reads them, or says what is beyond a bound.
    pub fn read(root: &'v Value, given: &'v BTreeMap<String, Value>) -> Result<Self, Error> {
        if given.len() > SCHEMAS_MAX {
            return Err(Error::invalid("/schemas", format!("at most {SCHEMAS_MAX}")));
        }
        let mut documents = Self { root, given: Vec::new() };
        let (mut bytes, mut patterns) = (0usize, 0usize);
        bounded("/schema", root, &mut bytes, &mut patterns)?;
        for (name, schema) in given {
            let place = shown::cut(&format!("/schemas/{}", token(name)), PATH_BYTES_MAX);
            let uri = known(name).ok_or_else(|| {
                let message = "a schema is given under its absolute URI, without a fragment";
                Error::invalid(place.clone(), message)
            })?;
            bounded(&place, schema, &mut bytes, &mut patterns)?;
            if documents.given.iter().any(|other| other.uri == uri) {
                return Err(Error::invalid(place, "given twice under the same URI"));
            }
            documents.given.push(Given { uri, place, schema });
        }
        Ok(documents)
    }

    /// The schema that the output is checked by.
    pub fn root(&self) -> &'v Value {
        self.root
    }

    /// The others, with their places in the input.
    pub fn given(&self) -> impl Iterator<Item = (&str, &'v Value)> {
        self.given.iter().map(|given| (given.place.as_str(), given.schema))
    }

    /// The others, with their URIs.
    pub fn named(&self) -> impl Iterator<Item = (&str, &'v Value)> {
        self.given.iter().map(|given| (given.uri.as_str(), given.schema))
    }

    /// The others, for the library that follows references.
    pub fn library(&self) -> Library {
        Library(self.given.iter().map(|given| (given.uri.clone(), given.schema.clone())).collect())
    }

    /// The document, with its URI if it is a given one, that has a keyword at this absolute place.
    pub fn at(&self, location: Option<&str>) -> (Option<&str>, &'v Value) {
        let base = location.map(|location| location.split('#').next().unwrap_or_default());
        let found = base.and_then(|base| self.given.iter().find(|given| given.has(base)));
        found.map_or((None, self.root), |given| (Some(given.uri.as_str()), given.schema))
    }

    /// The document in the input that has this value at this place.
    pub fn place_of(&self, pointer: &str, value: &Value) -> Option<&str> {
        self.all().find(|(_, schema)| schema.pointer(pointer) == Some(value)).map(|(place, _)| place)
    }

    /// The place in the input of the first reference that means `wanted`: a URI, a pointer or an anchor.
    pub fn place_of_reference(&self, wanted: &str) -> Option<String> {
        let means = |text: &str| {
            let uri = text.split('#').next().unwrap_or_default();
            !text.is_empty()
                && !wanted.is_empty()
                && (text.contains(wanted) || (!uri.is_empty() && wanted.contains(uri.trim_start_matches(['.', '/']))))
        };
        let mut found = None;
        for (place, schema) in self.all() {
            let _ = walk(schema, &mut |value, pointer, _| {
                for keyword in ["$ref", "$dynamicRef"] {
                    let text = value.get(keyword).and_then(Value::as_str).unwrap_or_default();
                    if found.is_none() && means(text) {
                        found = Some(format!("{place}{pointer}/{keyword}"));
                    }
                }
                Ok(())
            });
        }
        found
    }

    fn all(&self) -> impl Iterator<Item = (&str, &'v Value)> {
        std::iter::once(("/schema", self.root)).chain(self.given())
    }
}

impl Given<'_> {
    /// Is this URI its own, or that of a part with an `$id`?
    fn has(&self, base: &str) -> bool {
        let Ok(own) = uri::from_str(&self.uri) else { return false };
        let mut found = self.uri == base;
        let _ = walk(self.schema, &mut |value, _, _| {
            let id = value.get("$id").and_then(Value::as_str);
            let id = id.and_then(|id| uri::resolve_against(&own.borrow(), id.trim_end_matches('#')).ok());
            found |= id.is_some_and(|id| id.as_str() == base);
            Ok(())
        });
        found
    }
}

/// The URI of a name in normal form, if it is absolute and has no fragment.
fn known(name: &str) -> Option<String> {
    let name = name.trim_end_matches('#');
    let fits = name.len() <= PATH_BYTES_MAX && !name.contains('#') && Uri::parse(name).is_ok();
    let uri = fits.then(|| uri::from_str(name).ok()).flatten()?.as_str().to_owned();
    (!uri.starts_with(NOWHERE)).then_some(uri)
}

/// Refuses what is too large, too deep, of another draft, or has too many patterns, with those before it.
fn bounded(document: &str, schema: &Value, bytes: &mut usize, patterns: &mut usize) -> Result<(), Error> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err(Error::invalid(document, "a JSON Schema is an object, true or false"));
    }
    if let Some(draft) =
        schema.get("$schema").filter(|draft| draft.as_str().is_none_or(|uri| uri.trim_end_matches('#') != DRAFT))
    {
        let message =
            format!("only draft 2020-12 is checked ({DRAFT}); this says {}", shown::cut(&draft.to_string(), 100));
        return Err(Error::invalid(format!("{document}/$schema"), message));
    }
    walk(schema, &mut |value, pointer, load| {
        if load > NESTING_MAX {
            let message = "nested too deep: at most 64 levels, 32 of additionalProperties, 18 of unevaluatedProperties or unevaluatedItems";
            return Err(Error::invalid(document, message));
        }
        for (text, member) in patterns_of(value) {
            *patterns = patterns.saturating_add(1);
            let place = || format!("{document}{pointer}/{member}");
            if text.len() > PATTERN_BYTES_MAX {
                return Err(Error::invalid(place(), format!("a pattern has at most {PATTERN_BYTES_MAX} bytes")));
            }
            if *patterns > PATTERNS_MAX {
                return Err(Error::invalid(place(), format!("at most {PATTERNS_MAX} patterns")));
            }
        }
        Ok(())
    })?;
    *bytes = bytes.saturating_add(schema.to_string().len());
    if *bytes > SCHEMA_BYTES_MAX {
        let message = format!("a schema has at most {SCHEMA_BYTES_MAX} bytes, with those that it may refer to");
        return Err(Error::invalid(document, message));
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
