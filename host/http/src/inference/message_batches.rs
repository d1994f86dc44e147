//! `/v1/messages/batches`: Anthropic's Message Batches.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::{Operation, boolean, integer, list, nullable, object, text, time};
use tollbridge_core::limits::{BATCHES_PAGE, BATCHES_PAGE_MAX, FILE_BYTES_MAX};
use tollbridge_core::time::now_ms;
use tollbridge_gateway::Batch;

use crate::admit::Caller;
use crate::body::JsonRequest;
use crate::inference::batches::{batches_error, key_of, request_mark};
use crate::inference::files::send;
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;
use tollbridge_api::list_page::{PageNames, PageQuery, page};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": BATCHES_PAGE_MAX, "default": BATCHES_PAGE });
    let pages = json!({
        "data": list(&object(&batch_members())),
        "first_id": { "type": ["string", "null"] },
        "last_id": { "type": ["string", "null"] },
        "has_more": boolean(),
    });
    let about = "Answers many messages within a day, each as a separate request.";
    Routes::new("inference")
        .post(
            "/v1/messages/batches",
            create,
            Operation::new("createMessageBatch", "Begin a batch of messages", about)
                .alias("/api/v1/messages/batches")
                .body_schema(request_schema())
                .members(200, "The batch", &batch_members())
                .errors(&[Code::IdempotencyReused, Code::ContentType]),
        )
        .get(
            "/v1/messages/batches",
            index,
            Operation::new("listMessageBatches", "List batches of messages", "The account's batches, newest first.")
                .alias("/api/v1/messages/batches")
                .query("after_id", false, "The id of a batch; those behind it are listed")
                .query("before_id", false, "The id of a batch; those before it are listed")
                .query_as("limit", false, "The maximum number to return", &limit)
                .answer_schema(200, "A page of batches", object(&pages)),
        )
        .get(
            "/v1/messages/batches/{id}",
            show,
            Operation::new("showMessageBatch", "Read a batch of messages", "The state of a batch.")
                .alias("/api/v1/messages/batches/{id}")
                .members(200, "The batch", &batch_members()),
        )
        .get(
            "/v1/messages/batches/{id}/results",
            results,
            Operation::new("readMessageBatch", "Results of a batch of messages", "JSON Lines, one for each request.")
                .alias("/api/v1/messages/batches/{id}/results")
                .bytes(200, "The results", "application/x-jsonl"),
        )
        .post(
            "/v1/messages/batches/{id}/cancel",
            cancel,
            Operation::new(
                "cancelMessageBatch",
                "Cancel a batch of messages",
                "Starts no further request. Requests in flight finish; existing answers remain.",
            )
            .alias("/api/v1/messages/batches/{id}/cancel")
            .members(200, "The batch", &batch_members()),
        )
        .delete(
            "/v1/messages/batches/{id}",
            delete,
            Operation::new("deleteMessageBatch", "Delete a batch of messages", "Deletes an ended batch at once.")
                .alias("/api/v1/messages/batches/{id}")
                .members(
                    200,
                    "The batch was deleted",
                    &json!({ "id": text(), "type": { "const": "message_batch_deleted" } }),
                ),
        )
        .body_limit(FILE_BYTES_MAX)
}

fn request_schema() -> Value {
    let request = json!({
        "type": "object",
        "required": ["custom_id", "params"],
        "additionalProperties": false,
        "properties": {
            "custom_id": { "type": "string", "minLength": 1, "maxLength": 256 },
            "params": { "type": "object", "description": "A request to /v1/messages, not streamed" },
        },
    });
    json!({
        "type": "object",
        "required": ["requests"],
        "additionalProperties": false,
        "properties": { "requests": { "type": "array", "minItems": 1, "maxItems": 10_000, "items": request } },
    })
}

fn batch_members() -> Value {
    let counts = json!({
        "processing": integer(),
        "succeeded": integer(),
        "errored": integer(),
        "canceled": integer(),
        "expired": integer(),
    });
    json!({
        "id": text(),
        "type": { "const": "message_batch" },
        "processing_status": { "enum": ["in_progress", "canceling", "ended"] },
        "request_counts": object(&counts),
        "created_at": time(),
        "expires_at": time(),
        "ended_at": nullable(time()),
        "cancel_initiated_at": nullable(time()),
        "archived_at": { "type": "null" },
        "results_url": nullable(text()),
    })
}

async fn create(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Json<Value>, ApiError> {
    let mark = request_mark(&headers, &body)?;
    let key = key_of(&principal);
    let created = app.batches.create_of_messages(&principal.account_id, &body, key, mark, now_ms()).await;
    Ok(Json(view(&app, &created.map_err(batches_error)?)))
}

async fn index(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, ApiError> {
    let query = PageQuery::read(query.as_deref(), PageNames::Anthropic, BATCHES_PAGE_MAX)?;
    let batches = app.batches.list(&principal.account_id, true).map_err(batches_error)?;
    let (part, has_more) = query.of(&batches, |batch| &batch.id, BATCHES_PAGE)?;
    Ok(Json(page(part.iter().map(|batch| view(&app, batch)).collect(), has_more)))
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let batch = app.batches.find(&principal.account_id, &id, true).map_err(batches_error)?;
    Ok(Json(view(&app, &batch)))
}

async fn results(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let files = app.batches.results(&principal.account_id, &id).map_err(batches_error)?;
    Ok(send(&app, &principal.account_id, &files, "application/x-jsonl"))
}

async fn cancel(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let batch = app.batches.cancel(&principal.account_id, &id, true).await.map_err(batches_error)?;
    Ok(Json(view(&app, &batch)))
}

async fn delete(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    app.batches.delete(&principal.account_id, &id).await.map_err(batches_error)?;
    Ok(Json(json!({ "id": id, "type": "message_batch_deleted" })))
}

fn view(app: &AppState, batch: &Batch) -> Value {
    batch.anthropic_view(&app.settings.base_url)
}
