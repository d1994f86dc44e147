//! Schemas without descriptive texts, for lists with many schemas.

use serde_json::Value;

/// Returns a schema without its descriptive texts; the listing of the bridge itself
/// contains them.
pub fn outline(schema: &Value) -> Value {
    const TEXTS: [&str; 5] = ["$schema", "title", "description", "default", "examples"];
    let Value::Object(members) = schema else {
        return match schema {
            Value::Array(items) => Value::Array(items.iter().map(outline).collect()),
            other => other.clone(),
        };
    };
    let structural = members.iter().filter(|(name, _)| !TEXTS.contains(&name.as_str()));
    let outlined = structural.map(|(name, member)| {
        // The keys of these objects are member names, so they are kept even if a name
        // equals one of `TEXTS`.
        let named = matches!(name.as_str(), "properties" | "$defs").then(|| member.as_object()).flatten();
        let member = match named {
            Some(named) => named.iter().map(|(name, one)| (name.clone(), outline(one))).collect(),
            None => outline(member),
        };
        (name.clone(), member)
    });
    Value::Object(outlined.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_outline_keeps_members_that_are_called_like_texts() {
        let schema = json!({
            "title": "Answer",
            "type": "object",
            "properties": { "title": { "type": "string", "description": "Of the page" } },
            "required": ["title"],
        });
        let expect =
            json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] });
        assert_eq!(outline(&schema), expect);
    }
}
