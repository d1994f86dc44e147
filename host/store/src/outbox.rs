//! The outbox: events to deliver, written in the same change as what they
//! report.
//!
//! The store knows neither events nor who listens. It gives each row the place
//! and the names of the record of its change, so that a webhook can carry the
//! seal of what it speaks of although nobody knows it before the write.
//!
//! What one commit tells an account shares rows (see `pack`), under the place of
//! their first.

use std::ops::Range;

use redb::{ReadableTable, StorageError};
use tollbridge_core::money::Millipence;

use super::engine::{StoreError, store_error};
use super::journaled_table::{JournaledTable, Put};
use super::outbox_event::{OutboxPosition, OutboxPrune, OutboxRow};
use super::pack::{self, Packer};

/// (account, record, position) of a pack's first.
type Key = (&'static str, u64, u16);

/// A batch's bytes that are larger than this go back.
const TOLD_KEPT_BYTES: usize = 256 << 10;

impl OutboxRow {
    /// Appends it as bytes: position among those of its record (u16), time
    /// (u64), seal, transaction id, balance (i64, behind a byte that is 0 where
    /// there is none), name of the event behind its length (u8), data. Numbers
    /// are little endian.
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.place.index.to_le_bytes());
        bytes.extend_from_slice(&self.time_ms.to_le_bytes());
        bytes.extend_from_slice(&self.seal);
        bytes.extend_from_slice(&self.tx);
        bytes.push(u8::from(self.balance.is_some()));
        bytes.extend_from_slice(&self.balance.map_or(0, Millipence::get).to_le_bytes());
        // Names of events are short, all of them.
        let length = u8::try_from(self.event.len()).unwrap_or(0);
        bytes.push(length);
        bytes.extend(self.event.bytes().take(usize::from(length)));
        bytes.extend_from_slice(&self.data);
    }

    /// The reverse of `encode`; `None` when the bytes are no such row.
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

/// The outbox as it is read.
pub(super) trait Rows: ReadableTable<Key, &'static [u8]> {}

impl<T: ReadableTable<Key, &'static [u8]>> Rows for T {}

/// What is told to an account from a place on, in order.
pub(super) fn from(
    table: &impl Rows,
    account: &str,
    from: OutboxPosition,
    limit: usize,
) -> Result<Vec<OutboxRow>, StorageError> {
    let mut rows_found = Vec::new();
    // The pack that `from` is in may begin before it.
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

/// What one commit tells, until it is written.
#[derive(Default)]
pub(super) struct PendingOutboxRows {
    /// To whom, from which place, and where its bytes are.
    all: Vec<(String, OutboxPosition, Range<usize>)>,
    bytes: Vec<u8>,
    packer: Packer,
}

impl PendingOutboxRows {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.bytes.clear();
        self.bytes.shrink_to(TOLD_KEPT_BYTES);
        self.packer.clear();
    }

    pub(super) fn add(&mut self, account: &str, row: &OutboxRow) {
        let start = self.bytes.len();
        row.encode(&mut self.bytes);
        self.all.push((account.to_owned(), row.place, start..self.bytes.len()));
    }

    /// Writes all of it. Before the commit, or before the table is read.
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

/// Removes what was told to an account of records before `forget.below`.
pub(super) fn forget(
    table: &mut JournaledTable<'_, Key, &'static [u8]>,
    of_account: &mut PendingOutboxRows,
    forget: &OutboxPrune,
) -> Result<(), StoreError> {
    let doing = "forgetting what was told";
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
