//! Tests of the redb engine against the documented guarantees of this crate.

use proptest::prelude::*;
use redb::backends::InMemoryBackend;
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;

use super::*;
use crate::testing::changes::{Numbered, answer, any_change, draft, event, kv, put, record};
use crate::testing::model::Model;

fn store() -> RedbStore {
    RedbStore::with_backend(InMemoryBackend::new()).unwrap()
}

pub(super) fn insufficient(account: &str) -> Refusal {
    Refusal::Insufficient { account: account.to_owned() }
}

/// Commits a batch to the store and the model, and checks that both have the same
/// outcomes and contents.
fn both(store: &RedbStore, model: &mut Model, chain: &mut Numbered, batch: &[Change]) -> Vec<Result<Receipt, Refusal>> {
    let (mut models, before) = (chain.clone(), model.clone());
    let outcomes = store.commit(batch, chain).unwrap();
    let expected: Vec<_> = batch.iter().map(|change| model.apply(change, &mut models)).collect();
    assert_eq!(outcomes, expected);
    assert_eq!(chain.0, models.0, "refused drafts were sealed");
    model.diff(store).unwrap();
    model.diff_beyond(&before, store).unwrap();
    outcomes
}

#[test]
fn a_refused_change_leaves_no_trace_at_any_position() {
    let refused: [(Refusal, Change); 6] = [
        (
            Refusal::Unexpected { collection: "accounts", key: "taken".to_owned() },
            Change {
                puts: vec![put("new", Some("x"), Expect::Any), put("taken", Some("x"), Expect::Absent)],
                ..record(9, &[])
            },
        ),
        (
            Refusal::Unexpected { collection: "accounts", key: "none".to_owned() },
            Change { puts: vec![put("none", None, Expect::Exactly(Vec::new()))], ..record(9, &[]) },
        ),
        (Refusal::Duplicate { seq: 0 }, record(1, &[("a", 5), ("out", -5)])),
        (insufficient("a"), record(9, &[("b", 101), ("a", -101)])),
        (Refusal::Unbalanced, record(9, &[("b", 5), ("out", -4)])),
        (Refusal::Unsealed, Change { outbox: vec![event("a")], ..Change::default() }),
    ];
    for (refusal, change) in refused {
        // The refused change also contains a row, a key-value write, an answer and a
        // prune; none may take effect.
        let mut change = change;
        change.puts.push(put("trace", Some("x"), Expect::Any));
        change.kv.push(kv("trace", Some("x")));
        change.answer = Some(answer(Some("trace"), 1));
        change.prune = Some(AnswerPrune { now_ms: u64::MAX, limit: 100 });
        change.outbox.push(event("trace"));
        change.forget = Some(OutboxPrune { account: "a".to_owned(), below: u64::MAX, limit: 100 });
        for position in 0..3 {
            let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
            let first = Change {
                puts: vec![put("taken", Some("1"), Expect::Absent)],
                answer: Some(answer(Some("i"), 5)),
                outbox: vec![event("a")],
                ..record(1, &[("a", 100), ("out", -100)])
            };
            both(&store, &mut model, &mut chain, &[first]);
            let mut batch = vec![record(2, &[("a", -40), ("b", 40)]), record(3, &[("a", 40), ("b", -40)])];
            batch.insert(position, change.clone());
            let outcomes = both(&store, &mut model, &mut chain, &batch);
            assert_eq!(outcomes[position], Err(refusal.clone()), "at {position}");
            assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 2);
            assert_eq!(store.kv_get("b", "trace").unwrap(), None);
            assert_eq!(store.answer_of_intent("trace").unwrap(), None);
            assert_eq!(store.seq_of_tx(&[9; 32]).unwrap(), None);
            assert_eq!(store.outbox("trace", None, 9).unwrap(), Vec::new());
        }
    }
}

#[test]
fn a_batch_of_refusals_commits_nothing_and_the_store_continues() {
    let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
    both(&store, &mut model, &mut chain, &[record(1, &[("a", -1), ("out", 1)]), record(2, &[("a", 1)])]);
    assert_eq!(store.head().unwrap(), Head::default());
    both(&store, &mut model, &mut chain, &[]);
    both(&store, &mut model, &mut chain, &[record(1, &[("a", 1), ("out", -1)])]);
    assert_eq!(store.head().unwrap().size, 1);
}

