//! A bridge that checks an output against a JSON Schema (draft 2020-12) and
//! simple assertions, and says where and why it fails.
//!
//! An output that fails is an answer like any other; errors are for inputs
//! that cannot be understood or go beyond a limit.

mod assertion;
mod checker;
mod documents;
#[cfg(target_family = "wasm")]
mod entropy;
mod finding;
mod form;
mod formats;
mod keywords;
mod leaf;
mod limits;
mod marks;
mod message;
mod names;
mod number;
mod parts;
mod patterns;
mod plan;
mod planner;
mod reference;
mod schema;
mod shown;
mod subject;
mod vocabulary;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tollbridge_sdk::{Call, Error, bridge};

use crate::{
    assertion::Assertion,
    documents::Documents,
    finding::{Finding, Findings},
    limits::{ASSERTIONS_MAX, ERRORS_DEFAULT, ERRORS_MAX},
    subject::{Content, Subject},
};

/// An output, and what should hold of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = one_subject()))]
pub struct Input {
    /// Id of a stored resource whose bytes are the output to check: JSON or text by its media type (else JSON if it parses). Alone it only checks that JSON parses, or that text is UTF-8.
    pub resource_id: Option<String>,
    /// The output to check: any JSON, or a text. Give this or `resource_id`.
    #[serde(default, deserialize_with = "present")]
    pub output: Option<Value>,
    /// What the output is. `json`: a text is parsed first, and what is not JSON is a finding. `text`: it is checked as text. Absent: `output` as it stands, a resource by its media type.
    pub content: Option<Content>,
    /// A JSON Schema, draft 2020-12: an object, true or false. Nothing is fetched: what it refers to must be in it, or in
    /// `schemas`.
    /// Patterns are matched in linear time, so without lookaround and backreferences. Default: none.
    #[serde(default, deserialize_with = "present")]
    pub schema: Option<Value>,
    /// Schemas that `$ref` in `schema`, or in one of these, may name: each under its absolute URI, without a fragment. At
    /// most 50, and 256 KiB with `schema`. A meta-schema that `$schema` names may be one of them: its `$vocabulary` then
    /// says which keywords have a meaning. Default: none.
    #[serde(default)]
    #[schemars(extend("maxProperties" = 50))]
    pub schemas: BTreeMap<String, Value>,
    /// Does `format` in the schema assert? As the draft has it, it does not unless asked. Default: false.
    #[serde(default)]
    pub assert_formats: bool,
    /// Statements about places in the output, at most 1,000. Default: none.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub assertions: Vec<Assertion>,
    /// How many findings to list at most, 1 to 500; 100 unless given.
    #[schemars(range(min = 1, max = 500))]
    pub max_errors: Option<usize>,
}

/// Whether the output holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What was found.
    pub result: Verdict,
    /// How it was checked.
    pub method: String,
    /// What checked it.
    pub data: Data,
    /// What the answer does not tell.
    pub limitations: Vec<&'static str>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verdict {
    /// Does everything hold?
    pub valid: bool,
    /// What does not.
    pub errors: Vec<Finding>,
    /// There were more than `max_errors`.
    pub truncated: bool,
    /// What was looked at.
    pub checked: Checked,
}

/// What was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// What the output was taken for.
    pub content: Content,
    /// Was there a schema?
    pub schema: bool,
    /// Did `format` assert?
    pub formats: bool,
    /// How many assertions.
    pub assertions: usize,
}

