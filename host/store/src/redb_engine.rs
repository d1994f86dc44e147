//! The store in one redb file, with its own journal or with a log shared by several hosts
//! (see `replica`).
//!
//! A commit is durable once its journal entry is written. The engine also applies the
//! commit immediately, in memory; when the journal is full, one engine commit makes all
//! earlier commits durable in the database file. Engine commits are two-phase with quick
//! repair: records hold bytes chosen by untrusted clients, so redb's non-cryptographic
//! checksums alone must not decide whether a commit is complete, and reopening after a
//! crash must be quick.

use std::cell::RefCell;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};
use redb::backends::InMemoryBackend;
use redb::{Database, ReadableTable, StorageBackend};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;

use super::batch::{Batch, CommitBuffers};
use super::change::{Change, Receipt, Refusal, StoredAnswer};
use super::collection::Collection;
use super::engine::{Sealer, Store, StoreError, store_error};
use super::journal::{Journal, JournalMark, RedoRecord};
use super::opening::{self, OpenError};
use super::outbox;
use super::outbox_event::{OutboxPosition, OutboxRow};
use super::pack;
use super::recent_index::{MergePlan, RecentIndex};
use super::replica::{ForeignListener, Replica};
use super::sealing::{Hash, Head};
use super::shared_log::SharedLog;
use super::snapshot::Snapshot;
use super::tables::{JOURNAL_KEY, begin_write, decode_answer, decode_record};

/// Maximum number of entries of the seal and transaction indexes that wait in memory to
/// be written together with neighbouring keys. They take 12 MiB; reading them back when
/// the store is opened takes a few tenths of a second.
const INDEX_WAITING_MAX: usize = 65_536;
/// Journal size at which its commits are written to the database. This is about ten
/// thousand calls, which take a few tenths of a second to read back after a crash.
const JOURNAL_BYTES_MAX: u64 = 16 << 20;

/// The engine: one redb file and its journal.
pub struct RedbStore {
    pub(super) db: Database,
    /// The state that readers see. `commit` replaces it once the new state is durable,
    /// and before it removes moved entries from `recent`, so that readers find such an
    /// entry in at least one of the two.
    pub(super) snapshot: ArcSwap<Snapshot>,
    pub(super) recent: RwLock<RecentIndex>,
    pub(super) foreign_changes: ForeignListener,
    is_shared: bool,
    state: Mutex<(WriteState, Durability)>,
}

/// State of the write transaction; only one runs at a time.
pub(super) struct WriteState {
    pub(super) buffers: CommitBuffers,
    pub(super) entry: RefCell<RedoRecord>,
    /// Whether every commit so far ran to completion. After a failed commit the state is
    /// unknown, and nothing further is written.
    whole: bool,
}

/// The mechanism that makes commits durable.
enum Durability {
    /// An entry of the journal next to the file.
    Journal(Journal),
    /// An entry of the log shared by the hosts of a ledger.
    Log(Replica),
}

/// Limits on data that is kept outside the tables.
#[derive(Clone, Copy, Debug)]
pub struct StoreLimits {
    /// Maximum number of entries of each index in memory.
    pub index: usize,
    /// Size limit of the journal, or of the shared log entries that are not yet durable
    /// in the file. Once it is reached, the next commit is made durable in the file. The
    /// last commit may exceed the limit.
    pub journal: u64,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self { index: INDEX_WAITING_MAX, journal: JOURNAL_BYTES_MAX }
    }
}

