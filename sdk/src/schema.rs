//! The JSON Schemas that callers see, derived from the plugin's types.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};

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
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .with_transform(RecursiveTransform(without_number_format))
}

/// Rust's widths of numbers (`uint32`, `double`) are no formats of JSON Schema,
/// and strict clients refuse schemas with formats they do not know.
fn without_number_format(schema: &mut Schema) {
    if schema.get("format").and_then(|format| format.as_str()).is_some_and(is_number_format) {
        schema.remove("format");
    }
}

fn is_number_format(name: &str) -> bool {
    matches!(name, "float" | "double") || name.strip_prefix('u').unwrap_or(name).starts_with("int")
}

/// The text of a schema, as `describe` returns it.
pub(crate) fn text(schema: &Schema) -> String {
    schema.as_value().to_string()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::*;

    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Input {
        count: u32,
        list: Vec<Option<f64>>,
        #[schemars(extend("format" = "uri"))]
        address: String,
    }

    #[test]
    fn only_formats_of_json_schema_remain() {
        for schema in [of_input::<Input>(), of_output::<Input>()] {
            let properties = schema.get("properties").expect("properties");
            assert_eq!(properties["count"], serde_json::json!({"type": "integer", "minimum": 0}));
            assert!(!properties["list"].to_string().contains("format"), "{properties}");
            assert_eq!(properties["address"]["format"], "uri");
        }
    }
}
