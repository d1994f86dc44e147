//! What a caller may send.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tollbridge_sdk::{Call, Error};

use crate::verify::is_shallow;

/// Bytes of a proof document, and of a record.
const TEXT_MAX: usize = 256 << 10;
/// Expectations in one call.
const EXPECT_MAX: usize = 50;
/// Bytes of an expected value.
const VALUE_MAX: usize = 4 << 10;
/// Length of a JSON pointer.
const POINTER_MAX: usize = 200;

/// A sealed record to verify: give `id` (or `resource_id`), or `document`, or both.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("id | resource_id | document | id + document | resource_id + document"))]
pub struct Input {
    /// Seal or transaction id, as `id` takes it; alone it verifies that record. Not the id of a stored resource.
    #[schemars(length(min = 64, max = 67))]
    pub resource_id: Option<String>,
    /// Seal of a record (`X-Worm-Seal`, 64 hexadecimal digits), or transaction id (`X-Transaction-Id`, `tx_` and 64
    /// digits) of one that you are a party to. Give this, `resource_id` or `document`.
    #[schemars(length(min = 64, max = 67))]
    pub id: Option<String>,
    /// A proof document as `GET /v1/ledger/proof/{seal}` gives it: an object, or its JSON text; at most 256 KiB. Give
    /// this, `id`, or both.
    pub document: Option<Value>,
    /// With `document`: the record in canonical JSON text, so that the proof is tied to its content; at most 256 KiB.
    /// Default: the seal alone is proven.
    pub record: Option<String>,
    /// What the record must say: JSON pointers into the record and the values that must stand there, at most 50
    /// (`{"/kind": "route", "/body/plugin": "tax_jar_lookup"}`). Default: nothing.
    #[serde(default)]
    pub expect: BTreeMap<String, Value>,
    /// The body of the request that was paid for, byte for byte as it was sent, at most 256 KiB: its salted digest is
    /// compared with that in the record. Default: not compared.
    pub request: Option<String>,
    /// The body of the answer, byte for byte as it was received, at most 256 KiB: likewise. Default: not compared.
    pub answer: Option<String>,
}

/// The input, read.
#[derive(Debug)]
pub struct Question {
    /// The id, and the member that it came from.
    pub id: Option<(String, &'static str)>,
    pub document: Option<String>,
    pub record: Option<String>,
    pub expect: BTreeMap<String, Value>,
    pub request: Option<String>,
    pub answer: Option<String>,
}

impl Input {
    /// Checks all members.
    pub fn read(self, call: &Call) -> Result<Question, Error> {
        call.without_stored("a seal or transaction id")?;
        let id = match (&self.id, &self.resource_id) {
            (Some(_), Some(_)) => return Err(Error::invalid("/resource_id", "give `id` or `resource_id`, not both")),
            (Some(id), None) => Some((id.clone(), "/id")),
            (None, Some(id)) => Some((id.clone(), "/resource_id")),
            (None, None) => None,
        };
        let document = match &self.document {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(object @ Value::Object(_)) => Some(object.to_string()),
            Some(_) => {
                return Err(Error::invalid("/document", "give the proof document as an object or as its JSON text"));
            }
        };
        if id.is_none() && document.is_none() {
            return Err(Error::invalid("/id", "give a seal or transaction id, or a proof `document`"));
        }
        if self.record.is_some() && document.is_none() {
            return Err(Error::invalid("/record", "this goes with a `document`"));
        }
        short("/document", document.as_deref())?;
        short("/record", self.record.as_deref())?;
        short("/request", self.request.as_deref())?;
        short("/answer", self.answer.as_deref())?;
        if self.expect.len() > EXPECT_MAX {
            return Err(Error::invalid("/expect", format!("at most {EXPECT_MAX} expectations")));
        }
        let pointer = |path: &String| path.len() <= POINTER_MAX && (path.is_empty() || path.starts_with('/'));
        if !self.expect.keys().all(pointer) {
            return Err(Error::invalid(
                "/expect",
                format!("names are JSON pointers such as /kind, at most {POINTER_MAX} bytes"),
            ));
        }
        if !self.expect.values().all(|value| is_shallow(value) && value.to_string().len() <= VALUE_MAX) {
            return Err(Error::invalid("/expect", format!("a value has at most {VALUE_MAX} bytes and 48 levels")));
        }
        let Self { record, expect, request, answer, .. } = self;
        Ok(Question { id, document, record, expect, request, answer })
    }
}

fn short(field: &str, text: Option<&str>) -> Result<(), Error> {
    match text {
        Some(text) if text.len() > TEXT_MAX => Err(Error::invalid(field, format!("at most {TEXT_MAX} bytes"))),
        _ => Ok(()),
    }
}
