//! The bridges of a catalog, each as an operation of its own.

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::openapi::components::{CALL_PARAMETERS, ErrorResponses, reference, seal_headers};
use tollbridge_market::catalog::{CatalogEntry, Offer, Snapshot};
use tollbridge_runtime::registry::Kind;

/// What a paid call may answer beside the errors of every route.
pub(crate) const CALL_ERRORS: [Code; 14] = [
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

/// Adds the live bridges to the paths of a document that has `callBridge`.
pub(crate) fn add(paths: &mut Map<String, Value>, catalog: &Snapshot) {
    let responses = ErrorResponses::default().of(&CALL_ERRORS);
    for (name, entry) in catalog.entries(Kind::Bridge) {
        if let CatalogEntry::Live(offer) = entry {
            paths.insert(format!("/v1/oracle/{name}"), json!({ "post": bridge(name, offer, &responses) }));
        }
    }
}

fn bridge(name: &str, offer: &Offer, errors: &Map<String, Value>) -> Value {
    let description = offer.plugin.description();
    let mut responses = errors.clone();
    let answer = json!({
        "description": "The answer",
        "headers": seal_headers(),
        "content": { "application/json": { "schema": description.output_schema } },
    });
    responses.insert("200".to_owned(), answer);
    let mut content = json!({ "schema": description.input_schema });
    if let (Some(example), Some(members)) = (description.examples.first(), content.as_object_mut()) {
        members.insert("example".to_owned(), example.input.clone());
    }
    json!({
        "operationId": name,
        "summary": offer.purpose,
        "description": format!(
            "£{} a call. Version {}, by {}. All examples: /api/v1/bridges/{name}.",
            offer.price.pounds(), offer.version_text, offer.publisher
        ),
        "tags": ["bridges"],
        "x-aliases": [format!("/api/v1/oracle/{name}")],
        "security": [{}, { "bearerAuth": [] }],
        "parameters": CALL_PARAMETERS.map(|name| reference("parameters", name)),
        "requestBody": { "required": false, "content": { "application/json": content } },
        "responses": responses,
    })
}
