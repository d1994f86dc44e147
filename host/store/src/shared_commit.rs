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

use redb::WriteTransaction;
use tollbridge_core::planted::Defect;

use crate::batch::{Batch, ForeignWrites};
use crate::change::{Change, Receipt, Refusal};
use crate::engine::{Sealer, StoreError, store_error};
use crate::recent_index::MergePlan;
use crate::redb_engine::{RedbStore, WriteState};
use crate::replica::{ForeignChanges, Replica};
use crate::shared_log::{Appended, Following, LogEntry, LogPosition, NextEntries};
use crate::tables::REPLICA_KEY;

/// Number of commits after a collision for which a host waits for its turn to write. The
/// count restarts whenever such a commit finds writes of other hosts.
const TURNS: u32 = 16;

/// Changes applied in an open transaction, and the log entry that will make them durable.
struct Prepared {
    txn: WriteTransaction,
    plan: MergePlan,
    entry: LogEntry,
    after: LogPosition,
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
        let txn = replica.begin(&self.db)?;
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

    /// For [`TURNS`] commits after a collision, waits for this host's turn to write and
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
                listener.events_written(&foreign.notified);
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
        let txn = replica.begin(&self.db)?;
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

/// Returns the error for a log that lost acknowledged commits or belongs to another
/// ledger.
fn diverged() -> StoreError {
    let source = Box::from(
        "the database has another history than this host: it lost commits or belongs to another ledger. Restore the \
         database; if it is correct, remove replica.redb from the data folder and restart",
    );
    StoreError { doing: "following the shared log", source }
}

/// Returns the error for a host that was offline so long that the log no longer has the
/// entries it lacks.
fn forgotten() -> StoreError {
    let source =
        Box::from("the log no longer has the entries that this host missed; restart the host to copy the tables again");
    StoreError { doing: "following the shared log", source }
}

#[cfg(test)]
#[path = "shared_commit_tests.rs"]
mod tests;
