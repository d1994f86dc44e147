//! Files and batches in the format of OpenAI's and Anthropic's APIs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::timestamp::Timestamp;

use super::batch::{Batch, BatchStatus};
use super::endpoint::BatchEndpoint;
use super::line::BatchError;
use super::stored_file::StoredFile;

/// A file, without its content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "File")]
pub struct FileView {
    /// The id.
    pub id: String,
    #[schemars(extend("const" = "file"))]
    object: &'static str,
    bytes: u64,
    /// Unix time in seconds.
    created_at: u64,
    /// Unix time in seconds.
    expires_at: u64,
    filename: String,
    #[schemars(extend("enum" = ["batch", "batch_output"]))]
    purpose: &'static str,
    #[schemars(extend("const" = "processed"))]
    status: &'static str,
    status_details: (),
}

impl FileView {
    /// Creates the view of a file.
    pub fn new(file: StoredFile) -> Self {
        Self {
            id: file.id,
            object: "file",
            bytes: file.bytes,
            created_at: file.created_ms / 1_000,
            expires_at: file.expires_ms / 1_000,
            filename: file.name,
            purpose: file.purpose.as_str(),
            status: "processed",
            status_details: (),
        }
    }
}

/// A batch. Times are Unix times in seconds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Batch")]
pub struct BatchView {
    /// The id.
    pub id: String,
    #[schemars(extend("const" = "batch"))]
    object: &'static str,
    #[schemars(extend("enum" = BatchEndpoint::OPENAI.map(BatchEndpoint::as_str)))]
    endpoint: &'static str,
    errors: Option<BatchErrors>,
    input_file_id: String,
    #[schemars(extend("const" = "24h"))]
    completion_window: &'static str,
    status: &'static str,
    output_file_id: Option<String>,
    error_file_id: Option<String>,
    created_at: u64,
    in_progress_at: Option<u64>,
    expires_at: u64,
    finalizing_at: Option<u64>,
    completed_at: Option<u64>,
    failed_at: Option<u64>,
    expired_at: Option<u64>,
    cancelling_at: Option<u64>,
    cancelled_at: Option<u64>,
    request_counts: LineCounts,
    metadata: Option<BTreeMap<String, String>>,
}

#[derive(Serialize, JsonSchema)]
struct BatchErrors {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    data: Vec<LineError>,
}

/// An error in a line, or in the file as a whole.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchError")]
struct LineError {
    code: String,
    message: String,
    param: Option<String>,
    line: Option<u64>,
}

/// Lines by outcome.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchCounts")]
struct LineCounts {
    total: u64,
    completed: u64,
    failed: u64,
}

impl BatchView {
    /// Creates the view of a batch.
    pub fn new(batch: Batch) -> Self {
        let seconds = |time: Option<u64>| time.map(|time| time / 1_000);
        let ended = |status: BatchStatus| seconds(batch.times.ended_ms.filter(|_| batch.status == status));
        let error = |error: BatchError| LineError {
            code: error.code,
            message: error.message,
            param: error.param,
            line: error.line,
        };
        Self {
            object: "batch",
            endpoint: batch.endpoint.as_str(),
            completion_window: "24h",
            status: batch.status.as_str(),
            created_at: batch.created_ms / 1_000,
            in_progress_at: seconds(batch.times.in_progress_ms),
            expires_at: batch.expires_ms() / 1_000,
            finalizing_at: seconds(batch.times.finalizing_ms),
            completed_at: ended(BatchStatus::Completed),
            failed_at: ended(BatchStatus::Failed),
            expired_at: ended(BatchStatus::Expired),
            cancelling_at: seconds(batch.times.cancelling_ms),
            cancelled_at: ended(BatchStatus::Cancelled),
            request_counts: LineCounts {
                total: batch.counts.total,
                completed: batch.counts.succeeded,
                failed: batch.counts.failed(),
            },
            errors: (!batch.errors.is_empty())
                .then(|| BatchErrors { object: "list", data: batch.errors.into_iter().map(error).collect() }),
            metadata: Some(batch.metadata).filter(|metadata| !metadata.is_empty()),
            id: batch.id,
            input_file_id: batch.input_file_id,
            output_file_id: batch.output_file_id,
            error_file_id: batch.error_file_id,
        }
    }
}

/// A batch of messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageBatch")]
pub struct MessageBatchView {
    /// The id.
    pub id: String,
    #[serde(rename = "type")]
    #[schemars(extend("const" = "message_batch"))]
    kind: &'static str,
    #[schemars(extend("enum" = ["in_progress", "canceling", "ended"]))]
    processing_status: &'static str,
    request_counts: RequestCounts,
    created_at: Timestamp,
    expires_at: Timestamp,
    ended_at: Option<Timestamp>,
    cancel_initiated_at: Option<Timestamp>,
    archived_at: (),
    results_url: Option<String>,
}

/// Requests by outcome.
#[derive(Serialize, JsonSchema)]
struct RequestCounts {
    processing: u64,
    succeeded: u64,
    errored: u64,
    canceled: u64,
    expired: u64,
}

impl MessageBatchView {
    /// Creates the view of a batch, whose results are below `base_url`.
    pub fn new(batch: &Batch, base_url: &str) -> Self {
        let processing_status = match batch.status {
            BatchStatus::Cancelling => "canceling",
            status if status.is_open() => "in_progress",
            _ => "ended",
        };
        let results_url = format!("{base_url}/v1/messages/batches/{}/results", batch.id);
        Self {
            id: batch.id.clone(),
            kind: "message_batch",
            processing_status,
            request_counts: RequestCounts {
                processing: batch.counts.total.saturating_sub(batch.counts.done()),
                succeeded: batch.counts.succeeded,
                errored: batch.counts.errored,
                canceled: batch.counts.cancelled,
                expired: batch.counts.expired,
            },
            created_at: Timestamp::from_ms(batch.created_ms),
            expires_at: Timestamp::from_ms(batch.expires_ms()),
            ended_at: batch.times.ended_ms.map(Timestamp::from_ms),
            cancel_initiated_at: batch.times.cancelling_ms.map(Timestamp::from_ms),
            archived_at: (),
            results_url: (processing_status == "ended").then_some(results_url),
        }
    }
}
