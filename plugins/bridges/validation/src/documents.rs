//! The schemas of one call: the one that the output is checked by, and those that it may refer to.
//!
//! Invariant: all of them together keep the bounds of size, depth and
//! patterns, and a URI leads to one of them or nowhere.

use std::{collections::BTreeMap, sync::Arc};

use jsonschema::{Uri, uri};
use referencing::meta;
use serde_json::Value;
use tollbridge_sdk::{Error, Ready};

use crate::{
    finding::token,
    keywords,
    limits::{NESTING_MAX, PATH_BYTES_MAX, PATTERN_BYTES_MAX, PATTERNS_MAX, SCHEMA_BYTES_MAX, SCHEMAS_MAX},
    shown,
    vocabulary::Vocabularies,
};

/// What draft 2020-12 calls itself.
pub const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What a relative reference leads to from a schema without an `$id`.
pub const NOWHERE: &str = "json-schema:///";

/// The schemas of the draft itself, which anyone may refer to: each with its URI.
static DRAFTS: Ready<Vec<(String, Arc<Value>)>> = Ready::new(|| {
    let all = [
        &meta::DRAFT202012,
        &meta::DRAFT202012_CORE,
        &meta::DRAFT202012_APPLICATOR,
        &meta::DRAFT202012_UNEVALUATED,
        &meta::DRAFT202012_VALIDATION,
        &meta::DRAFT202012_META_DATA,
        &meta::DRAFT202012_FORMAT_ANNOTATION,
        &meta::DRAFT202012_FORMAT_ASSERTION,
        &meta::DRAFT202012_CONTENT,
    ];
    let named = all.into_iter().map(|schema| Arc::clone(schema));
    named.map(|schema| (schema.get("$id").and_then(Value::as_str).unwrap_or_default().to_owned(), schema)).collect()
});

/// Reads the draft's own schemas.
pub fn prepare() {
    DRAFTS.prepare();
}

/// One of them.
#[derive(Debug)]
pub struct Document<'v> {
    /// What it is called, unless it is the first.
    pub uri: Option<String>,
    /// Where it is in the input, as a JSON pointer.
    pub place: String,
    pub schema: &'v Value,
}

/// The schemas of one call, first the one that the output is checked by.
#[derive(Debug)]
pub struct Documents<'v> {
    list: Vec<Document<'v>>,
    named: bool,
}

/// What is counted over all of them.
#[derive(Debug, Default)]
struct Sums {
    bytes: usize,
    patterns: usize,
    named: bool,
}

impl<'v> Documents<'v> {
    /// Reads them, or says what is beyond a bound.
    pub fn read(root: &'v Value, given: &'v BTreeMap<String, Value>) -> Result<Self, Error> {
        if given.len() > SCHEMAS_MAX {
            return Err(Error::invalid("/schemas", format!("at most {SCHEMAS_MAX}")));
        }
        let mut sums = Sums::default();
        let first = Document { uri: None, place: "/schema".into(), schema: root };
        first.bounded(&mut sums)?;
        let mut list = vec![first];
        for (name, schema) in given {
            let place = shown::cut(&format!("/schemas/{}", token(name)), PATH_BYTES_MAX);
            let uri = known(name).ok_or_else(|| {
                let message = "a schema is given under its absolute URI, without a fragment";
                Error::invalid(place.clone(), message)
            })?;
            let document = Document { uri: Some(uri), place, schema };
            document.bounded(&mut sums)?;
            if list.iter().any(|other| other.uri == document.uri) {
                return Err(Error::invalid(document.place, "given twice under the same URI"));
            }
            list.push(document);
        }
        let documents = Self { list, named: sums.named };
        for document in &documents.list {
            documents.vocabularies(document.schema, || document.place.clone())?;
        }
        Ok(documents)
    }

    /// What the keywords of a schema at `place` mean, by its `$schema`: by the draft, or by a meta-schema that is given.
    /// Refuses a schema that says it is of another draft.
    pub fn vocabularies(&self, schema: &Value, place: impl Fn() -> String) -> Result<Vocabularies, Error> {
        let Some(draft) = schema.get("$schema") else { return Ok(Vocabularies::DRAFT) };
        let name = draft.as_str().unwrap_or_default().trim_end_matches('#');
        if name == DRAFT {
            return Ok(Vocabularies::DRAFT);
        }
        let refused =
            |message: String| Error::invalid(shown::cut(&format!("{}/$schema", place()), PATH_BYTES_MAX), message);
        let uri = known(name);
        let meta = self.list.iter().find(|document| document.uri.is_some() && document.uri == uri);
        let Some(meta) = meta else {
            let says = shown::cut(&draft.to_string(), 100);
            let message = "only draft 2020-12 is checked";
            return Err(refused(format!(
                "{message} ({DRAFT}), or by a meta-schema given in `schemas`; this says {says}"
            )));
        };
        Vocabularies::of(meta.schema).map_err(|unknown| {
            refused(format!("its meta-schema needs a vocabulary that is not known: {}", shown::cut(unknown, 100)))
        })
    }

    /// All that the call brought.
    pub fn all(&self) -> &[Document<'v>] {
        &self.list
    }

    /// Does any of them give itself or a part of itself a name?
    pub fn named(&self) -> bool {
        self.named
    }

    /// The draft's own schema of this URI, and its number.
    pub fn of_draft(&self, uri: &str) -> Option<(usize, &'static Value)> {
        let at = DRAFTS.iter().position(|(own, _)| own == uri)?;
        DRAFTS.get(at).map(|(_, schema)| (self.list.len().saturating_add(at), schema.as_ref()))
    }

