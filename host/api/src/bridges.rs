//! The bridges of a catalog, each as an operation of its own, and what is to be paid.

use serde_json::{Map, Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{CatalogEntry, Offer, Snapshot, outline};

use crate::components::{CALL_PARAMETERS, ErrorResponses, reference, seal_headers};
use crate::document::PaymentInfo;
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

/// Adds the live bridges to a document that has `callBridge` and `invokePaidAgent`.
pub fn add(document: &mut Value, catalog: &Snapshot, payment: &PaymentInfo<'_>) {
    let responses = ErrorResponses::default().of(&CALL_ERRORS, ErrorShape::Own);
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.insert(SOURCES.to_owned(), sources());
    }
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else { return };
    for (name, entry) in catalog.entries(PluginKind::Bridge) {
        if let CatalogEntry::Live(offer) = entry {
            let operation = with_payment(bridge(name, offer, catalog, &responses), offer, catalog, payment);
            paths.insert(format!("/v1/oracle/{name}"), json!({ "post": operation }));
        }
    }
    add_agents(paths, catalog, payment);
}

/// Says that the route of all agents is paid for, with the name of one of them: with
/// an operation for each the document would be a fifth longer.
fn add_agents(paths: &mut Map<String, Value>, catalog: &Snapshot, payment: &PaymentInfo<'_>) {
    let able = |offer: &&std::sync::Arc<Offer>| !offer.price.is_zero() && catalog.unmet_need(offer).is_none();
    let Some(offer) = catalog.live(PluginKind::Agent).filter(able).min_by_key(|offer| offer.price) else { return };
    let Some(operation) = paths.get_mut("/v1/paid/agents/{slug}").and_then(|path| path.get_mut("post")) else { return };
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    let slug = parameters.and_then(|all| all.iter_mut().find(|one| one.get("name").is_some_and(|name| name == "slug")));
    if let Some(slug) = slug.and_then(Value::as_object_mut) {
        slug.insert("example".to_owned(), offer.name.clone().into());
    }
    let example = offer.plugin.description().examples.iter().min_by_key(|example| example.input.to_string().len());
    let content = operation.pointer_mut("/requestBody/content/application~1json").and_then(Value::as_object_mut);
    if let (Some(example), Some(content)) = (example, content) {
        content.insert("example".to_owned(), json!({ "input": example.input }));
    }
    let mut told = with_payment(operation.take(), offer, catalog, payment);
    // Each agent has a price of its own.
    if let Some(info) = told.get_mut("x-payment-info").and_then(Value::as_object_mut) {
        info.remove("price");
        let offers = info.get_mut("offers").and_then(Value::as_array_mut);
        for offer in offers.into_iter().flatten().filter_map(Value::as_object_mut) {
            offer.insert("amount".to_owned(), Value::Null);
        }
    }
    *operation = told;
}

/// Says what is to be paid, where a call can be answered now.
fn with_payment(mut operation: Value, offer: &Offer, catalog: &Snapshot, payment: &PaymentInfo<'_>) -> Value {
    let info = (payment.of)(offer).filter(|_| catalog.unmet_need(offer).is_none());
    if let (Some(info), Some(members)) = (info, operation.as_object_mut()) {
        members.insert("x-payment-info".to_owned(), info);
    }
    operation
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
