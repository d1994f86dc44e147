//! Files and batches in the format of OpenAI's and Anthropic's APIs.

use serde_json::{Value, json};
use tollbridge_core::time::rfc3339;

use super::batch::{Batch, BatchStatus};
use super::line::BatchError;
use crate::stored_file::StoredFile;

impl Batch {
    /// Returns the batch in OpenAI's format.
    pub fn openai_view(&self) -> Value {
        let seconds = |time: Option<u64>| time.map(|time| time / 1_000);
        let ended = |status: BatchStatus| seconds(self.times.ended_ms.filter(|_| self.status == status));
        let error = |error: &BatchError| json!({ "code": error.code, "message": error.message, "param": error.param, "line": error.line });
        let errors: Vec<Value> = self.errors.iter().map(error).collect();
        json!({
            "id": self.id,
            "object": "batch",
            "endpoint": self.endpoint.as_str(),
            "errors": (!errors.is_empty()).then(|| json!({ "object": "list", "data": errors })),
            "input_file_id": self.input_file_id,
            "completion_window": "24h",
            "status": self.status.as_str(),
            "output_file_id": self.output_file_id,
            "error_file_id": self.error_file_id,
            "created_at": self.created_ms / 1_000,
            "in_progress_at": seconds(self.times.in_progress_ms),
            "expires_at": self.expires_ms() / 1_000,
            "finalizing_at": seconds(self.times.finalizing_ms),
            "completed_at": ended(BatchStatus::Completed),
            "failed_at": ended(BatchStatus::Failed),
            "expired_at": ended(BatchStatus::Expired),
            "cancelling_at": seconds(self.times.cancelling_ms),
            "cancelled_at": ended(BatchStatus::Cancelled),
            "request_counts": {
                "total": self.counts.total,
                "completed": self.counts.succeeded,
                "failed": self.counts.failed(),
            },
            "metadata": (!self.metadata.is_empty()).then_some(&self.metadata),
        })
    }

    /// Returns the batch in Anthropic's format; the URL of its results begins with
    /// `base_url`.
    pub fn anthropic_view(&self, base_url: &str) -> Value {
        let status = match self.status {
            BatchStatus::Cancelling => "canceling",
            status if status.is_open() => "in_progress",
            _ => "ended",
        };
        let results = format!("{base_url}/v1/messages/batches/{}/results", self.id);
        json!({
            "id": self.id,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": {
                "processing": self.counts.total.saturating_sub(self.counts.done()),
                "succeeded": self.counts.succeeded,
                "errored": self.counts.errored,
                "canceled": self.counts.cancelled,
                "expired": self.counts.expired,
            },
            "created_at": rfc3339(self.created_ms),
            "expires_at": rfc3339(self.expires_ms()),
            "ended_at": self.times.ended_ms.map(rfc3339),
            "cancel_initiated_at": self.times.cancelling_ms.map(rfc3339),
            "archived_at": null,
            "results_url": (status == "ended").then_some(results),
        })
    }
}

impl StoredFile {
    /// Returns the file in OpenAI's format.
    pub fn openai_view(&self) -> Value {
        json!({
            "id": self.id,
            "object": "file",
            "bytes": self.bytes,
            "created_at": self.created_ms / 1_000,
            "expires_at": self.expires_ms / 1_000,
            "filename": self.name,
            "purpose": self.purpose.as_str(),
            "status": "processed",
            "status_details": null,
        })
    }
}
