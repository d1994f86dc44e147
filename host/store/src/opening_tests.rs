//! Tests of opening a store: files of older or newer versions, unfinished files, and
//! files of other programs.

use super::super::tables::{self, ROWS, SCHEMA_KEY, SCHEMA_VERSION};
use super::super::*;
use crate::testing::changes::{Numbered, answer, record};

#[test]
fn a_schema_that_is_not_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, version: &[u8]| {
        let path = folder.path().join(name);
        drop(RedbStore::open(&path).unwrap());
        let db = redb::Database::open(&path).unwrap();
        let txn = db.begin_write().unwrap();
        txn.open_table(ROWS).unwrap().insert((Collection::Meta.tag(), SCHEMA_KEY), version).unwrap();
        txn.commit().unwrap();
        path
    };
    let newer = SCHEMA_VERSION + 1;
    let opened = RedbStore::open(&write("newer", newer.to_string().as_bytes()));
    assert!(matches!(opened, Err(OpenError::Newer { found, .. }) if found == newer));
    for (name, version) in [("a", b"one".as_slice()), ("b", b""), ("c", b"\xff"), ("d", b"-1")] {
        let path = write(name, version);
        assert!(matches!(RedbStore::open(&path), Err(OpenError::Damaged { .. })), "{version:?}");
    }
    assert!(RedbStore::open(&write("ours", SCHEMA_VERSION.to_string().as_bytes())).is_ok());
}

#[test]
fn a_store_of_version_1_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let mut sealed = Vec::new();
    {
        let (store, mut chain) = (RedbStore::open(&path).unwrap(), Numbered::default());
        for tx in 0..5 {
            let outcome = store.commit(&[record(tx, &[("out", -1), ("a", 1)])], &mut chain).unwrap().remove(0);
            let (seq, seal) = outcome.unwrap().sealed.unwrap();
            sealed.push(([tx; 32], seq, seal, store.record(seq).unwrap().unwrap()));
        }
    }
    // Recreate the layout of version 1: records without ids, all of them in the indexes.
    let db = redb::Database::open(&path).unwrap();
    let txn = db.begin_write().unwrap();
    for (tx, seq, seal, bytes) in &sealed {
        txn.open_table(tables::RECORDS_3).unwrap().insert(seq, bytes.as_slice()).unwrap();
        txn.open_table(tables::TXS).unwrap().insert(tx, seq).unwrap();
        txn.open_table(tables::SEALS).unwrap().insert(seal, seq).unwrap();
    }
    txn.open_table(ROWS).unwrap().insert((Collection::Meta.tag(), SCHEMA_KEY), b"1".as_slice()).unwrap();
    txn.commit().unwrap();
    let txn = db.begin_write().unwrap();
    txn.delete_table(tables::OUTBOX).unwrap();
    txn.delete_table(tables::RECORDS).unwrap();
    txn.delete_table(tables::ANSWERS).unwrap();
    txn.commit().unwrap();
    drop(db);
    for _ in 0..2 {
        let store = RedbStore::open(&path).unwrap();
        assert_eq!(store.head().unwrap().size, 5);
        for (tx, seq, seal, bytes) in &sealed {
            assert_eq!(store.record(*seq).unwrap().as_ref(), Some(bytes));
            assert_eq!((store.seq_of_tx(tx).unwrap(), store.seq_of_seal(seal).unwrap()), (Some(*seq), Some(*seq)));
        }
        let again = store.commit(&[record(3, &[])], &mut Numbered(5)).unwrap();
        assert_eq!(again, [Err(Refusal::Duplicate { seq: 3 })]);
    }
}

#[test]
fn a_store_of_version_3_is_packed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let sold = |tx: u8| Change {
        answer: tx.is_multiple_of(2).then(|| answer(Some("intent"), u64::from(tx))),
        ..record(tx, &[("out", -1), ("a", 1)])
    };
    let (records, answers) = {
        let (store, mut chain) = (RedbStore::open(&path).unwrap(), Numbered::default());
        let sales: Vec<_> = (0..40).map(sold).collect();
        assert!(store.commit(&sales, &mut chain).unwrap().iter().all(Result::is_ok));
        let all = |seq: u64| (store.record(seq).unwrap().unwrap(), store.answer(seq).unwrap());
        (0..40).map(all).collect::<(Vec<_>, Vec<_>)>()
    };
    // Recreate the layout of version 3: one row per entry.
    let db = redb::Database::open(&path).unwrap();
    let txn = db.begin_write().unwrap();
    txn.delete_table(tables::RECORDS).unwrap();
    txn.delete_table(tables::ANSWERS).unwrap();
    for ((seq, record), answer) in (0..).zip(&records).zip(&answers) {
        let mut bytes = vec![u8::try_from(seq).unwrap(); 32];
        bytes.extend_from_slice(record);
        txn.open_table(tables::RECORDS_3).unwrap().insert(seq, bytes.as_slice()).unwrap();
        if let Some(answer) = answer {
            tables::encode_header(answer, &mut bytes).unwrap();
            bytes.extend_from_slice(&answer.body);
            txn.open_table(tables::ANSWERS_3).unwrap().insert(seq, bytes.as_slice()).unwrap();
        }
    }
    txn.open_table(ROWS).unwrap().insert((Collection::Meta.tag(), SCHEMA_KEY), b"3".as_slice()).unwrap();
    txn.commit().unwrap();
    drop(db);
    for _ in 0..2 {
        let store = RedbStore::open(&path).unwrap();
        assert_eq!(store.head().unwrap().size, 40);
        for ((seq, record), answer) in (0..).zip(&records).zip(&answers) {
            assert_eq!(store.record(seq).unwrap().as_ref(), Some(record));
            assert_eq!(store.answer(seq).unwrap(), *answer);
            assert_eq!(store.seq_of_tx(&[u8::try_from(seq).unwrap(); 32]).unwrap(), Some(seq));
        }
    }
}

