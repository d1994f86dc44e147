//! Tests of how the ledger records agents: nested calls, calls that failed after nested
//! calls had answered, and queued tasks. The end-to-end tests also check such ledgers
//! with the second verifier.

use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_store::Refusal;

use super::sabotage_tests::{canonical, check, pinned};
use super::testing::{Book, START_MS, sample, split};
use super::*;

fn pence(pence: i64) -> Millipence {
    Millipence::from_pence(pence).unwrap()
}

fn caller() -> String {
    "acct_caller".to_owned()
}

fn below(owner: &str, parent: u64, price: i64) -> Nested {
    Nested {
        failed: false,
        component_sha256: [0xd0; 32],
        gross: pence(price),
        inference: None,
        owner: owner.to_owned(),
        parent,
        plugin: "validation".to_owned(),
        plugin_kind: PluginKind::Bridge,
        shares: split().split(Millipence::ZERO).into(),
        version: "1.0.0".to_owned(),
    }
}

fn agent(book: &Book, payer: Payer, mut nested: Vec<Nested>) -> Route {
    let facts =
        TaskFacts { finished_ms: START_MS + 9, input_sha256: [4; 32], output_sha256: [5; 32], started_ms: START_MS };
    let route = book.route(payer, 20);
    let shares = split_tree(&split(), (route.gross, None), &mut nested).unwrap();
    Route { plugin_kind: PluginKind::Agent, nested, shares, task: Some(facts), ..route }
}

fn costs(book: &Book, mut nested: Vec<Nested>) -> Entry {
    split_tree(&split(), (Millipence::ZERO, None), &mut nested).unwrap();
    Entry::Nested(NestedCosts {
        gross: Millipence::ZERO,
        inference: None,
        payer: None,
        component_sha256: [0xc0; 32],
        earnings: Earnings::Pending,
        nested,
        owner: "acct_dev".to_owned(),
        plugin: "writer".to_owned(),
        plugin_kind: PluginKind::Agent,
        policy: book.policy,
        request_id: "req_02".to_owned(),
        version: "0.1.0".to_owned(),
    })
}

fn book() -> Book {
    let mut book = sample();
    let task = || "task_q".to_owned();
    book.seal(&Entry::Grant(TestCredit { account: "acct_dev".to_owned(), amount: pence(100) })).unwrap();
    let route = agent(&book, Payer::Account(caller()), vec![below("acct_b", 0, 15), below("acct_dev", 1, 7)]);
    book.seal(&Entry::Route(route)).unwrap();
    let entry = costs(&book, vec![below("acct_b", 0, 5)]);
    book.seal(&entry).unwrap();
    let money = |stage, amount| {
        Entry::Task(TaskMoney { account: caller(), agent: "writer".to_owned(), amount, stage, task: task() })
    };
    book.seal(&money(TaskStage::Held, pence(25))).unwrap();
    let paid = agent(&book, Payer::Task { account: caller(), task: task() }, Vec::new());
    book.seal(&Entry::Route(paid)).unwrap();
    book.seal(&money(TaskStage::Failed, pence(5))).unwrap();
    book.seal(&money(TaskStage::Held, Millipence::ZERO)).unwrap();
    book.seal(&money(TaskStage::Canceled, Millipence::ZERO)).unwrap();
    book.checkpoint();
    book
}

#[test]
fn the_verifier_takes_what_agents_leave_in_the_books() {
    let report = check(&book().export(), &pinned()).unwrap();
    assert_eq!((report.records, report.covered), (21, 21));
}

#[test]
fn an_uncovered_cost_is_not_sealed() {
    let mut book = book();
    let route = agent(&book, Payer::Account(caller()), vec![below("acct_b", 0, 5), below("acct_c", 1, 7)]);
    let refused = book.seal(&Entry::Route(route));
    assert_eq!(refused, Err(Refusal::Insufficient { account: "credit:acct_b".to_owned() }));
}

#[test]
fn a_queued_tasks_record_belongs_to_its_caller() {
    let book = book();
    let (_, record) = book.ledger.record(17).unwrap().unwrap();
    assert!(record.parties().contains("acct_caller"), "{:?}", record.parties());
}

#[test]
fn both_new_bodies_are_written_in_canonical_form() {
    let book = book();
    let route = agent(&book, Payer::Account(caller()), vec![below("acct_b", 0, 15), below("acct_dev", 1, 7)]);
    let value = serde_json::to_value(&route).unwrap();
    assert_eq!(serde_json::to_string(&route).unwrap(), canonical(&value));
}

#[test]
fn a_shifted_share_of_a_nested_call_is_caught() {
    let export = book().export();
    for (from, to) in [
        ("\\\"parent\\\":1", "\\\"parent\\\":0"),
        ("\\\"gross_millipence\\\":7000", "\\\"gross_millipence\\\":6000"),
        ("\\\"stage\\\":\\\"failed\\\"", "\\\"stage\\\":\\\"held\\\""),
    ] {
        assert!(export.contains(from), "{from}");
        assert!(check(&export.replacen(from, to, 1), &Trust::default()).is_err(), "{from} was not detected");
    }
}
