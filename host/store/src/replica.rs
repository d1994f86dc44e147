//! The tables of one host among several, kept up to date by applying the entries of a
//! shared log.
//!
//! A commit is first applied to the tables in a transaction that stays open; its writes
//! are then appended to the log under the next number. If that number is still free, no
//! other host has written in the meantime, so all checks still hold, and the transaction
//! is committed here. If another host was faster, the transaction is dropped, the other
//! host's entries are applied, and the changes are applied again. Correctness needs no
//! lock, and a host may die at any time. Hosts that collide take turns for a while to
//! avoid repeated work.
//!
//! The log, never this file, is authoritative: commits to this file stay in memory and
//! are made durable only occasionally, so that a start need not read the whole log. A
//! lost file is rebuilt.

use std::sync::Arc;

use parking_lot::RwLock;
use redb::{Durability, WriteTransaction};
use tollbridge_core::planted::Defect;

use crate::batch::{Batch, ForeignWrites};
use crate::change::{Change, Receipt, Refusal};
use crate::collection::Collection;
use crate::engine::{StoreError, store_error};
use crate::recent_index::MergePlan;
use crate::redb_engine::{RedbStore, WriteState};
use crate::sealer::Sealer;
use crate::shared_log::{Appended, Following, LogEntry, LogPosition, NextEntries, SharedLog};
use crate::tables::{REPLICA_KEY, begin_write};

/// A listener for changes by other hosts, notified once this host's readers can see them.
pub trait ForeignChanges: Send + Sync + 'static {
    /// Reports rows that another host wrote or removed; readers already see the change.
    /// Called on the writer's thread, so the implementation must be quick.
    fn rows_changed(&self, rows: &[(Collection, String)]);
    /// Reports accounts for which another host wrote events.
    fn events_written(&self, accounts: &[String]);
}

/// A host's connection to the shared log, and the position in the log that its tables
/// have reached.
pub(super) struct Replica {
    log: Box<dyn SharedLog>,
    ledger_id: [u8; 16],
    position: LogPosition,
    /// Bytes of log entries applied since the last commit that was durable in the file.
    in_memory: u64,
    /// Value of `in_memory` at which the next commit is made durable in the file.
    max_in_memory: u64,
    /// Number of upcoming commits for which this host first waits for its turn to write.
    turns: u32,
}

/// Initial value of `turns` after a collision; the count restarts whenever such a commit
/// finds writes of other hosts.
const TURNS: u32 = 16;

/// Changes applied in an open transaction, and the log entry that will make them durable.
struct Prepared {
    txn: WriteTransaction,
    plan: MergePlan,
    entry: LogEntry,
    after: LogPosition,
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
    fn begin(&self, store: &RedbStore) -> Result<WriteTransaction, StoreError> {
        let mut txn = begin_write(&store.db)?;
        if self.in_memory < self.max_in_memory {
            txn.set_durability(Durability::None).map_err(store_error("beginning a write"))?;
        }
        Ok(txn)
    }

    /// Updates the log position after a transaction with log entries was committed.
    fn committed(&mut self, position: LogPosition, bytes: usize) {
        self.position = position;
        // A commit at the limit was made durable, so counting restarts at zero.
        let before = if self.in_memory < self.max_in_memory { self.in_memory } else { 0 };
        self.in_memory = before.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    fn append(&mut self, entry: &LogEntry) -> Result<Appended, StoreError> {
        let appended = self.log.append(self.position, entry)?;
        Ok(if Defect::CollisionUnnoticed.is_planted() { Appended::Durable } else { appended })
    }

    fn mark(&self, position: &LogPosition) -> Vec<u8> {
        encode_mark(&self.ledger_id, position)
    }
}

/// Returns the error for a log that lost acknowledged commits or belongs to another
/// ledger.
fn diverged() -> StoreError {
    let source = Box::from(
        "the database has another history than this host: it lost commits or belongs to another ledger. Restore the \
         database; if it is correct, remove replica.redb from the data folder and restart",
    );
    StoreError { doing: "following the shared log", source }
}

impl RedbStore {
    /// Commits changes by appending a log entry. Without changes, only applies the
    /// commits of other hosts, so that readers see them all.
    pub(super) fn commit_shared(
        &self,
        state: &mut WriteState,
        replica: &mut Replica,
        changes: &[Change],
        sealer: &mut dyn Sealer,
    ) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        loop {
            // Only a commit with changes needs this host's turn to write; applying other
            // hosts' writes does not.
            if changes.iter().any(|change| !change.is_empty()) {
                self.begin_shared_turn(state, replica, sealer)?;
            }
            let (prepared, outcomes) = self.prepare(state, replica, changes, sealer)?;
            let appended = match prepared.entry.notes.is_empty() {
                true => None,
                false => Some(replica.append(&prepared.entry)?),
            };
            if appended == Some(Appended::Durable) {
                prepared.txn.commit().map_err(store_error("committing"))?;
                replica.committed(prepared.after, prepared.entry.notes.len());
                self.turn(&prepared.plan, &state.buffers)?;
                return Ok(outcomes);
            }
            prepared.txn.abort().map_err(store_error("aborting a write"))?;
            // If every change was refused, the refusals are valid only if no other host
            // has written in the meantime.
            let following = replica.log.entries(replica.position)?;
            let came = self.follow(state, replica, following, sealer)?;
            match appended {
                Some(_) => {
                    metrics::counter!("tollbridge_log_collisions_total").increment(1);
                    replica.turns = TURNS;
                    sealer.resume_from(self)?;
                }
                None => {
                    replica.log.end_turn()?;
                    if !came {
                        return Ok(outcomes);
                    }
                }
            }
        }
    }