#[test]
fn the_outbox_of_version_4_is_packed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let event = |account: &str, tx: u8| OutboxEvent {
        account: account.to_owned(),
        event: "billing.split",
        time_ms: u64::from(tx),
        data: format!("{{\"n\":{tx}}}").into_bytes(),
        balance_of: tx.is_multiple_of(3).then(|| "a".to_owned()),
    };
    let with_event = |tx: u8| Change {
        outbox: vec![event("ann", tx), event("bob", tx), event("ann", tx)],
        ..record(tx, &[("out", -1), ("a", 1)])
    };
    let read = |store: &RedbStore| ["ann", "bob"].map(|account| store.outbox(account, None, usize::MAX).unwrap());
    let rows = {
        let (store, mut chain) = (RedbStore::open(&path).unwrap(), Numbered::default());
        let with_event: Vec<_> = (0..90).map(with_event).collect();
        assert!(store.commit(&with_event, &mut chain).unwrap().iter().all(Result::is_ok));
        read(&store)
    };
    assert_eq!(rows.each_ref().map(Vec::len), [180, 90]);
    // Recreate the layout of version 4: one row per event, with a JSON header.
    let db = redb::Database::open(&path).unwrap();
    let txn = db.begin_write().unwrap();
    txn.delete_table(tables::OUTBOX).unwrap();
    for (account, row) in
        [("ann", &rows[0]), ("bob", &rows[1])].into_iter().flat_map(|(to, all)| all.iter().map(move |row| (to, row)))
    {
        let mut bytes = Vec::new();
        tables::encode_header(row, &mut bytes).unwrap();
        bytes.extend_from_slice(&row.data);
        let key = (account, row.place.seq, row.place.index);
        txn.open_table(tables::OUTBOX_4).unwrap().insert(key, bytes.as_slice()).unwrap();
    }
    txn.open_table(ROWS).unwrap().insert((Collection::Meta.tag(), SCHEMA_KEY), b"4".as_slice()).unwrap();
    txn.commit().unwrap();
    drop(db);
    for _ in 0..2 {
        assert_eq!(read(&RedbStore::open(&path).unwrap()), rows);
    }
}

#[test]
fn a_file_in_use_is_reported_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let first = RedbStore::open(&path).unwrap();
    first.commit(&[record(1, &[])], &mut Numbered::default()).unwrap();
    assert!(matches!(RedbStore::open(&path), Err(OpenError::InUse { path: named }) if named.ends_with("store.redb")));
    drop(first);
    assert_eq!(RedbStore::open(&path).unwrap().head().unwrap().size, 1);
}

#[test]
fn only_an_unfinished_file_is_recreated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let healthy = {
        RedbStore::open(&path).unwrap().commit(&[record(1, &[])], &mut Numbered::default()).unwrap();
        std::fs::read(&path).unwrap()
    };
    let mut header_lost = healthy.clone();
    header_lost[..4096].fill(0);
    let mut half_made = vec![0; healthy.len()];
    half_made[16..64].fill(0xa5);
    for (bytes, opens) in
        [(Vec::new(), true), (half_made, true), (header_lost, false), (b"a text file".to_vec(), false)]
    {
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(RedbStore::open(&path).is_ok(), opens, "{} bytes", bytes.len());
        assert!(opens || std::fs::read(&path).unwrap() == bytes, "a file with content was changed");
    }
}

#[test]
fn a_lost_journal_is_given_up_and_a_whole_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let journal = path.with_extension("journal");
    let killed = folder.path().join("killed.redb");
    let (store, mut chain) = (RedbStore::open(&path).unwrap(), Numbered::default());
    for tx in 1..4 {
        assert!(store.commit(&[record(tx, &[])], &mut chain).unwrap()[0].is_ok());
    }
    // Copy both files as a killed process would leave them; only the first commit is in
    // the database itself.
    std::fs::copy(&path, &killed).unwrap();
    std::fs::copy(&journal, killed.with_extension("journal")).unwrap();
    drop(store);
    let whole = discard_journal(&killed).unwrap_err().to_string();
    assert!(whole.contains("start the server"), "{whole}");
    let away = folder.path().join("away");
    std::fs::rename(killed.with_extension("journal"), &away).unwrap();
    let lost = RedbStore::open(&killed).err().unwrap().to_string();
    assert!(lost.contains("give-up-journal"), "{lost}");
    let given_up = discard_journal(&killed).unwrap();
    assert_eq!(given_up.records, 1);
    assert_eq!(RedbStore::open(&killed).unwrap().head().unwrap().size, 1);
    // If the lost journal file reappears, its entries do not match the database.
    std::fs::copy(&away, killed.with_extension("journal")).unwrap();
    let store = RedbStore::open(&killed).unwrap();
    assert_eq!(store.head().unwrap().size, 1);
    assert!(store.commit(&[record(9, &[])], &mut Numbered(1)).unwrap()[0].is_ok());
    drop(store);
    assert_eq!(RedbStore::open(&killed).unwrap().head().unwrap().size, 2);
}
