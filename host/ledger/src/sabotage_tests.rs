//! Tests the verifier against manipulated exports: with a changed byte, with a moved
//! line, and rebuilt and signed again by the operator.

use std::collections::HashMap;

use serde_json::{Value, json};
use tollbridge_core::money::Millipence;
use tollbridge_store::Collection;
use tollbridge_store::Sealer as _;
use tollbridge_store::Store;

use super::testing::{SEED, START_MS, policy, sample, split};
use super::*;
use crate::stored_checkpoint::row_key;

pub(super) fn check(export: &str, trust: &Trust) -> Result<VerificationReport, VerificationFailure> {
    verify(&mut export.as_bytes(), trust.clone())
}

pub(super) fn pinned() -> Trust {
    Trust { keys: vec![CheckpointSigner::new("toll.example/worm", &SEED).unwrap().public()], since: None }
}

/// Returns the records of an export, so that a test can rewrite them.
pub(super) fn records_of(export: &str) -> Vec<Value> {
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| serde_json::from_str(line.get("record")?.as_str()?).unwrap()).collect()
}

pub(super) fn canonical(value: &Value) -> String {
    serde_json_canonicalizer::to_string(value).unwrap()
}

/// Returns the export with its records replaced and the chain recomputed. The checkpoints
/// are signed again only if `seed` is given; without it, the result is a forgery by
/// someone who can write the file but not sign.
fn rechained(export: &str, records: &[Value], seed: Option<[u8; 32]>) -> String {
    let signer = seed.map(|seed| CheckpointSigner::new("toll.example/worm", &seed).unwrap());
    let old_seals = records_of(export).into_iter().map(|record| hex::encode(seal_of(canonical(&record).as_bytes())));
    let (mut chain, mut records, mut out) = (Chain::new(), records.iter().zip(old_seals), String::new());
    let mut new_policies = HashMap::new();
    for line in export.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line.get("record").is_some() {
            let (record, old_seal) = records.next().unwrap();
            let mut record = record.clone();
            record["prev"] = Value::from(hex::encode(chain.newest_seal()));
            let named = record["body"]["policy"].as_str().and_then(|named| new_policies.get(named)).cloned();
            if let Some(seal) = named {
                record["body"]["policy"] = seal;
            }
            let text = canonical(&record);
            let (seal, _) = chain.append(text.as_bytes(), 0);
            if record["kind"] == "policy" {
                new_policies.insert(old_seal, Value::from(hex::encode(seal)));
            }
            line["record"] = Value::from(text);
        }
        if let Some(signer) = &signer {
            if line.get("checkpoint").is_some() {
                line["checkpoint"] = Value::from(signer.sign(chain.size(), chain.root()).note());
            }
            if line.get("keys").is_some() {
                line["keys"] = json!([signer.public().to_string()]);
            }
        }
        out += &(canonical(&line) + "\n");
    }
    out
}

#[test]
fn every_changed_bit_is_caught() {
    let export = sample().export();
    let trust = pinned();
    assert!(check(&export, &trust).is_ok());
    for position in 0..export.len() {
        for mask in [0x01, 0x02, 0x20, 0x80, 0x10] {
            let mut bytes = export.clone().into_bytes();
            bytes[position] ^= mask;
            let outcome = verify(&mut bytes.as_slice(), Trust::default());
            assert!(outcome.is_err(), "changing byte {position} by {mask:#x} was not detected");
        }
    }
}

#[test]
fn every_moved_line_is_caught() {
    let export = sample().export();
    let lines: Vec<&str> = export.split_inclusive('\n').collect();
    let sabotaged = |what: &str, lines: &[&str]| {
        let failure = check(&lines.concat(), &Trust::default()).err();
        assert!(failure.is_some(), "{what} was not detected");
    };
    for position in 0..lines.len() {
        let mut removed = lines.clone();
        removed.remove(position);
        sabotaged(&format!("removing line {position}"), &removed);
        let mut doubled = lines.clone();
        doubled.insert(position, lines[position]);
        sabotaged(&format!("doubling line {position}"), &doubled);
        for other in position + 1..lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(position, other);
            sabotaged(&format!("swapping lines {position} and {other}"), &swapped);
        }
        for place in 0..=lines.len() {
            let mut blank = lines.clone();
            blank.insert(place, "\n");
            sabotaged("a blank line", &blank);
        }
    }
    for length in 0..export.len() {
        if export.is_char_boundary(length) {
            assert!(check(&export[..length], &Trust::default()).is_err(), "cut at {length}");
        }
    }
}

