//! Model tests of several hosts that share one log.

use parking_lot::Mutex;
use proptest::prelude::*;
use redb::backends::InMemoryBackend;
use tollbridge_core::money::Millipence;

use super::*;
use crate::change::Expect;
use crate::collection::Collection;
use crate::engine::Store;
use crate::opening::OpenError;
use crate::outbox_event::OutboxEvent;
use crate::redb_engine::StoreLimits;
use crate::shared_log::SharedLog;
use crate::testing::changes::{Numbered, any_change, event, put, record};
use crate::testing::memory_log::{MemoryLog, MemoryLogEnd};
use crate::testing::model::Model;
use crate::tests::insufficient;

type SharedMemoryLog = Arc<Mutex<MemoryLog>>;

fn open(log: impl SharedLog + 'static) -> RedbStore {
    let bounds = StoreLimits { index: 3, ..StoreLimits::default() };
    RedbStore::replica_with_backend(InMemoryBackend::new(), "a host", Box::new(log), bounds).unwrap()
}

struct Host {
    store: Arc<RedbStore>,
    chain: Numbered,
}

impl Host {
    fn new(log: &SharedMemoryLog) -> Self {
        let store = Arc::new(open(MemoryLogEnd::of(log.clone())));
        let chain = Numbered(store.head().unwrap().size);
        Self { store, chain }
    }

    fn commit(&mut self, changes: &[Change]) -> Vec<Result<Receipt, Refusal>> {
        self.store.commit(changes, &mut self.chain).unwrap()
    }

    fn follow(&mut self) {
        self.commit(&[]);
    }
}

/// Returns a host whose next append collides: another host writes `change` immediately
/// before it.
fn disturbed(log: &SharedMemoryLog, other: Host, change: Change) -> Host {
    let mut other = other;
    let disturb = move || drop(other.commit(&[change]));
    let store = Arc::new(open(MemoryLogEnd::disturbed(log.clone(), disturb)));
    let chain = Numbered(store.head().unwrap().size);
    Host { store, chain }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// After a random sequence of commits by several hosts, all hosts have the tables of
    /// the model, and every change has the outcome that a single store would have given
    /// it.
    #[test]
    fn hosts_agree_with_the_naive_model(
        batches in proptest::collection::vec(
            (0_usize..3, any::<bool>(), proptest::collection::vec(any_change(), 0..6)), 1..16),
        restarts in 0_usize..16,
    ) {
        let log = SharedMemoryLog::default();
        let mut hosts: Vec<Host> = (0..3).map(|_| Host::new(&log)).collect();
        let (mut model, mut chain) = (Model::default(), Numbered::default());
        for (number, (at, follows, batch)) in batches.iter().enumerate() {
            if *follows {
                hosts[*at].follow();
            }
            let before = model.clone();
            let expected: Vec<_> = batch.iter().map(|change| model.apply(change, &mut chain)).collect();
            prop_assert_eq!(hosts[*at].commit(batch), expected);
            model.diff(hosts[*at].store.as_ref()).unwrap();
            model.diff_beyond(&before, hosts[*at].store.as_ref()).unwrap();
            if number == restarts {
                hosts[*at] = Host::new(&log);
            }
        }
        for host in &mut hosts {
            host.follow();
            model.diff(host.store.as_ref()).unwrap();
            prop_assert_eq!(host.chain.0, chain.0);
        }
    }
}

#[test]
fn a_balance_that_another_host_spent_is_not_spent_again() {
    let log = SharedMemoryLog::default();
    Host::new(&log).commit(&[record(1, &[("a", 100), ("out", -100)])]);
    let mut host = disturbed(&log, Host::new(&log), record(2, &[("a", -80), ("b", 80)]));
    let outcomes = host.commit(&[record(3, &[("a", -30), ("b", 30)]), record(4, &[("a", -20), ("b", 20)])]);
    assert_eq!(outcomes[0], Err(insufficient("a")));
    assert_eq!(outcomes[1].as_ref().unwrap().sealed.unwrap().0, 2, "the record must follow the other host's record");
    assert_eq!(log.lock().collisions, 1);
    assert_eq!(host.store.balance("b").unwrap(), Millipence::new(100));
}

#[test]
fn nothing_is_refused_for_what_this_host_does_not_know_yet() {
    let log = SharedMemoryLog::default();
    let (mut one, mut other) = (Host::new(&log), Host::new(&log));
    other.commit(&[
        record(1, &[("a", 100), ("out", -100)]),
        Change { puts: vec![put("k", Some("1"), Expect::Absent)], ..Change::default() },
    ]);
    let expects = Change { puts: vec![put("k", Some("2"), Expect::Exactly(b"1".to_vec()))], ..Change::default() };
    let outcomes = one.commit(&[record(2, &[("a", -100), ("out", 100)]), expects]);
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert_eq!(one.commit(&[record(1, &[])]), [Err(Refusal::Duplicate { seq: 0 })]);
}

