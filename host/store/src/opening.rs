//! Opens the store's files, which may be new, from an older or newer version, incomplete,
//! in use, or behind their journal.

use std::cell::RefCell;
use std::fs::File;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{BackendError, Database, DatabaseError, ReadableDatabase, StorageBackend, TableError};
use sha2::{Digest, Sha256};

use super::batch::{Batch, CommitBuffers};
use super::collection::Collection;
use super::engine::{StoreError, store_error};
use super::journal::{Journal, JournalMark};
use super::migrate::migrate;
use super::pack;
use super::recent_index::{IndexEntries, RecentIndex};
use super::replica::{self, Replica};
use super::shared_log::{Following, LogPosition, SharedLog};
use super::snapshot::Snapshot;
use super::tables::{
    INDEXED_KEY, JOURNAL_KEY, REPLICA_KEY, ROWS, SCHEMA_KEY, SCHEMA_VERSION, begin_write, decode_record, set_meta,
};

/// File name of the database in a data folder; the journal is in the same folder.
pub const DATABASE: &str = "tollbridge.redb";
/// Size of the page with redb's header, which begins with a magic number.
const HEADER_BYTES: usize = 4096;
const MAGIC_BYTES: usize = 9;
/// Maximum size of a database file whose creation was interrupted; a new file is little
/// more than 1 MiB.
const UNFINISHED_BYTES_MAX: u64 = 16 << 20;
/// Size of the page cache: several times the size of the tables after a busy month.
const CACHE_BYTES: usize = 256 << 20;

/// The reason a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum OpenError {
    #[error("{path} is in use by another process; stop it, or use its admin listener")]
    InUse { path: String },
    #[error(
        "{path} was written by a newer Tollbridge (schema {found}, this one supports {SCHEMA_VERSION}); run that version"
    )]
    Newer { path: String, found: u64 },
    #[error("{path} holds a schema version that is not a number; restore the data folder from a backup")]
    Damaged { path: String },
    #[error(
        "{path} is one host's copy of a ledger in PostgreSQL; set store.engine = \"postgres\", or another data.dir"
    )]
    Replica { path: String },
    #[error(
        "{path} is a copy of a different ledger from the one in the database; set the right store.url, or remove the file"
    )]
    OtherLedger { path: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens the file of a replica, creating it if missing.
pub(super) fn file(path: &Path) -> Result<FileBackend, StoreError> {
    let doing = "opening the database";
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    FileBackend::new(file.map_err(store_error(doing))?).map_err(store_error(doing))
}

/// Refuses a replica, which must not be opened as an independent ledger.
pub(super) fn refuse_replica(db: &Database, name: &str) -> Result<(), OpenError> {
    match meta(db, REPLICA_KEY)? {
        Some(_) => Err(OpenError::Replica { path: name.to_owned() }),
        None => Ok(()),
    }
}

/// Returns the position of a replica in the shared log; fills new tables from the log.
pub(super) fn replica(
    db: &Database,
    name: &str,
    mut log: Box<dyn SharedLog>,
    max_in_memory: u64,
) -> Result<Replica, OpenError> {
    let ledger_id = log.ledger_id()?;
    let position = match meta(db, REPLICA_KEY)?.and_then(|row| replica::decode_mark(&row)) {
        Some((id, position)) if id == ledger_id => position,
        Some(_) => return Err(OpenError::OtherLedger { path: name.to_owned() }),
        None => fill(db, log.as_mut(), &ledger_id)?,
    };
    Ok(Replica::new(log, ledger_id, position, max_in_memory))
}

/// Returns whether a replica file is too old for the log: the log no longer has the
/// entries after the file's position, so the tables must be copied again.
pub(super) fn is_outdated(path: &Path, log: &mut dyn SharedLog) -> Result<bool, OpenError> {
    if !path.try_exists().map_err(store_error("opening the database"))? {
        return Ok(false);
    }
    let db = database(file(path)?, &path.display().to_string())?;
    let mark = meta(&db, REPLICA_KEY)?.and_then(|row| replica::decode_mark(&row));
    let ledger_id = log.ledger_id()?;
    Ok(match mark.filter(|(id, _)| *id == ledger_id) {
        Some((_, position)) => log.entries(position)? == Following::Forgotten,
        None => false,
    })
}

/// Fills new tables with a copy of all tables of the ledger. Uses one transaction, so an
/// interrupted copy writes nothing.
fn fill(db: &Database, log: &mut dyn SharedLog, ledger_id: &[u8; 16]) -> Result<LogPosition, StoreError> {
    let txn = begin_write(db)?;
    let position = {
        let (recent, mut buffers, entry) = (RecentIndex::default(), CommitBuffers::default(), RefCell::default());
        let mut batch = Batch::open(&txn, &recent, &mut buffers, &entry)?;
        let position = log.tables(&mut |notes| batch.redo_copy(notes))?;
        batch.mark(INDEXED_KEY, batch.size()?.to_string().as_bytes())?;
        batch.mark(REPLICA_KEY, &replica::encode_mark(ledger_id, &position))?;
        position
    };
    txn.commit().map_err(store_error("copying the tables"))?;
    Ok(position)
}

/// Opens the database and its journal, creating missing files.
pub(super) fn files(path: &Path) -> Result<(FileBackend, FileBackend), StoreError> {
    let doing = "opening the database";
    let mut new = false;
    let mut file = |path: &Path| -> Result<FileBackend, StoreError> {
        new |= !path.try_exists().map_err(store_error(doing))?;
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        FileBackend::new(file.map_err(store_error(doing))?).map_err(store_error(doing))
    };
    let both = (file(path)?, file(&journal_of(path))?);
    if new {
        // Sync the folder; otherwise a power failure could lose the names of synced files.
        sync_folder(path).map_err(store_error(doing))?;
    }
    Ok(both)
}

pub(super) fn journal_of(database: &Path) -> PathBuf {
    database.with_extension("journal")
}

pub(super) fn sync_folder(of: &Path) -> std::io::Result<()> {
    let Some(dir) = of.parent() else { return Ok(()) };
    File::open(if dir.as_os_str().is_empty() { Path::new(".") } else { dir })?.sync_all()
}

/// Opens a database with all its tables at the current version.
pub(super) fn database(backend: impl StorageBackend, name: &str) -> Result<Database, OpenError> {
    let in_use = || OpenError::InUse { path: name.to_owned() };
    if !clear_unfinished(&backend).map_err(store_error("inspecting the database"))? {
        return Err(in_use());
    }
    let mut builder = Database::builder();
    let db = builder.set_cache_size(CACHE_BYTES).create_with_backend(backend).map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen => in_use(),
        other => store_error("opening the database")(other).into(),
    })?;
    check_schema(&db, name)?;
    Ok(db)
}