#[test]
fn rechaining_needs_the_key() {
    let book = sample();
    let export = book.export();
    let (records, older) = (records_of(&export), {
        let row = book.store.get(Collection::Checkpoints, &row_key(5)).unwrap().unwrap();
        let note = serde_json::from_slice::<Value>(&row).unwrap()["note"].as_str().unwrap().to_owned();
        SignedCheckpoint::parse(&note).unwrap()
    });
    assert_eq!(
        rechained(&export, &records, None),
        export,
        "recomputing the chain of unchanged records must yield the same export"
    );
    assert_eq!(rechained(&export, &records, Some(SEED)), export);
    for (seq, record) in records.iter().enumerate() {
        // A later time breaks no rule of the books, so only the signature reveals the
        // change.
        let mut changed = records.clone();
        for later in changed.iter_mut().skip(seq) {
            later["time_ms"] = Value::from(later["time_ms"].as_u64().unwrap() + 1);
        }
        let unsigned = rechained(&export, &changed, None);
        let failure = check(&unsigned, &Trust::default()).unwrap_err();
        assert!(matches!(failure.problem, VerificationProblem::Root { .. }), "{record}: {failure}");
        // A forgery signed with another key is consistent; only a pinned key reveals it.
        let foreign = rechained(&export, &changed, Some([8; 32]));
        assert!(check(&foreign, &Trust::default()).is_ok());
        let failure = check(&foreign, &pinned()).unwrap_err();
        assert!(matches!(failure.problem, VerificationProblem::NotPinned), "{failure}");
        // A forgery signed with the right key is revealed only by an older checkpoint
        // that covers the record.
        let forked = rechained(&export, &changed, Some(SEED));
        assert!(check(&forked, &pinned()).is_ok());
        let outcome = check(&forked, &Trust { since: Some(older.clone()), ..pinned() });
        match outcome {
            Err(VerificationFailure { problem: VerificationProblem::Rewritten { size: 5 }, .. }) => {
                assert!(seq < 5, "{seq}")
            }
            Ok(report) => assert!(seq >= 5 && report.since == Some(5), "{seq}"),
            Err(other) => panic!("{other}"),
        }
    }
}

/// Changes one record of the sample, rebuilds and signs the chain with the right key, and
/// expects the verifier to reject that record.
fn check_rule(seq: usize, change: impl FnOnce(&mut Value), expect: impl FnOnce(&VerificationProblem) -> bool) {
    check_rule_at(seq, seq, change, expect);
}

/// Same as `check_rule`, but expects the verifier to reject record `shows_at` instead of
/// the changed one.
fn check_rule_at(
    seq: usize,
    shows_at: usize,
    change: impl FnOnce(&mut Value),
    expect: impl FnOnce(&VerificationProblem) -> bool,
) {
    let export = sample().export();
    let mut records = records_of(&export);
    change(&mut records[seq]);
    let failure = check(&rechained(&export, &records, Some(SEED)), &pinned()).unwrap_err();
    assert_eq!(failure.seq, Some(shows_at as u64), "{failure}");
    assert!(expect(&failure.problem), "{failure}");
}

pub(super) fn books(problem: &VerificationProblem) -> Option<&BooksError> {
    match problem {
        VerificationProblem::Books(error) => Some(error),
        _ => None,
    }
}

#[test]
fn the_operator_cannot_break_the_rules_unseen() {
    let money = |record: &mut Value, account: usize, by: i64| {
        let slot = &mut record["postings"][account]["amount_millipence"];
        *slot = Value::from(slot.as_i64().unwrap() + by);
    };
    // The operator takes a penny from the developer's share.
    check_rule(
        4,
        |record| {
            money(record, 1, -1_000);
            money(record, 2, 1_000);
        },
        |problem| matches!(books(problem), Some(BooksError::Postings)),
    );
    // The operator changes the body and the postings consistently.
    check_rule(
        4,
        |record| {
            money(record, 1, -1_000);
            money(record, 2, 1_000);
            record["body"]["shares"]["developer_millipence"] = Value::from(7_000);
            record["body"]["shares"]["platform_millipence"] = Value::from(2_750);
        },
        |problem| matches!(books(problem), Some(BooksError::Shares)),
    );
    check_rule(4, |r| money(r, 0, -1), |p| matches!(books(p), Some(BooksError::Unbalanced(-1))));
    check_rule(4, |r| r["postings"] = json!([]), |p| matches!(books(p), Some(BooksError::Postings)));
    check_rule(
        4,
        |r| r["postings"].as_array_mut().unwrap().swap(2, 3),
        |p| matches!(books(p), Some(BooksError::Postings)),
    );
    // The records spend more than was paid.
    check_rule_at(
        3,
        4,
        |record| {
            record["body"]["amount_millipence"] = Value::from(5_000);
            record["postings"][0]["amount_millipence"] = Value::from(-5_000);
            record["postings"][1]["amount_millipence"] = Value::from(5_000);
        },
        |problem| matches!(books(problem), Some(BooksError::Overdrawn { balance: -5_000, .. })),
    );
}

