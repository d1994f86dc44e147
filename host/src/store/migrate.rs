//! Brings the tables of an older version to this one's shape, in one write.
//!
//! Invariant: a crash in between leaves the old version whole.

use redb::{Database, ReadableDatabase, ReadableTable};

use super::redb_engine::{begin_write, fault};
use super::tables::{INDEXED_KEY, OUTBOX, RECORDS, ROWS, SCHEMA_KEY, SCHEMA_VERSION, TXS, encode_record};
use super::{Collection, Hash, StoreError};

/// From `version`, which is older than `SCHEMA_VERSION`.
pub(super) fn migrate(db: &Database, version: u64) -> Result<(), StoreError> {
    let txn = begin_write(db)?;
    if version < 2 {
        let size = records_carry_their_ids(db, &txn)?;
        set(&txn, INDEXED_KEY, size)?;
    }
    if version < 3 {
        // Nothing was told before there was an outbox.
        drop(txn.open_table(OUTBOX).map_err(fault("making the outbox"))?);
    }
    set(&txn, SCHEMA_KEY, SCHEMA_VERSION)?;
    txn.commit().map_err(fault("migrating the tables"))
}

/// Version 2 keeps a record behind its transaction id. Version 1 had every
/// record in the indexes at once. Returns the number of records.
fn records_carry_their_ids(db: &Database, txn: &redb::WriteTransaction) -> Result<u64, StoreError> {
    let doing = "migrating the records";
    let old = db.begin_read().map_err(fault(doing))?;
    let (ids, old) = (old.open_table(TXS).map_err(fault(doing))?, old.open_table(RECORDS).map_err(fault(doing))?);
    let mut records = txn.open_table(RECORDS).map_err(fault(doing))?;
    let mut size = 0;
    for row in ids.iter().map_err(fault(doing))? {
        let (tx, seq) = row.map_err(fault(doing))?;
        let (tx, seq): (Hash, u64) = (*tx.value(), seq.value());
        let Some(record) = old.get(seq).map_err(fault(doing))? else { continue };
        records.insert(seq, encode_record(&tx, record.value()).as_slice()).map_err(fault(doing))?;
        size = size.max(seq.saturating_add(1));
    }
    Ok(size)
}

fn set(txn: &redb::WriteTransaction, key: &str, value: u64) -> Result<(), StoreError> {
    let doing = "migrating the tables";
    let mut rows = txn.open_table(ROWS).map_err(fault(doing))?;
    rows.insert((Collection::Meta.tag(), key), value.to_string().as_bytes()).map(drop).map_err(fault(doing))
}
