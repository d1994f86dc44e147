//! The tables as of the newest commit, opened once for all readers.
//!
//! Beginning a read transaction and finding a table by name costs more than the look-up
//! that follows, and a paid call makes several look-ups. A snapshot never changes; the
//! engine replaces it after each commit.

use redb::{Database, ReadOnlyTable, ReadableDatabase};

use super::engine::{StoreError, store_error};
use super::tables::{ANSWER_OF, ANSWERS, BALANCES, KV, NODES, OUTBOX, RECORDS, ROWS, SEALS, TXS};

pub(super) struct Snapshot {
    pub(super) rows: ReadOnlyTable<(u8, &'static str), &'static [u8]>,
    pub(super) records: ReadOnlyTable<u64, &'static [u8]>,
    pub(super) seals: ReadOnlyTable<&'static [u8; 32], u64>,
    pub(super) txs: ReadOnlyTable<&'static [u8; 32], u64>,
    pub(super) nodes: ReadOnlyTable<(u8, u64), &'static [u8; 32]>,
    pub(super) balances: ReadOnlyTable<&'static str, i64>,
    pub(super) answers: ReadOnlyTable<u64, &'static [u8]>,
    pub(super) answer_of: ReadOnlyTable<&'static str, u64>,
    pub(super) kv: ReadOnlyTable<(&'static str, &'static str), &'static [u8]>,
    pub(super) outbox: ReadOnlyTable<(&'static str, u64, u16), &'static [u8]>,
}

impl Snapshot {
    /// Opens the committed state; every table must exist.
    pub(super) fn open(db: &Database) -> Result<Self, StoreError> {
        let doing = "opening the tables for reading";
        let txn = db.begin_read().map_err(store_error(doing))?;
        Ok(Self {
            rows: txn.open_table(ROWS).map_err(store_error(doing))?,
            records: txn.open_table(RECORDS).map_err(store_error(doing))?,
            seals: txn.open_table(SEALS).map_err(store_error(doing))?,
            txs: txn.open_table(TXS).map_err(store_error(doing))?,
            nodes: txn.open_table(NODES).map_err(store_error(doing))?,
            balances: txn.open_table(BALANCES).map_err(store_error(doing))?,
            answers: txn.open_table(ANSWERS).map_err(store_error(doing))?,
            answer_of: txn.open_table(ANSWER_OF).map_err(store_error(doing))?,
            kv: txn.open_table(KV).map_err(store_error(doing))?,
            outbox: txn.open_table(OUTBOX).map_err(store_error(doing))?,
        })
    }
}