#[test]
fn the_verifier_names_the_broken_rule() {
    let book = |problem: &VerificationProblem, expect: fn(&BooksError) -> bool| books(problem).is_some_and(expect);
    let tx0 = Value::from(hex::encode(seal_of(b"tx 0")));
    check_rule(2, |r| r["tx"] = tx0, |p| book(p, |e| matches!(e, BooksError::Repeated(_))));
    check_rule(2, |r| r["time_ms"] = json!(1), |p| matches!(p, VerificationProblem::Time));
    check_rule(2, |r| r["seq"] = json!(3), |p| matches!(p, VerificationProblem::Sequence { expected: 2, found: 3 }));
    check_rule(2, |r| r["v"] = json!(2), |p| matches!(p, VerificationProblem::Record(RecordError::Version(2))));
    check_rule(2, |r| r["more"] = json!(2), |p| matches!(p, VerificationProblem::Record(RecordError::Malformed(_))));
    check_rule(
        2,
        |r| r["body"]["more"] = json!(2),
        |p| book(p, |e| matches!(e, BooksError::Entry(EntryError::Malformed { .. }))),
    );
    check_rule(
        2,
        |r| r["body"]["publisher"] = Value::Null,
        |p| book(p, |e| matches!(e, BooksError::Entry(EntryError::Malformed { .. }))),
    );
    check_rule(
        2,
        |r| r["body"]["by"] = json!("a@b.example"),
        |p| book(p, |e| matches!(e, BooksError::Entry(EntryError::Name { .. }))),
    );
    check_rule(
        2,
        |r| r["kind"] = json!("plug"),
        |p| book(p, |e| matches!(e, BooksError::Entry(EntryError::UnknownKind(_)))),
    );
    check_rule(0, |r| r["kind"] = json!("event"), |p| book(p, |e| matches!(e, BooksError::Entry(_))));
    check_rule(0, |r| r["body"]["more"] = json!(1), |p| book(p, |e| matches!(e, BooksError::Entry(_))));
    check_rule(
        0,
        |r| r["body"]["developer"] = json!(801),
        |p| book(p, |e| matches!(e, BooksError::Entry(EntryError::Policy))),
    );
    check_rule_at(
        0,
        1,
        |r| r["body"]["mode"] = json!("live"),
        |p| book(p, |e| matches!(e, BooksError::ForeignMoney(_))),
    );
    check_rule(11, |r| r["body"]["mode"] = json!("live"), |p| book(p, |e| matches!(e, BooksError::Mode { .. })));
    // A call names a policy that is not in force.
    check_rule(
        12,
        |r| r["body"]["policy"] = json!("00".repeat(32)),
        |p| book(p, |e| matches!(e, BooksError::OtherPolicy { .. })),
    );
    check_rule(
        1,
        |r| r["body"]["amount_millipence"] = json!(0),
        |p| book(p, |e| matches!(e, BooksError::Entry(EntryError::Amount(0)))),
    );
    check_rule(
        3,
        |r| r["body"]["processor"] = json!("stripe"),
        |p| book(p, |e| matches!(e, BooksError::ForeignMoney(_))),
    );
}

/// Returns an export of entries that the store would refuse.
pub(super) fn forged(entries: &[Entry], balances: &[(&str, i64)]) -> String {
    let signer = CheckpointSigner::new("toll.example/worm", &SEED).unwrap();
    let mut chain = Chain::new();
    let header = json!({"format": "tollbridge-ledger", "keys": [signer.public().to_string()],
        "origin": "toll.example/worm", "size": entries.len(), "v": 1});
    let mut out = canonical(&header) + "\n";
    for (seq, entry) in entries.iter().enumerate() {
        let draft = entry.draft(seal_of(&[u8::try_from(seq).unwrap()]), START_MS).unwrap();
        let text = String::from_utf8(chain.seal(&draft).bytes).unwrap();
        out += &(canonical(&json!({"record": text})) + "\n");
    }
    out += &(canonical(&json!({"checkpoint": signer.sign(chain.size(), chain.root()).note()})) + "\n");
    for (account, millipence) in balances {
        out += &(canonical(&json!({"account": account, "millipence": millipence})) + "\n");
    }
    let end = json!({"end": {"accounts": balances.len(), "checkpoints": 1, "records": entries.len()}});
    out + &canonical(&end) + "\n"
}

