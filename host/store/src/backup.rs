//! Backups: a copy of the whole database at one moment, taken while the server runs.
//!
//! The copy is a separate file written through the engine, so it either is complete or fails
//! to open. It does not contain later commits.

use std::fs::File;
use std::ops::Bound;
use std::path::Path;

use redb::backends::FileBackend;
use redb::{Database, Key, ReadOnlyTable, ReadableTable, StorageBackend, TableDefinition, Value, WriteTransaction};

use super::collection::Collection;
use super::engine::StoreError;
use super::engine::store_error;
use super::opening::schema_of;
use super::redb_engine::RedbStore;
use super::snapshot::Snapshot;
use super::tables::{
    ANSWER_OF, ANSWERS, BALANCES, JOURNAL_KEY, KV, NODES, OUTBOX, RECORDS, REPLICA_KEY, ROWS, SEALS, TXS,
};
use crate::tables::begin_write;

/// Maximum number of rows in one commit of a backup; limits its memory.
const BACKUP_ROWS_PER_COMMIT_MAX: usize = 1_000;

impl RedbStore {
    /// Copies the committed state into a new file. Blocks.
    pub fn backup(&self, path: &Path) -> Result<(), StoreError> {
        let now = self.committed();
        let doing = "making the backup";
        if path.try_exists().map_err(store_error(doing))? {
            let taken = std::io::Error::other(format!("{} already exists", path.display()));
            return Err(store_error(doing)(taken));
        }
        let copy = Database::create(path).map_err(store_error(doing))?;
        write(&copy, &now)?;
        drop(copy);
        // The engine has synced the file; sync its directory entry as well.
        if let Some(folder) = path.parent() {
            std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(store_error(doing))?;
        }
        Ok(())
    }
}

/// Checks that a copy was written to the end and that every page is intact. No process may
/// have the file open. Blocks.
pub fn check_copy(path: &Path) -> Result<(), StoreError> {
    let doing = "checking the copy of the database";
    let wrong = |source: &str| StoreError { doing, source: Box::from(source) };
    let mut copy = Database::open(path).map_err(store_error(doing))?;
    if schema_of(&copy)?.is_none() {
        return Err(wrong("the copy is incomplete: writing it was interrupted"));
    }
    match copy.check_integrity().map_err(store_error(doing))? {
        true => Ok(()),
        false => Err(wrong("some pages are damaged")),
    }
}

/// Returns whether another process has a database open. A file that this user cannot open for
/// writing counts as not in use.
pub fn is_in_use(path: &Path) -> bool {
    let all = (Bound::Unbounded, Bound::Unbounded);
    let Ok(file) = File::options().read(true).write(true).open(path) else { return false };
    let Ok(backend) = FileBackend::new(file) else { return false };
    // Closing the file releases the lock.
    matches!(backend.try_lock_range(all.0, all.1), Ok(false))
}

/// Copies all tables, with `ROWS` last because it holds the schema version: an incomplete
/// file has none and is therefore not accepted as a data folder. Omits the positions in
/// the journal and the shared log: neither of the two is copied, and the copy is an
/// independent ledger.
fn write(copy: &Database, now: &Snapshot) -> Result<(), StoreError> {
    table(copy, RECORDS, &now.records, |_| true)?;
    table(copy, SEALS, &now.seals, |_| true)?;
    table(copy, TXS, &now.txs, |_| true)?;
    table(copy, NODES, &now.nodes, |_| true)?;
    table(copy, BALANCES, &now.balances, |_| true)?;
    table(copy, ANSWERS, &now.answers, |_| true)?;
    table(copy, ANSWER_OF, &now.answer_of, |_| true)?;
    table(copy, KV, &now.kv, |_| true)?;
    table(copy, OUTBOX, &now.outbox, |_| true)?;
    table(copy, ROWS, &now.rows, |(tag, key)| {
        *tag != Collection::Meta.tag() || ![JOURNAL_KEY, REPLICA_KEY].contains(key)
    })
}

fn table<K: Key + 'static, V: Value + 'static>(
    copy: &Database,
    name: TableDefinition<'static, K, V>,
    rows: &ReadOnlyTable<K, V>,
    is_included: impl Fn(&K::SelfType<'_>) -> bool,
) -> Result<(), StoreError> {
    let doing = "copying a table";
    let mut rows = rows.iter().map_err(store_error(doing))?;
    loop {
        let txn: WriteTransaction = begin_write(copy)?;
        let mut copied = 0;
        {
            let mut target = txn.open_table(name).map_err(store_error(doing))?;
            for row in rows.by_ref().take(BACKUP_ROWS_PER_COMMIT_MAX) {
                let (key, value) = row.map_err(store_error(doing))?;
                if is_included(&key.value()) {
                    target.insert(key.value(), value.value()).map_err(store_error(doing))?;
                }
                copied += 1;
            }
        }
        txn.commit().map_err(store_error(doing))?;
        if copied < BACKUP_ROWS_PER_COMMIT_MAX {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::SCHEMA_KEY;

    #[test]
    fn a_copy_holds_until_a_byte_of_it_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("copy.redb");
        RedbStore::in_memory().unwrap().backup(&path).unwrap();
        check_copy(&path).unwrap();
        check_copy(&path).unwrap();
        assert!(!is_in_use(&path) && !is_in_use(&dir.path().join("none")));
        let whole = std::fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        for (place, window) in whole.windows(SCHEMA_KEY.len()).enumerate() {
            bytes[place] ^= u8::from(window == SCHEMA_KEY.as_bytes());
        }
        assert!(bytes != whole);
        std::fs::write(&path, &bytes).unwrap();
        assert!(check_copy(&path).is_err());
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(check_copy(&path).is_err());
    }
}
