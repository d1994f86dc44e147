//! Renders the members of a JSON Schema as table rows: name, type, values, description.

use serde_json::Value;

use crate::text::inline;

/// Maximum depth of nested members that are shown.
const DEPTH_MAX: usize = 4;
/// Maximum number of rows in a table.
const ROWS_MAX: usize = 300;

/// A member of a schema.
pub(crate) struct Member {
    /// The path from the top-level object, such as `rates[].type`.
    pub name: String,
    pub required: bool,
    pub kind: String,
    /// The allowed values of an enumeration, each with its description as HTML.
    pub values: Vec<(String, String)>,
    /// The member's description, as HTML.
    pub text: String,
}

/// Returns the members of an object schema, each before its nested members.
pub(crate) fn members(schema: &Value) -> Vec<Member> {
    let mut rows = Vec::new();
    add_members(&mut rows, "", schema, 0);
    rows
}

/// Returns the alternative sets of required members, if the schema requires one of
/// several sets.
pub(crate) fn alternatives(schema: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for branch in branches(schema) {
        let names = branch.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let names = inline(&names);
        // If one alternative requires no members, there is no choice to describe.
        if names.is_empty() {
            return Vec::new();
        }
        if !found.contains(&names) {
            found.push(names);
        }
    }
    if found.len() > 1 { found } else { Vec::new() }
}

fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|name| schema.get(name)?.as_array()).flatten()
}

fn add_members(rows: &mut Vec<Member>, prefix: &str, schema: &Value, depth: usize) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, member) in properties {
        if rows.len() >= ROWS_MAX {
            return;
        }
        let mut shape = Shape::default();
        shape.add(member, "");
        let name_here = format!("{prefix}{name}");
        rows.push(Member {
            required: required.is_some_and(|names| names.iter().any(|one| one == name)),
            kind: shape.kinds.join(" or "),
            values: shape.values,
            text: inline(&one_line(description(member))),
            name: name_here.clone(),
        });
        if depth < DEPTH_MAX {
            for (suffix, below) in shape.below {
                add_members(rows, &format!("{name_here}{suffix}."), below, depth + 1);
            }
        }
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The types and values of a member.
#[derive(Default)]
struct Shape<'s> {
    kinds: Vec<String>,
    values: Vec<(String, String)>,
    /// Nested objects: the suffix that is added to the member's name (`[]` for a list),
    /// and the object's schema.
    below: Vec<(String, &'s Value)>,
}

impl<'s> Shape<'s> {
    fn add(&mut self, schema: &'s Value, suffix: &str) {
        if let Some(value) = schema.get("const") {
            self.value(value, description(schema));
            return;
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            values.iter().for_each(|value| self.value(value, ""));
            return;
        }
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            // Without a `type`, the types come from the branches. With a `type`, branches
            // only state which members belong together.
            _ => {
                branches(schema).for_each(|branch| self.add(branch, suffix));
                return;
            }
        };
        for kind in kinds.into_iter().filter(|kind| *kind != "null") {
            match (kind, schema.get("items")) {
                ("array", Some(items)) => self.list(schema, items, suffix),
                _ => self.kind(format!("{kind}{}", bounds(schema, kind))),
            }
        }
        if schema.get("properties").is_some() {
            self.below.push((suffix.to_owned(), schema));
        }
    }

    fn list(&mut self, schema: &Value, items: &'s Value, suffix: &str) {
        let mut inside = Shape::default();
        inside.add(items, &format!("{suffix}[]"));
        let of = if inside.kinds.is_empty() {
            "array".to_owned()
        } else {
            format!("array of {}", inside.kinds.join(" or "))
        };
        self.kind(format!("{of}{}", bounds(schema, "array")));
        self.values.extend(inside.values);
        self.below.extend(inside.below);
    }

    fn kind(&mut self, kind: String) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    fn value(&mut self, value: &Value, meaning: &str) {
        if value.is_null() {
            return;
        }
        let kind = match value {
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            _ => "value",
        };
        self.kind(kind.to_owned());
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.values.push((inline(&format!("`{text}`")), inline(&one_line(meaning))));
    }
}

/// Formats a schema's limits on length or value.
fn bounds(schema: &Value, kind: &str) -> String {
    let (least, most, what) = match kind {
        "string" => ("minLength", "maxLength", " characters"),
        "array" => ("minItems", "maxItems", " items"),
        "integer" | "number" => ("minimum", "maximum", ""),
        _ => return String::new(),
    };
    // Limits near the range of an integer type are generated, not chosen by the author.
    let thought_of = |value: &&Value| value.as_f64().is_some_and(|value| value.abs() < 1e15);
    let least = schema.get(least).filter(thought_of).filter(|least| what.is_empty() || least.as_u64() != Some(0));
    let most = schema.get(most).filter(thought_of);
    match (least, most) {
        (Some(least), Some(most)) => format!(", {least} to {most}{what}"),
        (Some(least), None) => format!(", at least {least}{what}"),
        (None, Some(most)) => format!(", at most {most}{what}"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(schema: &Value) -> Vec<String> {
        let line = |row: Member| {
            let values: Vec<String> = row.values.into_iter().map(|(value, meaning)| value + &meaning).collect();
            let mark = if row.required { "*" } else { "" };
            format!("{}{mark} ({}) {} {}", row.name, row.kind, row.text, values.join(" ")).trim_end().to_owned()
        };
        members(schema).into_iter().map(line).collect()
    }

    #[test]
    fn enumerations_are_counted_out() {
        let schema = json!({ "type": "object", "required": ["rate"], "properties": {
            "rate": { "description": "Which.\nOf all.", "anyOf": [
                { "oneOf": [{ "const": "full", "description": "All of `it`." }, { "const": "half" }] },
                { "type": "null" },
            ] },
            "unit": { "enum": ["kg", "lb", null] },
        } });
        let expect = [
            "rate* (string) Which. Of all. <code>full</code>All of <code>it</code>. <code>half</code>",
            "unit (string)  <code>kg</code> <code>lb</code>",
        ];
        assert_eq!(lines(&schema), expect);
    }

    #[test]
    fn members_of_lists_and_objects_follow() {
        let schema = json!({ "type": "object", "properties": {
            "rows": { "type": ["array", "null"], "maxItems": 50, "items": {
                "type": "object", "required": ["text"],
                "properties": { "text": { "type": "string", "minLength": 1, "maxLength": 9 } },
            } },
            "size": { "type": ["integer", "null"], "minimum": 1, "maximum": 9_223_372_036_854_775_807_i64 },
        } });
        let expect = [
            "rows (array of object, at most 50 items)",
            "rows[].text* (string, 1 to 9 characters)",
            "size (integer, at least 1)",
        ];
        assert_eq!(lines(&schema), expect);
    }

    #[test]
    fn one_of_several_is_said() {
        let schema = json!({ "type": "object", "oneOf": [
            { "required": ["values"] },
            { "required": ["resource_id"] },
        ] });
        assert_eq!(alternatives(&schema), ["<code>values</code>", "<code>resource_id</code>"]);
        let open = json!({ "oneOf": [{ "required": [] }, { "required": ["text"] }] });
        assert!(alternatives(&open).is_empty() && alternatives(&json!({})).is_empty());
        assert!(members(&json!(true)).is_empty());
    }
}
