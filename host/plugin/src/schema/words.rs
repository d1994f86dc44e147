//! Explains in words why a value does not fit a schema: names the member and the values that it may
//! have. Many readers, above all models, see only this text.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use tollbridge_core::json_pointer::dotted;

use super::alternatives;
use super::parts::escaped;
use super::shape;
use crate::limits::PLUGIN_TEXT_BYTES_MAX;
use crate::text;

/// The maximum length of an explanation in bytes.
const REFUSAL_BYTES_MAX: usize = 500;
/// The maximum length in bytes of a list within an explanation, and of a single value of the
/// schema.
const LIST_BYTES_MAX: usize = 300;
const VALUE_BYTES_MAX: usize = 60;

/// A member of a value that is missing or invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// JSON pointer of the member; empty for the value as a whole.
    pub field: String,
    /// A sentence that names the member and the problem.
    pub message: String,
}

/// Explains a validation error by means of the schema.
pub(crate) fn invalid(schema: &Value, error: &ValidationError<'_>) -> Invalid {
    let clause = Clause::of(schema, error);
    Invalid {
        field: text::clean(&clause.pointer, PLUGIN_TEXT_BYTES_MAX),
        message: text::clean(&clause.sentence(), REFUSAL_BYTES_MAX),
    }
}

/// One problem with a value.
#[derive(PartialEq, Eq)]
struct Clause {
    /// JSON pointer to the member.
    pointer: String,
    says: Says,
}

#[derive(PartialEq, Eq)]
enum Says {
    /// The values that the member may have; completes the sentence "MEMBER must be".
    MustBe(String),
    /// The problem as the end of a sentence that begins with the member's name.
    Of(String),
    /// A complete sentence.
    Whole(String),
}

impl Clause {
    fn of(schema: &Value, error: &ValidationError<'_>) -> Self {
        let path = error.instance_path().as_str();
        if let Some((pointer, sentence)) = members_of_which_some(schema, error) {
            return Self { pointer, says: Says::Whole(sentence) };
        }
        let (pointer, says) = match error.kind() {
            ValidationErrorKind::Required { property } => {
                (member(path, property.as_str()), Says::Of("is required".to_owned()))
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = known_members(schema, path, error.schema_path().as_str());
                (member(path, unexpected.first().map(String::as_str)), Says::Of(known))
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                return alternatives(schema, path, context);
            }
            kind => (path.to_owned(), allowed(kind).map_or_else(|| Says::Whole(masked(path, error)), Says::MustBe)),
        };
        Self { pointer, says }
    }

    fn sentence(&self) -> String {
        let name = name(&self.pointer);
        match &self.says {
            Says::MustBe(what) => format!("{name} must be {what}"),
            Says::Of(what) => format!("{name} {what}"),
            Says::Whole(sentence) => sentence.clone(),
        }
    }
}

/// Explains a missing member where the schema requires one of several members.
fn members_of_which_some(schema: &Value, error: &ValidationError<'_>) -> Option<(String, String)> {
    let keyword = match error.schema_path().as_str() {
        "/anyOf" => "anyOf",
        "/oneOf" => "oneOf",
        _ => return None,
    };
    alternatives::explain(schema, keyword, error.instance())
}

