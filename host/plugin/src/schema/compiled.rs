//! A plugin's JSON Schema: compiled once, used to check every call.
//!
//! Invariants: no reference leaves the schema, patterns take linear time, and the cost of checking
//! the largest value is known and bounded before the schema is used (see `shape` and
//! `cost`).

use jsonschema::json::Json;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value};

use super::cost::{self, SchemaCost};
use super::parts;
use super::rate::Size;
use super::shape::{self, ShapeError};
use super::words::{self, Invalid};
use crate::limits::{
    PLUGIN_TEXT_BYTES_MAX, SCHEMA_BYTES_MAX, SCHEMA_NODES_MAX, SCHEMA_PATTERN_BYTES_MAX, SCHEMA_STEPS_AT_ONCE_MAX,
    SCHEMA_STEPS_MAX,
};
use crate::text;

/// Maximum number of steps for explaining a mismatch if a schema has alternatives: each
/// alternative is checked again, and its errors are kept in memory until one is reported.
const SCHEMA_STEPS_EXPLAINED_MAX: u64 = 1_000_000;

/// The reason why a schema is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum SchemaError {
    #[error("the schema has more than {SCHEMA_BYTES_MAX} bytes")]
    TooLarge,
    #[error("the schema is not JSON: {0}")]
    NotJson(String),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("{0}")]
    Invalid(String),
    #[error(
        "the schema is compiled to more than {SCHEMA_COMPILED_MAX} parts: each `unevaluatedProperties` and \
         `unevaluatedItems` doubles what is in and beside it"
    )]
    Doubles,
    #[error(
        "checking {bytes} bytes (`{limit}`) against the schema can take {steps} steps; at most {SCHEMA_STEPS_MAX} are \
         allowed. Most of them are at {at}: make that simpler, or lower `{limit}` to at most {fits}"
    )]
    TooCostly {
        /// Configuration key of the size limit.
        limit: &'static str,
        bytes: usize,
        steps: u64,
        /// JSON pointer to the most expensive keyword of the schema.
        at: String,
        /// The highest value of the limit for which the schema would be accepted.
        fits: u64,
    },
}

/// The size of the largest value that is checked with a schema.
#[derive(Clone, Copy, Debug)]
pub struct SizeLimit {
    /// The configuration key of the size limit, for error messages.
    pub name: &'static str,
    /// The largest size of a value's text, in bytes.
    pub bytes: usize,
}

/// A schema, compiled twice: with and without the keywords that require members.
#[derive(Debug)]
pub struct Schema {
    value: Value,
    cost: SchemaCost,
    accepts_any_object: bool,
    /// The whole schema as the plugin wrote it.
    complete: Validator,
    /// The schema without its top-level requirements for members; `None` if it has no such
    /// requirements.
    present: Option<Validator>,
}

impl Schema {
    /// Parses and compiles a schema for values up to the size limit.
    pub fn parse(text: &str, limit: SizeLimit) -> Result<Self, SchemaError> {
        if text.len() > SCHEMA_BYTES_MAX {
            return Err(SchemaError::TooLarge);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| SchemaError::NotJson(error.to_string()))?;
        shape::check(&value)?;
        let cost = affordable(&value, limit)?;
        let complete = compile(&value)?;
        let relaxed = relaxed(&value, &value, &mut { REFERENCES_RELAXED_MAX });
        let present = if relaxed == value { None } else { Some(compile(&relaxed)?) };
        Ok(Self { complete, present, cost, accepts_any_object: parts::accepts_any_object(&value), value })
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// Returns whether the schema defines a top-level member of this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.value.get("properties").and_then(Value::as_object).is_some_and(|members| members.contains_key(name))
    }

    /// Returns whether every JSON object fits the schema, so that no check is necessary.
    pub(crate) const fn accepts_any_object(&self) -> bool {
        self.accepts_any_object
    }

    /// Returns an upper bound for the steps of checking a value of this size.
    pub(crate) const fn steps(&self, size: Size) -> u64 {
        self.cost.rate.steps(size)
    }

