//! The JSON Schemas that callers see, derived from the plugin's types.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};

/// The schema (draft 2020-12) of what `T` reads from JSON. Subschemas stand
/// where they are used, except those of recursive types.
pub(crate) fn of_input<T: JsonSchema>() -> Schema {
    settings().into_generator().into_root_schema_for::<T>()
}

/// The schema (draft 2020-12) of what `T` writes as JSON.
pub(crate) fn of_output<T: JsonSchema>() -> Schema {
    settings().for_serialize().into_generator().into_root_schema_for::<T>()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

/// The text of a schema, as `describe` returns it.
pub(crate) fn text(schema: &Schema) -> String {
    schema.as_value().to_string()
}
