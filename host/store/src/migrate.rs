//! Brings the tables of an older version to this one's shape, in one write.
//!
//! Invariant: a crash in between leaves the old version whole.

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

use super::engine::{StoreError, store_error};
use super::outbox::PendingOutboxRows;
use super::outbox_event::{OutboxPosition, OutboxRow};
use super::pack::{self, Packer};
use super::sealing::Hash;
use super::tables::{
    ANSWERS, ANSWERS_3, INDEXED_KEY, OUTBOX, OUTBOX_4, RECORDS, RECORDS_3, SCHEMA_KEY, SCHEMA_VERSION, TXS,
    begin_write, decode_headed, set_meta,
};

/// Numbered entries.
type Rows = TableDefinition<'static, u64, &'static [u8]>;

/// Events that are packed together, and in memory meanwhile.
const TOLD_AT_ONCE: usize = 10_000;

/// From `version`, which is older than `SCHEMA_VERSION`.
pub(super) fn migrate(db: &Database, version: u64) -> Result<(), StoreError> {
    let txn = begin_write(db)?;
    if version < 2 {
        let size = records_carry_their_ids(db, &txn)?;
        set(&txn, INDEXED_KEY, size)?;
    }
    if version < 4 {
        tracing::info!("packing records; this takes some seconds for each million, and as much space as they have");
        pack(&txn, RECORDS_3, RECORDS, "packing the records")?;
        pack(&txn, ANSWERS_3, ANSWERS, "packing the answers")?;
    }
    if version < 5 {
        // Version 3 was the first with an outbox: the table is made in any case.
        pack_outbox(&txn)?;
    }
    // Version 6 has a journal, which older ones would not read.
    set(&txn, SCHEMA_KEY, SCHEMA_VERSION)?;
    txn.commit().map_err(store_error("migrating the tables"))
}

/// Version 2 keeps a record behind its transaction id. Version 1 had every
/// record in the indexes at once. Returns the number of records.
fn records_carry_their_ids(db: &Database, txn: &redb::WriteTransaction) -> Result<u64, StoreError> {
    let doing = "migrating the records";
    let old = db.begin_read().map_err(store_error(doing))?;
    let (ids, old) =
        (old.open_table(TXS).map_err(store_error(doing))?, old.open_table(RECORDS_3).map_err(store_error(doing))?);
    let mut records = txn.open_table(RECORDS_3).map_err(store_error(doing))?;
    let (mut size, mut bytes) = (0, Vec::new());
    for row in ids.iter().map_err(store_error(doing))? {
        let (tx, seq) = row.map_err(store_error(doing))?;
        let (tx, seq): (Hash, u64) = (*tx.value(), seq.value());
        let Some(record) = old.get(seq).map_err(store_error(doing))? else { continue };
        bytes.clear();
        bytes.extend_from_slice(&tx);
        bytes.extend_from_slice(record.value());
        records.insert(seq, bytes.as_slice()).map_err(store_error(doing))?;
        size = size.max(seq.saturating_add(1));
    }
    Ok(size)
}

/// Version 4 keeps several entries in a row.
fn pack(txn: &redb::WriteTransaction, old: Rows, new: Rows, doing: &'static str) -> Result<(), StoreError> {
    {
        let (rows, mut packs) =
            (txn.open_table(old).map_err(store_error(doing))?, txn.open_table(new).map_err(store_error(doing))?);
        let mut packer = Packer::default();
        for row in rows.iter().map_err(store_error(doing))? {
            let (seq, entry) = row.map_err(store_error(doing))?;
            packer.add(OutboxPosition::of(seq.value()), &[entry.value()], &mut pack::into(&mut packs))?;
        }
        packer.flush(&mut pack::into(&mut packs))?;
    }
    txn.delete_table(old).map(drop).map_err(store_error(doing))
}

/// Version 5 keeps several events in a row.
fn pack_outbox(txn: &redb::WriteTransaction) -> Result<(), StoreError> {
    let doing = "packing the outbox";
    {
        let (rows, mut packs) = (
            txn.open_table(OUTBOX_4).map_err(store_error(doing))?,
            txn.open_table(OUTBOX).map_err(store_error(doing))?,
        );
        let mut pending_events = PendingOutboxRows::default();
        for (count, row) in rows.iter().map_err(store_error(doing))?.enumerate() {
            if count % TOLD_AT_ONCE == 0 {
                pending_events.flush(&mut packs)?;
            }
            let (key, row) = row.map_err(store_error(doing))?;
            let (account, seq, index) = key.value();
            // What is no such row was never sent before, either.
            let Some((row, data)) = decode_headed::<OutboxRow>(row.value()) else { continue };
            pending_events
                .add(account, &OutboxRow { place: OutboxPosition { seq, index }, data: data.to_vec(), ..row });
        }
        pending_events.flush(&mut packs)?;
    }
    txn.delete_table(OUTBOX_4).map(drop).map_err(store_error(doing))
}

fn set(txn: &redb::WriteTransaction, key: &str, value: u64) -> Result<(), StoreError> {
    set_meta(txn, key, value.to_string().as_bytes())
}