impl RedbStore {
    /// Opens the database file and its journal, creating missing files.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let (database, journal) = opening::files(path)?;
        Self::with_named(database, Box::new(journal), &path.display().to_string(), StoreLimits::default())
    }

    /// Creates a store that keeps everything in memory and loses it when dropped.
    pub fn in_memory() -> Result<Self, OpenError> {
        Self::with_backend(InMemoryBackend::new())
    }

    /// Opens a store on any backend, with a journal in memory; for tests that open it once.
    pub fn with_backend(database: impl StorageBackend) -> Result<Self, OpenError> {
        Self::with_backends(database, InMemoryBackend::new(), StoreLimits::default())
    }

    /// Opens a store on the given storage backends, for example in-memory ones, or ones
    /// that fail on purpose. Tests pass limits that are small enough to be reached.
    pub fn with_backends(
        database: impl StorageBackend,
        journal: impl StorageBackend,
        bounds: StoreLimits,
    ) -> Result<Self, OpenError> {
        Self::with_named(database, Box::new(journal), "the storage backend", bounds)
    }

    fn with_named(
        database: impl StorageBackend,
        journal: Box<dyn StorageBackend>,
        name: &str,
        bounds: StoreLimits,
    ) -> Result<Self, OpenError> {
        let db = opening::database(database, name)?;
        opening::refuse_replica(&db, name)?;
        let journal = opening::catch_up(&db, journal, bounds.journal)?;
        Self::with_durability(db, Durability::Journal(journal), bounds)
    }

    /// Opens or creates this host's copy of the tables of a ledger whose hosts share a
    /// log. The file may be removed whenever no process has it open. Blocks.
    pub fn open_replica(path: &Path, mut log: Box<dyn SharedLog>) -> Result<Self, OpenError> {
        if opening::is_outdated(path, log.as_mut())? {
            tracing::info!(path = %path.display(), "this host was offline for too long; copying the tables again");
            std::fs::remove_file(path).map_err(store_error("removing an old copy"))?;
        }
        let file = opening::file(path)?;
        Self::replica_with_backend(file, &path.display().to_string(), log, StoreLimits::default())
    }

    /// Opens or creates a replica on any storage backend.
    pub fn replica_with_backend(
        database: impl StorageBackend,
        name: &str,
        log: Box<dyn SharedLog>,
        bounds: StoreLimits,
    ) -> Result<Self, OpenError> {
        let db = opening::database(database, name)?;
        let replica = opening::replica(&db, name, log, bounds.journal)?;
        Self::with_durability(db, Durability::Log(replica), bounds)
    }

    fn with_durability(db: Database, durability: Durability, bounds: StoreLimits) -> Result<Self, OpenError> {
        let snapshot = Snapshot::open(&db)?;
        let recent = RwLock::new(opening::read_recent(&snapshot, bounds.index)?);
        let state = WriteState { buffers: CommitBuffers::default(), entry: RefCell::default(), whole: true };
        Ok(Self {
            db,
            snapshot: ArcSwap::from_pointee(snapshot),
            recent,
            foreign_changes: ForeignListener::default(),
            is_shared: matches!(durability, Durability::Log(_)),
            state: Mutex::new((state, durability)),
        })
    }

    /// Makes all commits durable in the database file and empties the journal; the last
    /// step of a clean stop. A later commit starts the journal again. Blocks.
    pub fn settle(&self) -> Result<(), StoreError> {
        let (WriteState { whole, .. }, durability) = &mut *self.state.lock();
        if !*whole {
            return Ok(());
        }
        match durability {
            Durability::Journal(journal) if journal.is_begun() => {
                opening::set_mark(&self.db, JournalMark { begun: false, ..journal.mark(false) })?;
                journal.empty().map_err(store_error("emptying the journal"))
            }
            Durability::Journal(_) => Ok(()),
            Durability::Log(_) => begin_write(&self.db)?.commit().map_err(store_error("committing")),
        }
    }
}

impl Drop for RedbStore {
    fn drop(&mut self) {
        if let Err(error) = self.settle() {
            tracing::warn!(%error, "kept the journal; the next start replays it");
        }
    }
}

