//! The schema of a plugin's outputs, compiled once more for the form in which
//! outputs are read.

use bumpalo::Bump;
use jsonschema::Validator;

use super::output_document::{self, OutputDocument};
use super::schema::{self, Schema, SchemaError, SizeLimit};

/// The schema of a plugin's outputs.
#[derive(Debug)]
pub(super) struct OutputSchema {
    /// As it is for any value; it explains what does not fit.
    pub(super) schema: Schema,
    documents: Validator<OutputDocument>,
}

impl OutputSchema {
    /// Reads and compiles a schema for outputs of up to a size.
    pub(super) fn parse(text: &str, limit: SizeLimit) -> Result<Self, SchemaError> {
        let schema = Schema::parse(text, limit)?;
        Ok(Self { documents: schema::compile(schema.value())?, schema })
    }

    /// Whether an output is the text of a JSON object that fits. The case of
    /// nearly every call; a no is found once more, with its reason.
    pub(super) fn accepts(&self, output: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(output) else { return false };
        let memory = Bump::new();
        let document = output_document::read(text, &memory);
        document.is_some_and(|document| document.is_object() && self.documents.is_valid(&document))
    }
}