/// Explains a value that fits none of several schemas. Uses only the closest schemas.
/// These are the schemas with the fewest errors, among those whose errors concern members of
/// the value, if there are any.
fn alternatives(schema: &Value, path: &str, context: &[Vec<ValidationError<'_>>]) -> Clause {
    let mut near: Vec<(usize, Clause)> = context
        .iter()
        .filter_map(|errors| errors.first().map(|error| (errors.len(), Clause::of(schema, error))))
        .collect();
    let is_inside = |(_, clause): &(usize, Clause)| clause.pointer.len() > path.len();
    if near.iter().any(is_inside) {
        near.retain(is_inside);
    }
    let fewest = near.iter().map(|(errors, _)| *errors).min().unwrap_or_default();
    let mut clauses: Vec<Clause> = Vec::new();
    for (_, clause) in near.into_iter().filter(|(errors, _)| *errors == fewest) {
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    let pointer = clauses.first().map_or(path, |first| &first.pointer).to_owned();
    let allowed: Option<Vec<&str>> = clauses
        .iter()
        .map(|clause| match &clause.says {
            Says::MustBe(what) if clause.pointer == pointer => Some(what.as_str()),
            _ => None,
        })
        .collect();
    let says = match allowed {
        Some(allowed) if !allowed.is_empty() => Says::MustBe(allowed.join(" or ")),
        _ => Says::Whole(clauses.iter().map(Clause::sentence).collect::<Vec<_>>().join(", or ")),
    };
    Clause { pointer, says }
}

/// Describes the values that a keyword allows.
fn allowed(kind: &ValidationErrorKind) -> Option<String> {
    let counted = |number: &u64, what: &str| format!("{number} {what}{}", if *number == 1 { "" } else { "s" });
    Some(match kind {
        ValidationErrorKind::Type { kind } => types(kind),
        ValidationErrorKind::Enum { options } => match options.as_array().map(Vec::as_slice) {
            Some([one]) => shown(one),
            Some(options) => format!("one of {}", list(options.iter().map(shown))),
            None => return None,
        },
        ValidationErrorKind::Constant { expected_value } => shown(expected_value),
        ValidationErrorKind::Minimum { limit } => format!("at least {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("at most {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        ValidationErrorKind::MinLength { limit } => format!("a string of at least {}", counted(limit, "character")),
        ValidationErrorKind::MaxLength { limit } => format!("a string of at most {}", counted(limit, "character")),
        ValidationErrorKind::Pattern { pattern } => {
            format!("a string that matches {}", text::clean(pattern, LIST_BYTES_MAX))
        }
        ValidationErrorKind::MinItems { limit } => format!("an array of at least {}", counted(limit, "item")),
        ValidationErrorKind::MaxItems { limit } => format!("an array of at most {}", counted(limit, "item")),
        ValidationErrorKind::UniqueItems => "an array without duplicate items".to_owned(),
        ValidationErrorKind::MinProperties { limit } => format!("an object of at least {}", counted(limit, "member")),
        ValidationErrorKind::MaxProperties { limit } => format!("an object of at most {}", counted(limit, "member")),
        _ => return None,
    })
}

/// Lists the allowed types, for example `an integer or null`.
fn types(kind: &TypeKind) -> String {
    let mut types: Vec<JsonType> = match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    };
    types.sort_by_key(|one| *one == JsonType::Null);
    let named: Vec<String> = types
        .iter()
        .map(|one| match one {
            JsonType::Null => "null".to_owned(),
            JsonType::Array | JsonType::Integer | JsonType::Object => format!("an {one}"),
            _ => format!("a {one}"),
        })
        .collect();
    named.join(" or ")
}

/// Formats a value from the schema, shortened.
fn shown(value: &Value) -> String {
    text::clean(&value.to_string(), VALUE_BYTES_MAX)
}

/// Joins the items with commas until the list is too long, then appends the number of
/// omitted items.
fn list(items: impl Iterator<Item = String>) -> String {
    let mut list = String::new();
    let mut left_out = 0_usize;
    for item in items {
        if left_out > 0 || list.len().saturating_add(item.len()) > LIST_BYTES_MAX {
            left_out = left_out.saturating_add(1);
            continue;
        }
        list.push_str(if list.is_empty() { "" } else { ", " });
        list.push_str(&item);
    }
    if left_out > 0 { format!("{list} and {left_out} more") } else { list }
}

/// Lists the members that are defined next to the keyword that rejected a member. For a top-level
/// member, falls back to the members of the whole schema.
fn known_members(schema: &Value, path: &str, keyword: &str) -> String {
    let beside = keyword.rsplit_once('/').and_then(|(parent, _)| shape::resolve(schema, &format!("#{parent}")));
    let members = |schema: &'_ Value| schema.get("properties").and_then(Value::as_object).cloned();
    match beside.and_then(members).or_else(|| members(schema).filter(|_| path.is_empty())) {
        Some(members) if !members.is_empty() => {
            format!("is not known here; known are: {}", list(members.keys().cloned()))
        }
        _ => "is not known here".to_owned(),
    }
}

/// Returns the validator's own message, with the value left out.
fn masked(path: &str, error: &ValidationError<'_>) -> String {
    error.masked_with(name(path)).to_string()
}

fn name(pointer: &str) -> String {
    if pointer.is_empty() { "the value".to_owned() } else { format!("`{}`", dotted(pointer)) }
}

/// Returns the JSON pointer of a member, RFC 6901.
fn member(path: &str, name: Option<&str>) -> String {
    format!("{path}/{}", escaped(name.unwrap_or_default()))
}
