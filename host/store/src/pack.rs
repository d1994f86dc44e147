//! Packs: rows that hold several entries appended by one commit.
//!
//! The engine splits a full page into halves. If each appended entry had its own row,
//! every page would stay half empty: twice as many bytes to write, sync and store.
//!
//! A pack is stored under the number of its first entry. For each entry it holds the
//! entry's number minus that of the first entry (u32, little endian), its length (u32)
//! and the entry itself. Numbers ascend.

use redb::ReadableTable;

use super::engine::{StoreError, store_error};
use super::journaled_table::Put;
use super::outbox_event::OutboxPosition;

/// Writes a pack to its table under the position of its first entry.
pub(super) trait WritePack: FnMut(OutboxPosition, &[u8]) -> Result<(), StoreError> {}

impl<F: FnMut(OutboxPosition, &[u8]) -> Result<(), StoreError>> WritePack for F {}

/// Returns a [`WritePack`] that writes packs to a table whose entries are identified by one
/// number.
pub(super) fn into(table: &mut impl Put<u64, &'static [u8]>) -> impl WritePack {
    |first, pack| table.put(first.seq, pack).map_err(store_error("appending"))
}

/// Target size of a pack: four pages of the engine minus its overhead. A larger entry
/// gets its own pack.
const PACK_BYTES: usize = 4 * 4096 - 64;
/// Buffer capacity kept for reuse; the memory of a larger buffer is released.
const KEPT_BYTES: usize = 4 * PACK_BYTES;

/// The pack being filled: empty, or not written to its table yet.
pub(super) struct Packer {
    first: OutboxPosition,
    bytes: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        Self { first: OutboxPosition::first(), bytes: Vec::new() }
    }
}

impl Packer {
    /// Appends an entry; its position must be greater than that of every earlier entry.
    pub(super) fn add(
        &mut self,
        place: OutboxPosition,
        parts: &[&[u8]],
        keep: &mut impl WritePack,
    ) -> Result<(), StoreError> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let offset = u32::try_from(place.seq.saturating_sub(self.first.seq));
        let full = self.bytes.len().saturating_add(length).saturating_add(8) > PACK_BYTES;
        let offset = match offset {
            Ok(offset) if !full && !self.bytes.is_empty() => offset,
            _ => {
                self.flush(keep)?;
                self.first = place;
                0
            }
        };
        self.bytes.extend_from_slice(&offset.to_le_bytes());
        self.bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        Ok(())
    }

    /// Writes the unfinished pack. Call before the commit and before reading the table.
    pub(super) fn flush(&mut self, keep: &mut impl WritePack) -> Result<(), StoreError> {
        if !self.bytes.is_empty() {
            keep(self.first, &self.bytes)?;
        }
        self.clear();
        Ok(())
    }

    /// Discards entries that were not written.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
    }
}

/// Iterates over the entries of a pack with their numbers, up to the first damaged one.
pub(super) fn entries(first: u64, mut pack: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let (offset, rest) = pack.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (entry, rest) = rest.split_at_checked(length)?;
        pack = rest;
        Some((first.saturating_add(u64::from(u32::from_le_bytes(*offset))), entry))
    })
}

/// Returns the last entry of a pack; `None` if bytes are missing or left over, so that a
/// damaged pack is not mistaken for the end of the chain.
pub(super) fn last(first: u64, pack: &[u8]) -> Option<(u64, &[u8])> {
    let (mut last, mut bytes) = (None, 0_usize);
    for (seq, entry) in entries(first, pack) {
        bytes = bytes.saturating_add(8).saturating_add(entry.len());
        last = Some((seq, entry));
    }
    last.filter(|_| bytes == pack.len())
}