/// Creates the tables of a new database, migrates an old one, and refuses others.
fn check_schema(db: &Database, name: &str) -> Result<(), OpenError> {
    let Some(found) = schema_of(db)? else { return Ok(create_tables(db)?) };
    // Never treat an unreadable version as a new file: its tables would be stamped with
    // the current version.
    match std::str::from_utf8(&found).ok().and_then(|text| text.parse::<u64>().ok()) {
        Some(version) if version > SCHEMA_VERSION => Err(OpenError::Newer { path: name.to_owned(), found: version }),
        Some(version) if version < SCHEMA_VERSION => Ok(migrate(db, version)?),
        Some(_) => Ok(()),
        None => Err(OpenError::Damaged { path: name.to_owned() }),
    }
}

/// Opens the journal, and applies to the tables, durably, the entries that they lack.
pub(super) fn catch_up(db: &Database, file: Box<dyn StorageBackend>, max_bytes: u64) -> Result<Journal, StoreError> {
    let doing = "opening the journal";
    let mark = match mark_of(db)? {
        Some(mark) => mark,
        None => {
            let fresh = JournalMark::fresh().map_err(store_error(doing))?;
            set_mark(db, fresh)?;
            fresh
        }
    };
    let (journal, missing) = Journal::open(file, mark, max_bytes).map_err(store_error(doing))?;
    if !missing.is_empty() {
        let txn = begin_write(db)?;
        {
            let (recent, mut buffers, entry) = (RecentIndex::default(), CommitBuffers::default(), RefCell::default());
            let mut batch = Batch::open(&txn, &recent, &mut buffers, &entry)?;
            missing.iter().try_for_each(|notes| batch.redo(notes))?;
            batch.flush()?;
            batch.mark(JOURNAL_KEY, &journal.mark(false).encode())?;
        }
        txn.commit().map_err(store_error(doing))?;
        tracing::info!(commits = missing.len(), "replayed commits that were only in the journal");
    }
    Ok(journal)
}

