//! A host's position in the shared log, and the listener for changes that other hosts
//! write to the log.

use std::sync::Arc;

use parking_lot::RwLock;
use redb::{Database, Durability, WriteTransaction};
use tollbridge_core::planted::Defect;

use crate::collection::Collection;
use crate::engine::{StoreError, store_error};
use crate::shared_log::{Appended, LogEntry, LogPosition, SharedLog};
use crate::tables::begin_write;

/// A listener for changes by other hosts, notified once this host's readers can see them.
pub trait ForeignChanges: Send + Sync + 'static {
    /// Reports rows that another host wrote or removed; readers already see the change.
    /// Called on the writer's thread, so the implementation must be quick.
    fn rows_changed(&self, rows: &[(Collection, String)]);
    /// Reports accounts for which another host wrote events.
    fn events_written(&self, accounts: &[String]);
}

/// The listener for changes by other hosts; set after the store is opened, because the
/// listener is created later.
pub(super) type ForeignListener = RwLock<Option<Arc<dyn ForeignChanges>>>;

/// A host's connection to the shared log, and the position in the log that its tables
/// have reached.
pub(super) struct Replica {
    pub(super) log: Box<dyn SharedLog>,
    ledger_id: [u8; 16],
    pub(super) position: LogPosition,
    /// Bytes of log entries applied since the last commit that was durable in the file.
    in_memory: u64,
    /// Value of `in_memory` at which the next commit is made durable in the file.
    max_in_memory: u64,
    /// Number of upcoming commits for which this host first waits for its turn to write.
    pub(super) turns: u32,
}

/// Encodes the `REPLICA_KEY` row: the ledger's id and the position in its log.
pub(super) fn encode_mark(ledger_id: &[u8; 16], position: &LogPosition) -> Vec<u8> {
    [ledger_id.as_slice(), &position.next.to_le_bytes(), &position.digest].concat()
}

/// Decodes the output of `encode_mark`; `None` if the bytes are malformed.
pub(super) fn decode_mark(row: &[u8]) -> Option<([u8; 16], LogPosition)> {
    let (ledger_id, row) = row.split_first_chunk::<16>()?;
    let (next, row) = row.split_first_chunk::<8>()?;
    let digest = row.try_into().ok()?;
    Some((*ledger_id, LogPosition { next: u64::from_le_bytes(*next), digest }))
}

impl Replica {
    pub(super) const fn new(
        log: Box<dyn SharedLog>,
        ledger_id: [u8; 16],
        position: LogPosition,
        max_in_memory: u64,
    ) -> Self {
        Self { log, ledger_id, position, in_memory: 0, max_in_memory, turns: 0 }
    }

    /// Begins a transaction. Its commit is durable in the file if enough log entries are
    /// only in memory.
    pub(super) fn begin(&self, db: &Database) -> Result<WriteTransaction, StoreError> {
        let mut txn = begin_write(db)?;
        if self.in_memory < self.max_in_memory {
            txn.set_durability(Durability::None).map_err(store_error("beginning a write"))?;
        }
        Ok(txn)
    }

    /// Updates the log position after a transaction with log entries was committed.
    pub(super) fn committed(&mut self, position: LogPosition, bytes: usize) {
        self.position = position;
        // A commit at the limit was made durable, so counting restarts at zero.
        let before = if self.in_memory < self.max_in_memory { self.in_memory } else { 0 };
        self.in_memory = before.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    pub(super) fn append(&mut self, entry: &LogEntry) -> Result<Appended, StoreError> {
        let appended = self.log.append(self.position, entry)?;
        Ok(if Defect::CollisionUnnoticed.is_planted() { Appended::Durable } else { appended })
    }

    pub(super) fn mark(&self, position: &LogPosition) -> Vec<u8> {
        encode_mark(&self.ledger_id, position)
    }
}
