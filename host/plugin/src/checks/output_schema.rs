//! A plugin's output schema, compiled a second time for the representation in which outputs are
//! parsed.

use bumpalo::Bump;
use jsonschema::Validator;

use super::output_document::{self, OutputDocument};
use crate::schema::compiled::{self, Schema, SchemaError, SizeLimit};

/// The JSON Schema of a plugin's outputs.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    /// The schema compiled for ordinary JSON values, used to explain why an output is invalid.
    pub(crate) schema: Schema,
    documents: Validator<OutputDocument>,
}

impl OutputSchema {
    /// Parses and compiles a schema for outputs up to the size limit.
    pub(crate) fn parse(text: &str, limit: SizeLimit) -> Result<Self, SchemaError> {
        let schema = Schema::parse(text, limit)?;
        Ok(Self { documents: compiled::compile(schema.value())?, schema })
    }

    /// Returns whether an output is the text of a JSON object that fits the schema. This is the
    /// fast path of nearly every call; a rejected output is checked again to find the reason.
    pub(crate) fn accepts(&self, output: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(output) else { return false };
        let memory = Bump::new();
        let document = output_document::read(text, &memory);
        document.is_some_and(|document| document.is_object() && self.documents.is_valid(&document))
    }
}