impl RedbStore {
    /// Commits changes with a journal entry, or with an engine commit when the journal is
    /// full.
    fn commit_alone(
        &self,
        state: &mut WriteState,
        journal: &mut Journal,
        changes: &[Change],
        sealer: &mut dyn Sealer,
    ) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        let WriteState { buffers, entry, .. } = state;
        let mut txn = begin_write(&self.db)?;
        let written = journal.is_begun() && !journal.is_full();
        if written {
            txn.set_durability(redb::Durability::None).map_err(store_error("beginning a write"))?;
        }
        let mut outcomes = Vec::with_capacity(changes.len());
        let recent = self.recent.read();
        let mut batch = Batch::open(&txn, &recent, buffers, entry)?;
        for change in changes {
            outcomes.push(batch.apply(change, sealer)?);
        }
        let any = outcomes.iter().any(Result::is_ok);
        if any && !journal.is_begun() {
            journal.begin().map_err(store_error("beginning the journal"))?;
        }
        let plan = batch.flush()?;
        batch.mark(JOURNAL_KEY, &journal.mark(written).encode())?;
        drop(batch);
        drop(recent);
        if any {
            if written {
                journal.append(entry.get_mut()).map_err(store_error("writing the journal"))?;
            }
            txn.commit().map_err(store_error("committing"))?;
            if !written {
                journal.restart();
            }
            self.turn(&plan, buffers)?;
        } else {
            txn.abort().map_err(store_error("aborting a write"))?;
        }
        Ok(outcomes)
    }

    /// Makes a commit visible to readers.
    pub(super) fn turn(&self, plan: &MergePlan, buffers: &CommitBuffers) -> Result<(), StoreError> {
        self.snapshot.store(Arc::new(Snapshot::open(&self.db)?));
        self.recent.write().turn(plan, &buffers.fresh);
        Ok(())
    }

    /// Returns a snapshot of the committed state; it does not change while the caller
    /// holds it.
    pub(super) fn committed(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }
}