#[test]
fn money_that_is_not_there_cannot_be_spent() {
    let grant = |amount| Entry::Grant(TestCredit { account: "a".to_owned(), amount: Millipence::new(amount) });
    let refund = Entry::Refund(Refund {
        payer: Payer::Account("a".to_owned()),
        stage: RefundStage::Owed,
        reason: "asked".to_owned(),
        reference: None,
        amount: Millipence::new(5),
    });
    let enough = forged(&[policy("x"), grant(5), refund.clone()], &[("refunds", 5), ("sandbox:grants", -5)]);
    assert!(check(&enough, &pinned()).is_ok());
    let short = forged(
        &[policy("x"), grant(4), refund.clone(), grant(4)],
        &[("credit:a", 3), ("refunds", 5), ("sandbox:grants", -8)],
    );
    let failure = check(&short, &pinned()).unwrap_err();
    assert!(matches!(books(&failure.problem), Some(BooksError::Overdrawn { balance: -1, .. })), "{failure}");
    assert_eq!((failure.line, failure.seq), (4, Some(2)));
    for wrong in [
        &[("refunds", 4), ("sandbox:grants", -5)][..],
        &[("refunds", 5)],
        &[("sandbox:grants", -5)],
        &[("sandbox:grants", -5), ("refunds", 5)],
        &[("credit:a", 0), ("refunds", 5), ("sandbox:grants", -5)],
        &[("platform", 1), ("refunds", 5), ("sandbox:grants", -5)],
        &[("refunds", 5), ("refunds", 5), ("sandbox:grants", -5)],
        &[],
    ] {
        let failure = check(&forged(&[policy("x"), grant(5), refund.clone()], wrong), &pinned()).unwrap_err();
        assert!(matches!(books(&failure.problem), Some(BooksError::Balance { .. })), "{failure}");
    }
    let failure = check(&forged(&[grant(5)], &[("credit:a", 5), ("sandbox:grants", -5)]), &pinned()).unwrap_err();
    assert!(matches!(books(&failure.problem), Some(BooksError::NoPolicy)), "{failure}");
    let live = Policy { mode: Mode::Live, display_name: "x".to_owned(), split: split() };
    let failure = check(&forged(&[Entry::Policy(live), grant(5)], &[]), &pinned()).unwrap_err();
    assert!(matches!(books(&failure.problem), Some(BooksError::ForeignMoney(_))), "{failure}");
}

/// An export that the end-to-end suite also passes to the second verifier.
const NAMELESS_PAYER: &str = include_str!("testdata/nameless-payer.jsonl");

#[test]
fn a_payer_without_a_name_is_refused_where_nothing_of_it_is_posted() {
    let dispute = Entry::Dispute(Dispute {
        amount: Millipence::new(5),
        credit: None,
        dispute: "dp_1".to_owned(),
        held: Vec::new(),
        payer: Payer::Task { account: "acct_a".to_owned(), task: "task_1".to_owned() },
        recovered: Millipence::ZERO,
        stage: DisputeStage::Opened,
    });
    let good = forged(&[policy("x"), dispute], &[("processor:clearing", 5), ("write_off", -5)]);
    assert!(check(&good, &pinned()).is_ok());
    let mut records = records_of(&good);
    records[1]["body"]["payer"]["task"]["account"] = json!("acct a");
    let refused = rechained(&good, &records, Some(SEED));
    let failure = check(&refused, &pinned()).unwrap_err();
    assert!(matches!(books(&failure.problem), Some(BooksError::Entry(EntryError::Party(_)))), "{failure}");
    assert_eq!(refused, NAMELESS_PAYER);
}

#[test]
fn a_file_of_garbage_is_refused_within_bounds() {
    let long = format!("{{\"record\":\"{}\"}}\n", "x".repeat(crate::limits::EXPORT_LINE_BYTES_MAX));
    assert!(matches!(check(&long, &Trust::default()).unwrap_err().problem, VerificationProblem::LineTooLong));
    let endless = std::io::repeat(b'x');
    let failure = verify(&mut std::io::BufReader::new(endless), Trust::default()).unwrap_err();
    assert!(matches!(failure.problem, VerificationProblem::LineTooLong));
    for garbage in ["", "\n", "{}\n", "[]\n", "null\n", "{\"format\":\"x\"}\n", "\u{0}\n", &"[".repeat(100_000)] {
        assert!(check(garbage, &Trust::default()).is_err(), "{garbage:?}");
    }
    let deep = format!("{}\n", "[".repeat(150_000));
    assert!(check(&deep, &Trust::default()).is_err());
}
