//! Times in answers.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::time::rfc3339;

/// A time like `2026-01-31T12:00:00Z`.
#[derive(Clone, Debug, Serialize)]
pub struct Timestamp(String);

impl Timestamp {
    /// Formats Unix time in milliseconds.
    pub fn from_ms(unix_ms: u64) -> Self {
        Self(rfc3339(unix_ms))
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}
