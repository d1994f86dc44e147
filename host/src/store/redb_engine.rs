//! The store in one redb file.
//!
//! Commits are two-phase with quick repair: records hold bytes that strangers
//! chose, so redb's non-cryptographic checksums alone must not decide what is a
//! complete commit, and reopening after a crash must be instant.

use std::fs::File;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};
use redb::{
    BackendError, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageBackend, TableError,
    WriteTransaction,
};
use sha2::{Digest, Sha256};

use super::batch::{Batch, Desk};
use super::file::PreparedFile;
use super::migrate::migrate;
use super::outbox;
use super::pack;
use super::recent::{Entries, Recent};
use super::snapshot::Snapshot;
use super::tables::{INDEXED_KEY, ROWS, SCHEMA_KEY, SCHEMA_VERSION, decode_answer, decode_record};
use super::{Answer, Change, Collection, Hash, Head, OutboxRow, Place, Receipt, Refusal, Sealer, Store, StoreError};
use crate::limits::INDEX_WAITING_MAX;
use crate::money::Millipence;

/// The page with redb's header, and the magic number that begins it.
const HEADER_BYTES: usize = 4096;
const MAGIC_BYTES: usize = 9;
/// A new file has little more than a mebibyte; no larger one is unfinished.
const UNFINISHED_BYTES_MAX: u64 = 16 << 20;
/// Pages kept in memory; the tables of a busy month fit several times.
const CACHE_BYTES: usize = 256 << 20;

pub struct RedbStore {
    db: Database,
    /// What readers see. Replaced by `commit` when it is durable, before `recent`
    /// turns, so that what moves between them is always in one of them.
    snapshot: ArcSwap<Snapshot>,
    recent: RwLock<Recent>,
    /// Of the one transaction that writes.
    desk: Mutex<Desk>,
}

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path} is in use by another process; stop it, or use its admin listener")]
    InUse { path: String },
    #[error(
        "{path} was written by a newer Tollbridge (schema {found}, this one knows {SCHEMA_VERSION}); run that version"
    )]
    Newer { path: String, found: u64 },
    #[error("{path} holds a schema version that is not a number; restore the data folder from a backup")]
    Damaged { path: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes an error of the engine one of the store.
pub(super) fn fault<E: std::error::Error + Send + Sync + 'static>(doing: &'static str) -> impl FnOnce(E) -> StoreError {
    move |source| StoreError { doing, source: Box::new(source) }
}

impl RedbStore {
    /// Opens the file, or makes it.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let doing = "opening the database";
        let new = !path.try_exists().map_err(fault(doing))?;
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let backend = PreparedFile::new(file.map_err(fault(doing))?)?;
        if new && let Some(dir) = path.parent() {
            // Else a power cut could take away the name of a file that is safe.
            let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
            File::open(dir).and_then(|dir| dir.sync_all()).map_err(fault(doing))?;
        }
        Self::with_named(backend, &path.display().to_string(), INDEX_WAITING_MAX)
    }

    /// On any backend: memory, or one that fails on purpose.
    pub fn with_backend(backend: impl StorageBackend) -> Result<Self, OpenError> {
        Self::with_waiting(backend, INDEX_WAITING_MAX)
    }

    /// Likewise; at most `waiting` entries of an index wait in memory, so that
    /// a test needs few records to see them moved.
    pub fn with_waiting(backend: impl StorageBackend, waiting: usize) -> Result<Self, OpenError> {
        Self::with_named(backend, "the storage backend", waiting)
    }

    fn with_named(backend: impl StorageBackend, name: &str, waiting: usize) -> Result<Self, OpenError> {
        let in_use = || OpenError::InUse { path: name.to_owned() };
        if !clear_unfinished(&backend).map_err(fault("looking at the database"))? {
            return Err(in_use());
        }
        let mut builder = Database::builder();
        let db = builder.set_cache_size(CACHE_BYTES).create_with_backend(backend).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => in_use(),
            other => fault("opening the database")(other).into(),
        })?;
        Self::with_schema(db, name, waiting)
    }

    fn with_schema(db: Database, name: &str, waiting: usize) -> Result<Self, OpenError> {
        match schema_of(&db)? {
            None => create_tables(&db)?,
            // Never taken for a new file: its tables would be declared to be of this version.
            Some(found) => match std::str::from_utf8(&found).ok().and_then(|text| text.parse::<u64>().ok()) {
                Some(version) if version > SCHEMA_VERSION => {
                    return Err(OpenError::Newer { path: name.to_owned(), found: version });
                }
                Some(version) if version < SCHEMA_VERSION => migrate(&db, version)?,
                Some(_) => {}
                None => return Err(OpenError::Damaged { path: name.to_owned() }),
            },
        }
        let snapshot = Snapshot::open(&db)?;
        let recent = read_recent(&snapshot, waiting)?;
        Ok(Self { db, snapshot: ArcSwap::from_pointee(snapshot), recent: RwLock::new(recent), desk: Mutex::default() })
    }
}