#[test]
fn expectations_see_the_changes_before_them() {
    let change = |key: &str, value: Option<&str>, expect: Expect| Change {
        puts: vec![put(key, value, expect)],
        ..Change::default()
    };
    let exactly = |text: &str| Expect::Exactly(text.as_bytes().to_vec());
    let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
    let outcomes = both(
        &store,
        &mut model,
        &mut chain,
        &[
            change("k", Some("1"), Expect::Absent),
            change("k", Some("2"), Expect::Absent),
            change("k", Some("2"), exactly("1")),
            change("k", Some("3"), exactly("1")),
            change("k", None, exactly("2")),
            change("k", Some("4"), Expect::Absent),
            change("k", Some("5"), Expect::Any),
            change("", Some("empty"), Expect::Absent),
            change("k", Some("5"), Expect::AbsentOrSame),
            change("k", Some("6"), Expect::AbsentOrSame),
            change("other", Some("7"), Expect::AbsentOrSame),
            change("other", None, Expect::AbsentOrSame),
        ],
    );
    let ok: Vec<bool> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [true, false, true, false, true, true, true, true, true, false, true, false]);
    assert_eq!(store.get(Collection::Accounts, "k").unwrap().unwrap(), b"5");
    assert_eq!(store.get(Collection::Keys, "k").unwrap(), None, "collections are separate");
}

#[test]
fn guarded_balances_hold_within_and_across_changes() {
    let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
    let outcomes = both(
        &store,
        &mut model,
        &mut chain,
        &[
            record(1, &[("a", 10), ("out", -10)]),
            record(2, &[("a", -10), ("b", 10)]),
            record(3, &[("a", -1), ("b", 1)]),
            // The balance is negative after the second posting but not at the end; only
            // the final balance is checked.
            record(4, &[("a", -5), ("out", -5), ("a", 10)]),
            record(5, &[("a", 5), ("a", -11), ("b", 6)]),
            record(6, &[("b", -10), ("out", 10)]),
            record(7, &[("out", i64::MIN + 1), ("c", i64::MAX)]),
            record(8, &[("out", -1), ("c", 1)]),
        ],
    );
    let sealed: Vec<_> =
        outcomes.iter().map(|outcome| outcome.clone().map(|receipt| receipt.sealed.unwrap().0)).collect();
    let expected = [
        Ok(0),
        Ok(1),
        Err(insufficient("a")),
        Ok(2),
        Err(insufficient("a")),
        Ok(3),
        // Refused because the balance of `out` would overflow.
        Err(Refusal::Unbalanced),
        Ok(4),
    ];
    assert_eq!(sealed, expected);
    assert_eq!(store.balance("b").unwrap(), Millipence::ZERO);
    assert!(store.balances().unwrap().iter().all(|(name, _)| name != "b"), "accounts at zero have no row");
}

#[test]
fn a_transaction_is_sealed_once_in_a_batch_and_later() {
    let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
    let outcomes = both(&store, &mut model, &mut chain, &[record(1, &[]), record(2, &[]), record(1, &[])]);
    assert_eq!(outcomes[2], Err(Refusal::Duplicate { seq: 0 }));
    let outcomes = both(&store, &mut model, &mut chain, &[record(2, &[])]);
    assert_eq!(outcomes[0], Err(Refusal::Duplicate { seq: 1 }));
}

#[test]
fn lists_go_page_by_page() {
    let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
    let names: Vec<String> = (0..25).map(|number| format!("k{number:02}")).collect();
    let puts = names.iter().map(|name| put(name, Some(name), Expect::Absent)).collect();
    let keys = names.iter().map(|name| kv(name, Some("12345"))).collect();
    let other = KvWrite { bucket: "b2".to_owned(), ..kv("a", Some("x")) };
    both(&store, &mut model, &mut chain, &[Change { puts, kv: keys, ..Change::default() }]);
    both(&store, &mut model, &mut chain, &[Change { kv: vec![other], ..Change::default() }]);
    for limit in [1, 7, 25, 100] {
        let (mut rows, mut keys, mut after) = (Vec::new(), Vec::new(), String::new());
        loop {
            let page = store.list(Collection::Accounts, &after, limit).unwrap();
            let of_keys = store.kv_list("b", &after, limit).unwrap();
            assert!(page.len() <= limit && page.len() == of_keys.len());
            let Some((last, _)) = page.last() else { break };
            after = last.clone();
            rows.extend(page.into_iter().map(|(key, _)| key));
            keys.extend(of_keys);
        }
        assert_eq!(rows, names, "{limit}");
        assert!(keys.iter().map(|(key, _)| key).eq(&names) && keys.iter().all(|(_, size)| *size == 5), "{limit}");
    }
    assert!(store.list(Collection::Accounts, "", 0).unwrap().is_empty());
    assert_eq!(store.list(Collection::Accounts, "k23x", 9).unwrap().len(), 1);
    assert!(store.list(Collection::Emails, "", 9).unwrap().is_empty());
    assert_eq!(store.kv_list("b2", "", 9).unwrap(), [("a".to_owned(), 1)]);
}

