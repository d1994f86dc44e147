//! `/v1/batches`: OpenAI's batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_access::Principal;
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::list_page::{OpenAiPage, Page, PageNames, PageQuery, short};
use tollbridge_api::operation::Operation;
use tollbridge_batches::limits::FILE_KEPT_MS;
use tollbridge_batches::{BatchEndpoint, BatchView, NewBatch, RequestMark};
use tollbridge_core::time::now_ms;
use tollbridge_ledger::idempotency::IdempotencyKey;
use tollbridge_paywall::call_headers::idempotency_key;
use tollbridge_web::admit::Caller;
use tollbridge_web::body::JsonBody;
use tollbridge_web::{AppState, Path, Routes};

use crate::batch_errors::batches_error;
use crate::chat::is_repeat;
use crate::files::kept_ms;
use crate::limits::{BATCHES_PAGE, BATCHES_PAGE_MAX};

/// Maximum number of pairs in a batch's metadata, as in OpenAI's API.
const BATCH_METADATA_MAX: usize = 16;
/// Maximum length of a key in a batch's metadata.
const BATCH_METADATA_NAME_CHARS_MAX: usize = 64;
/// Maximum length of a value in a batch's metadata.
const BATCH_METADATA_VALUE_CHARS_MAX: usize = 512;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": BATCHES_PAGE_MAX, "default": BATCHES_PAGE });
    let about = "Answers every line of a file within a day, each as a separate request.";
    Routes::new("inference")
        .post(
            "/v1/batches",
            create,
            Operation::new("createBatch", "Begin a batch", about)
                .alias("/api/v1/batches")
                .answer::<BatchView>(200, "The batch")
                .errors(&[Code::IdempotencyReused]),
        )
        .get(
            "/v1/batches",
            index,
            Operation::new("listBatches", "List batches", "The batches of the account, the newest first.")
                .alias("/api/v1/batches")
                .query("after", false, "The id of the batch after which the page starts")
                .query_as("limit", false, "The maximum number to return", &limit)
                .answer::<OpenAiPage<BatchView>>(200, "A page of batches"),
        )
        .get(
            "/v1/batches/{id}",
            show,
            Operation::new("showBatch", "Read a batch", "The state of a batch.")
                .alias("/api/v1/batches/{id}")
                .answer::<BatchView>(200, "The batch"),
        )
        .post(
            "/v1/batches/{id}/cancel",
            cancel,
            Operation::new(
                "cancelBatch",
                "Cancel a batch",
                "Starts no further line. Lines in flight finish; existing answers remain.",
            )
            .alias("/api/v1/batches/{id}/cancel")
            .answer::<BatchView>(200, "The batch"),
        )
}

fn endpoints() -> Vec<&'static str> {
    BatchEndpoint::OPENAI.iter().map(|endpoint| endpoint.as_str()).collect()
}

/// A request to create a batch.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateBatch {
    /// The id of a file with the purpose `batch`.
    input_file_id: String,
    /// The endpoint that every line must use: `/v1/chat/completions`, `/v1/responses`,
    /// `/v1/embeddings` or `/v1/completions`.
    #[schemars(regex(pattern = r"^/v1/(chat/completions|responses|embeddings|completions)$"))]
    endpoint: String,
    /// `24h`.
    #[schemars(regex(pattern = r"^24h$"))]
    completion_window: String,
    /// Up to 16 pairs of strings, returned with the batch.
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    /// Time for which the result files are kept.
    #[serde(default)]
    output_expires_after: Option<ExpiresAfter>,
}

/// The lifetime of a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExpiresAfter {
    /// `created_at`.
    #[schemars(regex(pattern = r"^created_at$"))]
    anchor: String,
    /// Lifetime in seconds, from one hour to 30 days.
    #[schemars(range(min = 3_600, max = 2_592_000))]
    seconds: u64,
}

