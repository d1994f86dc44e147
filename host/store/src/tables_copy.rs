//! Exports all rows of all tables, to be imported into another engine.

use redb::{Key, ReadOnlyTable, ReadableTable, Value};
use sha2::{Digest, Sha256};

use crate::collection::Collection;
use crate::engine::{StoreError, store_error};
use crate::journaled_table::TableNumber;
use crate::redb_engine::RedbStore;
use crate::sealing::Hash;
use crate::shared_log::{NoteSink, TableNote};
use crate::tables::{INDEXED_KEY, JOURNAL_KEY, REPLICA_KEY, SCHEMA_KEY};

/// Metadata rows that describe this file and not the ledger.
const OF_THE_FILE: [&str; 4] = [INDEXED_KEY, JOURNAL_KEY, REPLICA_KEY, SCHEMA_KEY];

impl RedbStore {
    /// Passes every row as of one moment to `take`, one row at a time and always in the
    /// same order. Omits derived data: the indexes of digests.
    ///
    /// # Errors
    /// A row cannot be read, or `take` fails.
    pub fn copy_tables(&self, take: &mut NoteSink<'_>) -> Result<(), StoreError> {
        let now = self.committed();
        let of_ledger = |(tag, key): &(u8, &str)| *tag != Collection::Meta.tag() || !OF_THE_FILE.contains(key);
        copy(TableNumber::Rows, &now.rows, of_ledger, take)?;
        copy(TableNumber::Records, &now.records, |_| true, take)?;
        copy(TableNumber::Nodes, &now.nodes, |_| true, take)?;
        copy(TableNumber::Balances, &now.balances, |_| true, take)?;
        copy(TableNumber::Answers, &now.answers, |_| true, take)?;
        copy(TableNumber::AnswerOf, &now.answer_of, |_| true, take)?;
        copy(TableNumber::Kv, &now.kv, |_| true, take)?;
        copy(TableNumber::Outbox, &now.outbox, |_| true, take)
    }

    /// Returns the number of rows that `copy_tables` passes to its callback, and the
    /// SHA-256 of them all; stores with equal results have the same rows.
    ///
    /// # Errors
    /// A row cannot be read.
    pub fn tables_digest(&self) -> Result<(i64, Hash), StoreError> {
        let (mut rows, mut digest) = (0, Sha256::new());
        self.copy_tables(&mut |note| {
            rows += 1;
            digest.update(note);
            Ok(())
        })?;
        Ok((rows, digest.finalize().into()))
    }
}

fn copy<K: Key + 'static, V: Value + 'static>(
    number: TableNumber,
    rows: &ReadOnlyTable<K, V>,
    is_included: impl Fn(&K::SelfType<'_>) -> bool,
    take: &mut NoteSink<'_>,
) -> Result<(), StoreError> {
    let doing = "copying a table";
    let mut note = Vec::new();
    for row in rows.iter().map_err(store_error(doing))? {
        let (key, value) = row.map_err(store_error(doing))?;
        let (key, value) = (key.value(), value.value());
        if is_included(&key) {
            let (key, value) = (K::as_bytes(&key), V::as_bytes(&value));
            note.clear();
            TableNote { table: number as u8, key: key.as_ref(), value: Some(value.as_ref()) }.encode(&mut note);
            take(&note)?;
        }
    }
    Ok(())
}
