//! Tables of the redb file and the version of their shape.
//!
//! Any change to a definition here, or to what its bytes mean, is a new
//! `SCHEMA_VERSION` and a step in `migrate`.

use bytes::Bytes;
use redb::{Database, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::change::StoredAnswer;
use super::collection::Collection;
use super::engine::{StoreError, store_error};
use super::sealing::Hash;

/// Shape of the tables below.
pub(super) const SCHEMA_VERSION: u64 = 6;

/// The same for those who share a log: what its entries write has this shape.
pub const TABLES_VERSION: i32 = 6;
const _: () = assert!(TABLES_VERSION as u64 == SCHEMA_VERSION);

/// Rows of all collections: (collection, key) -> JSON.
pub(super) const ROWS: TableDefinition<'_, (u8, &str), &[u8]> = TableDefinition::new("rows");
/// Sealed records by sequence number, in packs (see `pack`): transaction id (32
/// bytes), then the record as canonical JSON.
pub(super) const RECORDS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("record_packs");
/// Likewise without packs: before version 4.
pub(super) const RECORDS_3: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("records");
/// Seal -> sequence number; the newest are in memory only (see `recent_index`).
pub(super) const SEALS: TableDefinition<'_, &[u8; 32], u64> = TableDefinition::new("seals");
/// Transaction id -> sequence number; the newest are in memory only.
pub(super) const TXS: TableDefinition<'_, &[u8; 32], u64> = TableDefinition::new("txs");
/// Complete subtrees of the Merkle tree: (level, index) -> hash.
pub(super) const NODES: TableDefinition<'_, (u8, u64), &[u8; 32]> = TableDefinition::new("nodes");
/// Account -> millipence; accounts at zero have no row.
pub(super) const BALANCES: TableDefinition<'_, &str, i64> = TableDefinition::new("balances");
/// Sequence number -> answer (see `encode_header`), in packs.
pub(super) const ANSWERS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("answer_packs");
/// Likewise without packs: before version 4.
pub(super) const ANSWERS_3: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("answers");
/// Intent handle -> sequence number of its last answer.
pub(super) const ANSWER_OF: TableDefinition<'_, &str, u64> = TableDefinition::new("answer_of");
/// (bucket, key) -> value of a plugin.
pub(super) const KV: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("kv");
/// What is to be told: (account, sequence number of the record, position) of
/// the first of a pack -> the pack (see `outbox`).
pub(super) const OUTBOX: TableDefinition<'_, (&str, u64, u16), &[u8]> = TableDefinition::new("outbox_packs");
/// Likewise without packs, and with a header as JSON: from version 3, before 5.
pub(super) const OUTBOX_4: TableDefinition<'_, (&str, u64, u16), &[u8]> = TableDefinition::new("outbox");

/// Row of `Collection::Meta` that holds the schema version.
pub(super) const SCHEMA_KEY: &str = "schema_version";
/// Row of `Collection::Meta`: every record below this number is in the tables
/// of seals and transactions (decimal text; 0 when absent).
pub(super) const INDEXED_KEY: &str = "indexed_below";
/// Row of `Collection::Meta`: which entries of the journal are in the tables
/// (see `journal::JournalMark`). Not in a backup, which has no journal.
pub(super) const JOURNAL_KEY: &str = "journal";

/// Row of `Collection::Meta` of a host's replica: whose log it follows, and which
/// entries are in the tables (see `replica`). No backup has it.
pub(super) const REPLICA_KEY: &str = "replica";

impl Collection {
    /// The collection with a number, if there is one.
    pub(super) fn of_tag(tag: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|collection| collection.tag() == tag)
    }

    /// The number under which the collection is kept.
    pub(super) const fn tag(self) -> u8 {
        self as u8
    }
}

/// Transaction id and bytes of an entry of `RECORDS`; what is too short to be
/// one has neither.
pub(super) fn decode_record(entry: &[u8]) -> (Hash, &[u8]) {
    entry.split_first_chunk::<32>().map_or(([0; 32], entry), |(tx, record)| (*tx, record))
}

/// Makes `row` what precedes the body of something that is kept: length of the
/// JSON header (u32, little endian), the header.
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

/// Header and body, put together.
pub(super) fn decode_headed<'r, T: Deserialize<'r>>(row: &'r [u8]) -> Option<(T, &'r [u8])> {
    let (length, rest) = row.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (header, body) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(header).ok()?, body))
}

/// A row of `ANSWERS`; `None` when the bytes are not an answer.
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

/// Writes a fact about the data folder itself.
pub(super) fn set_meta(txn: &WriteTransaction, key: &str, value: &[u8]) -> Result<(), StoreError> {
    let doing = "writing about the data folder";
    let mut rows = txn.open_table(ROWS).map_err(store_error(doing))?;
    rows.insert((Collection::Meta.tag(), key), value).map(drop).map_err(store_error(doing))
}
