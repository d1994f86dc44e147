//! Tests of the crate as a whole: sealing, resuming, signing, proving, exporting.

use std::sync::Arc;

use serde_json::{Value, json};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Collection, RedbStore, Refusal, Sealer as _, Store};

use super::sabotage_tests::{books, canonical, check, pinned, records_of};
use super::testing::{Book, SEED, START_MS, policy, sample};
use super::*;
use crate::stored_checkpoint::row_key;

const GOLDEN_EXPORT: &str = include_str!("testdata/export.jsonl");
const GOLDEN_PROOF: &str = include_str!("testdata/proof.json");

#[test]
fn golden_files_hold() {
    let book = sample();
    let (_, record) = book.ledger.record(4).unwrap().unwrap();
    assert_eq!(record.kind, "route");
    let proof = book.ledger.proof(&seal_of(&book.store.record(4).unwrap().unwrap()), Some(5)).unwrap();
    let proof = canonical(&Value::Object(proof.to_json())) + "\n";
    // After a deliberate change of the format, set this variable to a folder to write new
    // golden files there.
    if let Some(dir) = std::env::var_os("TOLLBRIDGE_WRITE_GOLDEN").map(std::path::PathBuf::from) {
        std::fs::write(dir.join("export.jsonl"), book.export()).unwrap();
        std::fs::write(dir.join("proof.json"), &proof).unwrap();
        return;
    }
    assert_eq!(book.export(), GOLDEN_EXPORT, "the format changed: old exports must stay readable");
    assert_eq!(proof, GOLDEN_PROOF);
    let report = check(GOLDEN_EXPORT, &pinned()).unwrap();
    assert_eq!((report.records, report.covered, report.checkpoints, report.uncovered), (13, 13, 2, 0));
    assert!(report.pinned && report.mode == Some(Mode::Sandbox));
    let record = records_of(GOLDEN_EXPORT)[4].clone();
    let (keys, record) = (pinned().keys, canonical(&record));
    let context = ProofContext { keys: &keys, record: Some(record.as_bytes()), since: None };
    let report = Proof::parse(GOLDEN_PROOF).unwrap().verify(&context).unwrap();
    assert_eq!((report.seq, report.tree_size, report.record_checked), (4, 13, true));
}

#[test]
fn a_paid_call_is_written_in_canonical_form() {
    let book = sample();
    for payer in [Payer::Account("acct_caller".to_owned()), Payer::Intent("pi_1".to_owned())] {
        for earnings in [Earnings::Available, Earnings::Pending] {
            let route = Route { earnings, request_id: "a\"\\/".to_owned(), ..book.route(payer.clone(), 12) };
            let value = serde_json::to_value(&route).unwrap();
            assert_eq!(serde_json::to_string(&route).unwrap(), canonical(&value));
        }
    }
}

#[test]
fn resumes_where_it_stopped() {
    let mut book = sample();
    for pence in 0..40 {
        assert_eq!(Chain::resume(book.store.as_ref()).unwrap().root(), book.chain.root());
        // Resume the chain after every record, as after a restart.
        book.chain = Chain::resume(book.store.as_ref()).unwrap();
        let route = book.route(Payer::Account("acct_caller".to_owned()), pence % 3);
        book.seal(&Entry::Route(route)).unwrap();
    }
    book.checkpoint();
    let report = book.ledger.verify(&pinned()).unwrap();
    assert_eq!((report.records, report.covered), (53, 53));
    book.store.damage(|tables| tables.remove_node(5, 0));
    assert!(matches!(Chain::resume(book.store.as_ref()), Err(LedgerError::MissingNode { level: 5, index: 0 })));
    assert_eq!(Chain::resume(&RedbStore::in_memory().unwrap()).unwrap().root(), tree::empty_root());
}

