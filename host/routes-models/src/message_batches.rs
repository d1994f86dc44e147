//! `/v1/messages/batches`: Anthropic's Message Batches.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::list_page::{Page, PageNames, PageQuery};
use tollbridge_api::operation::Operation;
use tollbridge_batches::MessageBatchView;
use tollbridge_core::time::now_ms;
use tollbridge_web::admit::Caller;
use tollbridge_web::body::JsonRequest;
use tollbridge_web::{AppState, Path, Routes};

use crate::batch_errors::batches_error;
use crate::batches::{key_of, request_mark};
use crate::files::send;
use crate::limits::{BATCHES_PAGE, BATCHES_PAGE_MAX, FILE_BYTES_MAX};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": BATCHES_PAGE_MAX, "default": BATCHES_PAGE });
    let about = "Answers many messages within a day, each as a separate request.";
    Routes::new("inference")
        .post(
            "/v1/messages/batches",
            create,
            Operation::new("createMessageBatch", "Begin a batch of messages", about)
                .alias("/api/v1/messages/batches")
                .body_schema(request_schema())
                .answer::<MessageBatchView>(200, "The batch")
                .errors(&[Code::IdempotencyReused, Code::ContentType]),
        )
        .get(
            "/v1/messages/batches",
            index,
            Operation::new("listMessageBatches", "List batches of messages", "The account's batches, newest first.")
                .alias("/api/v1/messages/batches")
                .query("after_id", false, "The id of the batch after which the page starts")
                .query("before_id", false, "The id of the batch before which the page ends")
                .query_as("limit", false, "The maximum number to return", &limit)
                .answer::<Page<MessageBatchView>>(200, "A page of batches"),
        )
        .get(
            "/v1/messages/batches/{id}",
            show,
            Operation::new("showMessageBatch", "Read a batch of messages", "The state of a batch.")
                .alias("/api/v1/messages/batches/{id}")
                .answer::<MessageBatchView>(200, "The batch"),
        )
        .get(
            "/v1/messages/batches/{id}/results",
            results,
            Operation::new("readMessageBatch", "Results of a batch of messages", "JSON Lines, one line per request.")
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
            .answer::<MessageBatchView>(200, "The batch"),
        )
        .delete(
            "/v1/messages/batches/{id}",
            delete,
            Operation::new("deleteMessageBatch", "Delete a batch of messages", "Deletes an ended batch at once.")
                .alias("/api/v1/messages/batches/{id}")
                .answer::<DeletedBatch>(200, "The batch was deleted"),
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

#[derive(Serialize, JsonSchema)]
struct DeletedBatch {
    id: String,
    #[serde(rename = "type")]
    #[schemars(extend("const" = "message_batch_deleted"))]
    kind: &'static str,
}

async fn create(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Json<MessageBatchView>, ApiError> {
    let mark = request_mark(&headers, &body)?;
    let key = key_of(&principal);
    let created = app.batches.create_of_messages(&principal.account_id, &body, key, mark, now_ms()).await;
    Ok(Json(MessageBatchView::new(&created.map_err(batches_error)?, &app.settings.base_url)))
}

async fn index(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Page<MessageBatchView>>, ApiError> {
    let query = PageQuery::read(query.as_deref(), PageNames::Anthropic, BATCHES_PAGE_MAX)?;
    let batches = app.batches.list(&principal.account_id, true).map_err(batches_error)?;
    let (part, has_more) = query.of(&batches, |batch| &batch.id, BATCHES_PAGE)?;
    let batches = part.iter().map(|batch| MessageBatchView::new(batch, &app.settings.base_url)).collect();
    Ok(Json(Page::new(batches, |batch: &MessageBatchView| Some(&batch.id), has_more)))
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<MessageBatchView>, ApiError> {
    let batch = app.batches.find(&principal.account_id, &id, true).map_err(batches_error)?;
    Ok(Json(MessageBatchView::new(&batch, &app.settings.base_url)))
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
) -> Result<Json<MessageBatchView>, ApiError> {
    let batch = app.batches.cancel(&principal.account_id, &id, true).await.map_err(batches_error)?;
    Ok(Json(MessageBatchView::new(&batch, &app.settings.base_url)))
}

async fn delete(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<DeletedBatch>, ApiError> {
    app.batches.delete(&principal.account_id, &id).await.map_err(batches_error)?;
    Ok(Json(DeletedBatch { id, kind: "message_batch_deleted" }))
}