/// Finds one entry and returns the result of `read` for it.
pub(super) fn find<T>(
    table: &impl ReadableTable<u64, &'static [u8]>,
    seq: u64,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<Option<T>, redb::StorageError> {
    let Some(row) = table.range(..=seq)?.next_back() else { return Ok(None) };
    let (first, pack) = row?;
    let found = entries(first.value(), pack.value()).find(|(number, _)| *number == seq);
    Ok(found.map(|(_, entry)| read(entry)))
}

/// Reads at most `limit` consecutive entries starting at `from`, decoding each with
/// `read`; stops before the first missing number.
pub(super) fn run<T>(
    table: &impl ReadableTable<u64, &'static [u8]>,
    from: u64,
    limit: usize,
    read: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, redb::StorageError> {
    let mut found = Vec::new();
    let Some(start) = table.range(..=from)?.next_back().transpose()?.map(|(first, _)| first.value()) else {
        return Ok(found);
    };
    let mut next = from;
    for row in table.range(start..)? {
        let (first, pack) = row?;
        for (number, entry) in entries(first.value(), pack.value()).filter(|(number, _)| *number >= from) {
            if number != next || found.len() == limit {
                return Ok(found);
            }
            found.push(read(entry));
            next = next.saturating_add(1);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableDatabase, TableDefinition};

    use super::*;

    const TABLE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("packs");

    /// Packs entries of the given lengths, omitting every third number; returns the table
    /// and the expected entries.
    fn packed(lengths: &[usize]) -> (Database, Vec<(u64, Vec<u8>)>) {
        packed_as((0..).filter(|number| number % 3 != 2), lengths)
    }

    fn packed_as(numbers: impl Iterator<Item = u64>, lengths: &[usize]) -> (Database, Vec<(u64, Vec<u8>)>) {
        let db = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let all: Vec<_> =
            numbers.zip(lengths).map(|(seq, length)| (seq, vec![u8::try_from(seq % 251).unwrap(); *length])).collect();
        let txn = db.begin_write().unwrap();
        {
            let (mut table, mut packer) = (txn.open_table(TABLE).unwrap(), Packer::default());
            for (seq, bytes) in &all {
                let (front, back) = bytes.split_at(bytes.len() / 2);
                packer.add(OutboxPosition::of(*seq), &[front, back], &mut into(&mut table)).unwrap();
            }
            packer.flush(&mut into(&mut table)).unwrap();
        }
        txn.commit().unwrap();
        (db, all)
    }

    #[test]
    fn every_entry_is_found_and_no_other() {
        for lengths in [&[0, 1, 5_000, 5_000, 5_000, 5_000, 3, 70_000, 0, 16_000, 16_312, 16_313, 9][..], &[7], &[]] {
            let (db, all) = packed(lengths);
            let table = db.begin_read().unwrap().open_table(TABLE).unwrap();
            for (seq, bytes) in &all {
                assert_eq!(find(&table, *seq, <[u8]>::to_vec).unwrap().as_ref(), Some(bytes));
            }
            for absent in [2, 5, 1_000, u64::MAX] {
                assert_eq!(find(&table, absent, <[u8]>::to_vec).unwrap(), None);
            }
            let mut seen = Vec::new();
            for row in table.range(0..).unwrap() {
                let (first, pack) = row.unwrap();
                seen.extend(entries(first.value(), pack.value()).map(|(seq, entry)| (seq, entry.to_vec())));
            }
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn a_run_ends_with_what_is_asked_for_or_before_a_gap() {
        let lengths = [5_000, 5_000, 5_000, 5_000, 3, 70_000, 0, 16_312, 16_313, 9];
        for (db, all) in [packed(&lengths), packed_as(4.., &lengths), packed(&[])] {
            let table = db.begin_read().unwrap().open_table(TABLE).unwrap();
            for (from, limit) in (0..20).flat_map(|from| [0, 1, 2, 9, 100].map(|limit| (from, limit))) {
                let at = |seq| all.iter().find(|(number, _)| *number == seq).map(|(_, bytes)| bytes.clone());
                let expect: Vec<_> = (from..).take(limit).map_while(at).collect();
                assert_eq!(run(&table, from, limit, <[u8]>::to_vec).unwrap(), expect, "{from} {limit}");
            }
        }
    }

    #[test]
    fn entries_share_rows_that_fill_their_pages() {
        let (db, _) = packed(&[1_300; 120]);
        let table = db.begin_read().unwrap().open_table(TABLE).unwrap();
        let sizes: Vec<usize> = table.range(0..).unwrap().map(|row| row.unwrap().1.value().len()).collect();
        assert_eq!(sizes.len(), 10);
        assert!(sizes.iter().all(|size| *size <= PACK_BYTES && *size > PACK_BYTES - 1_308), "{sizes:?}");
    }

    #[test]
    fn a_damaged_pack_yields_what_is_whole() {
        let pack = [0, 0, 0, 0, 1, 0, 0, 0, 9, 1, 0, 0, 0, 2, 0, 0, 0, 9];
        assert_eq!(entries(4, &pack).collect::<Vec<_>>(), [(4, &[9][..])]);
        assert_eq!(last(4, &pack), None);
        assert_eq!(last(4, &pack[..9]), Some((4, &[9][..])));
        assert_eq!(last(4, &[]), None);
    }
}
