//! Fuzz tests of opening a journal: forged entries with valid digests, and damaged files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tollbridge_core::fuzzing::Fuzzer;

use super::*;
use crate::journaled_table;

const ID: [u8; 16] = [7; 16];

/// A file in memory.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl StorageBackend for Shared {
    fn len(&self) -> io::Result<u64> {
        u64::try_from(self.0.lock().len()).map_err(io::Error::other)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        out.copy_from_slice(self.0.lock().get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.lock().resize(usize::try_from(length).unwrap(), 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        self.0.lock()[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// Returns the bytes of a journal with a few entries, one of them several blocks long,
/// without free space at the end.
fn whole() -> Vec<u8> {
    let file = Shared::default();
    let mark = JournalMark { id: ID, next: 0, begun: false };
    let mut journal = Journal::open(Box::new(file.clone()), mark, 1).unwrap().0;
    journal.begin().unwrap();
    for number in 0..4_u8 {
        let mut entry = RedoRecord::default();
        for (table, key, value) in [(number, b"key".as_slice(), Some(vec![number; 40])), (6, b"gone", None)] {
            let notes = entry.notes();
            notes.push(table);
            notes.extend_from_slice(&u32::try_from(key.len()).unwrap().to_le_bytes());
            notes.extend_from_slice(key);
            notes.push(u8::from(value.is_some()));
            let value = value.unwrap_or_default();
            notes.extend_from_slice(&u32::try_from(value.len()).unwrap().to_le_bytes());
            notes.extend_from_slice(&value);
        }
        journal.append(&mut entry).unwrap();
    }
    file.0.lock().clone()
}

/// Returns `bytes` with a correct digest in every entry, so that modified entries pass as
/// valid.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in (0..bytes.len()).step_by(BLOCK_BYTES) {
        let Some(claimed) = claimed_bytes(&bytes[at..]) else { continue };
        if claimed <= bytes.len() - at {
            let number = u64::from_le_bytes(bytes[at + 16..at + 24].try_into().unwrap());
            let digest = digest(&ID, number, &bytes[at + HEADER_BYTES..at + claimed]);
            bytes[at + 24..at + HEADER_BYTES].copy_from_slice(&digest);
        }
    }
    bytes
}

/// Opens a journal with these bytes and checks that the recovered notes are in order, are
/// no larger than the file and can be parsed completely, and that a later entry is
/// recovered too.
fn recover(bytes: &[u8]) {
    for next in [0, 2] {
        let file = Shared(Arc::new(Mutex::new(bytes.to_vec())));
        let mark = JournalMark { id: ID, next, begun: true };
        let Ok((mut journal, missing)) = Journal::open(Box::new(file.clone()), mark, 1 << 20) else { continue };
        assert!(missing.iter().map(Vec::len).sum::<usize>() <= bytes.len());
        assert_eq!(journal.mark(false).next, next + missing.len() as u64);
        for notes in &missing {
            let mut rest = notes.as_slice();
            while let Some((_, behind)) = journaled_table::split(rest) {
                assert!(behind.len() < rest.len());
                rest = behind;
            }
        }
        let next = journal.mark(false).next;
        let mut entry = RedoRecord::default();
        entry.notes().extend_from_slice(b"new");
        journal.append(&mut entry).unwrap();
        if let Ok((_, again)) = Journal::open(Box::new(file), JournalMark { id: ID, next, begun: true }, 1 << 20) {
            assert_eq!(again.first().map(Vec::as_slice), Some(b"new".as_slice()));
        }
    }
}

#[test]
fn a_spoiled_journal_is_refused_or_read_to_where_it_is_whole() {
    Fuzzer::of("journal").with("four-entries", whole()).run(recover);
}

#[test]
fn arbitrary_entries_are_read_to_an_end() {
    Fuzzer::of("journal").with("four-entries", whole()).run(|bytes| recover(&mended(bytes)));
}

/// Opening stays fast if every block holds stored data that looks like the start of an
/// entry reaching to the end of the file.
#[test]
fn bytes_that_resemble_entries_do_not_delay_a_start() {
    let blocks = 1_024;
    let mut bytes = whole();
    for block in 0..blocks {
        let length = u64::try_from((blocks - block) * BLOCK_BYTES - HEADER_BYTES).unwrap();
        let mut header = [MAGIC.as_slice(), &length.to_le_bytes(), &9_u64.to_le_bytes(), &[0; 32]].concat();
        header.resize(BLOCK_BYTES, 1);
        bytes.extend_from_slice(&header);
    }
    let began = Instant::now();
    digest(&ID, 0, &bytes);
    let once = began.elapsed().max(Duration::from_millis(1));
    let began = Instant::now();
    let file = Shared(Arc::new(Mutex::new(bytes)));
    assert!(Journal::open(Box::new(file), JournalMark { id: ID, next: 0, begun: true }, 1 << 20).is_ok());
    // Without the search limit, opening would read the file five hundred times.
    assert!(began.elapsed() < 40 * once, "took {:?}, although one read takes {once:?}", began.elapsed());
}

/// Real entries do not exhaust the search limit, which is meant for data that only
/// resembles entries.
#[test]
fn an_entry_behind_a_hole_is_found_behind_stale_ones() {
    let mut bytes = whole();
    let stale = bytes[BLOCK_BYTES..].repeat(30);
    // The first entry that the database lacks is damaged; the one after it is not.
    bytes[2 * BLOCK_BYTES + HEADER_BYTES] ^= 1;
    bytes.extend_from_slice(&stale);
    let opened = |next| {
        let file = Shared(Arc::new(Mutex::new(bytes.clone())));
        Journal::open(Box::new(file), JournalMark { id: ID, next, begun: true }, 1 << 20)
    };
    assert!(matches!(opened(1), Err(JournalError::Damaged { next: 1, found: 2 })));
    assert!(opened(4).is_ok());
}
