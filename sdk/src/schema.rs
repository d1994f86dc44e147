//! The JSON Schemas that callers see, derived from the plugin's types.

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Map, Value, json};

/// Requires that exactly one of the alternatives, separated by `|`, is given. An alternative is the
/// name of a member, or several names joined by `+`; the members must not be null. An empty
/// alternative means that none of the members is given.
///
/// ```text
/// #[schemars(transform = OneOf("text | resource_id"))]
/// #[schemars(transform = OneOf("| country + bban"))]
/// ```
#[derive(Debug, Clone, Copy)]
pub struct OneOf(pub &'static str);

/// Requires that at least one of these members (`text | resource_id`) is present and not null.
#[derive(Debug, Clone, Copy)]
pub struct AnyOf(pub &'static str);

impl Transform for OneOf {
    fn transform(&mut self, schema: &mut Schema) {
        let groups: Vec<Vec<&str>> = self.0.split('|').map(|group| names(group, '+')).collect();
        let all: Vec<&str> = groups.iter().flatten().copied().collect();
        let alternative = |members: &Vec<&str>| {
            let rule = |name: &&str| ((*name).to_owned(), if members.contains(name) { given() } else { absent() });
            json!({ "required": members, "properties": all.iter().map(rule).collect::<Map<_, _>>() })
        };
        schema.insert("oneOf".to_owned(), groups.iter().map(alternative).collect());
    }
}

impl Transform for AnyOf {
    fn transform(&mut self, schema: &mut Schema) {
        let alternative = |name: &str| json!({ "required": [name], "properties": { name: given() } });
        schema.insert("anyOf".to_owned(), names(self.0, '|').into_iter().map(alternative).collect());
    }
}

fn names(text: &'static str, between: char) -> Vec<&'static str> {
    text.split(between).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Returns the schema for a member that is given: any value except null.
fn given() -> Value {
    json!({ "not": { "type": "null" } })
}

fn absent() -> Value {
    json!({ "type": "null" })
}

/// Returns the schema (draft 2020-12) of JSON that can be deserialized as `T`. Subschemas
/// are inlined, except those of recursive types.
pub(crate) fn of_input<T: JsonSchema>() -> Schema {
    settings()
        // This transform needs the number format, which the last transform removes.
        .with_transform(RecursiveTransform(with_bounds))
        .with_transform(RecursiveTransform(without_type_of_const))
        .with_transform(RecursiveTransform(without_number_format))
        .into_generator()
        .into_root_schema_for::<T>()
}

/// Returns the schema (draft 2020-12) of the JSON that `T` serializes to.
pub(crate) fn of_output<T: JsonSchema>() -> Schema {
    settings()
        .with_transform(RecursiveTransform(without_number_format))
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

/// Adds the range of a Rust integer type, unless the schema has narrower bounds, because
/// values outside that range could not be deserialized.
fn with_bounds(schema: &mut Schema) {
    let (least, most) = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => (json!(0), json!(u8::MAX)),
        Some("uint16") => (json!(0), json!(u16::MAX)),
        Some("uint32") => (json!(0), json!(u32::MAX)),
        Some("uint64" | "uint") => (json!(0), json!(u64::MAX)),
        Some("int8") => (json!(i8::MIN), json!(i8::MAX)),
        Some("int16") => (json!(i16::MIN), json!(i16::MAX)),
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("int64" | "int") => (json!(i64::MIN), json!(i64::MAX)),
        _ => return,
    };
    for (name, bound) in [("minimum", least), ("maximum", most)] {
        if schema.get(name).is_none() {
            schema.insert(name.to_owned(), bound);
        }
    }
}

/// Removes `type` next to `const`, which implies it, because checking the type would cost time in
/// every call.
fn without_type_of_const(schema: &mut Schema) {
    if schema.get("const").is_some() {
        schema.remove("type");
    }
}

/// Removes Rust's number formats (`uint32`, `double`), which JSON Schema does not define: strict
/// clients reject schemas with unknown formats.
fn without_number_format(schema: &mut Schema) {
    if schema.get("format").and_then(|format| format.as_str()).is_some_and(is_number_format) {
        schema.remove("format");
    }
}

fn is_number_format(name: &str) -> bool {
    matches!(name, "float" | "double") || name.strip_prefix('u').unwrap_or(name).starts_with("int")
}

/// Returns a schema as JSON text, for `describe`.
pub(crate) fn text(schema: &Schema) -> String {
    schema.as_value().to_string()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::*;

    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only the schema of the type is used")]
    struct Input {
        count: u32,
        list: Vec<Option<f64>>,
        #[schemars(extend("format" = "uri"))]
        address: String,
    }

    #[derive(JsonSchema)]
    #[schemars(transform = OneOf("iban | country + bban"))]
    #[allow(dead_code, reason = "only the schema of the type is used")]
    struct Either {
        iban: Option<String>,
        country: Option<String>,
        bban: Option<String>,
    }

    #[derive(JsonSchema)]
    #[schemars(transform = AnyOf("a | b"))]
    #[allow(dead_code, reason = "only the schema of the type is used")]
    struct OneAtLeast {
        a: Option<u8>,
        b: Option<u8>,
    }

    #[test]
    fn alternatives_are_part_of_the_schema() {
        let (given, absent) = (given(), absent());
        let expect = json!([
            {"required": ["iban"], "properties": {"iban": given, "country": absent, "bban": absent}},
            {"required": ["country", "bban"], "properties": {"iban": absent, "country": given, "bban": given}},
        ]);
        assert_eq!(of_input::<Either>().get("oneOf"), Some(&expect));
        let expect = json!([
            {"required": ["a"], "properties": {"a": given}},
            {"required": ["b"], "properties": {"b": given}},
        ]);
        assert_eq!(of_input::<OneAtLeast>().get("anyOf"), Some(&expect));
    }

    #[test]
    fn only_formats_of_json_schema_remain() {
        for schema in [of_input::<Input>(), of_output::<Input>()] {
            let properties = schema.get("properties").expect("properties");
            assert_eq!((&properties["count"]["type"], &properties["count"]["minimum"]), (&json!("integer"), &json!(0)));
            assert!(!properties["list"].to_string().contains("format"), "{properties}");
            assert_eq!(properties["address"]["format"], "uri");
        }
        let properties = of_input::<Input>().get("properties").cloned().expect("properties");
        assert_eq!(properties["count"]["maximum"], u32::MAX, "values that the type cannot hold must be rejected");
    }
}
