//! `/v1/webhooks`: endpoints, their secrets, attempts and replay.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::admit::Manager;
use crate::body::{JsonBody, JsonBytes, RawBytes};
use crate::error::{ApiError, Code};
use crate::error_mapping::webhooks::webhook_error;
use crate::openapi::operation;
use crate::openapi::operation::{Operation, boolean, integer, nullable, object, text, time};
use crate::openapi::routes::Routes;
use crate::path::Path;
use crate::state::AppState;
use crate::time::rfc3339;
use tollbridge_core::clock::now_ms;
use tollbridge_core::limits::{WEBHOOK_OVERLAP_MS_MAX, WEBHOOK_SECRET_BYTES_MAX, WEBHOOK_SECRET_BYTES_MIN};
use tollbridge_ledger::events;
use tollbridge_webhooks::{Attempt, Endpoint, OVERLAP_MS, Registration, Replay, Shown};

pub fn routes() -> Routes {
    let errors = [Code::AlreadySealed, Code::InProgress];
    let endpoint = || object(&endpoint_members());
    let routes = Routes::new("webhooks")
        .post(
            "/v1/webhooks",
            register,
            Operation::new(
                "registerWebhook",
                "Register a webhook",
                "Sends events to an address of yours; shows the secret, this once.",
            )
            .answer_schema(201, "The webhook and its secret", endpoint())
            .errors(&errors),
        )
        .get(
            "/v1/webhooks",
            list,
            Operation::new("listWebhooks", "List webhooks", "The webhooks of the account.").members(
                200,
                "The webhooks",
                &json!({ "webhooks": operation::list(&endpoint()) }),
            ),
        )
        .post(
            "/v1/webhooks/test",
            test,
            Operation::new("testWebhooks", "Send a test event", "Sends a test event to every webhook of the account.")
                .alias("/api/v1/webhooks/test")
                .members(
                    202,
                    "The event is queued",
                    &json!({ "status": text(), "event_id": text(), "webhooks": integer() }),
                )
                .errors(&errors),
        )
        .get(
            "/v1/webhooks/{id}",
            show,
            Operation::new(
                "showWebhook",
                "Show a webhook",
                "One webhook with how many deliveries arrived, wait and failed.",
            )
            .answer_schema(200, "The webhook", endpoint()),
        )
        .delete(
            "/v1/webhooks/{id}",
            delete,
            Operation::new("deleteWebhook", "Delete a webhook", "Deletes a webhook and what waits for it.")
                .empty(204, "The webhook is gone")
                .errors(&errors),
        );
    deliveries(routes)
}

/// What becomes of deliveries to one endpoint.
fn deliveries(routes: Routes) -> Routes {
    let errors = [Code::AlreadySealed, Code::InProgress];
    routes
        .post(
            "/v1/webhooks/{id}/secret",
            roll,
            Operation::new(
                "rollWebhookSecret",
                "Replace a secret",
                "Makes a new secret; the old one signs beside it for a while.",
            )
            .optional_body::<RollBody>()
            .members(200, "The new secret", &json!({ "id": text(), "secret": text(), "previous_signs_until": time() }))
            .errors(&errors),
        )
        .post(
            "/v1/webhooks/{id}/enable",
            enable,
            Operation::new("enableWebhook", "Enable a webhook", "Sends again to a receiver that had answered 410.")
                .empty(204, "Events are sent again")
                .errors(&errors),
        )
        .get(
            "/v1/webhooks/{id}/attempts",
            attempts,
            Operation::new("listWebhookAttempts", "List attempts", "The latest attempts, newest first.").members(
                200,
                "The attempts",
                &json!({ "attempts": operation::list(&json!({ "type": "object" })) }),
            ),
        )
        .post(
            "/v1/webhooks/{id}/replay",
            replay,
            Operation::new(
                "replayWebhook",
                "Send again",
                "Sends again: one event, what was given up, or all since a time.",
            )
            .members(202, "The events are queued", &json!({ "queued": integer() }))
            .errors(&errors),
        )
        .post(
            "/v1/webhooks/{id}/verify",
            verify,
            Operation::new(
                "verifyWebhook",
                "Check a signature",
                "Whether the signature header of this request is that of its body.",
            )
            .members(200, "The signature is right", &json!({ "valid": boolean() }))
            .errors(&[Code::EventSignature]),
        )
}

fn endpoint_members() -> Value {
    json!({
        "id": text(),
        "url": text(),
        "events": operation::list(&text()),
        "created_at": time(),
        "status": { "enum": ["enabled", "disabled"] },
        "disabled_because": nullable(text()),
    })
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewWebhook")]
#[serde(deny_unknown_fields)]
struct RegisterBody {
    #[schemars(url)]
    url: String,
    #[schemars(schema_with = "events_schema")]
    events: Vec<String>,
    #[schemars(length(min = WEBHOOK_SECRET_BYTES_MIN, max = WEBHOOK_SECRET_BYTES_MAX))]
    secret: Option<String>,
}

fn events_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = events::ALL.iter().map(|(name, _)| *name).chain(["*"]).collect();
    json_schema!({ "type": "array", "minItems": 1, "items": { "enum": names } })
}