#[test]
fn time_never_falls_and_refused_drafts_leave_no_gap() {
    let mut book = sample();
    let data = || serde_json::Map::new();
    let event = Entry::Event(Event { event: "late".to_owned(), data: data() });
    let late = event.draft([1; 32], 5).unwrap();
    book.commit(Change { record: Some(late.clone()), ..Change::default() }).unwrap();
    let (_, record) = book.ledger.record(13).unwrap().unwrap();
    assert_eq!(record.time_ms, START_MS + 12_000);
    let again = book.commit(Change { record: Some(late), ..Change::default() });
    assert_eq!(again, Err(Refusal::Duplicate { seq: 13 }));
    let route = book.route(Payer::Account("acct_caller".to_owned()), 1_000_000);
    assert!(matches!(book.seal(&Entry::Route(route)), Err(Refusal::Insufficient { .. })));
    let report = book.ledger.verify(&pinned()).unwrap();
    assert_eq!((report.records, report.covered, report.uncovered), (14, 13, 1));
}

#[test]
fn one_size_has_one_checkpoint() {
    let mut book = Book::new();
    assert!(matches!(book.ledger.checkpoint(1), Err(LedgerError::Empty)));
    for round in 0..20_u64 {
        book.seal(&policy(&format!("round {round}"))).unwrap();
        if round % 3 == 0 {
            let Checkpointing::New { checkpoint, change } = book.ledger.checkpoint(round).unwrap() else { panic!() };
            assert!(book.ledger.newest_checkpoint().unwrap().is_none_or(|stored| stored != checkpoint));
            book.commit((*change).clone()).unwrap();
            assert!(matches!(book.commit(*change), Err(Refusal::Unexpected { .. })));
            assert_eq!(book.ledger.newest_checkpoint().unwrap().unwrap(), checkpoint);
            let Checkpointing::Unchanged(stored) = book.ledger.checkpoint(99).unwrap() else { panic!() };
            assert_eq!(stored, checkpoint);
        }
        let newest = book.ledger.newest_checkpoint().unwrap().unwrap();
        assert_eq!(newest.signed.checkpoint.size, round / 3 * 3 + 1);
    }
}

#[test]
fn keeps_its_origin_and_outlives_its_key() {
    let mut book = sample();
    let reopened = Ledger::open(book.store.clone(), &[9; 32], "other.example").unwrap();
    assert_eq!(reopened.origin(), "toll.example/worm");
    book.ledger = reopened;
    book.seal(&policy("after rotation")).unwrap();
    book.checkpoint();
    let new = Trust { keys: vec![book.ledger.key()], since: None };
    assert!(book.ledger.verify(&new).is_ok());
    let failure = check(&book.export(), &pinned()).unwrap_err();
    assert!(
        matches!(failure.problem, VerificationProblem::NotPinned),
        "the retired key did not sign the newest checkpoint"
    );
    assert!(Ledger::open(Arc::new(RedbStore::in_memory().unwrap()), &SEED, "a host").is_err());
}

#[test]
fn never_signs_for_a_rewritten_or_set_back_folder() {
    let book = sample();
    let outside = book.ledger.newest_checkpoint().unwrap().unwrap().signed.checkpoint;
    let opened = |book: &Book| Ledger::open(book.store.clone(), &SEED, "toll.example").err();
    let open = || opened(&book);
    assert!(open().is_none());
    // The last record was deleted, but not its checkpoint.
    book.store.damage(|tables| tables.remove_record(12));
    assert!(matches!(open(), Some(LedgerError::RolledBack { signed: 13, found: 12 })));
    assert!(matches!(book.ledger.checkpoint(0), Err(LedgerError::RolledBack { .. })));
    // The record and its checkpoint were both deleted: only the file outside the database
    // reveals it.
    book.store.damage(|tables| tables.replace_row(Collection::Checkpoints, &row_key(13), None));
    assert!(open().is_none());
    assert!(matches!(book.ledger.check_grown_from(&outside), Err(LedgerError::RolledBack { .. })));
    // A record was replaced.
    let rewritten = sample();
    let other = rewritten.store.record(0).unwrap().unwrap();
    rewritten.store.damage(|tables| tables.replace_record(12, &other));
    assert!(matches!(opened(&rewritten), Some(LedgerError::Rewritten { size: 13 })));
    // A stored checkpoint was damaged.
    let book = sample();
    let key = row_key(13);
    let row = book.store.get(Collection::Checkpoints, &key).unwrap().unwrap();
    for position in 0..row.len() {
        let mut changed = row.clone();
        changed[position] ^= 1;
        book.store.damage(|tables| tables.replace_row(Collection::Checkpoints, &key, Some(&changed)));
        let unsigned = serde_json::from_slice::<Value>(&row).unwrap()["time_ms"].to_string();
        let in_time = String::from_utf8(row.clone()).unwrap().find(&unsigned).unwrap();
        if !(in_time..in_time + unsigned.len()).contains(&position) {
            assert!(matches!(opened(&book), Some(LedgerError::Checkpoint { size: 13, .. })), "byte {position}");
        }
    }
}