#[test]
fn a_new_host_has_everything_and_finds_it() {
    let log = SharedMemoryLog::default();
    let (mut old, mut model, mut chain) = (Host::new(&log), Model::default(), Numbered::default());
    for tx in 1..60 {
        let change = Change { outbox: vec![event("a")], ..record(tx, &[("a", 1), ("out", -1)]) };
        model.apply(&change, &mut chain).unwrap();
        old.commit(&[change])[0].as_ref().unwrap();
    }
    log.lock().forgotten = 50;
    let mut new = Host::new(&log);
    model.diff(new.store.as_ref()).unwrap();
    assert_eq!(new.commit(&[record(1, &[])]), [Err(Refusal::Duplicate { seq: 0 })]);
    assert_eq!(new.commit(&[record(99, &[])])[0].as_ref().unwrap().sealed.unwrap().0, 59);
}

#[test]
fn a_stopped_host_resumes_where_it_was() {
    let (folder, log) = (tempfile::tempdir().unwrap(), SharedMemoryLog::default());
    let path = folder.path().join("replica.redb");
    let reopen = || RedbStore::open_replica(&path, Box::new(MemoryLogEnd::of(log.clone())));
    let mut chain = Numbered::default();
    reopen().unwrap().commit(&[record(1, &[])], &mut chain).unwrap();
    Host::new(&log).commit(&[record(2, &[])]);
    // Only the missed entry remains in the log, so a host that began with empty tables
    // would fail.
    log.lock().forgotten = 1;
    let store = reopen().unwrap();
    assert_eq!(store.head().unwrap().size, 1);
    store.commit(&[], &mut chain).unwrap();
    assert_eq!((store.head().unwrap().size, chain.0), (2, 2));
    drop(store);
    Host::new(&log).commit(&[record(3, &[])]);
    log.lock().forgotten = 3;
    // The host was offline for too long, so the tables are copied again.
    let store = reopen().unwrap();
    assert_eq!(store.head().unwrap().size, 3);
    assert_eq!(store.seq_of_tx(&[1; 32]).unwrap(), Some(0));
    drop(store);
    let refused = RedbStore::open(&path);
    assert!(matches!(refused, Err(OpenError::Replica { .. })), "a replica is not an independent ledger");
}

#[test]
fn a_log_that_lost_what_was_acknowledged_is_not_followed() {
    let log = SharedMemoryLog::default();
    let mut host = Host::new(&log);
    host.commit(&[record(1, &[])]);
    host.commit(&[record(2, &[])]);
    log.lock().entries.pop();
    assert!(host.store.commit(&[], &mut host.chain).is_err(), "the log is shorter");
    // Another host has written a different entry under the number of the lost entry.
    Host::new(&log).commit(&[record(3, &[])]);
    Host::new(&log).commit(&[record(4, &[])]);
    let error = host.store.commit(&[], &mut host.chain).unwrap_err();
    assert!(error.to_string().contains("another history"), "{error}");
    assert_eq!(host.store.seq_of_tx(&[3; 32]).unwrap(), None);
}

#[derive(Default)]
struct RecordedChanges {
    rows: Mutex<Vec<(Collection, String)>>,
    accounts: Mutex<Vec<String>>,
}

impl ForeignChanges for RecordedChanges {
    fn rows_changed(&self, rows: &[(Collection, String)]) {
        self.rows.lock().extend_from_slice(rows);
    }

    fn events_written(&self, accounts: &[String]) {
        self.accounts.lock().extend_from_slice(accounts);
    }
}

#[test]
fn foreign_changes_are_announced_once_readable() {
    let log = SharedMemoryLog::default();
    let (mut one, mut other) = (Host::new(&log), Host::new(&log));
    let heard = Arc::new(RecordedChanges::default());
    one.store.listen_to_foreign_changes(heard.clone());
    one.commit(&[Change { puts: vec![put("own", Some("1"), Expect::Any)], ..Change::default() }]);
    assert!(heard.rows.lock().is_empty(), "a host's own changes are not reported");
    let notice = |account: &str| OutboxEvent { ..event(account) };
    other.commit(&[
        Change { puts: vec![put("new", Some("1"), Expect::Any), put("own", None, Expect::Any)], ..Change::default() },
        Change { outbox: vec![notice("x"), notice("x"), notice("y")], ..record(1, &[]) },
    ]);
    one.follow();
    let (rows, accounts) = (heard.rows.lock().clone(), heard.accounts.lock().clone());
    let keys: Vec<_> = rows.iter().map(|(collection, key)| (*collection, key.as_str())).collect();
    assert_eq!(keys, [(Collection::Accounts, "new"), (Collection::Accounts, "own")]);
    assert_eq!(accounts, ["x", "y"]);
}