impl Store for RedbStore {
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        // Take the lock first: its holder is the only writer until the lock is released.
        let (state, durability) = &mut *self.state.lock();
        // `whole` stays false after an error or a panic, so that `settle` writes nothing.
        state.whole = false;
        let outcomes = match durability {
            Durability::Journal(journal) => self.commit_alone(state, journal, changes, sealer),
            Durability::Log(replica) => self.commit_shared(state, replica, changes, sealer),
        }?;
        state.whole = true;
        Ok(outcomes)
    }

    fn begin_turn(&self, sealer: &mut dyn Sealer) -> Result<(), StoreError> {
        if !self.is_shared {
            return Ok(());
        }
        let (state, durability) = &mut *self.state.lock();
        state.whole = false;
        if let Durability::Log(replica) = durability {
            self.begin_shared_turn(state, replica, sealer)?;
        }
        state.whole = true;
        Ok(())
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        let row = snapshot.rows.get((collection.tag(), key)).map_err(store_error("reading a row"))?;
        Ok(row.map(|row| row.value().to_vec()))
    }

    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let doing = "listing rows";
        let snapshot = self.snapshot.load();
        let end = collection.tag().saturating_add(1);
        let range = snapshot.rows.range((collection.tag(), after)..(end, "")).map_err(store_error(doing))?;
        let mut found = Vec::new();
        for row in range {
            let (key, value) = row.map_err(store_error(doing))?;
            let (_, key) = key.value();
            if key == after && !after.is_empty() {
                continue;
            }
            if found.len() == limit {
                break;
            }
            found.push((key.to_owned(), value.value().to_vec()));
        }
        Ok(found)
    }

    fn balance(&self, account: &str) -> Result<Millipence, StoreError> {
        let snapshot = self.snapshot.load();
        let row = snapshot.balances.get(account).map_err(store_error("reading a balance"))?;
        Ok(Millipence::new(row.map_or(0, |row| row.value())))
    }

    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError> {
        let doing = "listing balances";
        let snapshot = self.snapshot.load();
        let mut found = Vec::new();
        for row in snapshot.balances.iter().map_err(store_error(doing))? {
            let (account, amount) = row.map_err(store_error(doing))?;
            found.push((account.value().to_owned(), Millipence::new(amount.value())));
        }
        Ok(found)
    }

    fn head(&self) -> Result<Head, StoreError> {
        let snapshot = self.snapshot.load();
        let Some((first, packed)) = snapshot.records.last().map_err(store_error("reading the newest record"))? else {
            return Ok(Head::default());
        };
        let (seq, entry) = pack::last(first.value(), packed.value()).ok_or_else(opening::damaged)?;
        Ok(Head { size: seq.saturating_add(1), seal: Sha256::digest(decode_record(entry).1).into() })
    }

    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        pack::find(&snapshot.records, seq, |entry| decode_record(entry).1.to_vec())
            .map_err(store_error("reading a record"))
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        let entry = |entry: &[u8]| decode_record(entry).1.to_vec();
        pack::run(&snapshot.records, from, limit, entry).map_err(store_error("reading records"))
    }

    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError> {
        // Check memory before the tables: an entry is written to the tables before it is
        // removed from memory.
        if let Some(seq) = self.recent.read().waiting().seq_of_seal(seal) {
            return Ok(Some(seq));
        }
        let snapshot = self.snapshot.load();
        Ok(snapshot.seals.get(seal).map_err(store_error("looking up a seal"))?.map(|row| row.value()))
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        if let Some(seq) = self.recent.read().waiting().seq_of_tx(tx) {
            return Ok(Some(seq));
        }
        let snapshot = self.snapshot.load();
        Ok(snapshot.txs.get(tx).map_err(store_error("looking up a transaction"))?.map(|row| row.value()))
    }

    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(snapshot.nodes.get((level, index)).map_err(store_error("reading the tree"))?.map(|row| *row.value()))
    }

    fn answer(&self, seq: u64) -> Result<Option<StoredAnswer>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(pack::find(&snapshot.answers, seq, decode_answer).map_err(store_error("reading an answer"))?.flatten())
    }

    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(snapshot.answer_of.get(handle).map_err(store_error("looking up an answer"))?.map(|row| row.value()))
    }

    fn outbox(&self, account: &str, after: Option<OutboxPosition>, limit: usize) -> Result<Vec<OutboxRow>, StoreError> {
        let doing = "reading events";
        let snapshot = self.snapshot.load();
        let next = after.map_or(OutboxPosition::first(), OutboxPosition::next);
        outbox::from(&snapshot.outbox, account, next, limit).map_err(store_error(doing))
    }

    fn outgoing(&self, account: &str, place: OutboxPosition) -> Result<Option<OutboxRow>, StoreError> {
        let snapshot = self.snapshot.load();
        let found = outbox::from(&snapshot.outbox, account, place, 1).map_err(store_error("reading an event"))?;
        Ok(found.into_iter().find(|row| row.place == place))
    }

    fn outbox_account(&self, after: &str) -> Result<Option<String>, StoreError> {
        let doing = "listing accounts with events";
        let snapshot = self.snapshot.load();
        let beyond = (Bound::Excluded((after, u64::MAX, u16::MAX)), Bound::Unbounded);
        let mut rows = snapshot.outbox.range::<(&str, u64, u16)>(beyond).map_err(store_error(doing))?;
        let first = rows.next().transpose().map_err(store_error(doing))?;
        Ok(first.map(|(key, _)| key.value().0.to_owned()))
    }

    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(snapshot
            .kv
            .get((bucket, key))
            .map_err(store_error("reading a plugin's key"))?
            .map(|row| row.value().to_vec()))
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError> {
        let doing = "listing a plugin's keys";
        let snapshot = self.snapshot.load();
        let mut found = Vec::new();
        for row in snapshot.kv.range((bucket, after)..).map_err(store_error(doing))? {
            let (place, value) = row.map_err(store_error(doing))?;
            let (of, key) = place.value();
            if of != bucket || found.len() == limit {
                break;
            }
            if key != after || after.is_empty() {
                found.push((key.to_owned(), value.value().len()));
            }
        }
        Ok(found)
    }
}
