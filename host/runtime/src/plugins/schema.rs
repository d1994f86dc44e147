//! A plugin's JSON Schema, compiled once, checked on every call.
//!
//! Invariants: no reference leaves the schema, patterns take linear time, and
//! the schema's shape bounds the work of one check (see `shape`).

use jsonschema::error::{ValidationErrorKind, ValidationErrorParts};
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};
use tollbridge_core::limits::{PLUGIN_TEXT_BYTES_MAX, SCHEMA_BYTES_MAX, SCHEMA_PATTERN_BYTES_MAX};

use super::shape::{self, ShapeError};
use super::text;

/// A member that is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// JSON pointer of the member; empty for the value as a whole.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it means")]
pub enum SchemaError {
    #[error("it has more than {SCHEMA_BYTES_MAX} bytes")]
    TooLarge,
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("{0}")]
    Invalid(String),
}

/// A schema in two strengths.
#[derive(Debug)]
pub struct Schema {
    value: Value,
    /// The schema as the plugin wrote it.
    complete: Validator,
    /// Without what asks for members to be there; none if it asks for nothing.
    present: Option<Validator>,
}

impl Schema {
    /// Reads and compiles a schema.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        if text.len() > SCHEMA_BYTES_MAX {
            return Err(SchemaError::TooLarge);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| SchemaError::NotJson(error.to_string()))?;
        shape::check(&value)?;
        let relaxed = relaxed(&value, &value, &mut { REFERENCES_RELAXED_MAX });
        let present = if relaxed == value { None } else { Some(compile(&relaxed)?) };
        Ok(Self { complete: compile(&value)?, present, value })
    }

    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Whether the schema names a member of the top level.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.value.get("properties").and_then(Value::as_object).is_some_and(|members| members.contains_key(name))
    }

    /// Checks what is there; members may be missing from the top level.
    pub(super) fn check_present(&self, value: &Value) -> Result<(), Invalid> {
        self.check_with(self.present.as_ref().unwrap_or(&self.complete), value)
    }

    /// Checks a whole value.
    pub fn check_complete(&self, value: &Value) -> Result<(), Invalid> {
        self.check_with(&self.complete, value)
    }

    /// The good case allocates nothing; only a refusal is explained.
    fn check_with(&self, validator: &Validator, value: &Value) -> Result<(), Invalid> {
        if validator.is_valid(value) {
            return Ok(());
        }
        Err(validator.iter_errors(value).next().map_or_else(
            || Invalid { field: String::new(), message: "does not fit the schema".to_owned() },
            |error| self.explain(error),
        ))
    }

    fn explain(&self, error: ValidationError<'_>) -> Invalid {
        let masked = error.masked_with("the value").to_string();
        let ValidationErrorParts { kind, instance_path, .. } = error.into_parts();
        let path = instance_path.as_str();
        let (field, message) = match &kind {
            ValidationErrorKind::Required { property } => (member(path, property.as_str()), "is required".to_owned()),
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                (member(path, unexpected.first().map(String::as_str)), self.unknown_member(path))
            }
            _ => (path.to_owned(), masked),
        };
        Invalid { field: text::clean(&field, PLUGIN_TEXT_BYTES_MAX), message: text::clean(&message, 500) }
    }

    fn unknown_member(&self, path: &str) -> String {
        let members = self.value.get("properties").and_then(Value::as_object);
        match members {
            Some(members) if path.is_empty() && !members.is_empty() => {
                let names: Vec<&str> = members.keys().map(String::as_str).collect();
                format!("is not known here; there are: {}", names.join(", "))
            }
            _ => "is not known here".to_owned(),
        }
    }
}

/// The pointer of a member, as RFC 6901 writes it.
fn member(path: &str, name: Option<&str>) -> String {
    let name = name.unwrap_or_default().replace('~', "~0").replace('/', "~1");
    format!("{path}/{name}")
}

fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    let patterns =
        PatternOptions::regex().size_limit(SCHEMA_PATTERN_BYTES_MAX).dfa_size_limit(SCHEMA_PATTERN_BYTES_MAX);
    jsonschema::options().with_draft(Draft::Draft202012).offline().with_pattern_options(patterns).build(schema).map_err(
        |error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
            SchemaError::Invalid(text::clean(&format!("{error}{place}"), 500))
        },
    )
}

/// Keywords that can refuse an object for what it lacks.
const DEMANDS: [&str; 14] = [
    "required",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "minProperties",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "const",
    "enum",
    "unevaluatedProperties",
];

/// References of the top level that are written out to be relaxed. Further ones
/// are left to the complete check; each copy costs memory.
const REFERENCES_RELAXED_MAX: usize = 16;

/// The schema of the top level without its demands. Its members keep theirs: a
/// member that is there must be whole.
fn relaxed(schema: &Value, root: &Value, references_left: &mut usize) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let mut relaxed_keywords: Map<String, Value> =
        keywords.iter().filter(|(name, _)| !DEMANDS.contains(&name.as_str())).map(cloned).collect();
    let mut parts: Vec<Value> = match relaxed_keywords.remove("allOf") {
        Some(Value::Array(parts)) => parts.iter().map(|part| relaxed(part, root, references_left)).collect(),
        _ => Vec::new(),
    };
    // What a reference points to is the top level too. `shape` refused cycles.
    if let Some(Value::String(reference)) = relaxed_keywords.remove("$ref")
        && let Some(target) = shape::resolve(root, &reference)
        && let Some(left) = references_left.checked_sub(1)
    {
        *references_left = left;
        parts.push(relaxed(target, root, references_left));
    }
    if !parts.is_empty() {
        relaxed_keywords.insert("allOf".to_owned(), Value::Array(parts));
    }
    Value::Object(relaxed_keywords)
}

fn cloned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

#[cfg(test)]
mod tests;