#[test]
fn old_answers_are_forgotten_oldest_first() {
    let (store, mut model, mut chain) = (store(), Model::default(), Numbered::default());
    let sale = |tx: u8, intent: Option<&str>, expires: u64| Change {
        answer: Some(answer(intent, expires)),
        ..record(tx, &[])
    };
    let prune = |now_ms, limit| Change { prune: Some(AnswerPrune { now_ms, limit }), ..Change::default() };
    let sales = [sale(0, Some("i"), 10), sale(1, None, 20), sale(2, Some("i"), 30), sale(3, Some("j"), 40)];
    both(&store, &mut model, &mut chain, &sales);
    let stored_answer = store.answer(2).unwrap().unwrap();
    assert_eq!(stored_answer, answer(Some("i"), 30));
    for (now_ms, limit, left) in [(10, 9, 4), (11, 0, 4), (31, 1, 3), (31, 9, 1), (31, 9, 1), (41, 9, 0)] {
        both(&store, &mut model, &mut chain, &[prune(now_ms, limit)]);
        let answered = (0..4).filter(|seq| store.answer(*seq).unwrap().is_some()).count();
        assert_eq!(answered, left, "{now_ms} {limit}");
        // The index entry from an intent to its last answer is deleted together with that
        // answer, and not when an older answer of the intent is deleted.
        let last = store.answer_of_intent("i").unwrap();
        assert_eq!(last, (left > 1).then_some(2), "{now_ms} {limit}");
    }
    assert_eq!(store.answer_of_intent("j").unwrap(), None);
}

#[test]
fn queued_changes_are_found_and_read_back() {
    const WAITING: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let open = || {
        let file = std::fs::File::options().read(true).write(true).create(true).truncate(false).open(&path).unwrap();
        let bounds = StoreLimits { index: WAITING, ..StoreLimits::default() };
        let database = redb::backends::FileBackend::new(file).unwrap();
        RedbStore::with_backends(database, InMemoryBackend::new(), bounds).unwrap()
    };
    let (mut chain, mut txs) = (Numbered::default(), Vec::new());
    let indexed = |store: &RedbStore| {
        let row = store.get(Collection::Meta, super::tables::INDEXED_KEY).unwrap();
        row.map_or(0, |text| String::from_utf8(text).unwrap().parse::<usize>().unwrap())
    };
    for round in 0..60_u64 {
        let store = open();
        let batch: Vec<_> = (0..17_u64)
            .map(|place| {
                let tx: Hash = Sha256::digest([round.to_le_bytes(), place.to_le_bytes()].concat()).into();
                Change { record: Some(Draft { tx, ..draft(0, &[]) }), ..Change::default() }
            })
            .collect();
        for outcome in store.commit(&batch, &mut chain).unwrap() {
            let (seq, seal) = outcome.unwrap().sealed.unwrap();
            txs.push((batch[txs.len() % 17].record.as_ref().unwrap().tx, seal, seq));
        }
        for (tx, seal, seq) in &txs {
            assert_eq!((store.seq_of_tx(tx).unwrap(), store.seq_of_seal(seal).unwrap()), (Some(*seq), Some(*seq)));
        }
        let again = store.commit(&batch[..1], &mut chain).unwrap();
        assert!(matches!(again[0], Err(Refusal::Duplicate { .. })), "{again:?}");
    }
    // The row `INDEXED_KEY` is updated only after a full round of moving index entries
    // from memory into the tables. Opening a store restarts the round, so keep this store
    // open.
    let store = open();
    for place in 0..600_u64 {
        let tx: Hash = Sha256::digest([9_999, place].map(u64::to_le_bytes).concat()).into();
        store
            .commit(&[Change { record: Some(Draft { tx, ..draft(0, &[]) }), ..Change::default() }], &mut chain)
            .unwrap();
    }
    assert!(
        indexed(&store) >= txs.len(),
        "{} of {} are marked as indexed",
        indexed(&store),
        store.head().unwrap().size
    );
    drop(store);
    let store = open();
    assert!(txs.iter().all(|(tx, seal, seq)| {
        store.seq_of_tx(tx).unwrap() == Some(*seq) && store.seq_of_seal(seal).unwrap() == Some(*seq)
    }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn agrees_with_the_naive_model(batches in proptest::collection::vec(proptest::collection::vec(any_change(), 1..9), 1..12)) {
        // At most three index entries wait in memory, so most batches move some into the
        // tables.
        let store = RedbStore::with_backends(
            InMemoryBackend::new(),
            InMemoryBackend::new(),
            StoreLimits { index: 3, ..StoreLimits::default() },
        )
        .unwrap();
        let (mut model, mut chain) = (Model::default(), Numbered::default());
        for batch in &batches {
            both(&store, &mut model, &mut chain, batch);
        }
        let ever: Vec<_> = batches.iter().flatten().filter_map(|change| change.record.as_ref()).collect();
        for draft in ever {
            let known = model.records.iter().any(|(tx, _, _)| *tx == draft.tx);
            prop_assert_eq!(store.seq_of_tx(&draft.tx).unwrap().is_some(), known);
        }
        let negative = model.balances.iter().find(|(name, amount)| name.as_str() != "out" && **amount < 0);
        prop_assert_eq!(negative, None);
        prop_assert_eq!(model.balances.values().sum::<i64>(), 0);
    }
}