/// Returns the journal state recorded in the tables; `None` if none was ever recorded.
pub(super) fn mark_of(db: &Database) -> Result<Option<JournalMark>, StoreError> {
    Ok(meta(db, JOURNAL_KEY)?.and_then(|row| JournalMark::decode(&row)))
}

/// Reads a row that describes the file itself.
fn meta(db: &Database, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let doing = "reading the metadata of the data folder";
    let rows = db.begin_read().map_err(store_error(doing))?.open_table(ROWS).map_err(store_error(doing))?;
    let row = rows.get((Collection::Meta.tag(), key)).map_err(store_error(doing))?;
    Ok(row.map(|row| row.value().to_vec()))
}

/// Records the journal state in the tables and makes it durable, together with everything
/// the tables contain.
pub(super) fn set_mark(db: &Database, mark: JournalMark) -> Result<(), StoreError> {
    let doing = "marking the journal";
    let txn = begin_write(db)?;
    set_meta(&txn, JOURNAL_KEY, &mark.encode())?;
    txn.commit().map_err(store_error(doing))
}

/// Returns the schema version as stored; `None` if there are no tables yet.
pub(super) fn schema_of(db: &Database) -> Result<Option<Vec<u8>>, StoreError> {
    let txn = db.begin_read().map_err(store_error("beginning a read"))?;
    match txn.open_table(ROWS) {
        Ok(rows) => {
            let row = rows.get((Collection::Meta.tag(), SCHEMA_KEY)).map_err(store_error("reading the schema"))?;
            Ok(row.map(|row| row.value().to_vec()))
        }
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(store_error("opening the rows")(error)),
    }
}

/// Creates every table, so that later reads find them all.
fn create_tables(db: &Database) -> Result<(), StoreError> {
    let txn = begin_write(db)?;
    {
        let (recent, mut buffers, entry) = (RecentIndex::default(), CommitBuffers::default(), RefCell::default());
        Batch::open(&txn, &recent, &mut buffers, &entry)?;
    }
    set_meta(&txn, SCHEMA_KEY, SCHEMA_VERSION.to_string().as_bytes())?;
    txn.commit().map_err(store_error("writing the schema"))
}

/// Reads the records that the seal and transaction indexes on disk may not contain yet.
pub(super) fn read_recent(snapshot: &Snapshot, max_bytes: usize) -> Result<RecentIndex, StoreError> {
    let doing = "reading the newest records";
    let below = snapshot.rows.get((Collection::Meta.tag(), INDEXED_KEY)).map_err(store_error(doing))?;
    let below = below.and_then(|row| std::str::from_utf8(row.value()).ok()?.parse::<u64>().ok()).unwrap_or(0);
    let mut waiting = IndexEntries::default();
    let mut size = below;
    // The pack that contains `below` may begin before it.
    let mut before = snapshot.records.range(..=below).map_err(store_error(doing))?;
    let from = before.next_back().transpose().map_err(store_error(doing))?.map_or(below, |(first, _)| first.value());
    for row in snapshot.records.range(from..).map_err(store_error(doing))? {
        let (first, packed) = row.map_err(store_error(doing))?;
        pack::last(first.value(), packed.value()).ok_or_else(damaged)?;
        for (seq, entry) in pack::entries(first.value(), packed.value()).filter(|(seq, _)| *seq >= below) {
            let (tx, record) = decode_record(entry);
            waiting.insert(tx, Sha256::digest(record).into(), seq);
            size = seq.saturating_add(1);
        }
    }
    Ok(RecentIndex::new(waiting, size, max_bytes))
}

/// Empties a file whose creation was interrupted by a crash: redb writes the magic number
/// last and would otherwise refuse the file for ever. Only a file with nothing but zeros
/// after its header is emptied. Returns false if another process has the file open.
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

/// Returns the error for tables that lack bytes although the engine opened them without
/// an error. Nothing may be appended to such tables.
pub(super) fn damaged() -> StoreError {
    let source = Box::from("bytes are missing; restore the data folder from a backup");
    StoreError { doing: "reading the newest records", source }
}

#[cfg(test)]
#[path = "opening_tests.rs"]
mod tests;
