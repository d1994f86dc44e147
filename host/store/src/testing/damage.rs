//! Edits the tables directly, bypassing the store, to simulate a failing disk or manual
//! tampering.

use std::sync::Arc;

use redb::{ReadableTable, WriteTransaction};

use crate::collection::Collection;
use crate::pack;
use crate::redb_engine::RedbStore;
use crate::sealing::Hash;
use crate::snapshot::Snapshot;
use crate::tables::{BALANCES, NODES, RECORDS, ROWS, decode_record};

/// A write transaction that damages the tables; all its edits are applied, or none.
pub struct Damage<'t> {
    txn: &'t WriteTransaction,
}

impl RedbStore {
    /// Applies edits to the tables that no [`crate::Change`] could make.
    pub fn damage(&self, edit: impl FnOnce(&Damage<'_>)) {
        let txn = self.db.begin_write().unwrap();
        edit(&Damage { txn: &txn });
        txn.commit().unwrap();
        self.snapshot.store(Arc::new(Snapshot::open(&self.db).unwrap()));
    }

    /// Removes the transaction ids of matching records from the index.
    pub fn lose_transactions(&self, lost: impl Fn(u64) -> bool) {
        self.recent.write().waiting_mut().retain_txs(|seq| !lost(seq));
    }

    /// Makes the seal index return the same record for every seal.
    pub fn point_all_seals_to(&self, seq: u64) {
        self.recent.write().waiting_mut().point_all_seals_to(seq);
    }
}

impl Damage<'_> {
    /// Replaces the bytes of a record.
    pub fn replace_record(&self, seq: u64, bytes: &[u8]) {
        self.edit_pack(seq, |number, entry| {
            let (tx, _) = decode_record(entry);
            Some(if number == seq { [&tx, bytes].concat() } else { entry.to_vec() })
        });
    }

    /// Removes a record.
    pub fn remove_record(&self, seq: u64) {
        self.edit_pack(seq, |number, entry| (number != seq).then(|| entry.to_vec()));
    }

    /// Changes a balance by an amount.
    pub fn add_to_balance(&self, account: &str, amount: i64) {
        let mut table = self.txn.open_table(BALANCES).unwrap();
        let before = table.get(account).unwrap().unwrap().value();
        table.insert(account, before + amount).unwrap();
    }

    /// Removes a node of the Merkle tree.
    pub fn remove_node(&self, level: u8, index: u64) {
        self.txn.open_table(NODES).unwrap().remove((level, index)).unwrap().unwrap();
    }

    /// Replaces a node of the Merkle tree.
    pub fn replace_node(&self, level: u8, index: u64, hash: &Hash) {
        self.txn.open_table(NODES).unwrap().insert((level, index), hash).unwrap().unwrap();
    }

    /// Replaces a row, or removes it.
    pub fn replace_row(&self, collection: Collection, key: &str, value: Option<&[u8]>) {
        let mut table = self.txn.open_table(ROWS).unwrap();
        let key = (collection.tag(), key);
        match value {
            Some(value) => drop(table.insert(key, value).unwrap()),
            None => drop(table.remove(key).unwrap()),
        }
    }

    /// Rewrites the pack that contains a record; `edit` returns `None` to drop an entry.
    fn edit_pack(&self, seq: u64, edit: impl Fn(u64, &[u8]) -> Option<Vec<u8>>) {
        let mut table = self.txn.open_table(RECORDS).unwrap();
        let (first, old) = {
            let (first, old) = table.range(..=seq).unwrap().next_back().unwrap().unwrap();
            (first.value(), old.value().to_vec())
        };
        let mut new = Vec::new();
        for (number, entry) in pack::entries(first, &old) {
            let Some(entry) = edit(number, entry) else { continue };
            new.extend_from_slice(&u32::try_from(number - first).unwrap().to_le_bytes());
            new.extend_from_slice(&u32::try_from(entry.len()).unwrap().to_le_bytes());
            new.extend_from_slice(&entry);
        }
        match new.is_empty() {
            true => drop(table.remove(first).unwrap()),
            false => drop(table.insert(first, new.as_slice()).unwrap()),
        }
    }
}