    /// The URI of the one of this number; none for the first.
    pub fn uri(&self, number: usize) -> Option<&str> {
        match self.list.get(number) {
            Some(document) => document.uri.as_deref(),
            None => DRAFTS.get(number.saturating_sub(self.list.len())).map(|(uri, _)| uri.as_str()),
        }
    }

    /// Where the one of this number is in the input.
    pub fn place(&self, number: usize) -> &str {
        self.list.get(number).map_or("/schema", |document| document.place.as_str())
    }
}

impl Document<'_> {
    /// Refuses what is too large, too deep, or has too many patterns, with those before it.
    fn bounded(&self, sums: &mut Sums) -> Result<(), Error> {
        if !keywords::is_schema(self.schema) {
            return Err(Error::invalid(self.place.clone(), "a JSON Schema is an object, true or false"));
        }
        let mut waiting = vec![(self.schema, 0usize)];
        while let Some((value, depth)) = waiting.pop() {
            if depth > NESTING_MAX {
                let message = format!("nested too deep: at most {NESTING_MAX} levels");
                return Err(Error::invalid(self.place.clone(), message));
            }
            sums.bytes = sums.bytes.saturating_add(length(value));
            match value {
                Value::Object(members) => {
                    sums.named |= ["$id", "$anchor", "$dynamicAnchor"].iter().any(|name| members.contains_key(*name));
                    self.patterns(value, sums)?;
                    waiting.extend(members.values().rev().map(|inner| (inner, depth + 1)));
                }
                Value::Array(items) => waiting.extend(items.iter().rev().map(|inner| (inner, depth + 1))),
                _ => {}
            }
        }
        if sums.bytes > SCHEMA_BYTES_MAX {
            let message = format!("a schema has at most {SCHEMA_BYTES_MAX} bytes, with those that it may refer to");
            return Err(Error::invalid(self.place.clone(), message));
        }
        Ok(())
    }

    /// Counts the patterns that a schema object holds itself.
    fn patterns(&self, value: &Value, sums: &mut Sums) -> Result<(), Error> {
        let one = value.get("pattern").and_then(Value::as_str).map(|text| (text, "pattern"));
        let names = value.get("patternProperties").and_then(Value::as_object);
        let names = names.into_iter().flat_map(|names| names.keys().map(|text| (text.as_str(), "patternProperties")));
        for (text, member) in one.into_iter().chain(names) {
            sums.patterns = sums.patterns.saturating_add(1);
            let refused = |message: String| {
                let pointer = pointer_of(self.schema, value).unwrap_or_default();
                Err(Error::invalid(shown::cut(&format!("{}{pointer}/{member}", self.place), PATH_BYTES_MAX), message))
            };
            if text.len() > PATTERN_BYTES_MAX {
                return refused(format!("a pattern has at most {PATTERN_BYTES_MAX} bytes"));
            }
            if sums.patterns > PATTERNS_MAX {
                return refused(format!("at most {PATTERNS_MAX} patterns"));
            }
        }
        Ok(())
    }
}

/// The URI of a name in normal form, if it is absolute and has no fragment.
fn known(name: &str) -> Option<String> {
    let name = name.trim_end_matches('#');
    let fits = name.len() <= PATH_BYTES_MAX && !name.contains('#') && Uri::parse(name).is_ok();
    let uri = fits.then(|| uri::from_str(name).ok()).flatten()?.as_str().to_owned();
    (!uri.starts_with(NOWHERE)).then_some(uri)
}

/// How many bytes a value takes as JSON, without those of the values in it.
fn length(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => quoted(text),
        Value::Array(items) => 2 + items.len().saturating_sub(1),
        Value::Object(members) => {
            2 + members.len().saturating_sub(1) + members.keys().map(|name| quoted(name) + 1).sum::<usize>()
        }
    }
}

/// How many bytes a text takes as JSON.
fn quoted(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    2 + text.bytes().map(escaped).sum::<usize>()
}

/// Where in a document one of its values is; found by looking through all of it.
fn pointer_of(root: &Value, wanted: &Value) -> Option<String> {
    let mut waiting = vec![(root, String::new())];
    while let Some((value, pointer)) = waiting.pop() {
        if std::ptr::eq(value, wanted) {
            return Some(pointer);
        }
        let below = |name: &str| format!("{pointer}/{}", token(name));
        match value {
            Value::Object(members) => waiting.extend(members.iter().map(|(name, inner)| (inner, below(name)))),
            Value::Array(items) => {
                waiting.extend(items.iter().enumerate().map(|(index, inner)| (inner, below(&index.to_string()))));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn whole(value: &Value) -> usize {
        let inner: usize = match value {
            Value::Array(items) => items.iter().map(whole).sum(),
            Value::Object(members) => members.values().map(whole).sum(),
            _ => 0,
        };
        inner + length(value)
    }

    #[test]
    fn the_drafts_own_schemas_are_known() {
        let none = BTreeMap::new();
        let root = json!(true);
        let documents = Documents::read(&root, &none).unwrap();
        let (number, schema) = documents.of_draft(DRAFT).unwrap();
        assert_eq!((documents.uri(number), schema["$id"].as_str()), (Some(DRAFT), Some(DRAFT)));
        assert!(documents.of_draft("https://json-schema.org/draft/2020-12/meta/core").is_some());
        assert!(documents.of_draft("https://json-schema.org/draft/2020-12/none").is_none());
        assert_eq!((documents.uri(0), documents.uri(99)), (None, None));
    }

    proptest! {
        #[test]
        fn length_is_that_of_the_text(text in "\\PC{0,20}|[\\x00-\\x7f]{0,20}", number: i64, double: f64, flag: bool) {
            let value = json!({text.clone(): [number, double, flag, null, text], "": {}, "a": []});
            prop_assert_eq!(whole(&value), value.to_string().len());
        }
    }
}
