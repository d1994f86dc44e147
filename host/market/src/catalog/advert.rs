//! Adverts: descriptions of offers for x402 facilitators (extension `bazaar`), each with
//! an example call and its schema.

use serde_json::{Map, Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::Description;
use tollbridge_x402::{Bazaar, BodyType};

use super::outline::outline;

/// Maximum size of an advert in the header of a 402 response, before base64. Proxies drop
/// headers above 4 KiB; this is the part of the 4 KiB that the header's other contents
/// leave.
pub(super) const ADVERT_BYTES_MAX: usize = 1_900;

/// Returns the most complete advert that fits into a header, if any fits. Created once
/// for each serving version.
pub(super) fn advert(kind: PluginKind, described: &Description) -> Option<Bazaar> {
    let example = described.examples.iter().min_by_key(|example| example.input.to_string().len())?;
    let whole = outline(&body_schema(kind, &described.input_schema));
    let members = body_schema(kind, &members(&described.input_schema));
    let input = body(kind, &example.input);
    let tried = [(&whole, Some(&example.output)), (&whole, None), (&members, None)];
    let made = tried.map(|(schema, output)| Bazaar::http_body("POST", BodyType::Json, &input, schema, output));
    made.into_iter().find(|advert| bytes(advert) <= ADVERT_BYTES_MAX)
}

/// Returns a shorter, looser schema, with only the names and types of an input's members.
/// Every input that matches the full schema also matches the shorter one.
fn members(schema: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let typed = |member: &Value| member.get("type").map_or_else(|| json!({}), |kind| json!({ "type": kind }));
    let properties: Map<String, Value> =
        properties.into_iter().flatten().map(|(name, member)| (name.clone(), typed(member))).collect();
    match schema.get("required") {
        Some(required) => json!({ "type": "object", "properties": properties, "required": required }),
        None => json!({ "type": "object", "properties": properties }),
    }
}

/// Returns the complete advert, for lists of resources.
pub fn advert_in_full(kind: PluginKind, described: &Description) -> Option<Bazaar> {
    let example = described.examples.first()?;
    let schema = body_schema(kind, &described.input_schema);
    let input = body(kind, &example.input);
    Some(Bazaar::http_body("POST", BodyType::Json, &input, &schema, Some(&example.output)))
}

/// Returns the schema of a call's body: the input of a bridge, or the task of an agent.
fn body_schema(kind: PluginKind, input_schema: &Value) -> Value {
    let mut input = input_schema.clone();
    if let Some(members) = input.as_object_mut() {
        members.retain(|name, _| !["$schema", "title"].contains(&name.as_str()));
    }
    match kind {
        PluginKind::Bridge => input,
        PluginKind::Agent => json!({
            "type": "object",
            "properties": { "task": { "type": "string" }, "input": input },
            "anyOf": [{ "required": ["task"] }, { "required": ["input"] }],
        }),
    }
}

fn body(kind: PluginKind, input: &Value) -> Value {
    match kind {
        PluginKind::Bridge => input.clone(),
        PluginKind::Agent => json!({ "input": input }),
    }
}

fn bytes(advert: &Bazaar) -> usize {
    serde_json::to_vec(advert).map_or(usize::MAX, |json| json.len())
}

#[cfg(test)]
mod tests {
    use tollbridge_plugin::Example;

    use super::*;

    fn described(input: Value, output: Value) -> Description {
        let input_schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Input",
            "type": "object",
            "properties": { "text": { "type": "string", "description": "What to read" } },
        });
        Description { input_schema, output_schema: json!({}), examples: vec![Example { input, output }] }
    }

    #[test]
    fn what_is_too_long_for_a_header_is_left_out() {
        let short = described(json!({ "text": "x" }), json!({ "a": 1 }));
        let made = advert(PluginKind::Bridge, &short).unwrap();
        assert_eq!(made.info["output"]["example"], json!({ "a": 1 }));
        assert!(!serde_json::to_string(&made).unwrap().contains("What to read"));
        let long = || json!({ "text": "x".repeat(ADVERT_BYTES_MAX) });
        let made = advert(PluginKind::Bridge, &described(json!({ "text": "x" }), long())).unwrap();
        assert!(made.info.get("output").is_none(), "{}", made.info);
        assert_eq!(advert(PluginKind::Bridge, &described(long(), json!({}))), None);
        assert!(advert_in_full(PluginKind::Bridge, &described(long(), long())).is_some());
        let none = Description { examples: Vec::new(), ..described(json!({}), json!({})) };
        assert_eq!(advert(PluginKind::Bridge, &none), None);
    }

    #[test]
    fn an_agent_is_called_with_a_task() {
        let made = advert(PluginKind::Agent, &described(json!({ "text": "x" }), json!({}))).unwrap();
        assert_eq!(made.info["input"]["body"], json!({ "input": { "text": "x" } }));
        let body = &made.schema["properties"]["input"]["properties"]["body"];
        assert_eq!(body["properties"]["input"]["properties"]["text"], json!({ "type": "string" }));
    }
}
