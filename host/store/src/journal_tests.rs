//! Tests which entries a journal returns when it is opened after its file was damaged.

use std::sync::Arc;

use parking_lot::Mutex;
use redb::backends::InMemoryBackend;

use super::super::{Change, Collection, Expect, KvWrite, OutboxEvent, Put, RedbStore, Store, StoreLimits};
use super::*;
use crate::testing::changes::{Numbered, answer, record};

const ID: [u8; 16] = [7; 16];
const MOST: u64 = 1 << 20;

/// An in-memory file whose bytes tests can read and damage.
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

impl Shared {
    fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.0.lock().clone())))
    }
}

fn open(file: &Shared, next: u64) -> Result<(Journal, Vec<Vec<u8>>), JournalError> {
    Journal::open(Box::new(file.clone()), JournalMark { id: ID, next, begun: true }, MOST)
}

/// Returns the notes of entry `number`; the notes of every third entry fill several
/// blocks.
fn notes(number: u64) -> Vec<u8> {
    let length = [10, BLOCK_BYTES - HEADER_BYTES, 9_000][usize::try_from(number % 3).unwrap()];
    vec![u8::try_from(number % 251).unwrap(); length]
}

fn append(journal: &mut Journal, numbers: impl IntoIterator<Item = u64>) {
    let mut entry = RedoRecord::default();
    for number in numbers {
        entry.clear();
        entry.notes().extend_from_slice(&notes(number));
        journal.append(&mut entry).unwrap();
    }
}

/// Returns a journal file with entries 0 to 5, and the offset of each entry.
fn six() -> (Shared, Vec<usize>) {
    let (file, mut places) = (Shared::default(), Vec::new());
    let mut journal =
        Journal::open(Box::new(file.clone()), JournalMark { id: ID, next: 0, begun: false }, MOST).unwrap().0;
    journal.begin().unwrap();
    for number in 0..6 {
        places.push(usize::try_from(journal.end).unwrap());
        append(&mut journal, [number]);
    }
    (file, places)
}

#[test]
fn changes_missing_from_the_database_are_restored_in_order() {
    let (file, _) = six();
    for next in 0..=6 {
        let (journal, missing) = open(&file, next).unwrap();
        assert_eq!(missing, (next..6).map(notes).collect::<Vec<_>>());
        assert_eq!(journal.mark(false).next, 6);
    }
    // The file now starts with entry 6, so a database that still needs entry 5 cannot be
    // recovered.
    let mut later = open(&file, 6).unwrap().0;
    append(&mut later, [6]);
    assert!(matches!(open(&file, 5), Err(JournalError::Damaged { next: 5, found: 6 })));
}

#[test]
fn a_cut_takes_the_last_entry_and_no_other() {
    let (file, places) = six();
    let whole = file.0.lock().clone();
    let last = places[5]..places[5] + 9_000 + HEADER_BYTES;
    for at in last.clone().step_by(97).chain([last.end - 1]) {
        *file.0.lock() = whole.clone();
        file.0.lock()[at] ^= 1;
        let (mut journal, missing) = open(&file, 0).unwrap();
        assert_eq!(missing.len(), 5, "byte {at}");
        // `restart` resets the write offset: the damaged entry is overwritten or never read.
        journal.restart();
        append(&mut journal, [5, 6]);
        assert_eq!(open(&file, 5).unwrap().1, [notes(5), notes(6)]);
        file.0.lock().truncate(at);
    }
    *file.0.lock() = whole[..places[5] + 5_000].to_vec();
    assert_eq!(open(&file, 0).unwrap().1.len(), 5);
}

#[test]
fn an_entry_that_is_lost_before_another_is_damage() {
    let (file, places) = six();
    for number in 0..5_u64 {
        let copy = file.copy();
        copy.0.lock()[places[usize::try_from(number).unwrap()] + 60] ^= 1;
        let opened = open(&copy, 0);
        assert!(matches!(opened, Err(JournalError::Damaged { next, found }) if next == number && found == number + 1));
        // A damaged entry does not matter once the database has it.
        let ours = open(&copy, 6);
        assert!(ours.is_ok_and(|(_, missing)| missing.is_empty()));
    }
}