#[test]
fn the_folder_check_sees_what_an_export_does_not_carry() {
    let check = |damage: &dyn Fn(&RedbStore)| {
        let mut book = sample();
        while book.chain.size() < 16 {
            // From 16 records on, the tree has a node that is stored.
            let grant = TestCredit { account: "acct_caller".to_owned(), amount: Millipence::new(1_000) };
            book.seal(&Entry::Grant(grant)).unwrap();
        }
        book.ledger.verify(&pinned()).unwrap();
        damage(&book.store);
        book.ledger.verify(&pinned()).unwrap_err()
    };
    let failure = check(&|store| store.damage(|tables| tables.add_to_balance("platform", 1)));
    assert!(
        matches!(&failure, ExportError::VerificationFailure(f) if matches!(books(&f.problem), Some(BooksError::Balance { .. })))
    );
    let failure = check(&|store| store.lose_transactions(|seq| seq == 3));
    assert!(matches!(failure, ExportError::Index { seq: 3, what: "the transaction" }));
    let failure = check(&|store| store.point_all_seals_to(1));
    assert!(matches!(failure, ExportError::Index { seq: 0, what: "the seal" }));
    let failure = check(&|store| {
        let mut node = store.node(4, 0).unwrap().unwrap();
        node[0] ^= 1;
        store.damage(|tables| tables.replace_node(4, 0, &node));
    });
    assert!(matches!(failure, ExportError::Index { seq: 15, what: "the tree" }));
    let failure = check(&|store| {
        let mut record = store.record(3).unwrap().unwrap();
        record[20] ^= 1;
        store.damage(|tables| tables.replace_record(3, &record));
    });
    assert!(
        matches!(failure, ExportError::VerificationFailure(VerificationFailure { line: 5, seq: Some(3), .. })),
        "{failure}"
    );
}

#[test]
fn proofs_prove_and_spoiled_ones_do_not() {
    let mut book = sample();
    let older = book.checkpoint();
    let unknown = book.ledger.proof(&[1; 32], None);
    assert!(matches!(unknown, Err(ProofUnavailable::Unknown)));
    let (_, uncovered) = book.seal(&policy("later")).unwrap();
    assert!(matches!(book.ledger.proof(&uncovered, None), Err(ProofUnavailable::NotCovered { seq: 13 })));
    book.checkpoint();
    let keys = pinned().keys;
    for seq in 0..14 {
        let bytes = book.store.record(seq).unwrap().unwrap();
        let proof = book.ledger.proof(&seal_of(&bytes), Some(13)).unwrap();
        let context = ProofContext { keys: &keys, record: Some(&bytes), since: Some(&older) };
        let report = proof.verify(&context).unwrap();
        assert_eq!((report.seq, report.since, report.record_checked), (seq, Some(13), true));
        let json = Value::Object(proof.to_json()).to_string();
        assert_eq!(Proof::parse(&json).unwrap(), proof);
        let without = Proof { consistency: None, ..proof.clone() };
        assert_eq!(without.verify(&context), Err(ProofError::NoConsistency(13)));
        let other = book.store.record((seq + 1) % 14).unwrap().unwrap();
        let swapped = proof.verify(&ProofContext { record: Some(&other), ..context });
        assert_eq!(swapped, Err(ProofError::OtherRecord));
        assert!(proof.verify(&ProofContext::default()).is_err(), "verified without a key");
        for position in 0..json.len() {
            let mut changed = json.clone().into_bytes();
            changed[position] ^= 1;
            let Ok(changed) = String::from_utf8(changed) else { continue };
            let accepted = Proof::parse(&changed).is_ok_and(|proof| proof.verify(&context).is_ok());
            assert!(!accepted, "byte {position} of {json}");
        }
    }
    assert!(matches!(book.ledger.consistency(5, 99), Err(LedgerError::Range { .. })));
    assert!(matches!(book.ledger.consistency(5, 4), Err(LedgerError::Range { .. })));
}

