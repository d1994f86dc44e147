//! `/v1/webhooks`: registering, listing, testing and deleting webhooks.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_ledger::events;
use tollbridge_web::admit::Manager;
use tollbridge_web::body::JsonBody;
use tollbridge_web::{AppState, Path, Routes};
use tollbridge_webhooks::limits::{WEBHOOK_SECRET_CHARS_MAX, WEBHOOK_SECRET_CHARS_MIN};
use tollbridge_webhooks::{DeliveryCounts, Registration, WebhookView};

use crate::error_mapping::webhooks::webhook_error;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let errors = [Code::AlreadySealed, Code::InProgress];
    Routes::new("webhooks")
        .post(
            "/v1/webhooks",
            register,
            Operation::new(
                "registerWebhook",
                "Register a webhook",
                "Sends events to an address of yours; shows the secret only once.",
            )
            .answer::<RegisteredWebhook>(201, "The webhook and its secret")
            .errors(&errors),
        )
        .get(
            "/v1/webhooks",
            list,
            Operation::new("listWebhooks", "List webhooks", "The webhooks of the account.")
                .answer::<WebhookList>(200, "The webhooks"),
        )
        .post(
            "/v1/webhooks/test",
            test,
            Operation::new("testWebhooks", "Send a test event", "Sends a test event to every webhook of the account.")
                .alias("/api/v1/webhooks/test")
                .answer::<TestEvent>(202, "The event is queued")
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
            .answer::<ShownWebhook>(200, "The webhook"),
        )
        .delete(
            "/v1/webhooks/{id}",
            delete,
            Operation::new("deleteWebhook", "Delete a webhook", "Deletes a webhook and its waiting events.")
                .empty(204, "The webhook was deleted")
                .errors(&errors),
        )
}

#[derive(Serialize, JsonSchema)]
struct RegisteredWebhook {
    #[serde(flatten)]
    webhook: WebhookView,
    /// The secret; shown only here.
    secret: String,
}

#[derive(Serialize, JsonSchema)]
struct WebhookList {
    webhooks: Vec<WebhookView>,
}

#[derive(Serialize, JsonSchema)]
struct ShownWebhook {
    #[serde(flatten)]
    webhook: WebhookView,
    deliveries: DeliveryCounts,
}

#[derive(Serialize, JsonSchema)]
struct TestEvent {
    #[schemars(extend("const" = "queued"))]
    status: &'static str,
    event_id: String,
    /// Ids of the webhooks that receive the test event.
    webhooks: Vec<String>,
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
) -> Result<(StatusCode, Json<RegisteredWebhook>), ApiError> {
    let registration = Registration { url: body.url, events: body.events, secret: body.secret };
    let (endpoint, secret) = app.webhooks.register(&principal.account_id, registration).await.map_err(webhook_error)?;
    Ok((StatusCode::CREATED, Json(RegisteredWebhook { webhook: WebhookView::new(&endpoint), secret })))
}

async fn list(State(app): State<Arc<AppState>>, Manager(principal): Manager) -> Json<WebhookList> {
    let all = app.webhooks.of(&principal.account_id);
    Json(WebhookList { webhooks: all.iter().map(|endpoint| WebhookView::new(endpoint)).collect() })
}

async fn show(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<Json<ShownWebhook>, ApiError> {
    let shown = app.webhooks.show(&principal.account_id, &id).await.map_err(webhook_error)?;
    Ok(Json(ShownWebhook { webhook: WebhookView::new(&shown.endpoint), deliveries: DeliveryCounts::new(&shown) }))
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
) -> Result<(StatusCode, Json<TestEvent>), ApiError> {
    let (event_id, endpoints) = app.webhooks.test(&principal.account_id).await.map_err(webhook_error)?;
    Ok((StatusCode::ACCEPTED, Json(TestEvent { status: "queued", event_id, webhooks: endpoints })))
}
