//! The OpenAPI document: built once from the routes, and then rebuilt with the bridges of
//! each new catalog.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use aide::openapi::OpenApi;
use serde_json::{Map, Value, json};
use tollbridge_market::catalog::Snapshot;

use crate::bridges::{self, PaymentInfo};
use crate::components::{self, ErrorResponses, TAGS, X_ERRORS, seal_headers};
use crate::error::Code;
use crate::error_shape::ErrorShape;
use crate::operation::{Answer, EVENTS, Key};
use crate::rendered::Rendered;
use crate::routes::Documented;

const ABOUT: &str = "Paid data bridges. A call without payment is answered with HTTP 402 and a quote; pay it and \
    repeat the call with X-Payment-Intent-Id, or pay from prepaid credit with X-Payment-Source: credit, or let a \
    wallet sign what PAYMENT-REQUIRED asks for (x402) and repeat it with PAYMENT-SIGNATURE. \
    `x-aliases` names further paths of the same operation. Every answer has X-Request-Id and the X-RateLimit headers \
    of the response `Error`.";

/// A route as one line of a table.
#[derive(Clone, Debug)]
pub struct RouteLine {
    /// The method in upper case.
    pub method: String,
    /// The canonical path.
    pub path: String,
    /// A short title.
    pub summary: &'static str,
    /// Whether the route needs a key.
    pub key: bool,
}

/// The documentation of all routes.
pub struct Document {
    /// The document without the bridges.
    base: Value,
    lines: Vec<RouteLine>,
    /// The rendered document of the latest catalog and prices.
    rendered: Mutex<Option<CachedDocument>>,
}

/// A rendered document with its catalog and version.
struct CachedDocument {
    catalog: Weak<Snapshot>,
    /// The version of [`PaymentInfo`].
    version: u64,
    rendered: Arc<Rendered>,
}

impl Document {
    /// Builds the document of these operations. `api` contains the documentation
    /// derived from their types.
    pub fn new(title: &str, base_url: &str, api: &OpenApi, documented: &[Documented]) -> Self {
        let api = serde_json::to_value(api).unwrap_or_default();
        let mut errors = ErrorResponses::default();
        let mut paths: Map<String, Value> = Map::new();
        let mut lines = Vec::new();
        for one in documented {
            let typed = api.get("paths").and_then(|paths| paths.get(one.path)?.get(one.method));
            let operation = describe(one, typed, &mut errors);
            let path = one.path.replace("{*", "{");
            lines.push(RouteLine {
                method: one.method.to_uppercase(),
                path: path.clone(),
                summary: one.operation.summary,
                key: operation.get("security").is_some() && one.operation.key != Some(Key::Optional),
            });
            let methods = paths.entry(path).or_insert_with(|| json!({}));
            insert(methods, one.method, operation);
        }
        let schemas = api.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default();
        let base = json!({
            "openapi": "3.1.0",
            "info": {
                "title": title,
                "version": "1.0.0",
                "description": ABOUT,
                "contact": { "name": title, "url": base_url },
                "license": { "name": "Apache 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" },
            },
            "servers": [{ "url": base_url }],
            "x-service-info": {
                "categories": ["data", "developer-tools", "compute"],
                "docs": {
                    "homepage": base_url,
                    "apiReference": format!("{base_url}/docs"),
                    "llms": format!("{base_url}/llms.txt"),
                },
            },
            "tags": TAGS.map(|(name, description)| json!({ "name": name, "description": description })),
            "paths": paths,
            "components": components::components(schemas, errors),
        });
        let mut base = plain(base);
        components::drop_unused(&mut base);
        Self { base, lines, rendered: Mutex::default() }
    }

    /// Returns every route except the bridges, for display.
    pub fn lines(&self) -> &[RouteLine] {
        &self.lines
    }

    /// Returns the document with the bridges and agents of a catalog.
    pub fn with_offers(&self, catalog: &Snapshot, payment: &PaymentInfo<'_>) -> Value {
        let mut document = self.base.clone();
        bridges::add(&mut document, catalog, payment);
        components::drop_unused(&mut document);
        document
    }

    /// Returns the rendered document, which is cached for each catalog and its
    /// prices.
    pub fn rendered(&self, catalog: &Arc<Snapshot>, payment: &PaymentInfo<'_>) -> Arc<Rendered> {
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        match &*rendered {
            Some(known)
                if std::ptr::eq(known.catalog.as_ptr(), Arc::as_ptr(catalog)) && known.version == payment.version =>
            {
                known.rendered.clone()
            }
            _ => {
                let new = Arc::new(Rendered::new(&self.with_offers(catalog, payment)));
                let (catalog, version) = (Arc::downgrade(catalog), payment.version);
                *rendered = Some(CachedDocument { catalog, version, rendered: new.clone() });
                new
            }
        }
    }
}