async fn register(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    JsonBody(body): JsonBody<RegisterBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let wish = Registration { url: body.url, events: body.events, secret: body.secret };
    let (endpoint, secret) = app.webhooks.register(&principal.account_id, wish).await.map_err(webhook_error)?;
    let mut shown = view(&endpoint);
    insert(&mut shown, "secret", secret.into());
    Ok((StatusCode::CREATED, Json(shown)))
}

async fn list(State(app): State<Arc<AppState>>, Manager(principal): Manager) -> Json<Value> {
    let all = app.webhooks.of(&principal.account_id);
    Json(json!({ "webhooks": all.iter().map(|endpoint| view(endpoint)).collect::<Vec<_>>() }))
}

async fn show(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let Shown { endpoint, standing, missed } =
        app.webhooks.show(&principal.account_id, &id).await.map_err(webhook_error)?;
    let mut shown = view(&endpoint);
    let counts = json!({
        "delivered": standing.delivered,
        "waiting": standing.waiting,
        "dead": standing.dead,
        "missed": missed,
        "failing": standing.failing,
    });
    insert(&mut shown, "deliveries", counts);
    Ok(Json(shown))
}

async fn delete(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.webhooks.delete(&principal.account_id, &id).await.map_err(webhook_error)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "RollSecret")]
#[serde(deny_unknown_fields)]
struct RollBody {
    #[schemars(length(min = WEBHOOK_SECRET_BYTES_MIN, max = WEBHOOK_SECRET_BYTES_MAX))]
    secret: Option<String>,
    /// How long the old secret signs too, milliseconds.
    #[schemars(range(max = WEBHOOK_OVERLAP_MS_MAX))]
    overlap_ms: Option<u64>,
}

async fn roll(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<Value>, ApiError> {
    let body: RollBody = optional(&bytes)?;
    let overlap = body.overlap_ms.unwrap_or(OVERLAP_MS);
    let secret = app.webhooks.roll(&principal.account_id, &id, body.secret, overlap).await.map_err(webhook_error)?;
    let until = rfc3339(now_ms().saturating_add(overlap));
    Ok(Json(json!({ "id": id, "secret": secret, "previous_signs_until": until })))
}

async fn enable(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.webhooks.enable(&principal.account_id, &id).await.map_err(webhook_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The latest attempts, the newest first.
async fn attempts(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let shown = app.webhooks.show(&principal.account_id, &id).await.map_err(webhook_error)?;
    let attempts: Vec<Value> = shown.standing.attempts.iter().rev().map(attempt_view).collect();
    Ok(Json(json!({ "attempts": attempts })))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Replay")]
#[serde(deny_unknown_fields)]
struct ReplayBody {
    event_id: Option<String>,
    #[serde(default)]
    dead: bool,
    since_ms: Option<u64>,
}

async fn replay(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<ReplayBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let what = match body {
        ReplayBody { event_id: Some(id), dead: false, since_ms: None } => Replay::Event(id),
        ReplayBody { event_id: None, dead: true, since_ms: None } => Replay::Dead,
        ReplayBody { event_id: None, dead: false, since_ms: Some(since) } => Replay::Since(since),
        _ => return Err(ApiError::invalid("", "name exactly one of event_id, dead: true and since_ms")),
    };
    let queued = app.webhooks.replay(&principal.account_id, &id, &what).await.map_err(webhook_error)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "queued": queued }))))
}

/// Whether the signature header of this request is that of its body: what a
/// receiver that sees mismatches can compare itself with.
async fn verify(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Json<Value>, ApiError> {
    let name = &app.settings.signature_header;
    let given = headers.get(name).and_then(|value| value.to_str().ok());
    let wrong = |message: String| ApiError::new(Code::EventSignature, message);
    let given = given.ok_or_else(|| wrong(format!("send the signature as the header {name}")))?;
    match app.webhooks.verifies(&principal.account_id, &id, &body, given).map_err(webhook_error)? {
        true => Ok(Json(json!({ "valid": true }))),
        false => Err(wrong(
            "webhook signature invalid; recompute the lower-case hex HMAC-SHA256 of the raw body with the webhook secret"
                .to_owned(),
        )),
    }
}

async fn test(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (event_id, endpoints) = app.webhooks.test(&principal.account_id).await.map_err(webhook_error)?;
    let body = json!({ "status": "queued", "event_id": event_id, "webhooks": endpoints });
    Ok((StatusCode::ACCEPTED, Json(body)))
}

fn optional<T: Default + serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.is_empty() {
        return Ok(T::default());
    }
    crate::body::parse(bytes)
}

fn view(endpoint: &Endpoint) -> Value {
    json!({
        "id": endpoint.id,
        "url": endpoint.url,
        "events": endpoint.events,
        "created_at": rfc3339(endpoint.created_ms),
        "status": if endpoint.disabled.is_some() { "disabled" } else { "enabled" },
        "disabled_because": endpoint.disabled,
    })
}

fn attempt_view(attempt: &Attempt) -> Value {
    json!({
        "event_id": attempt.event_id,
        "event": attempt.event,
        "attempt": attempt.number,
        "at": rfc3339(attempt.time_ms),
        "duration_ms": attempt.duration_ms,
        "status": attempt.status,
        "error": attempt.error,
        "next_at": attempt.next_ms.map(rfc3339),
    })
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