    /// Applies changes in a transaction that is not committed yet.
    fn prepare(
        &self,
        state: &mut WriteState,
        replica: &Replica,
        changes: &[Change],
        sealer: &mut dyn Sealer,
    ) -> Result<(Prepared, Vec<Result<Receipt, Refusal>>), StoreError> {
        let txn = replica.begin(self)?;
        let recent = self.recent.read();
        let mut batch = Batch::open(&txn, &recent, &mut state.buffers, &state.entry)?;
        let outcomes = changes.iter().map(|change| batch.apply(change, sealer)).collect::<Result<Vec<_>, _>>()?;
        let plan = batch.flush()?;
        let entry = replica.position.entry(state.entry.borrow().notes_written().to_vec());
        let after = replica.position.after(&entry);
        batch.mark(REPLICA_KEY, &replica.mark(&after))?;
        drop(batch);
        drop(recent);
        Ok((Prepared { txn, plan, entry, after }, outcomes))
    }

    /// For some commits after a collision, waits for this host's turn to write and
    /// applies all commits that other hosts have made by then.
    pub(super) fn begin_shared_turn(
        &self,
        state: &mut WriteState,
        replica: &mut Replica,
        sealer: &mut dyn Sealer,
    ) -> Result<(), StoreError> {
        if replica.turns == 0 || replica.log.is_in_turn() {
            return Ok(());
        }
        replica.turns -= 1;
        let following = replica.log.begin_turn(replica.position)?;
        self.follow(state, replica, following, sealer).map(drop)
    }

    /// Applies the given commits of other hosts and moves the sealer to the new end of
    /// the chain; returns whether there were any.
    fn follow(
        &self,
        state: &mut WriteState,
        replica: &mut Replica,
        following: Following,
        sealer: &mut dyn Sealer,
    ) -> Result<bool, StoreError> {
        let came = self.take_in(state, replica, following)?;
        if came {
            replica.turns = if replica.turns > 0 { TURNS } else { 0 };
            if !Defect::OtherSealsUnseen.is_planted() {
                sealer.resume_from(self)?;
            }
        }
        Ok(came)
    }

    /// Applies all log entries that these tables lack, reading further ones from the log;
    /// returns whether there were any.
    fn take_in(
        &self,
        state: &mut WriteState,
        replica: &mut Replica,
        mut following: Following,
    ) -> Result<bool, StoreError> {
        let mut came = false;
        loop {
            let NextEntries { entries, has_more } = match following {
                Following::Entries(next) => next,
                Following::Forgotten => return Err(forgotten()),
                Following::Diverged => return Err(diverged()),
            };
            if entries.is_empty() {
                return Ok(came);
            }
            came = true;
            let foreign = self.redo_entries(state, replica, &entries)?;
            if let Some(listener) = self.foreign_changes.read().as_ref() {
                listener.rows_changed(&foreign.rows);
                listener.events_written(&foreign.told);
            }
            if !has_more {
                return Ok(came);
            }
            following = replica.log.entries(replica.position)?;
        }
    }

    /// Applies log entries in one transaction.
    fn redo_entries(
        &self,
        state: &mut WriteState,
        replica: &mut Replica,
        entries: &[LogEntry],
    ) -> Result<ForeignWrites, StoreError> {
        let txn = replica.begin(self)?;
        let recent = self.recent.read();
        let mut foreign = ForeignWrites::default();
        let mut batch = Batch::open(&txn, &recent, &mut state.buffers, &state.entry)?;
        let (mut position, mut bytes) = (replica.position, 0_usize);
        for entry in entries {
            if !position.has_next(entry) {
                return Err(diverged());
            }
            batch.redo_foreign(&entry.notes, &mut foreign)?;
            position = position.after(entry);
            bytes = bytes.saturating_add(entry.notes.len());
        }
        let plan = batch.flush()?;
        batch.mark(REPLICA_KEY, &replica.mark(&position))?;
        drop(batch);
        drop(recent);
        txn.commit().map_err(store_error("committing"))?;
        replica.committed(position, bytes);
        self.turn(&plan, &state.buffers)?;
        Ok(foreign)
    }

    /// Registers the listener for changes by other hosts.
    pub fn listen_to_foreign_changes(&self, listener: Arc<dyn ForeignChanges>) {
        *self.foreign_changes.write() = Some(listener);
    }
}

/// The listener for changes by other hosts; set after the store is opened, because the
/// listener is created later.
pub(super) type ForeignListener = RwLock<Option<Arc<dyn ForeignChanges>>>;

/// Returns the error for a host that was offline so long that the log no longer has the
/// entries it lacks.
fn forgotten() -> StoreError {
    let source =
        Box::from("the log no longer has the entries that this host missed; restart the host to copy the tables again");
    StoreError { doing: "following the shared log", source }
}

#[cfg(test)]
#[path = "replica_tests.rs"]
mod tests;
