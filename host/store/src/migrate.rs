//! Migrates the tables of an older version to the current schema, in one write.
//!
//! Invariant: a crash during the migration leaves the old version intact.

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

/// A table of numbered entries.
type Rows = TableDefinition<'static, u64, &'static [u8]>;

/// Number of events to buffer in memory before they are packed together.
const EVENTS_PER_PACK: usize = 10_000;

/// Migrates the database from `version`, which is older than `SCHEMA_VERSION`.
pub(super) fn migrate(db: &Database, version: u64) -> Result<(), StoreError> {
    let txn = begin_write(db)?;
    if version < 2 {
        let size = records_carry_their_ids(db, &txn)?;
        set(&txn, INDEXED_KEY, size)?;
    }
    if version < 4 {
        tracing::info!(
            "packing records; this takes a few seconds per million records and as much disk space as they use now"
        );
        pack(&txn, RECORDS_3, RECORDS, "packing the records")?;
        pack(&txn, ANSWERS_3, ANSWERS, "packing the answers")?;
    }
    if version < 5 {
        // Version 3 introduced the outbox; if the database is older, this creates the
        // table.
        pack_outbox(&txn)?;
    }
    // Version 6 introduced the journal; the version number stops older programs, which
    // would ignore the journal.
    set(&txn, SCHEMA_KEY, SCHEMA_VERSION)?;
    txn.commit().map_err(store_error("migrating the tables"))
}

/// Migrates to version 2, in which each stored record includes its transaction id. Takes
/// the ids from the index of transactions, which in version 1 contains every record.
/// Returns the number of records.
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

/// Migrates to version 4, in which one row holds several entries.
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

/// Migrates to version 5, in which one row holds several events.
fn pack_outbox(txn: &redb::WriteTransaction) -> Result<(), StoreError> {
    let doing = "packing the outbox";
    {
        let (rows, mut packs) = (
            txn.open_table(OUTBOX_4).map_err(store_error(doing))?,
            txn.open_table(OUTBOX).map_err(store_error(doing))?,
        );
        let mut pending_events = PendingOutboxRows::default();
        for (count, row) in rows.iter().map_err(store_error(doing))?.enumerate() {
            if count % EVENTS_PER_PACK == 0 {
                pending_events.flush(&mut packs)?;
            }
            let (key, row) = row.map_err(store_error(doing))?;
            let (account, seq, index) = key.value();
            // Skip events whose rows do not decode; they could not be delivered before
            // the migration either.
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
