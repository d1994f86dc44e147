//! One atomic change: what is written, and under which conditions.

use std::borrow::Cow;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::collection::Collection;
use crate::outbox_event::{OutboxEvent, OutboxPrune};
use crate::sealing::{Draft, Hash};

/// What must be true of a row for a put to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Whatever is there is replaced.
    Any,
    /// There is no such row yet.
    Absent,
    /// There is no such row yet, or it is as it is to be: whoever writes it again
    /// changes nothing.
    AbsentOrSame,
    /// The row is exactly these bytes.
    Exactly(Vec<u8>),
}

/// One row to write; `value: None` removes it.
#[derive(Clone, Debug)]
pub struct Put {
    /// Where the row is.
    pub collection: Collection,
    /// Key of the row.
    pub key: String,
    /// Its new bytes; `None` removes it.
    pub value: Option<Vec<u8>>,
    /// What must be true of the row before.
    pub expect: Expect,
}

/// The answer to a paid call, kept for a while in case it is lost on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAnswer {
    /// Handle of the intent that paid, if one did.
    pub intent: Option<String>,
    /// Digest of method, path and body: the same key with another is misuse.
    #[serde(with = "crate::hexed")]
    pub fingerprint: Hash,
    /// Media type of the body.
    pub content_type: Cow<'static, str>,
    /// Unix time in milliseconds after which the answer may be forgotten.
    pub expires_ms: u64,
    /// The answer as it was sent.
    #[serde(skip)]
    pub body: Bytes,
}

/// One write to a plugin's key-value bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvWrite {
    /// Plugin and bucket, made by `runtime`.
    pub bucket: String,
    /// Key of the row.
    pub key: String,
    /// Its new bytes; `None` removes it.
    pub value: Option<Vec<u8>>,
}

/// A domain transaction as data.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Rows to write.
    pub puts: Vec<Put>,
    /// The record to seal, if any.
    pub record: Option<Draft>,
    /// Kept under the record's sequence number.
    pub answer: Option<StoredAnswer>,
    /// Writes to plugins' buckets.
    pub kv: Vec<KvWrite>,
    /// What is told of the record; refused without one.
    pub outbox: Vec<OutboxEvent>,
    /// Expired answers to delete.
    pub prune: Option<AnswerPrune>,
    /// Delivered events to delete.
    pub forget: Option<OutboxPrune>,
}

impl Change {
    /// Whether it writes nothing at all.
    pub(super) const fn is_empty(&self) -> bool {
        let Self { puts, record, answer, kv, outbox, prune, forget } = self;
        let rows = puts.is_empty() && kv.is_empty() && outbox.is_empty();
        rows && record.is_none() && answer.is_none() && prune.is_none() && forget.is_none()
    }
}

/// Forgets at most `limit` answers that expired before `now_ms`, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct AnswerPrune {
    /// Unix time, milliseconds.
    pub now_ms: u64,
    /// How many at most.
    pub limit: usize,
}

/// Where a change ended up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Sequence number and seal of the record, if the change had one.
    pub sealed: Option<(u64, Hash)>,
}

/// Why a change was refused. Nothing of it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum Refusal {
    #[error("this transaction is already sealed as record {seq}")]
    Duplicate { seq: u64 },
    #[error("account {account} does not have enough")]
    Insufficient { account: String },
    #[error("row {key} is not as expected")]
    Unexpected { collection: &'static str, key: String },
    #[error("the postings do not sum to zero")]
    Unbalanced,
    #[error("an event is written only together with the record that it tells of")]
    Unsealed,
}
