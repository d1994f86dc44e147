//! Fuzzing of parsers for records, entries, exports and checkpoints.

use tollbridge_core::fuzzing::Fuzzer;
use tollbridge_store::Store;

use super::*;
use crate::testing::sample;

/// Returns a fuzzer seeded with a record of every kind.
fn records() -> Fuzzer {
    let records = sample().store.records(0, usize::MAX).unwrap();
    let numbered = records.into_iter().enumerate();
    numbered.fold(Fuzzer::of("record"), |fuzzer, (seq, bytes)| fuzzer.with(&format!("record-{seq:02}"), bytes))
}

/// Checks that a parsed record and its entry are written back unchanged, and that the
/// postings sum to zero.
fn read_record(bytes: &[u8]) {
    let Ok(record) = Record::parse(bytes) else { return };
    assert_eq!(record.bytes(), bytes);
    let _ = record.parties();
    let Ok(entry) = Entry::read(&record.kind, &record.body) else { return };
    assert_eq!(entry.body().unwrap(), record.body);
    let Ok(postings) = entry.postings() else { return };
    assert_eq!(postings.iter().map(|leg| i128::from(leg.amount.get())).sum::<i128>(), 0);
    let _ = entry.draft(record.tx, record.time_ms);
}

#[test]
fn records_read_back_as_they_were_written() {
    records().run(read_record);
}

/// Fuzzes entries alone, because almost no mutation of a whole record preserves its
/// canonical form.
#[test]
fn entries_read_back_as_they_were_written() {
    records().run(|bytes| {
        let Ok(serde_json::Value::Object(record)) = serde_json::from_slice(bytes) else { return };
        let kind = record.get("kind").and_then(serde_json::Value::as_str).unwrap_or_default();
        let Some(serde_json::Value::Object(body)) = record.get("body") else { return };
        let Ok(entry) = Entry::read(kind, body) else { return };
        assert_eq!(entry.body().unwrap(), *body);
        if let Ok(postings) = entry.postings() {
            assert_eq!(postings.iter().map(|leg| i128::from(leg.amount.get())).sum::<i128>(), 0);
        }
    });
}

#[test]
fn a_changed_export_is_refused() {
    let book = sample();
    let whole = book.export().into_bytes();
    let trust = Trust { keys: vec![book.ledger.key()], since: None };
    let expected = verify(&mut whole.as_slice(), trust.clone()).unwrap();
    Fuzzer::of("export").with("sample", whole).run(|bytes| match verify(&mut &*bytes, trust.clone()) {
        // After a mutation of the signing key only, the export may still verify, but the
        // records must be the same.
        Ok(report) => assert_eq!(report.root, expected.root, "a changed export verifies"),
        Err(failure) => assert!(failure.to_string().len() < 4_096, "an endless explanation"),
    });
}

#[test]
fn a_checkpoint_reads_back_as_it_was_written() {
    let mut book = sample();
    let signed = book.checkpoint();
    let key = book.ledger.key();
    Fuzzer::of("checkpoint").with("signed", signed.note().as_bytes().to_vec()).run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let Ok(read) = SignedCheckpoint::parse(text) else { return };
        assert_eq!(read.note(), text);
        if read.verify(std::slice::from_ref(&key)).is_ok() {
            assert_eq!(read.checkpoint, signed.checkpoint, "a changed checkpoint verifies");
        }
    });
}