/// What checked it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Data {
    /// The bridge's own evaluator.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The day of the specification.
    pub as_of: &'static str,
    /// Its licence.
    pub licence: &'static str,
    /// The specification, and the library for a part of it.
    pub source: &'static str,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let max = input.max_errors.unwrap_or(ERRORS_DEFAULT);
    if !(1..=ERRORS_MAX).contains(&max) {
        return Err(Error::invalid("/max_errors", format!("from 1 to {ERRORS_MAX}")));
    }
    if input.assertions.len() > ASSERTIONS_MAX {
        return Err(Error::invalid("/assertions", format!("at most {ASSERTIONS_MAX}")));
    }
    let checked = |content| Checked {
        content,
        schema: input.schema.is_some(),
        formats: input.schema.is_some() && input.assert_formats,
        assertions: input.assertions.len(),
    };
    let subject = subject(call, input.output, input.content, input.schema.is_some() || !input.assertions.is_empty())?;
    let mut findings = Findings::new(max);
    // An output that is no JSON fails alone, but a wrong schema or assertion
    // is the caller's mistake all the same.
    let (value, broken) = match subject.value {
        Ok(value) => (value, None),
        Err(why) => (Value::Null, Some(why)),
    };
    match &input.schema {
        Some(schema) => {
            let documents = Documents::read(schema, &input.schemas)?;
            schema::check(&documents, &value, input.assert_formats, &mut findings)?;
        }
        None if !input.schemas.is_empty() => {
            return Err(Error::invalid("/schemas", "give a `schema` that refers to them"));
        }
        None => {}
    }
    assertion::check(&input.assertions, &value, &mut findings)?;
    if let Some(why) = broken {
        findings = Findings::new(max);
        findings.add(not_json(why));
    }
    Ok(answer(findings, checked(subject.content)))
}

/// An `output`, which may be null, or a `resource_id`, which may not.
fn one_subject() -> Value {
    let absent = serde_json::json!({ "type": "null" });
    serde_json::json!([
        { "required": ["output"], "properties": { "resource_id": absent } },
        { "required": ["resource_id"], "properties": { "resource_id": { "not": absent } }, "not": { "required": ["output"] } },
    ])
}

/// What is checked. Without anything to hold it against, only a resource makes sense.
fn subject(call: &Call, output: Option<Value>, content: Option<Content>, held: bool) -> Result<Subject, Error> {
    match (output, &call.resource) {
        (Some(_), Some(_)) => Err(Error::invalid("/output", "give `output` or `resource_id`, not both")),
        (None, Some(resource)) => Subject::stored(resource, content),
        (None, None) => {
            Err(Error::invalid("/output", "give the `output` to check, or the `resource_id` of a stored one"))
        }
        (Some(_), None) if !held && content != Some(Content::Json) => {
            Err(Error::invalid("/schema", "give a `schema` or `assertions` to check the output against"))
        }
        (Some(output), None) => Subject::given(output, content),
    }
}

fn not_json(why: String) -> Finding {
    Finding {
        path: String::new(),
        schema_uri: None,
        schema_path: None,
        assertion: None,
        keyword: "json".into(),
        message: format!("not JSON: {why}"),
        expected: None,
        actual: None,
    }
}

fn answer(findings: Findings, checked: Checked) -> Output {
    let mut limitations = vec![
        "Numbers are read as 64-bit integers or doubles; of members with the same name the last one counts.",
        "A valid output has the right form; whether it is true is not checked.",
    ];
    if checked.formats {
        limitations.push("Formats that the draft does not name are ignored.");
    }
    Output {
        method: method(&checked),
        result: Verdict {
            valid: findings.list.is_empty(),
            errors: findings.list,
            truncated: findings.truncated,
            checked,
        },
        data: Data {
            name: "validation",
            version: env!("CARGO_PKG_VERSION"),
            as_of: "2020-12",
            licence: "Apache-2.0",
            source: "JSON Schema draft 2020-12 (Core and Validation); formats, and the form of schemas, by jsonschema 0.60 (MIT)",
        },
        limitations,
    }
}

fn method(checked: &Checked) -> String {
    let mut steps = Vec::new();
    if checked.schema {
        steps.push("validation by the schema (draft 2020-12)");
    }
    if checked.assertions > 0 {
        steps.push("evaluation of each assertion");
    }
    match checked.content {
        _ if !steps.is_empty() => steps.join(", then "),
        Content::Json => "parsing as JSON".into(),
        Content::Text => "decoding as UTF-8".into(),
    }
}

/// Keeps a member that is null apart from one that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Makes what is the same in each call.
fn prepare() {
    documents::prepare();
    form::prepare();
    formats::prepare();
}

bridge! { handle: handle, init: prepare, examples: ["../cases/order_fits.json", "../cases/order_fails.json"] }

#[cfg(test)]
mod tests;