/// What the engine takes for whole is not: nothing may be appended to it.
fn damaged() -> StoreError {
    let source = Box::from("bytes are missing; restore the data folder from a backup");
    StoreError { doing: "reading the newest records", source }
}

impl RedbStore {
    /// What is committed now, for as long as it is held.
    pub(super) fn committed(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }
}

pub(super) fn begin_write(db: &Database) -> Result<WriteTransaction, StoreError> {
    let mut txn = db.begin_write().map_err(fault("beginning a write"))?;
    txn.set_two_phase_commit(true);
    txn.set_quick_repair(true);
    Ok(txn)
}

/// The schema version as it is kept; none when there are no tables yet.
fn schema_of(db: &Database) -> Result<Option<Vec<u8>>, StoreError> {
    let txn = db.begin_read().map_err(fault("beginning a read"))?;
    match txn.open_table(ROWS) {
        Ok(rows) => {
            let row = rows.get((Collection::Meta.tag(), SCHEMA_KEY)).map_err(fault("reading the schema"))?;
            Ok(row.map(|row| row.value().to_vec()))
        }
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(fault("opening the rows")(error)),
    }
}

/// Makes every table, so that reads never meet a missing one.
fn create_tables(db: &Database) -> Result<(), StoreError> {
    let txn = begin_write(db)?;
    {
        Batch::open(&txn, &Recent::new(Entries::default(), 0, 0), &mut Desk::default())?.finish()?;
        let mut rows = txn.open_table(ROWS).map_err(fault("opening the tables"))?;
        let version = SCHEMA_VERSION.to_string();
        rows.insert((Collection::Meta.tag(), SCHEMA_KEY), version.as_bytes()).map_err(fault("writing the schema"))?;
    }
    txn.commit().map_err(fault("writing the schema"))
}

/// What the tables of seals and transactions may not have yet.
fn read_recent(snapshot: &Snapshot, most: usize) -> Result<Recent, StoreError> {
    let doing = "reading back the newest records";
    let below = snapshot.rows.get((Collection::Meta.tag(), INDEXED_KEY)).map_err(fault(doing))?;
    let below = below.and_then(|row| std::str::from_utf8(row.value()).ok()?.parse::<u64>().ok()).unwrap_or(0);
    let mut waiting = Entries::default();
    let mut size = below;
    // The pack that `below` is in may begin before it.
    let mut before = snapshot.records.range(..=below).map_err(fault(doing))?;
    let from = before.next_back().transpose().map_err(fault(doing))?.map_or(below, |(first, _)| first.value());
    for row in snapshot.records.range(from..).map_err(fault(doing))? {
        let (first, packed) = row.map_err(fault(doing))?;
        pack::last(first.value(), packed.value()).ok_or_else(damaged)?;
        for (seq, entry) in pack::entries(first.value(), packed.value()).filter(|(seq, _)| *seq >= below) {
            let (tx, record) = decode_record(entry);
            waiting.insert(tx, Sha256::digest(record).into(), seq);
            size = seq.saturating_add(1);
        }
    }
    Ok(Recent::new(waiting, size, most))
}

/// Empties a file whose making was cut short by a crash: redb writes the magic
/// number last and would refuse the file for ever. Only what holds nothing at
/// all behind its header is emptied. False when another process has the file.
fn clear_unfinished(backend: &impl StorageBackend) -> std::io::Result<bool> {
    let all = (Bound::Unbounded, Bound::Unbounded);
    let locked = match backend.try_lock_range(all.0, all.1) {
        Ok(true) => true,
        Ok(false) => return Ok(false),
        Err(BackendError::Unsupported) => false,
        Err(error) => return Err(std::io::Error::other(error)),
    };
    let length = backend.len()?;
    if length > 0 && length <= UNFINISHED_BYTES_MAX {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        backend.read(0, &mut bytes)?;
        let nameless = bytes.iter().take(MAGIC_BYTES).all(|byte| *byte == 0);
        if nameless && bytes.iter().skip(HEADER_BYTES).all(|byte| *byte == 0) {
            backend.set_len(0)?;
        }
    }
    if locked {
        backend.unlock_range(all.0, all.1).map_err(std::io::Error::other)?;
    }
    Ok(true)
}