    /// Checks a value. Returns an error if a present member is invalid; otherwise the
    /// first violated top-level requirement, for example a missing member, or `None` if
    /// the value is valid.
    pub(crate) fn fit(&self, value: &Value) -> Result<Option<Invalid>, Invalid> {
        // A value that fits the complete schema also fits the relaxed schema.
        if self.complete.is_valid(value) {
            return Ok(None);
        }
        match &self.present {
            Some(present) if present.is_valid(value) => Ok(Some(self.explain(&self.complete, value))),
            Some(present) => Err(self.explain(present, value)),
            None => Err(self.explain(&self.complete, value)),
        }
    }

    /// Returns whether a value fits the complete schema. Also returns false if the check would take
    /// too long for a thread that serves calls.
    pub fn accepts_at_once(&self, value: &Value) -> bool {
        self.steps(Size::of(value)) <= SCHEMA_STEPS_AT_ONCE_MAX && self.complete.is_valid(value)
    }

    /// Checks a value against the complete schema.
    pub fn check_complete(&self, value: &Value) -> Result<(), Invalid> {
        // A valid value needs no allocation; the explanation is built only for an invalid one.
        if self.complete.is_valid(value) { Ok(()) } else { Err(self.explain(&self.complete, value)) }
    }

    /// Explains why a value is invalid. Explaining alternatives requires checking each alternative
    /// again, which is skipped for a large value.
    fn explain(&self, validator: &Validator, value: &Value) -> Invalid {
        let again = self.cost.levels.saturating_add(2).saturating_mul(self.steps(Size::of(value)));
        let explained = self.cost.levels == 0 || again <= SCHEMA_STEPS_EXPLAINED_MAX;
        let error = if explained { validator.validate(value).err() } else { None };
        error.map_or_else(
            || Invalid {
                field: String::new(),
                message: "the value does not fit the schema; it is too large to say where".to_owned(),
            },
            |error| words::invalid(&self.value, &error),
        )
    }
}

/// Rejects a schema if checking the largest value would cost too much.
fn affordable(schema: &Value, limit: SizeLimit) -> Result<SchemaCost, SchemaError> {
    let cost = cost::of(schema, limit.bytes);
    if cost.compiled > SCHEMA_COMPILED_MAX {
        return Err(SchemaError::Doubles);
    }
    let steps = cost.rate.steps(Size::of_text(limit.bytes));
    if steps <= SCHEMA_STEPS_MAX {
        return Ok(cost);
    }
    Err(SchemaError::TooCostly {
        limit: limit.name,
        bytes: limit.bytes,
        steps,
        at: text::clean(&cost::costliest(schema, limit.bytes), PLUGIN_TEXT_BYTES_MAX),
        fits: cost.rate.bytes_within(SCHEMA_STEPS_MAX),
    })
}

/// Compiles a schema for one representation of JSON values.
pub(crate) fn compile<F: Json>(schema: &Value) -> Result<Validator<F>, SchemaError> {
    let patterns =
        PatternOptions::regex().size_limit(SCHEMA_PATTERN_BYTES_MAX).dfa_size_limit(SCHEMA_PATTERN_BYTES_MAX);
    let options = jsonschema::options_for::<F>().with_draft(Draft::Draft202012).offline();
    options.with_pattern_options(patterns).build(schema).map_err(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
        SchemaError::Invalid(text::clean(&format!("{error}{place}"), 500))
    })
}

/// Keywords that can reject an object because of missing members.
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

/// The maximum number of top-level references that are copied into the relaxed schema, because each
/// copy costs memory. Further references are checked only by the complete schema.
const REFERENCES_RELAXED_MAX: usize = 16;

/// The maximum number of compiled parts, each of a few kilobytes. Includes the parts that
/// `unevaluatedProperties` and similar keywords compile again.
const SCHEMA_COMPILED_MAX: u64 = 4 * SCHEMA_NODES_MAX as u64;

/// Returns the schema without its top-level requirements. Nested requirements stay: a member that
/// is present must be complete.
fn relaxed(schema: &Value, root: &Value, references_left: &mut usize) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let mut relaxed_keywords: Map<String, Value> =
        keywords.iter().filter(|(name, _)| !DEMANDS.contains(&name.as_str())).map(cloned).collect();
    let mut parts: Vec<Value> = match relaxed_keywords.remove("allOf") {
        Some(Value::Array(parts)) => parts.iter().map(|part| relaxed(part, root, references_left)).collect(),
        _ => Vec::new(),
    };
    // The target of a reference also applies to the top level. `shape` has ruled out cycles.
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
#[path = "compiled_tests.rs"]
mod tests;
