//! Which keywords of draft 2020-12 hold schemas, and where in their value those are.
//!
//! Only what stands in one of these places is a schema: an `$id` in an `enum`,
//! or under a keyword that nobody knows, names nothing.

use serde_json::Value;

/// How a keyword holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Its value is one.
    One,
    /// Its value is a list of them.
    List,
    /// Its value's members are.
    Members,
}

/// The way from a schema to one of those that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'s> {
    /// The keyword's value itself.
    Value,
    /// An item of it.
    Item(usize),
    /// A member of it.
    Member(&'s str),
}

/// How this keyword holds schemas, if it does.
pub fn shape(keyword: &str) -> Option<Shape> {
    match keyword {
        "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Some(Shape::One),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Some(Shape::List),
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => {
            Some(Shape::Members)
        }
        _ => None,
    }
}

/// All schemas that a schema holds, with the keyword and the step to each.
pub fn held(schema: &Value) -> impl Iterator<Item = (&str, Step<'_>, &Value)> {
    let members = schema.as_object().into_iter().flatten();
    members.flat_map(|(keyword, inner)| {
        let keyword = keyword.as_str();
        let shape = shape(keyword);
        let one = (shape == Some(Shape::One)).then_some((keyword, Step::Value, inner));
        let list = inner.as_array().filter(|_| shape == Some(Shape::List));
        let list = list.into_iter().flatten().enumerate();
        let named = inner.as_object().filter(|_| shape == Some(Shape::Members)).into_iter().flatten();
        one.into_iter()
            .chain(list.map(move |(index, schema)| (keyword, Step::Item(index), schema)))
            .chain(named.map(move |(name, schema)| (keyword, Step::Member(name.as_str()), schema)))
    })
}

/// Can this be a schema?
pub fn is_schema(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Bool(_))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_stand_in_their_places() {
        let schema = json!({
            "allOf": [1, 2], "const": {"not": 0}, "items": 3, "properties": {"not": 4}, "x": {"not": 0}, "prefixItems": {"a": 0},
        });
        let found: Vec<_> = held(&schema).map(|(keyword, step, value)| (keyword, step, value.as_u64())).collect();
        assert_eq!(
            found,
            [
                ("allOf", Step::Item(0), Some(1)),
                ("allOf", Step::Item(1), Some(2)),
                ("items", Step::Value, Some(3)),
                ("properties", Step::Member("not"), Some(4)),
            ]
        );
        assert_eq!(held(&json!(true)).count(), 0);
    }
}
