//! The bridges of a catalog, each as an operation of its own.

use serde_json::{Map, Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{CatalogEntry, Offer, Snapshot};

use crate::components::{CALL_PARAMETERS, ErrorResponses, reference, seal_headers};
use crate::error::Code;
use crate::error_shape::ErrorShape;

/// What a paid call may answer beside the errors of every route.
pub const CALL_ERRORS: [Code; 14] = [
    Code::PaymentRequired,
    Code::PlatformRules,
    Code::ProcessorUnset,
    Code::AlreadySealed,
    Code::ContentType,
    Code::NotLoaded,
    Code::PluginFailed,
    Code::PluginTimedOut,
    Code::LacksScope,
    Code::IdempotencyReused,
    Code::InProgress,
    Code::NoProvider,
    Code::DataMissing,
    Code::ProcessorUnclear,
];

/// The name of [`sources`] among the schemas.
const SOURCES: &str = "Sources";

/// Adds the live bridges to a document that has `callBridge`.
pub fn add(document: &mut Value, catalog: &Snapshot) {
    let responses = ErrorResponses::default().of(&CALL_ERRORS, ErrorShape::Own);
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.insert(SOURCES.to_owned(), sources());
    }
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else { return };
    for (name, entry) in catalog.entries(PluginKind::Bridge) {
        if let CatalogEntry::Live(offer) = entry {
            paths.insert(format!("/v1/oracle/{name}"), json!({ "post": bridge(name, offer, catalog, &responses) }));
        }
    }
}

fn bridge(name: &str, offer: &Offer, catalog: &Snapshot, errors: &Map<String, Value>) -> Value {
    let unmet = catalog.unmet_need(offer).map(|unmet| format!(" Unavailable now: {}.", unmet.reason));
    let description = offer.plugin.description();
    let mut responses = errors.clone();
    let answer = json!({
        "description": "The answer",
        "headers": seal_headers(),
        "content": { "application/json": { "schema": answered(&description.output_schema) } },
    });
    responses.insert("200".to_owned(), answer);
    let mut input = description.input_schema.clone();
    if let Some(members) = input.as_object_mut() {
        members.retain(|name, _| !["$schema", "title"].contains(&name.as_str()));
    }
    let mut content = json!({ "schema": input });
    let shortest = description.examples.iter().min_by_key(|example| example.input.to_string().len());
    if let (Some(example), Some(members)) = (shortest, content.as_object_mut()) {
        members.insert("example".to_owned(), example.input.clone());
    }
    json!({
        "operationId": name,
        "summary": offer.purpose,
        "description": format!(
            "£{} a call. Version {}, by {}. Examples, and what the members of the answer mean: /api/v1/bridges/{name}.{}",
            offer.price.pounds(), offer.version_text, offer.publisher, unmet.unwrap_or_default()
        ),
        "tags": ["bridges"],
        "x-aliases": [format!("/api/v1/oracle/{name}")],
        "security": [{}, { "bearerAuth": [] }],
        "parameters": CALL_PARAMETERS.map(|name| reference("parameters", name)),
        "requestBody": { "required": false, "content": { "application/json": content } },
        "responses": responses,
    })
}

/// The outline of an answer; what most of them say of their data is shared.
fn answered(schema: &Value) -> Value {
    let mut outlined = outline(schema);
    if let Some(data) = outlined.pointer_mut("/properties/data").filter(|data| **data == sources()) {
        *data = reference("schemas", SOURCES);
    }
    outlined
}

/// Where data comes from, as the bridges of this repository say it.
fn sources() -> Value {
    let members = ["name", "version", "as_of", "licence", "source"];
    let texts: Map<String, Value> =
        members.iter().map(|member| ((*member).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "array", "items": { "type": "object", "properties": texts, "required": members } })
}

/// A schema without its texts: what is said in full where the bridge is listed.
fn outline(schema: &Value) -> Value {
    const TEXTS: [&str; 5] = ["$schema", "title", "description", "default", "examples"];
    let Value::Object(members) = schema else {
        return match schema {
            Value::Array(items) => Value::Array(items.iter().map(outline).collect()),
            other => other.clone(),
        };
    };
    let structural = members.iter().filter(|(name, _)| !TEXTS.contains(&name.as_str()));
    let outlined = structural.map(|(name, member)| {
        // Here names are those of members, whatever they are.
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
