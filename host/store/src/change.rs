//! One atomic change: its writes and their conditions.

use std::borrow::Cow;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::collection::Collection;
use crate::outbox_event::{OutboxEvent, OutboxPrune};
use crate::sealing::{Draft, Hash};

/// The required state of a row before a put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Any state; an existing row is replaced.
    Any,
    /// The row does not exist yet.
    Absent,
    /// The row does not exist yet, or already has the new value, so repeating the write
    /// changes nothing.
    AbsentOrSame,
    /// The row has exactly these bytes.
    Exactly(Vec<u8>),
}

/// One row to write; `value: None` removes it.
#[derive(Clone, Debug)]
pub struct Put {
    /// Collection of the row.
    pub collection: Collection,
    /// Key of the row.
    pub key: String,
    /// New bytes; `None` removes the row.
    pub value: Option<Vec<u8>>,
    /// Required state of the row before the write.
    pub expect: Expect,
}

/// The answer to a paid call, stored for a while so that the caller can fetch it again if
/// it was lost in transit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAnswer {
    /// Handle of the payment intent that paid for the call, if any.
    pub intent: Option<String>,
    /// Digest of the request's method, path and body; reusing the idempotency key with
    /// another digest is an error.
    #[serde(with = "crate::hexed")]
    pub fingerprint: Hash,
    /// Media type of the body.
    pub content_type: Cow<'static, str>,
    /// Unix time in milliseconds after which the answer may be deleted.
    pub expires_ms: u64,
    /// Body of the answer, as sent to the caller.
    #[serde(skip)]
    pub body: Bytes,
}

/// One write to a plugin's key-value bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvWrite {
    /// Name of the plugin's bucket, in the form that the `runtime` crate uses.
    pub bucket: String,
    /// Key of the row.
    pub key: String,
    /// New bytes; `None` removes the key.
    pub value: Option<Vec<u8>>,
}

/// One atomic transaction, described as data: rows, a record, an answer, events and
/// deletions.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Rows to write.
    pub puts: Vec<Put>,
    /// The record to seal, if any.
    pub record: Option<Draft>,
    /// The answer to store under the record's sequence number.
    pub answer: Option<StoredAnswer>,
    /// Writes to plugins' buckets.
    pub kv: Vec<KvWrite>,
    /// Events about the record; must be empty if the change has no record.
    pub outbox: Vec<OutboxEvent>,
    /// Expired answers to delete.
    pub prune: Option<AnswerPrune>,
    /// Delivered events to delete.
    pub forget: Option<OutboxPrune>,
}

impl Change {
    /// Returns whether the change writes nothing.
    pub(super) const fn is_empty(&self) -> bool {
        let Self { puts, record, answer, kv, outbox, prune, forget } = self;
        let rows = puts.is_empty() && kv.is_empty() && outbox.is_empty();
        rows && record.is_none() && answer.is_none() && prune.is_none() && forget.is_none()
    }
}

/// Deletes at most `limit` answers that expired before `now_ms`, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct AnswerPrune {
    /// Unix time, milliseconds.
    pub now_ms: u64,
    /// Maximum number of answers to delete.
    pub limit: usize,
}

/// The outcome of a committed change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Sequence number and seal of the record, if the change had one.
    pub sealed: Option<(u64, Hash)>,
}

/// The reason a change was refused. No part of it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum Refusal {
    #[error("this transaction is already sealed as record {seq}")]
    Duplicate { seq: u64 },
    #[error("account {account} has insufficient funds")]
    Insufficient { account: String },
    #[error("row {key} does not have the expected value")]
    Unexpected { collection: &'static str, key: String },
    #[error("the postings do not sum to zero")]
    Unbalanced,
    #[error("an event can be written only together with its record")]
    Unsealed,
}
