//! The bridges of a catalog, each as a separate operation, with payment
//! information.

use serde_json::{Map, Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{CatalogEntry, Offer, Snapshot, outline};

use crate::components::{CALL_PARAMETERS, ErrorResponses, reference, seal_headers};
use crate::error::Code;
use crate::error_shape::ErrorShape;

/// Errors of paid calls in addition to those of every route.
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

/// The source of `x-payment-info` in the operations of offers.
pub struct PaymentInfo<'a> {
    /// A version that changes if payment information changes while the catalog stays the
    /// same.
    pub version: u64,
    /// Returns the payment information of an offer; `None` if it is free.
    pub of: &'a dyn Fn(&Offer) -> Option<Value>,
}

/// The name of the schema of [`sources`].
const SOURCES: &str = "Sources";

/// Adds the available bridges to a document that has `callBridge` and
/// `invokePaidAgent`.
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

/// Adds payment information to the route of all agents, with one agent as an
/// example: separate operations for each would make the document a fifth
/// longer.
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
    let mut documented = with_payment(operation.take(), offer, catalog, payment);
    // Each agent has its own price.
    if let Some(info) = documented.get_mut("x-payment-info").and_then(Value::as_object_mut) {
        info.remove("price");
        let offers = info.get_mut("offers").and_then(Value::as_array_mut);
        for offer in offers.into_iter().flatten().filter_map(Value::as_object_mut) {
            offer.insert("amount".to_owned(), Value::Null);
        }
    }
    *operation = documented;
}

/// Adds payment information, if a call can be answered now.
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

/// Removes the descriptive texts from the schema of an answer, and replaces the common
/// schema of data sources by a reference.
fn answered(schema: &Value) -> Value {
    let mut outlined = outline(schema);
    if let Some(data) = outlined.pointer_mut("/properties/data").filter(|data| **data == sources()) {
        *data = reference("schemas", SOURCES);
    }
    outlined
}

/// The schema of data sources that this repository's bridges use.
fn sources() -> Value {
    let members = ["name", "version", "as_of", "licence", "source"];
    let texts: Map<String, Value> =
        members.iter().map(|member| ((*member).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "array", "items": { "type": "object", "properties": texts, "required": members } })
}