#[test]
fn overwritten_entries_are_not_taken_for_new() {
    let (file, _) = six();
    let mut journal = open(&file, 6).unwrap().0;
    // Entry 6 is as large as the overwritten first entry, so the old second entry
    // directly follows it.
    append(&mut journal, [6]);
    assert_eq!(open(&file, 6).unwrap().1, [notes(6)]);
    journal.empty().unwrap();
    assert_eq!(file.len().unwrap(), 0);
    assert!(!journal.is_begun());
    assert!(matches!(open(&file, 7), Err(JournalError::Missing)));
}

#[test]
fn another_databases_entries_are_not_ours() {
    let (file, _) = six();
    let other = JournalMark { id: [8; 16], next: 0, begun: false };
    assert!(Journal::open(Box::new(file.clone()), other, MOST).unwrap().1.is_empty());
    let begun = JournalMark { begun: true, ..other };
    assert!(matches!(Journal::open(Box::new(file), begun, MOST), Err(JournalError::Missing)));
}

/// Copies the files after every commit, as if the process had been killed.
#[test]
fn a_store_that_was_killed_has_everything() {
    let bounds = StoreLimits { index: 3, journal: 24 << 10 };
    let (database, file) = (Shared::default(), Shared::default());
    let store = RedbStore::with_backends(database.clone(), file.clone(), bounds).unwrap();
    let mut chain = Numbered::default();
    let event = |balance_of: Option<&str>| OutboxEvent {
        account: "ann".to_owned(),
        event: "billing.split",
        time_ms: 1,
        data: b"{}".to_vec(),
        balance_of: balance_of.map(str::to_owned),
    };
    let mut starts = std::collections::HashSet::new();
    for tx in 0..60_u8 {
        let even = tx.is_multiple_of(2).then(|| vec![tx; 40]);
        let change = Change {
            answer: Some(answer(Some("intent"), u64::from(tx))),
            puts: vec![Put {
                collection: Collection::Accounts,
                key: format!("row {}", tx % 7),
                value: even.clone(),
                expect: Expect::Any,
            }],
            kv: vec![KvWrite { bucket: "b".to_owned(), key: format!("key {}", tx % 5), value: even }],
            outbox: vec![event(None), event(Some("a"))],
            prune: tx.is_multiple_of(9).then_some(crate::change::AnswerPrune { now_ms: u64::from(tx), limit: 3 }),
            ..record(tx, &[("out", -1), ("a", 1)])
        };
        assert!(store.commit(&[change], &mut chain).unwrap()[0].is_ok());
        starts.insert(open_mark(&database));
        let without = RedbStore::with_backends(database.copy(), InMemoryBackend::new(), bounds);
        assert!(without.is_err_and(|error| error.to_string().contains("tollbridge.journal")), "after {tx}");
        let killed = RedbStore::with_backends(database.copy(), file.copy(), bounds).unwrap();
        assert_eq!(everything(&killed), everything(&store), "after {tx}");
    }
    assert!(starts.len() > 3, "the database file was committed {} times", starts.len());
    drop(store);
    // After a clean close, the database is complete without its journal.
    let alone = RedbStore::with_backends(database, InMemoryBackend::new(), bounds).unwrap();
    assert_eq!(alone.head().unwrap().size, 60);
}

/// Returns the number of the first journal entry that the database file lacks.
fn open_mark(database: &Shared) -> u64 {
    use redb::ReadableDatabase;
    let db = redb::Database::builder().create_with_backend(database.copy()).unwrap();
    let rows = db.begin_read().unwrap().open_table(crate::tables::ROWS).unwrap();
    let row = rows.get((Collection::Meta.tag(), crate::tables::JOURNAL_KEY)).unwrap().unwrap();
    JournalMark::decode(row.value()).unwrap().next
}

fn everything(store: &RedbStore) -> String {
    let sealed = (0..=store.head().unwrap().size).map(|seq| {
        let record = store.record(seq).unwrap();
        let tx = [u8::try_from(seq).unwrap(); 32];
        (record, store.answer(seq).unwrap(), store.node(1, seq).unwrap(), store.seq_of_tx(&tx).unwrap())
    });
    let sealed: Vec<_> = sealed.collect();
    let keys = store.kv_list("b", "", 100).unwrap();
    let values: Vec<_> = keys.iter().map(|(key, _)| store.kv_get("b", key).unwrap()).collect();
    let rows = store.list(Collection::Accounts, "", 100).unwrap();
    let events = store.outbox("ann", None, usize::MAX).unwrap();
    format!(
        "{sealed:?} {keys:?} {values:?} {rows:?} {events:?} {:?} {:?}",
        store.balances().unwrap(),
        store.answer_of_intent("intent").unwrap()
    )
}
