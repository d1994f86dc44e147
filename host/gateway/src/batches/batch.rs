//! A batch: many requests that are answered within a day, and where it stands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::{BATCH_KEPT_MS, BATCH_WINDOW_MS};
use tollbridge_ledger::idempotency::Digester;

use super::endpoint::BatchEndpoint;
use super::line::BatchError;
use super::line_rows::LineOutcome;

/// Where a batch stands, in OpenAI's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    /// Its lines are looked at.
    Validating,
    /// Its lines were wrong; nothing was asked.
    Failed,
    /// Its lines are answered.
    InProgress,
    /// What is left is written.
    Finalizing,
    /// Every line has its result.
    Completed,
    /// Its time was over before its lines were.
    Expired,
    /// Its account does not want it any more; lines in flight end.
    Cancelling,
    /// Over, for that reason.
    Cancelled,
}

/// A batch. Times are Unix milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// `batch_` or `msgbatch_`, and digits.
    pub id: String,
    /// What its lines ask for.
    pub endpoint: BatchEndpoint,
    /// The file with its lines.
    pub input_file_id: String,
    /// Where it stands.
    pub status: BatchStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<BatchError>,
    /// The file with the lines that were answered, once it is over and there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file_id: Option<String>,
    /// Likewise with those that were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_file_id: Option<String>,
    /// When it was accepted.
    pub created_ms: u64,
    /// When the next steps were made.
    pub times: BatchTimes,
    /// How many lines have which outcome.
    pub counts: BatchCounts,
    /// What its account says about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// The digest of the key that pays.
    pub(crate) key: String,
    /// The id of the file with answers, which has no row before the end.
    pub(crate) output: String,
    /// Likewise of that with errors.
    pub(crate) refused: String,
    /// How long these files are kept.
    pub(crate) results_kept_ms: u64,
    /// What becomes of lines that have no result, once it is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rest: Option<LineOutcome>,
    /// The request that began it.
    pub(crate) request: RequestMark,
}

/// By what a repeat of the request that begins a batch is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMark {
    /// The client's key for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The digest of what is asked for.
    content: String,
    /// Whether a client library says that it repeats itself.
    #[serde(skip)]
    is_repeat: bool,
}

/// What an earlier request is to a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeated {
    /// The same.
    Same,
    /// Another one, under the same key.
    KeyReused,
    /// Another one.
    No,
}

/// When a batch made its steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchTimes {
    /// Its lines were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_progress_ms: Option<u64>,
    /// The last line ended, or none was begun any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalizing_ms: Option<u64>,
    /// Its account did not want it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelling_ms: Option<u64>,
    /// It was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
}

/// Lines of a batch, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchCounts {
    /// All of them; none while they are looked at.
    pub total: u64,
    /// Answered.
    pub succeeded: u64,
    /// Refused, or without an answer from any provider.
    pub errored: u64,
    /// Not asked, because the batch was cancelled.
    pub cancelled: u64,
    /// Not asked, because the time was over.
    pub expired: u64,
}

impl RequestMark {
    /// Of a request with this content.
    pub fn new(key: Option<String>, content: &[u8], is_repeat: bool) -> Self {
        let digest = Digester::new("tollbridge batch request v1").rest(content).finish();
        Self { key, content: hex::encode(digest), is_repeat }
    }

    /// Whether there may be an earlier one.
    pub(super) const fn may_repeat(&self) -> bool {
        self.key.is_some() || self.is_repeat
    }

    /// What an earlier request is to this one; `is_recent` when it was a moment ago.
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
    /// As OpenAI's clients read it.
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

    /// Whether it may still change.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Validating | Self::InProgress | Self::Finalizing | Self::Cancelling)
    }
}

impl Batch {
    /// When its lines must be done.
    pub const fn expires_ms(&self) -> u64 {
        self.created_ms.saturating_add(BATCH_WINDOW_MS)
    }

    /// When it is forgotten.
    pub(crate) const fn forgotten_ms(&self) -> u64 {
        self.created_ms.saturating_add(BATCH_KEPT_MS)
    }

    /// Whether it is of Anthropic's kind.
    pub fn is_of_messages(&self) -> bool {
        self.endpoint == BatchEndpoint::Messages
    }

    /// The status at its end, by what became of the lines that were not asked.
    pub(super) const fn final_status(&self) -> BatchStatus {
        match self.rest {
            Some(LineOutcome::Cancelled) => BatchStatus::Cancelled,
            Some(LineOutcome::Expired) => BatchStatus::Expired,
            _ => BatchStatus::Completed,
        }
    }
}

impl BatchCounts {
    /// Lines that have a result.
    pub fn done(&self) -> u64 {
        self.succeeded.saturating_add(self.failed())
    }

    /// Lines that have a result but no answer.
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