#[test]
fn a_body_is_for_its_parties() {
    let book = sample();
    let parties = |seq| book.ledger.record(seq).unwrap().unwrap().1.parties().into_iter().collect::<Vec<_>>();
    assert_eq!(parties(3), ["0123456789abcdef0123456789abcdef", "acct_caller"]);
    assert_eq!(parties(4), ["0123456789abcdef0123456789abcdef", "acct_dev"]);
    assert_eq!(parties(5), ["acct_caller", "acct_dev"]);
    assert!(parties(0).is_empty() && parties(10).is_empty());
}

#[test]
fn entries_refuse_what_must_not_be_recorded() {
    let grant = |account: &str, amount| {
        Entry::Grant(TestCredit { account: account.to_owned(), amount: Millipence::new(amount) }).draft([0; 32], 0)
    };
    assert!(grant("acct", 1).is_ok());
    assert_eq!(grant("acct", 0).unwrap_err(), EntryError::Amount(0));
    assert_eq!(grant("acct", -1).unwrap_err(), EntryError::Amount(-1));
    assert_eq!(grant("acct", 1 << 53).unwrap_err(), EntryError::Amount(1 << 53));
    assert_eq!(grant("someone@mail.example", 1).unwrap_err(), EntryError::Party("someone@mail.example".to_owned()));
    let book = sample();
    let route = book.route(Payer::Account("a".to_owned()), 10);
    let one_more = RecordedShares { developer: Millipence::new(8_001), ..route.shares };
    let cheat = Entry::Route(Route { shares: one_more, ..route.clone() });
    assert_eq!(cheat.draft([0; 32], 0).unwrap_err(), EntryError::Shares);
    let free = Entry::Route(book.route(Payer::Account("a".to_owned()), 0));
    assert!(free.draft([0; 32], 0).unwrap().postings.is_empty());
    let big =
        Event { event: "x".to_owned(), data: [("x".to_owned(), json!("y".repeat(50_000)))].into_iter().collect() };
    assert!(matches!(Entry::Event(big).draft([0; 32], 0), Err(EntryError::TooLong(_))));
    for display_name in ["", "a\nb", &"x".repeat(129)] {
        assert_eq!(policy(display_name).draft([0; 32], 0).unwrap_err(), EntryError::DisplayName);
    }
}

/// Tests that sealing stays cheap, because it runs on the single writer thread; not a
/// benchmark.
#[test]
fn sealing_takes_microseconds() {
    let book = sample();
    let route = Entry::Route(book.route(Payer::Account("acct_caller".to_owned()), 10));
    let draft = route.draft([0; 32], START_MS).unwrap();
    let mut chain = book.chain.clone();
    let started = std::time::Instant::now();
    let rounds = 20_000_u32;
    let mut bytes = 0;
    for _ in 0..rounds {
        bytes += chain.seal(&draft).bytes.len();
    }
    let each = started.elapsed() / rounds;
    eprintln!("one seal: {each:?} for {} bytes", bytes / rounds as usize);
    assert!(each < std::time::Duration::from_millis(1), "{each:?}");
}
