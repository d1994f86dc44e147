//! A batch: many requests that are answered within a day, and its progress.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::idempotency::Digester;

use super::endpoint::BatchEndpoint;
use super::line::BatchError;
use super::line_outcome::LineOutcome;
use crate::limits::BATCH_WINDOW_MS;

/// Retention of a batch.
const BATCH_KEPT_MS: u64 = 30 * DAY_MS;

/// The status of a batch, with OpenAI's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    /// The lines are being checked.
    Validating,
    /// Some lines were invalid; no request was sent.
    Failed,
    /// The lines are being answered.
    InProgress,
    /// The remaining results are being written.
    Finalizing,
    /// Every line has its result.
    Completed,
    /// The completion window ended before all lines were answered.
    Expired,
    /// The account cancelled the batch; lines in flight are being finished.
    Cancelling,
    /// The account cancelled the batch, and it has ended.
    Cancelled,
}

/// A batch. Times are Unix milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// `batch_` or `msgbatch_`, and hexadecimal digits.
    pub id: String,
    /// The endpoint that the batch's lines call.
    pub endpoint: BatchEndpoint,
    /// The id of the file with the batch's lines.
    pub input_file_id: String,
    /// The status of the batch.
    pub status: BatchStatus,
    /// The errors because of which the batch failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<BatchError>,
    /// The id of the file with the answered lines; `None` until the batch has ended, and
    /// if no line was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file_id: Option<String>,
    /// The id of the file with the lines that were not answered; `None` until the batch
    /// has ended, and if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_file_id: Option<String>,
    /// Creation time.
    pub created_ms: u64,
    /// Times of the steps after creation.
    pub times: BatchTimes,
    /// Line counts by outcome.
    pub counts: BatchCounts,
    /// Metadata set by the account.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// The digest of the API key that pays.
    pub(crate) key: String,
    /// The id of the file with the answers; the file's row is written when the batch
    /// ends.
    pub(crate) output: String,
    /// The id of the file with the errors; the file's row is written when the batch ends.
    pub(crate) refused: String,
    /// The time for which the result files are kept, in milliseconds.
    pub(crate) results_kept_ms: u64,
    /// The outcome to record for every line without a result; `None` until the batch is
    /// being finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rest: Option<LineOutcome>,
    /// The identity of the request that created the batch.
    pub(crate) request: RequestMark,
}

/// The data by which a repeat of the request that creates a batch is recognized.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMark {
    /// The client's idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The digest of the request's content.
    content: String,
    /// Whether the client library marked the request as a retry.
    #[serde(skip)]
    is_repeat: bool,
}

/// The relation of a request to an earlier request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeated {
    /// The request is a repeat of the earlier one.
    Same,
    /// The request is different but has the same idempotency key.
    KeyReused,
    /// The request is different.
    No,
}

/// Times at which the steps of a batch were reached, Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchTimes {
    /// Time at which all lines had been checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_progress_ms: Option<u64>,
    /// Time at which the last line ended, or the batch stopped starting lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalizing_ms: Option<u64>,
    /// Time at which the account cancelled the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelling_ms: Option<u64>,
    /// Time at which the batch ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
}

/// Lines of a batch by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchCounts {
    /// Number of all lines; zero until they have been checked.
    pub total: u64,
    /// Number of answered lines.
    pub succeeded: u64,
    /// Number of lines that were refused or that no provider answered.
    pub errored: u64,
    /// Number of lines that were not sent because the batch was cancelled.
    pub cancelled: u64,
    /// Number of lines that were not sent because the completion window had ended.
    pub expired: u64,
}

impl RequestMark {
    /// Creates the data that identifies repeats of a request. `content` is the request's
    /// body; `is_repeat` says whether the client library marked the request as a retry.
    pub fn new(key: Option<String>, content: &[u8], is_repeat: bool) -> Self {
        let digest = Digester::new("tollbridge batch request v1").rest(content).finish();
        Self { key, content: hex::encode(digest), is_repeat }
    }

    /// Returns whether the request may be a repeat of an earlier one.
    pub(super) const fn may_repeat(&self) -> bool {
        self.key.is_some() || self.is_repeat
    }

    /// Compares this request with an earlier one; `is_recent` says whether the earlier
    /// one was sent moments ago.
    pub(super) fn repeats(&self, earlier: &Self, is_recent: bool) -> Repeated {
        let is_same = earlier.content == self.content;
        match (self.key.is_some() && earlier.key == self.key, is_same) {
            (true, true) => Repeated::Same,
            (true, false) => Repeated::KeyReused,
            (false, true) if self.is_repeat && is_recent => Repeated::Same,
            (false, _) => Repeated::No,
        }
    }
}

impl BatchStatus {
    /// Returns the name of the status in OpenAI's API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validating => "validating",
            Self::Failed => "failed",
            Self::InProgress => "in_progress",
            Self::Finalizing => "finalizing",
            Self::Completed => "completed",
            Self::Expired => "expired",
            Self::Cancelling => "cancelling",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns whether the status may still change.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Validating | Self::InProgress | Self::Finalizing | Self::Cancelling)
    }
}

impl Batch {
    /// Returns the end of the batch's completion window.
    pub const fn expires_ms(&self) -> u64 {
        self.created_ms.saturating_add(BATCH_WINDOW_MS)
    }

    /// Returns the time at which the batch is deleted.
    pub(crate) const fn delete_at_ms(&self) -> u64 {
        self.created_ms.saturating_add(BATCH_KEPT_MS)
    }

    /// Returns whether the batch was created in Anthropic's API.
    pub fn is_of_messages(&self) -> bool {
        self.endpoint == BatchEndpoint::Messages
    }

    /// Returns the status with which the batch ends, depending on the outcome of the
    /// lines that were not sent.
    pub(super) const fn final_status(&self) -> BatchStatus {
        match self.rest {
            Some(LineOutcome::Cancelled) => BatchStatus::Cancelled,
            Some(LineOutcome::Expired) => BatchStatus::Expired,
            _ => BatchStatus::Completed,
        }
    }
}

impl BatchCounts {
    /// Returns the number of lines that have a result.
    pub fn done(&self) -> u64 {
        self.succeeded.saturating_add(self.failed())
    }

    /// Returns the number of lines whose result is not an answer.
    pub fn failed(&self) -> u64 {
        self.errored.saturating_add(self.cancelled).saturating_add(self.expired)
    }

    pub(super) fn add(&mut self, outcome: LineOutcome) {
        let count = match outcome {
            LineOutcome::Succeeded => &mut self.succeeded,
            LineOutcome::Errored => &mut self.errored,
            LineOutcome::Cancelled => &mut self.cancelled,
            LineOutcome::Expired => &mut self.expired,
        };
        *count = count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_known_by_key_or_by_content() {
        let of = |key: Option<&str>, content: &str, is_repeat| {
            RequestMark::new(key.map(str::to_owned), content.as_bytes(), is_repeat)
        };
        let first = of(Some("k"), "a", false);
        assert_eq!(of(Some("k"), "a", false).repeats(&first, false), Repeated::Same);
        assert_eq!(of(Some("k"), "b", true).repeats(&first, true), Repeated::KeyReused);
        assert_eq!(of(None, "a", true).repeats(&first, true), Repeated::Same);
        assert_eq!(of(None, "a", true).repeats(&first, false), Repeated::No);
        assert_eq!(of(None, "a", false).repeats(&first, true), Repeated::No);
        assert_eq!(of(None, "a", false).repeats(&of(None, "a", false), true), Repeated::No);
    }
}
