//! The outbox: events to deliver, written in the same change as the facts they report.
//!
//! The store interprets neither events nor listeners. It adds to each row the position,
//! seal and transaction id of the change's record. A webhook can therefore carry the
//! record's seal, although the seal is unknown before the write.
//!
//! One commit's events for an account share rows (see `pack`), each stored under the
//! position of its first event.

use std::ops::Range;

use redb::{ReadableTable, StorageError};
use tollbridge_core::money::Millipence;

use super::engine::{StoreError, store_error};
use super::journaled_table::{JournaledTable, Put};
use super::outbox_event::{OutboxPosition, OutboxPrune, OutboxRow};
use super::pack::{self, Packer};

/// Key of an event pack: the account, and the record number and index of the first event
/// in the pack.
type Key = (&'static str, u64, u16);

/// Maximum buffer capacity kept between commits; the memory of a larger batch is
/// released.
const BUFFER_KEPT_BYTES: usize = 256 << 10;

impl OutboxRow {
    /// Appends the row as bytes: position among the events of its record (u16), time (u64),
    /// seal, transaction id, balance (i64, after a byte that is 0 if there is none), name of
    /// the event after its length (u8), data. Integers are little endian.
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.place.index.to_le_bytes());
        bytes.extend_from_slice(&self.time_ms.to_le_bytes());
        bytes.extend_from_slice(&self.seal);
        bytes.extend_from_slice(&self.tx);
        bytes.push(u8::from(self.balance.is_some()));
        bytes.extend_from_slice(&self.balance.map_or(0, Millipence::get).to_le_bytes());
        // All event names are shorter than 256 bytes.
        let length = u8::try_from(self.event.len()).unwrap_or(0);
        bytes.push(length);
        bytes.extend(self.event.bytes().take(usize::from(length)));
        bytes.extend_from_slice(&self.data);
    }

    /// Decodes the output of `encode`; `None` if the bytes are malformed.
    fn decode(seq: u64, bytes: &[u8]) -> Option<Self> {
        let (index, bytes) = bytes.split_first_chunk::<2>()?;
        let (time_ms, bytes) = bytes.split_first_chunk::<8>()?;
        let (seal, bytes) = bytes.split_first_chunk::<32>()?;
        let (tx, bytes) = bytes.split_first_chunk::<32>()?;
        let (has_balance, bytes) = bytes.split_first()?;
        let (balance, bytes) = bytes.split_first_chunk::<8>()?;
        let (length, bytes) = bytes.split_first()?;
        let (event, data) = bytes.split_at_checked(usize::from(*length))?;
        Some(Self {
            place: OutboxPosition { seq, index: u16::from_le_bytes(*index) },
            event: std::str::from_utf8(event).ok()?.to_owned(),
            time_ms: u64::from_le_bytes(*time_ms),
            seal: *seal,
            tx: *tx,
            balance: (*has_balance != 0).then(|| Millipence::new(i64::from_le_bytes(*balance))),
            data: data.to_vec(),
        })
    }
}

/// Read access to the outbox table.
pub(super) trait Rows: ReadableTable<Key, &'static [u8]> {}

impl<T: ReadableTable<Key, &'static [u8]>> Rows for T {}

/// Returns an account's events from a position on, in order.
pub(super) fn from(
    table: &impl Rows,
    account: &str,
    from: OutboxPosition,
    limit: usize,
) -> Result<Vec<OutboxRow>, StorageError> {
    let mut rows_found = Vec::new();
    // The pack that contains `from` may begin before it.
    let before = table.range((account, 0, 0)..=(account, from.seq, from.index))?.next_back().transpose()?;
    let first = before.map_or((from.seq, from.index), |(key, _)| (key.value().1, key.value().2));
    for row in table.range((account, first.0, first.1)..=(account, u64::MAX, u16::MAX))? {
        let (key, pack) = row?;
        let rows = pack::entries(key.value().1, pack.value()).filter(|(seq, _)| *seq >= from.seq);
        let rows = rows.filter_map(|(seq, entry)| OutboxRow::decode(seq, entry));
        rows_found.extend(rows.filter(|row| row.place >= from).take(limit.saturating_sub(rows_found.len())));
        if rows_found.len() >= limit {
            break;
        }
    }
    Ok(rows_found)
}

/// Events of one commit that are not written yet.
#[derive(Default)]
pub(super) struct PendingOutboxRows {
    /// Each event's account, position, and byte range in `bytes`.
    all: Vec<(String, OutboxPosition, Range<usize>)>,
    bytes: Vec<u8>,
    packer: Packer,
}

impl PendingOutboxRows {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.bytes.clear();
        self.bytes.shrink_to(BUFFER_KEPT_BYTES);
        self.packer.clear();
    }

    pub(super) fn add(&mut self, account: &str, row: &OutboxRow) {
        let start = self.bytes.len();
        row.encode(&mut self.bytes);
        self.all.push((account.to_owned(), row.place, start..self.bytes.len()));
    }

    /// Writes all pending events. Call before the commit and before reading the table.
    pub(super) fn flush(&mut self, table: &mut impl Put<Key, &'static [u8]>) -> Result<(), StoreError> {
        let Self { all, bytes, packer } = self;
        all.sort_unstable_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
        for of_account in all.chunk_by(|one, other| one.0 == other.0) {
            let account = of_account.first().map_or("", |(account, ..)| account);
            let mut keep = |first: OutboxPosition, pack: &[u8]| {
                let key = (account, first.seq, first.index);
                table.put(key, pack).map_err(store_error("writing events"))
            };
            for (_, place, range) in of_account {
                packer.add(*place, &[bytes.get(range.clone()).unwrap_or_default()], &mut keep)?;
            }
            packer.flush(&mut keep)?;
        }
        self.clear();
        Ok(())
    }
}

/// Removes the events of an account whose records have numbers below `forget.below`.
pub(super) fn forget(
    table: &mut JournaledTable<'_, Key, &'static [u8]>,
    of_account: &mut PendingOutboxRows,
    forget: &OutboxPrune,
) -> Result<(), StoreError> {
    let doing = "deleting delivered events";
    of_account.flush(table)?;
    let account = forget.account.as_str();
    let (mut gone, mut left) = (0, false);
    while gone < forget.limit && !left {
        let oldest = table.range((account, 0, 0)..(account, forget.below, 0)).map_err(store_error(doing))?.next();
        let oldest = oldest.transpose().map_err(store_error(doing))?;
        let Some((first, index, pack)) =
            oldest.map(|(key, pack)| (key.value().1, key.value().2, pack.value().to_vec()))
        else {
            break;
        };
        table.remove((account, first, index)).map_err(store_error(doing))?;
        for row in pack::entries(first, &pack).filter_map(|(seq, entry)| OutboxRow::decode(seq, entry)) {
            if row.place.seq < forget.below && gone < forget.limit {
                gone += 1;
            } else {
                left = true;
                of_account.add(account, &row);
            }
        }
    }
    of_account.flush(table)
}