/// Describes one operation from its types and its author's documentation.
fn describe(one: &Documented, typed: Option<&Value>, errors: &mut ErrorResponses) -> Value {
    let operation = &one.operation;
    let typed = |member: &str| typed.and_then(|typed| typed.get(member)).cloned();
    let mut codes = operation.errors.clone();
    let noted = typed(X_ERRORS).unwrap_or_default();
    let noted: Vec<&str> = noted.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    codes.extend(Code::ALL.iter().filter(|code| noted.contains(&code.parts().0)));
    let mut responses = errors.of(&codes, ErrorShape::of_path(one.path));
    for answer in &operation.answers {
        responses.insert(answer.status.to_string(), response(answer));
    }
    let mut value = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.description,
        "tags": [one.tag],
        "responses": responses,
    });
    let mut parameters = path_parameters(one.path);
    parameters.extend(typed("parameters").into_iter().flat_map(query_parameters));
    parameters.extend(operation.parameters.iter().cloned());
    if !parameters.is_empty() {
        insert(&mut value, "parameters", parameters.into());
    }
    if let Some(body) = operation.body.clone().or_else(|| typed("requestBody")) {
        insert(&mut value, "requestBody", body);
    }
    let security = match operation.key {
        Some(Key::Required) => Some(json!([{ "bearerAuth": [] }])),
        Some(Key::Optional) => Some(json!([{}, { "bearerAuth": [] }])),
        None => typed("security"),
    };
    if let Some(security) = security {
        insert(&mut value, "security", security);
    }
    if !operation.aliases.is_empty() {
        insert(&mut value, "x-aliases", operation.aliases.clone().into());
    }
    value
}

fn response(answer: &Answer) -> Value {
    let mut response = json!({ "description": answer.text });
    if answer.sealed {
        insert(&mut response, "headers", seal_headers().into());
    }
    if let Some((media, schema)) = &answer.body {
        let mut content = json!({ *media: { "schema": schema } });
        if answer.or_events {
            insert(&mut content, EVENTS, json!({ "schema": { "type": "string" } }));
        }
        insert(&mut response, "content", content);
    }
    response
}

/// Returns the parameters of a path, from the names in braces.
fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names
        .map(|name| {
            let name = name.trim_start_matches('*');
            let schema = match name {
                "seal" => json!({ "type": "string", "pattern": "^[0-9a-fA-F]{64}$" }),
                _ => json!({ "type": "string" }),
            };
            let text = part(path, name);
            json!({ "name": name, "in": "path", "required": true, "description": text, "schema": schema })
        })
        .collect()
}

/// Describes a variable part of a path.
fn part(path: &str, name: &str) -> &'static str {
    let ids = [
        ("/v1/tasks/", "Id of the task"),
        ("/v1/webhooks/", "Id of the webhook"),
        ("/v1/resources/", "Id of the resource"),
        ("/v1/keys/", "Id of the key"),
        ("/v1/models/", "Id of the model"),
        ("/v1/files/", "Id of the file"),
        ("/v1/batches/", "Id of the batch"),
        ("/v1/messages/batches/", "Id of the batch"),
        ("/api/v1/agents/", "Name of the agent"),
        ("/api/v1/bridges/", "Name of the bridge"),
    ];
    match name {
        "seal" => "SHA-256 of the sealed record, in hex",
        "intent" => "Id of the payment intent",
        "token" => "Token of the pay link, or id of the payment intent",
        "task_id" => "Id of the task",
        "config_id" => "Id of the settings for notifications",
        "slug" | "agent" => "Name of the agent",
        "bridge" => "Name of the bridge",
        "key" => "Key of the item",
        _ => ids.iter().find(|(start, _)| path.starts_with(start)).map_or("Its name", |(_, text)| text),
    }
}

/// Returns the query parameters of a type. A query parameter cannot be null,
/// only absent, so null is removed from the types.
fn query_parameters(typed: Value) -> Vec<Value> {
    let Value::Array(mut parameters) = typed else { return Vec::new() };
    for parameter in &mut parameters {
        let kind = parameter.pointer_mut("/schema/type");
        if let Some(kind) = kind
            && let Some(one) = kind.as_array().and_then(|kinds| kinds.iter().find(|kind| *kind != "null")).cloned()
        {
            *kind = one;
        }
        if let Some(parameter) = parameter.as_object_mut() {
            parameter.remove("style");
        }
    }
    parameters
}

/// Simplifies schemas for readers of JSON: Rust integer formats become bounds,
/// and Rust type names are removed.
fn plain(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Map<String, Value> =
                members.into_iter().map(|(name, member)| (name, plain(member))).collect();
            // An optional member's default of null carries no information.
            if members.get("default").is_some_and(Value::is_null) {
                members.remove("default");
            }
            let unsigned = match members.get("format").and_then(Value::as_str) {
                Some("uint64" | "uint") => Some(u64::MAX),
                Some("uint32") => Some(u32::MAX.into()),
                Some("double") => {
                    members.remove("format");
                    None
                }
                _ => None,
            };
            if let Some(maximum) = unsigned {
                members.remove("format");
                members.entry("maximum").or_insert(maximum.into());
            }
            Value::Object(members)
        }
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        other => other,
    }
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