async fn create(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    headers: HeaderMap,
    JsonBody(asked): JsonBody<CreateBatch>,
) -> Result<Json<BatchView>, ApiError> {
    let endpoint = BatchEndpoint::OPENAI.into_iter().find(|endpoint| endpoint.as_str() == asked.endpoint);
    let endpoint = endpoint.ok_or_else(|| {
        let message =
            format!("endpoint must be one of {}; `{}` is not offered", endpoints().join(", "), short(&asked.endpoint));
        ApiError::invalid("/endpoint", message)
    })?;
    if asked.completion_window != "24h" {
        return Err(ApiError::invalid("/completion_window", "completion_window must be `24h`"));
    }
    let results_kept_ms = match &asked.output_expires_after {
        None => FILE_KEPT_MS,
        Some(ExpiresAfter { anchor, seconds }) if anchor == "created_at" => kept_ms(Some(*seconds))?,
        Some(_) => return Err(ApiError::invalid("/output_expires_after/anchor", "anchor must be `created_at`")),
    };
    let content = serde_json::to_vec(&asked).map_err(|error| internal(&error))?;
    let mark = request_mark(&headers, &content)?;
    let metadata = asked.metadata.unwrap_or_default();
    check_metadata(&metadata)?;
    let new = NewBatch {
        input_file_id: asked.input_file_id,
        endpoint,
        metadata,
        results_kept_ms,
        key: key_of(&principal),
        mark,
    };
    let batch = app.batches.create(&principal.account_id, new, now_ms()).await.map_err(batches_error)?;
    Ok(Json(BatchView::new(batch)))
}

/// Returns the digest of the caller's key, which a batch stores to charge the key later.
pub(crate) fn key_of(principal: &Principal) -> String {
    principal.digest.to_string()
}

/// Returns the data by which a repeat of the request is recognized.
pub(crate) fn request_mark(headers: &HeaderMap, content: &[u8]) -> Result<RequestMark, ApiError> {
    let key = idempotency_key(headers)?.map(IdempotencyKey::parse).transpose();
    let key = key.map_err(|error| ApiError::invalid("", error.to_string()))?;
    Ok(RequestMark::new(key.map(|key| key.as_str().to_owned()), content, is_repeat(headers)))
}

fn check_metadata(metadata: &BTreeMap<String, String>) -> Result<(), ApiError> {
    let is_long = |(name, value): (&String, &String)| {
        name.chars().count() > BATCH_METADATA_NAME_CHARS_MAX || value.chars().count() > BATCH_METADATA_VALUE_CHARS_MAX
    };
    if metadata.len() <= BATCH_METADATA_MAX && !metadata.iter().any(is_long) {
        return Ok(());
    }
    let message = format!(
        "metadata has at most {BATCH_METADATA_MAX} pairs, names of {BATCH_METADATA_NAME_CHARS_MAX} characters and \
         values of {BATCH_METADATA_VALUE_CHARS_MAX}"
    );
    Err(ApiError::invalid("/metadata", message))
}

async fn index(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<OpenAiPage<BatchView>>, ApiError> {
    let query = PageQuery::read(query.as_deref(), PageNames::Batches, BATCHES_PAGE_MAX)?;
    let batches = app.batches.list(&principal.account_id, false).map_err(batches_error)?;
    let (part, has_more) = query.of(&batches, |batch| &batch.id, BATCHES_PAGE)?;
    let batches = part.iter().cloned().map(BatchView::new).collect();
    Ok(Json(Page::new(batches, |batch: &BatchView| Some(&batch.id), has_more).into()))
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<BatchView>, ApiError> {
    let batch = app.batches.find(&principal.account_id, &id, false).map_err(batches_error)?;
    Ok(Json(BatchView::new(batch)))
}

async fn cancel(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<BatchView>, ApiError> {
    let batch = app.batches.cancel(&principal.account_id, &id, false).await.map_err(batches_error)?;
    Ok(Json(BatchView::new(batch)))
}
