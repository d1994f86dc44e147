//! Tables of the redb file, and their schema version.
//!
//! Any change to a table definition here, or to the encoding of its keys or values, needs
//! a new `SCHEMA_VERSION` and a step in `migrate`.

use bytes::Bytes;
use redb::{Database, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::change::StoredAnswer;
use super::collection::Collection;
use super::engine::{StoreError, store_error};
use super::sealing::Hash;

/// Schema version of the tables below.
pub(super) const SCHEMA_VERSION: u64 = 6;

/// Schema version as used by other crates to mark log entries, which contain writes in
/// this format.
pub const TABLES_VERSION: i32 = 6;
const _: () = assert!(TABLES_VERSION as u64 == SCHEMA_VERSION);

/// Rows of all collections: (collection, key) -> JSON.
pub(super) const ROWS: TableDefinition<'_, (u8, &str), &[u8]> = TableDefinition::new("rows");
/// Sealed records by sequence number, in packs (see `pack`): transaction id (32
/// bytes), then the record as canonical JSON.
pub(super) const RECORDS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("record_packs");
/// Sealed records without packs, used by schema versions before 4.
pub(super) const RECORDS_3: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("records");
/// Seal -> sequence number; the newest entries are only in memory (see `recent_index`).
pub(super) const SEALS: TableDefinition<'_, &[u8; 32], u64> = TableDefinition::new("seals");
/// Transaction id -> sequence number; the newest entries are only in memory (see
/// `recent_index`).
pub(super) const TXS: TableDefinition<'_, &[u8; 32], u64> = TableDefinition::new("txs");
/// Complete subtrees of the Merkle tree: (level, index) -> hash.
pub(super) const NODES: TableDefinition<'_, (u8, u64), &[u8; 32]> = TableDefinition::new("nodes");
/// Account -> balance in millipence; accounts with a zero balance have no row.
pub(super) const BALANCES: TableDefinition<'_, &str, i64> = TableDefinition::new("balances");
/// Sequence number -> answer (see `encode_header`), in packs (see `pack`).
pub(super) const ANSWERS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("answer_packs");
/// Answers without packs, used by schema versions before 4.
pub(super) const ANSWERS_3: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("answers");
/// Intent handle -> sequence number of its last answer.
pub(super) const ANSWER_OF: TableDefinition<'_, &str, u64> = TableDefinition::new("answer_of");
/// Key-value pairs of plugins: (bucket, key) -> value.
pub(super) const KV: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("kv");
/// Webhook events in packs (see `outbox`). Key: account, and record number and index of
/// the first event in the pack.
pub(super) const OUTBOX: TableDefinition<'_, (&str, u64, u16), &[u8]> = TableDefinition::new("outbox_packs");
/// Webhook events without packs and with a JSON header, used by schema versions 3 and 4.
pub(super) const OUTBOX_4: TableDefinition<'_, (&str, u64, u16), &[u8]> = TableDefinition::new("outbox");

/// Row of `Collection::Meta` with the schema version.
pub(super) const SCHEMA_KEY: &str = "schema_version";
/// Row of `Collection::Meta`: every record below this number is in the seal and
/// transaction indexes on disk (decimal text; 0 if the row is absent).
pub(super) const INDEXED_KEY: &str = "indexed_below";
/// Row of `Collection::Meta`: the position in the journal up to which entries are applied
/// to the tables (see `journal::JournalMark`). Omitted from backups, which have no journal.
pub(super) const JOURNAL_KEY: &str = "journal";

/// Row of `Collection::Meta` in a host's replica: the id of the ledger, and the position
/// in the shared log up to which entries are applied to the tables (see `replica`).
/// Omitted from backups.
pub(super) const REPLICA_KEY: &str = "replica";

impl Collection {
    /// Returns the collection with a given number; `None` if there is none.
    pub(super) fn of_tag(tag: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|collection| collection.tag() == tag)
    }

    /// Returns the number under which the collection is stored.
    pub(super) const fn tag(self) -> u8 {
        self as u8
    }
}

/// Splits an entry of `RECORDS` into the transaction id and the record; the id is all
/// zeros if the entry is too short.
pub(super) fn decode_record(entry: &[u8]) -> (Hash, &[u8]) {
    entry.split_first_chunk::<32>().map_or(([0; 32], entry), |(tx, record)| (*tx, record))
}

/// Fills `row` with the part of a stored answer before its body: length of the JSON
/// header (u32, little endian), then the header.
pub(super) fn encode_header(header: &impl Serialize, row: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    row.clear();
    row.extend_from_slice(&[0; 4]);
    serde_json::to_writer(&mut *row, header)?;
    let length = u32::try_from(row.len().saturating_sub(4)).unwrap_or(u32::MAX);
    if let Some(place) = row.first_chunk_mut::<4>() {
        *place = length.to_le_bytes();
    }
    Ok(())
}

/// Splits a row into its JSON header, decoded, and its body.
pub(super) fn decode_headed<'r, T: Deserialize<'r>>(row: &'r [u8]) -> Option<(T, &'r [u8])> {
    let (length, rest) = row.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (header, body) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(header).ok()?, body))
}

/// Decodes a row of `ANSWERS`; `None` if the bytes are not an answer.
pub(super) fn decode_answer(bytes: &[u8]) -> Option<StoredAnswer> {
    let (answer, body): (StoredAnswer, _) = decode_headed(bytes)?;
    Some(StoredAnswer { body: Bytes::copy_from_slice(body), ..answer })
}

pub(super) fn begin_write(db: &Database) -> Result<WriteTransaction, StoreError> {
    let mut txn = db.begin_write().map_err(store_error("beginning a write"))?;
    txn.set_two_phase_commit(true);
    txn.set_quick_repair(true);
    Ok(txn)
}

/// Writes metadata about the data folder itself.
pub(super) fn set_meta(txn: &WriteTransaction, key: &str, value: &[u8]) -> Result<(), StoreError> {
    let doing = "writing the metadata of the data folder";
    let mut rows = txn.open_table(ROWS).map_err(store_error(doing))?;
    rows.insert((Collection::Meta.tag(), key), value).map(drop).map_err(store_error(doing))
}
