//! A copy of everything, as of one moment, while the server goes on.
//!
//! The copy is a file of its own, written through the engine, so it is whole or
//! does not open; what is committed after the moment is not in it.

use std::path::Path;

use redb::{Database, Key, ReadOnlyTable, ReadableTable, TableDefinition, Value, WriteTransaction};
use tollbridge_core::limits::BACKUP_ROWS_PER_COMMIT_MAX;

use super::collection::Collection;
use super::engine::StoreError;
use super::engine::store_error;
use super::redb_engine::RedbStore;
use super::snapshot::Snapshot;
use super::tables::{
    ANSWER_OF, ANSWERS, BALANCES, JOURNAL_KEY, KV, NODES, OUTBOX, RECORDS, REPLICA_KEY, ROWS, SEALS, TXS,
};
use crate::tables::begin_write;

impl RedbStore {
    /// Copies what is committed now into a new file. Blocks.
    pub fn backup(&self, path: &Path) -> Result<(), StoreError> {
        let now = self.committed();
        let doing = "making the backup";
        if path.try_exists().map_err(store_error(doing))? {
            let taken = std::io::Error::other(format!("{} is there already", path.display()));
            return Err(store_error(doing)(taken));
        }
        let copy = Database::create(path).map_err(store_error(doing))?;
        write(&copy, &now)?;
        drop(copy);
        // The engine has synced the file; its name must be safe as well.
        if let Some(folder) = path.parent() {
            std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(store_error(doing))?;
        }
        Ok(())
    }
}

/// The rows last: they hold the schema version, without which a file that was
/// cut short does not pass for a data folder. Without the marks of a journal or
/// log that is not copied: it is a ledger of its own.
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
