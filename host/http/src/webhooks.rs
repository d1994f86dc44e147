//! `/v1/webhooks`: registering, listing, testing and deleting webhooks.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation;
use tollbridge_api::operation::{Operation, nullable, object, text, time};
use tollbridge_core::limits::{WEBHOOK_SECRET_CHARS_MAX, WEBHOOK_SECRET_CHARS_MIN};
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::events;
use tollbridge_webhooks::{EndpointView, Registration, WebhookEndpoint};

use crate::admit::Manager;
use crate::body::JsonBody;
use crate::error_mapping::webhooks::webhook_error;
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let errors = [Code::AlreadySealed, Code::InProgress];
    let endpoint = || object(&endpoint_members());
    Routes::new("webhooks")
        .post(
            "/v1/webhooks",
            register,
            Operation::new(
                "registerWebhook",
                "Register a webhook",
                "Sends events to an address of yours; shows the secret only once.",
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
                    &json!({ "status": text(), "event_id": text(), "webhooks": operation::list(&text()) }),
                )
                .errors(&errors),
        )
        .get(
            "/v1/webhooks/{id}",
            show,
            Operation::new(
                "showWebhook",
                "Show a webhook",
                "One webhook, with its numbers of delivered, waiting and failed events.",
            )
            .answer_schema(200, "The webhook", endpoint()),
        )
        .delete(
            "/v1/webhooks/{id}",
            delete,
            Operation::new("deleteWebhook", "Delete a webhook", "Deletes a webhook and its waiting events.")
                .empty(204, "The webhook was deleted")
                .errors(&errors),
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
    #[schemars(length(min = WEBHOOK_SECRET_CHARS_MIN, max = WEBHOOK_SECRET_CHARS_MAX))]
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
    let registration = Registration { url: body.url, events: body.events, secret: body.secret };
    let (endpoint, secret) = app.webhooks.register(&principal.account_id, registration).await.map_err(webhook_error)?;
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
    let EndpointView { endpoint, progress, missed } =
        app.webhooks.show(&principal.account_id, &id).await.map_err(webhook_error)?;
    let mut shown = view(&endpoint);
    let counts = json!({
        "delivered": progress.delivered,
        "waiting": progress.waiting,
        "dead": progress.dead,
        "missed": missed,
        "failing": progress.failing,
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

async fn test(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (event_id, endpoints) = app.webhooks.test(&principal.account_id).await.map_err(webhook_error)?;
    let body = json!({ "status": "queued", "event_id": event_id, "webhooks": endpoints });
    Ok((StatusCode::ACCEPTED, Json(body)))
}

fn view(endpoint: &WebhookEndpoint) -> Value {
    json!({
        "id": endpoint.id,
        "url": endpoint.url,
        "events": endpoint.events,
        "created_at": rfc3339(endpoint.created_ms),
        "status": if endpoint.disabled.is_some() { "disabled" } else { "enabled" },
        "disabled_because": endpoint.disabled,
    })
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