impl Store for RedbStore {
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError> {
        // First of all: who has it is the one who writes, to the end.
        let mut desk = self.desk.lock();
        let txn = begin_write(&self.db)?;
        let mut outcomes = Vec::with_capacity(changes.len());
        let recent = self.recent.read();
        let mut batch = Batch::open(&txn, &recent, &mut desk)?;
        for change in changes {
            outcomes.push(batch.apply(change, sealer)?);
        }
        let plan = batch.finish()?;
        drop(recent);
        if outcomes.iter().any(Result::is_ok) {
            txn.commit().map_err(fault("committing"))?;
            self.snapshot.store(Arc::new(Snapshot::open(&self.db)?));
            self.recent.write().turn(&plan, &desk.fresh);
        } else {
            txn.abort().map_err(fault("leaving a write"))?;
        }
        Ok(outcomes)
    }

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        let row = snapshot.rows.get((collection.tag(), key)).map_err(fault("reading a row"))?;
        Ok(row.map(|row| row.value().to_vec()))
    }

    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let doing = "listing rows";
        let snapshot = self.snapshot.load();
        let end = collection.tag().saturating_add(1);
        let range = snapshot.rows.range((collection.tag(), after)..(end, "")).map_err(fault(doing))?;
        let mut found = Vec::new();
        for row in range {
            let (key, value) = row.map_err(fault(doing))?;
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
        let row = snapshot.balances.get(account).map_err(fault("reading a balance"))?;
        Ok(Millipence::new(row.map_or(0, |row| row.value())))
    }

    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError> {
        let doing = "listing balances";
        let snapshot = self.snapshot.load();
        let mut found = Vec::new();
        for row in snapshot.balances.iter().map_err(fault(doing))? {
            let (account, amount) = row.map_err(fault(doing))?;
            found.push((account.value().to_owned(), Millipence::new(amount.value())));
        }
        Ok(found)
    }

    fn head(&self) -> Result<Head, StoreError> {
        let snapshot = self.snapshot.load();
        let Some((first, packed)) = snapshot.records.last().map_err(fault("reading the newest record"))? else {
            return Ok(Head::default());
        };
        let (seq, entry) = pack::last(first.value(), packed.value()).ok_or_else(damaged)?;
        Ok(Head { size: seq.saturating_add(1), seal: Sha256::digest(decode_record(entry).1).into() })
    }

    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        pack::find(&snapshot.records, seq, |entry| decode_record(entry).1.to_vec()).map_err(fault("reading a record"))
    }

    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError> {
        // Memory first: what moves is in the tables before it leaves memory.
        if let Some(seq) = self.recent.read().waiting().seq_of_seal(seal) {
            return Ok(Some(seq));
        }
        let snapshot = self.snapshot.load();
        Ok(snapshot.seals.get(seal).map_err(fault("looking up a seal"))?.map(|row| row.value()))
    }

    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError> {
        if let Some(seq) = self.recent.read().waiting().seq_of_tx(tx) {
            return Ok(Some(seq));
        }
        let snapshot = self.snapshot.load();
        Ok(snapshot.txs.get(tx).map_err(fault("looking up a transaction"))?.map(|row| row.value()))
    }

    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(snapshot.nodes.get((level, index)).map_err(fault("reading the tree"))?.map(|row| *row.value()))
    }

    fn answer(&self, seq: u64) -> Result<Option<Answer>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(pack::find(&snapshot.answers, seq, decode_answer).map_err(fault("reading an answer"))?.flatten())
    }

    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(snapshot.answer_of.get(handle).map_err(fault("looking up an answer"))?.map(|row| row.value()))
    }

    fn outbox(&self, account: &str, after: Option<Place>, limit: usize) -> Result<Vec<OutboxRow>, StoreError> {
        let doing = "reading what is to be told";
        let snapshot = self.snapshot.load();
        let next = after.map_or(Place::first(), Place::next);
        outbox::from(&snapshot.outbox, account, next, limit).map_err(fault(doing))
    }

    fn outgoing(&self, account: &str, place: Place) -> Result<Option<OutboxRow>, StoreError> {
        let snapshot = self.snapshot.load();
        let found = outbox::from(&snapshot.outbox, account, place, 1).map_err(fault("reading an event"))?;
        Ok(found.into_iter().find(|row| row.place == place))
    }

    fn outbox_account(&self, after: &str) -> Result<Option<String>, StoreError> {
        let doing = "listing who is told something";
        let snapshot = self.snapshot.load();
        let beyond = (Bound::Excluded((after, u64::MAX, u16::MAX)), Bound::Unbounded);
        let mut rows = snapshot.outbox.range::<(&str, u64, u16)>(beyond).map_err(fault(doing))?;
        let first = rows.next().transpose().map_err(fault(doing))?;
        Ok(first.map(|(key, _)| key.value().0.to_owned()))
    }

    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self.snapshot.load();
        Ok(snapshot.kv.get((bucket, key)).map_err(fault("reading a plugin's key"))?.map(|row| row.value().to_vec()))
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError> {
        let doing = "listing a plugin's keys";
        let snapshot = self.snapshot.load();
        let mut found = Vec::new();
        for row in snapshot.kv.range((bucket, after)..).map_err(fault(doing))? {
            let (place, value) = row.map_err(fault(doing))?;
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
