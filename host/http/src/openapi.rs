//! `/openapi.json`: what every route takes and answers.
//!
//! Built from one table of operations and the live catalog, so a bridge that
//! was published a second ago is documented with its own schemas.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::state::AppState;
use crate::{openapi_agents, openapi_earning, openapi_money, openapi_webhooks, schemas};
use tollbridge_market::catalog::{CatalogEntry, Offer};
use tollbridge_runtime::registry::Kind;

pub fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/openapi.json", get(serve))
}

async fn serve(State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(document(&app))
}

/// One route: what a reader needs to call it.
pub(super) struct Operation {
    pub method: &'static str,
    pub path: &'static str,
    pub id: &'static str,
    pub summary: &'static str,
    /// Whether it needs a key.
    pub key: bool,
    /// Status and media type of success.
    pub success: (u16, &'static str),
    /// Codes it may answer besides those that every route may.
    pub errors: &'static [Code],
    pub body: Option<Body>,
    /// What else it may answer.
    pub also: &'static [Also],
}

/// An answer that is neither success nor one of the errors that its codes say.
pub(super) struct Also {
    pub status: u16,
    pub text: &'static str,
    /// Component schema of its JSON; without one nothing is said of its body.
    pub schema: Option<&'static str>,
}

/// What a route takes.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// JSON of this component schema.
    Json(&'static str),
    /// Likewise; what has a default for every member may be left out whole.
    OptionalJson(&'static str),
    /// A form of this component schema.
    Form(&'static str),
    /// Bytes of any type.
    Bytes,
}

pub(super) const JSON: &str = "application/json";
const TEXT: &str = "text/plain";
pub(super) const HTML: &str = "text/html";
const BYTES: &str = "application/octet-stream";
const FORM: &str = "application/x-www-form-urlencoded";

pub(super) const fn read(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    errors: &'static [Code],
) -> Operation {
    Operation { method: "get", path, id, summary, key: false, success: (200, JSON), errors, body: None, also: &[] }
}

pub(super) const fn keyed(mut operation: Operation) -> Operation {
    operation.key = true;
    operation
}

pub(super) const fn or_else(mut operation: Operation, also: &'static [Also]) -> Operation {
    operation.also = also;
    operation
}

/// Every public route except the bridges, which the catalog lists. An area
/// with a folder of its own lists its routes there.
fn operations() -> impl Iterator<Item = &'static Operation> {
    let areas = [
        super::a2a::OPERATIONS,
        openapi_webhooks::OPERATIONS,
        openapi_agents::OPERATIONS,
        openapi_earning::OPERATIONS,
        openapi_money::OPERATIONS,
        super::inference::docs::OPERATIONS,
    ];
    OPERATIONS.iter().chain(super::openapi_oauth::OPERATIONS).chain(areas.into_iter().flatten())
}

const OPERATIONS: &[Operation] = &[
    read("/api/v1/bridges", "listBridges", "Every bridge with price, schemas and examples", &[]),
    read("/api/v1/bridges/{name}", "showBridge", "One bridge", &[Code::NotFound]),
    read("/v1/payments/{intent}", "showPayment", "State of a payment intent", &[Code::NotFound]),
    read(
        "/v1/payments/{intent}/answer",
        "recoverAnswer",
        "The last answer that a payment intent paid for, kept for 24 hours",
        &[Code::NotFound],
    ),
    Operation {
        method: "get",
        path: "/pay/{token}",
        id: "payPage",
        summary: "The sandbox's pay page, for a person",
        key: false,
        success: (200, HTML),
        errors: &[Code::NotFound],
        body: None,
        also: &[],
    },
    Operation {
        method: "post",
        path: "/pay/{token}",
        id: "pay",
        summary: "Pay in the sandbox, for a program; takes a payment intent id or the token of a pay link",
        key: false,
        success: (200, JSON),
        errors: &[Code::NotFound, Code::PaymentRequired],
        body: None,
        also: &[
            Also { status: 303, text: "Back to the pay page, for browsers", schema: None },
            Also { status: 410, text: "E003: the quote expired before it was paid", schema: Some("Error") },
        ],
    },
    Operation {
        method: "post",
        path: "/v1/signup",
        id: "signUp",
        summary: "A new account and its first API key, which is shown this once",
        key: false,
        success: (201, JSON),
        errors: &[Code::Invalid, Code::AlreadySealed, Code::ContentType],
        body: Some(Body::Json("SignUp")),
        also: &[],
    },
    keyed(read("/v1/balance", "showBalance", "Earnings and credit of the account", &[])),
    keyed(read("/v1/keys", "listKeys", "API keys of the account", &[])),
    Operation {
        method: "post",
        path: "/v1/keys",
        id: "createKey",
        summary: "A further API key, shown this once",
        key: true,
        success: (201, JSON),
        errors: &[Code::Invalid, Code::AlreadySealed, Code::ContentType, Code::LacksScope],
        body: Some(Body::Json("NewKey")),
        also: &[],
    },
    Operation {
        method: "delete",
        path: "/v1/keys/{id}",
        id: "revokeKey",
        summary: "Revoke a key at once",
        key: true,
        success: (204, ""),
        errors: &[Code::NotFound, Code::AlreadySealed, Code::LacksScope],
        body: None,
        also: &[],
    },
    Operation {
        method: "post",
        path: "/v1/keys/{id}/roll",
        id: "rollKey",
        summary: "Replace a key; the old one works for 24 hours more",
        key: true,
        success: (201, JSON),
        errors: &[Code::NotFound, Code::AlreadySealed, Code::LacksScope],
        body: None,
        also: &[],
    },
    Operation {
        method: "post",
        path: "/v1/resources",
        id: "storeResource",
        summary: "Keep bytes for 24 hours; their id is then a `resource_id` for calls of this account",
        key: true,
        success: (201, JSON),
        errors: &[Code::Invalid, Code::AlreadySealed],
        body: Some(Body::Bytes),
        also: &[],
    },
    keyed(read("/v1/resources", "listResources", "What the account keeps", &[])),
    Operation {
        method: "get",
        path: "/v1/resources/{id}",
        id: "showResource",
        summary: "The bytes of a stored resource",
        key: true,
        success: (200, BYTES),
        errors: &[Code::NotFound],
        body: None,
        also: &[],
    },
    Operation {
        method: "delete",
        path: "/v1/resources/{id}",
        id: "deleteResource",
        summary: "Forget a stored resource at once",
        key: true,
        success: (204, ""),
        errors: &[Code::NotFound],
        body: None,
        also: &[],
    },
    read("/v1/platform-rules", "platformRules", "The revenue split, as sealed", &[]),
    Operation {
        method: "get",
        path: "/checkpoint",
        id: "checkpoint",
        summary: "Signed head of the ledger (C2SP signed note)",
        key: false,
        success: (200, TEXT),
        errors: &[],
        body: None,
        also: &[],
    },
    read(
        "/v1/ledger/proof/{seal}",
        "proveSeal",
        "Proof that the record with this seal is in the ledger",
        &[Code::NotFound, Code::Invalid],
    ),
    keyed(read(
        "/v1/ledger/record/{seal}",
        "readRecord",
        "The sealed record itself, for its parties",
        &[Code::NotFound, Code::Invalid, Code::LacksScope],
    )),
    read("/.well-known/jwks.json", "publicKeys", "Public keys that verify what this host signs", &[]),
    read("/health/live", "live", "Whether the process runs", &[]),
    read("/health/ready", "ready", "Whether calls should be sent here", &[Code::Overloaded]),
    read("/openapi.json", "openapi", "This document", &[]),
];

/// A route as one line of a table.
pub struct RouteLine {
    pub method: String,
    pub path: &'static str,
    pub summary: &'static str,
    pub key: bool,
}

/// Every route but the bridges, for people.
pub fn lines() -> Vec<RouteLine> {
    let line = |one: &Operation| RouteLine {
        method: one.method.to_uppercase(),
        path: one.path,
        summary: one.summary,
        key: one.key,
    };
    operations().map(line).collect()
}

/// The whole document.
pub fn document(app: &AppState) -> Value {
    let mut paths = Map::new();
    for operation in operations() {
        add(&mut paths, operation.path, operation.method, describe(operation));
    }
    let snapshot = app.catalog.snapshot();
    for (name, entry) in snapshot.entries(Kind::Bridge) {
        if let CatalogEntry::Live(offer) = entry {
            for (prefix, id) in [("/v1", ""), ("/api/v1", "_api")] {
                add(&mut paths, &format!("{prefix}/oracle/{name}"), "post", bridge(offer, &format!("{name}{id}")));
            }
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": app.settings.display_name,
            "version": "1.0.0",
            "description": "Paid data bridges. A call without payment is answered with HTTP 402 and a quote; pay it \
                            and repeat the call with X-Payment-Intent-Id, or pay from prepaid credit with \
                            X-Payment-Source: credit.",
        },
        "servers": [{ "url": app.settings.base_url }],
        "paths": paths,
        "components": schemas::components(),
    })
}

fn add(paths: &mut Map<String, Value>, path: &str, method: &str, operation: Value) {
    let entry = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
    if let Some(methods) = entry.as_object_mut() {
        methods.insert(method.to_owned(), operation);
    }
}

fn describe(operation: &Operation) -> Value {
    let (status, media) = operation.success;
    let mut success = json!({ "description": "Success", "headers": limit_headers() });
    if !media.is_empty() {
        let schema = if media == JSON { json!({ "type": "object" }) } else { json!({ "type": "string" }) };
        insert(&mut success, "content", json!({ media: { "schema": schema } }));
    }
    let mut responses = responses(operation.errors);
    responses.insert(status.to_string(), success);
    for also in operation.also {
        let mut response = json!({ "description": also.text, "headers": limit_headers() });
        if let Some(schema) = also.schema {
            let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
            insert(&mut response, "content", json!({ JSON: { "schema": schema } }));
        }
        responses.insert(also.status.to_string(), response);
    }
    let mut value = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": parameters(operation.path),
        "responses": responses,
    });
    if operation.key {
        insert(&mut value, "security", json!([{ "bearerAuth": [] }]));
    }
    if let Some(body) = operation.body {
        let content = match body {
            Body::Json(schema) | Body::OptionalJson(schema) => {
                json!({ JSON: { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
            }
            Body::Form(schema) => {
                json!({ FORM: { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
            }
            Body::Bytes => json!({ BYTES: { "schema": { "type": "string", "format": "binary", "minLength": 1 } } }),
        };
        let required = !matches!(body, Body::OptionalJson(_));
        insert(&mut value, "requestBody", json!({ "required": required, "content": content }));
    }
    value
}

fn bridge(offer: &Offer, id: &str) -> Value {
    let description = offer.plugin.description();
    let mut responses = responses(&[
        Code::PaymentRequired,
        Code::PlatformRules,
        Code::AlreadySealed,
        Code::Invalid,
        Code::NotFound,
        Code::ContentType,
        Code::NotLoaded,
        Code::PluginFailed,
        Code::PluginTimedOut,
        Code::IdempotencyReused,
    ]);
    let mut headers = limit_headers();
    for (name, text) in [
        ("X-Transaction-Id", "Id of the sealed transaction"),
        ("X-Worm-Seal", "SHA-256 of the sealed record; prove it at /v1/ledger/proof/{seal}"),
        ("X-Payment-Remaining", "Pounds left on the payment intent"),
        ("Idempotent-Replayed", "`true` when this is the stored answer of an earlier call"),
    ] {
        insert(&mut headers, name, json!({ "description": text, "schema": { "type": "string" } }));
    }
    let answer = json!({ JSON: { "schema": description.output_schema } });
    responses.insert("200".to_owned(), json!({ "description": "The answer", "headers": headers, "content": answer }));
    let examples: Map<String, Value> = description
        .examples
        .iter()
        .enumerate()
        .map(|(index, example)| (format!("example{}", index + 1), json!({ "value": example.input })))
        .collect();
    json!({
        "operationId": id,
        "summary": offer.purpose,
        "description": format!("£{} a call. Version {}, by {}.", offer.price.pounds(), offer.version_text, offer.publisher),
        "tags": ["bridges"],
        "security": [{}, { "bearerAuth": [] }],
        "parameters": [
            header("X-Payment-Intent-Id", "The paid intent from the quote", json!({ "type": "string" })),
            header(
                "X-Payment-Source",
                "`credit` pays from the account's prepaid credit; not together with X-Payment-Intent-Id",
                json!({ "const": "credit" }),
            ),
            header("X-Max-Cost-GBP", "The most that this call may cost, in pounds", json!({ "type": "string" })),
            header(
                "Idempotency-Key",
                "A repeat with the same key gets the same answer and is not charged again",
                json!({ "type": "string", "pattern": "^[!-~]{1,255}$" }),
            ),
        ],
        "requestBody": {
            "required": false,
            "content": { JSON: { "schema": description.input_schema, "examples": examples } },
        },
        "responses": responses,
    })
}

fn header(name: &str, text: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "header", "required": false, "description": text, "schema": schema })
}

/// Parameters of a path, by what stands between its braces.
fn parameters(path: &str) -> Vec<Value> {
    let mut found: Vec<Value> = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": part(name) }))
        .collect();
    if path.starts_with("/v1/ledger/proof/") {
        let text = "Tree size of an older checkpoint: adds a consistency proof from it";
        let schema = json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX });
        found.push(json!({ "name": "from", "in": "query", "required": false, "description": text, "schema": schema }));
    }
    if path == "/oauth/authorize" {
        found.extend(super::openapi_oauth::authorize_parameters());
    }
    if path == "/v1/usage" {
        let schema = json!({ "type": "integer", "minimum": 1, "maximum": tollbridge_core::limits::USAGE_DAYS_MAX });
        let text = "Today and so many days before it, today included";
        found.push(json!({ "name": "days", "in": "query", "required": false, "description": text, "schema": schema }));
    }
    found
}

/// The schema of a variable part of a path.
fn part(name: &str) -> Value {
    match name {
        "seal" => json!({ "type": "string", "pattern": "^[0-9a-fA-F]{64}$" }),
        _ => json!({ "type": "string" }),
    }
}

/// Error responses, those of every route included. Codes that share a status
/// share an entry.
fn responses(codes: &[Code]) -> Map<String, Value> {
    let everywhere = [
        Code::KeyInvalid,
        Code::RateLimited,
        Code::Invalid,
        Code::TooLarge,
        Code::MethodNotAllowed,
        Code::Overloaded,
        Code::Internal,
        Code::Blocked,
        Code::NotFound,
    ];
    let mut texts: Map<String, Value> = Map::new();
    for code in everywhere.iter().chain(codes) {
        let (name, status, meaning) = code.parts();
        let line = format!("{name}: {meaning}");
        let slot = texts.entry(status.as_str().to_owned()).or_insert_with(|| Value::String(String::new()));
        if let Value::String(text) = slot
            && !text.contains(&line)
        {
            *text = if text.is_empty() { line } else { format!("{text}; {line}") };
        }
    }
    texts.insert("408".to_owned(), "E011: the body did not arrive in time".into());
    texts.into_iter().map(|(status, text)| (status, error_response(text.as_str().unwrap_or_default()))).collect()
}

fn error_response(text: &str) -> Value {
    json!({
        "description": text,
        "headers": limit_headers(),
        "content": { JSON: { "schema": { "$ref": "#/components/schemas/Error" } } },
    })
}

fn limit_headers() -> Value {
    let integer = |text: &str| json!({ "description": text, "schema": { "type": "integer" } });
    json!({
        "X-RateLimit-Limit-Minute": integer("Requests allowed per minute"),
        "X-RateLimit-Remaining-Minute": integer("Requests left in the current minute"),
        "X-RateLimit-Reset": integer("Unix time in seconds when the window resets"),
        "X-Request-Id": { "description": "Quote this to the operator", "schema": { "type": "string" } },
    })
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
