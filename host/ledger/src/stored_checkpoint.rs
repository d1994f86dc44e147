//! Signed checkpoints stored as rows.

use serde::{Deserialize, Serialize};
use tollbridge_store::{Change, Collection, Expect, Put, Store};

use crate::checkpoint::{CheckpointError, CheckpointKey, SignedCheckpoint};
use crate::error::LedgerError;

/// A signed checkpoint with its stored key and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// The checkpoint and its signature.
    pub signed: SignedCheckpoint,
    /// The key that signed the checkpoint; stored because the ledger's key may change.
    pub key: CheckpointKey,
    /// Unix time of the signing in milliseconds; not signed.
    pub time_ms: u64,
}

/// A checkpoint that covers all records, stored or new.
#[derive(Debug)]
pub enum Checkpointing {
    /// The newest stored checkpoint, which covers all records.
    Unchanged(StoredCheckpoint),
    /// A new checkpoint. It may be shown only after `change` is durable. If the store
    /// refuses `change`, another task signed this size first, and the caller must try
    /// again.
    New {
        /// The new checkpoint.
        checkpoint: StoredCheckpoint,
        /// The change that stores the checkpoint.
        change: Box<Change>,
    },
}

/// A row of `Collection::Checkpoints`.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) note: String,
    pub(super) key: String,
    pub(super) time_ms: u64,
}

/// Returns the key of a checkpoint's row; keys sort by size.
pub(super) fn row_key(size: u64) -> String {
    format!("{size:020}")
}

pub(super) fn put(checkpoint: &StoredCheckpoint) -> Result<Put, LedgerError> {
    let size = checkpoint.signed.checkpoint.size;
    let note = checkpoint.signed.note().to_owned();
    let row = Row { note, key: checkpoint.key.to_string(), time_ms: checkpoint.time_ms };
    let value = serde_json::to_vec(&row).map_err(|error| LedgerError::Checkpoint { size, why: error.to_string() })?;
    // Fails if the size already has a checkpoint: a second one must never be signed.
    Ok(Put { collection: Collection::Checkpoints, key: row_key(size), value: Some(value), expect: Expect::Absent })
}

/// Returns the newest checkpoint of a store. The store lists rows only in ascending
/// order, so the search goes down from the head of the ledger in steps that double; the
/// newest checkpoint is nearly always close to the head.
pub(super) fn newest(store: &dyn Store) -> Result<Option<StoredCheckpoint>, LedgerError> {
    let mut high = store.head()?.size;
    if let Some(beyond) = first_above(store, Some(high))? {
        // This checkpoint covers more records than exist; the caller reports the
        // rollback.
        return load(store, beyond).map(Some);
    }
    let (mut low, mut step) = (None, 1);
    while low.is_none() && high > 0 {
        let probe = high.saturating_sub(step);
        low = first_above(store, Some(probe))?;
        if low.is_none() {
            high = probe;
        }
        step = step.saturating_mul(2);
    }
    let Some(mut low) = low else { return Ok(None) };
    while low < high {
        let middle = low + (high - low) / 2;
        match first_above(store, Some(middle))? {
            Some(size) => low = size,
            None => high = middle,
        }
    }
    load(store, low).map(Some)
}

/// Returns the size of the smallest checkpoint above `size`, or of the smallest of all if
/// `size` is `None`.
pub(super) fn first_above(store: &dyn Store, size: Option<u64>) -> Result<Option<u64>, LedgerError> {
    let after = size.map(row_key).unwrap_or_default();
    let Some((key, _)) = store.list(Collection::Checkpoints, &after, 1)?.into_iter().next() else {
        return Ok(None);
    };
    match key.parse::<u64>() {
        Ok(found) if row_key(found) == key && size.is_none_or(|size| found > size) => Ok(Some(found)),
        _ => Err(LedgerError::Checkpoint { size: size.unwrap_or(0), why: format!("`{key}` is not a size") }),
    }
}

/// Loads the checkpoint with this size and verifies its signature.
pub(super) fn load(store: &dyn Store, size: u64) -> Result<StoredCheckpoint, LedgerError> {
    let damaged = |why: String| LedgerError::Checkpoint { size, why };
    let value = store.get(Collection::Checkpoints, &row_key(size))?;
    let value = value.ok_or_else(|| damaged("the row is missing".to_owned()))?;
    let row: Row = serde_json::from_slice(&value).map_err(|error| damaged(error.to_string()))?;
    let key: CheckpointKey = row.key.parse().map_err(|error: CheckpointError| damaged(error.to_string()))?;
    let signed = SignedCheckpoint::parse(&row.note).map_err(|error| damaged(error.to_string()))?;
    signed.verify(std::slice::from_ref(&key)).map_err(|error| damaged(error.to_string()))?;
    if signed.checkpoint.size != size || signed.checkpoint.origin != key.name() {
        return Err(damaged("the row has another size or key".to_owned()));
    }
    Ok(StoredCheckpoint { signed, key, time_ms: row.time_ms })
}
