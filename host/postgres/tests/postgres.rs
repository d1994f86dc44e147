//! Tests of the shared log on real PostgreSQL: comparison with a naive model, concurrent
//! hosts, and failures of the database.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "postgres/hosts.rs"]
mod hosts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tempfile::TempDir;
use tollbridge_core::config::Secret;
use tollbridge_core::money::Millipence;
use tollbridge_postgres::{Compactor, PostgresError, PostgresLog, PostgresSettings};
use tollbridge_store::testing::changes::{Numbered, any_change, event, put, record};
use tollbridge_store::testing::model::Model;
use tollbridge_store::{Change, Collection, Expect, OpenError, Receipt, RedbStore, Refusal, Store, StoreError};
use tollbridge_test_postgres::{Cluster, Proxy, url};

const PATIENCE: Duration = Duration::from_secs(20);

fn settings(url: &str) -> PostgresSettings {
    PostgresSettings { url: Secret::new(url), root_certificate: None, patience: PATIENCE }
}

/// One host: its replica, and the position up to which it has read the log.
struct Host {
    folder: TempDir,
    store: RedbStore,
    chain: Numbered,
}

type Outcomes = Vec<Result<Receipt, Refusal>>;

impl Host {
    fn new(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Self::open(&folder, url).unwrap();
        let chain = Numbered(store.head().unwrap().size);
        Self { folder, store, chain }
    }

    fn open(folder: &TempDir, url: &str) -> Result<RedbStore, OpenError> {
        let log = PostgresLog::open(settings(url)).unwrap();
        RedbStore::open_replica(&folder.path().join("replica.redb"), Box::new(log))
    }

    fn try_commit(&mut self, changes: &[Change]) -> Result<Outcomes, StoreError> {
        self.store.commit(changes, &mut self.chain)
    }

    fn commit(&mut self, changes: &[Change]) -> Outcomes {
        self.try_commit(changes).unwrap()
    }

    fn follow(&mut self) -> &RedbStore {
        self.commit(&[]);
        &self.store
    }
}

/// A payment of one unit from `a` to `b`, in a separate transaction.
fn payment(host: u8, number: u8) -> Change {
    let mut change = record(0, &[("a", -1), ("b", 1)]);
    let draft = change.record.as_mut().unwrap();
    draft.tx[..2].copy_from_slice(&[host, number]);
    draft.tx[31] = 1;
    change
}

fn funded(url: &str, amount: i64) -> Host {
    let mut host = Host::new(url);
    host.commit(&[record(200, &[("a", amount), ("out", -amount)])])[0].as_ref().unwrap();
    host
}

fn balance(store: &RedbStore, account: &str) -> i64 {
    store.balance(account).unwrap().get()
}

#[test]
fn hosts_agree_with_the_naive_model() {
    let cluster = Cluster::start();
    let batch = (0_usize..3, any::<bool>(), proptest::collection::vec(any_change(), 0..6));
    let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) });
    let outcome = runner.run(&proptest::collection::vec(batch, 1..12), |batches| {
        let url = cluster.database();
        let mut hosts: Vec<Host> = (0..3).map(|_| Host::new(&url)).collect();
        let (mut model, mut chain) = (Model::default(), Numbered::default());
        for (at, follows, batch) in &batches {
            if *follows {
                hosts[*at].follow();
            }
            let expected: Vec<_> = batch.iter().map(|change| model.apply(change, &mut chain)).collect();
            prop_assert_eq!(hosts[*at].commit(batch), expected);
        }
        hosts.push(Host::new(&url));
        for host in &mut hosts {
            model.diff(host.follow()).unwrap();
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn hosts_that_write_at_once_spend_nothing_twice() {
    let cluster = Cluster::start();
    let url = cluster.database();
    drop(funded(&url, 250));
    let spent: usize = std::thread::scope(|scope| {
        let hosts: Vec<_> = (0..3)
            .map(|host| {
                let url = &url;
                scope.spawn(move || {
                    let mut at = Host::new(url);
                    let paid = (0..100).filter(|number| at.commit(&[payment(host, *number)])[0].is_ok()).count();
                    (paid, at)
                })
            })
            .collect();
        hosts.into_iter().map(|host| host.join().unwrap().0).sum()
    });
    assert_eq!(spent, 250, "300 were tried");
    let mut host = Host::new(&url);
    let store = host.follow();
    assert_eq!((balance(store, "a"), balance(store, "b")), (0, 250));
    assert_eq!(store.head().unwrap().size, 251);
    assert_eq!(cluster.sql("test0", "select count(*) = max(number) + 1 from commits"), "t");
}

#[test]
fn an_acknowledgement_that_is_lost_is_looked_up() {
    let cluster = Cluster::start();
    let (database, proxy) = (cluster.database(), Proxy::to(cluster.port()));
    let mut other = funded(&database, 100);
    let mut host = Host::new(&url(&[proxy.port()], "test0"));
    for number in 0..10 {
        proxy.lose_answers(1 + u16::from(number % 2));
        assert!(host.commit(&[payment(1, number)])[0].is_ok());
        // Another host then uses the next number, so that the hosts collide and must also
        // wait for their turns.
        assert!(other.commit(&[payment(2, number)])[0].is_ok());
    }
    assert_eq!((balance(host.follow(), "b"), balance(other.follow(), "b")), (20, 20));
    assert_eq!(host.store.head().unwrap().size, 21);
}

#[test]
fn a_database_that_is_killed_loses_nothing_that_was_acknowledged() {
    let mut cluster = Cluster::start();
    let url = cluster.database();
    drop(funded(&url, 10_000));
    let stop = std::sync::atomic::AtomicBool::new(false);
    // A host can start only while its database is available, so kill the database only
    // after all hosts have started.
    let begun = std::sync::Barrier::new(3);
    let acknowledged: Vec<(u8, u8)> = std::thread::scope(|scope| {
        let hosts: Vec<_> = (0..2)
            .map(|host| {
                let (url, stop, begun) = (&url, &stop, &begun);
                scope.spawn(move || {
                    let (mut at, mut paid) = (Host::new(url), Vec::new());
                    begun.wait();
                    for number in 0..=255 {
                        if stop.load(std::sync::atomic::Ordering::Relaxed) {
                            break;
                        }
                        assert!(at.commit(&[payment(host, number)])[0].is_ok());
                        paid.push((host, number));
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    paid
                })
            })
            .collect();
        begun.wait();
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(300));
            cluster.kill();
            cluster.resume();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        hosts.into_iter().flat_map(|host| host.join().unwrap()).collect()
    });
    let mut host = Host::new(&url);
    let store = host.follow();
    assert!(acknowledged.len() > 20, "{}", acknowledged.len());
    assert_eq!(store.head().unwrap().size, 1 + acknowledged.len() as u64);
    assert_eq!(balance(store, "b"), i64::try_from(acknowledged.len()).unwrap());
    for (host, number) in acknowledged {
        let tx = payment(host, number).record.unwrap().tx;
        assert!(store.seq_of_tx(&tx).unwrap().is_some(), "{host} {number}");
    }
}

#[test]
fn a_standby_takes_over_with_everything_that_was_acknowledged() {
    let mut primary = Cluster::start();
    let database = primary.database();
    drop(funded(&database, 1_000));
    let standby = primary.synchronous_standby();
    let mut host = Host::new(&url(&[primary.port(), standby.port()], "test0"));
    for number in 0..50 {
        assert!(host.commit(&[payment(1, number)])[0].is_ok());
    }
    primary.kill();
    let lost = Instant::now();
    standby.promote();
    standby.sql("postgres", "alter system reset synchronous_standby_names");
    standby.sql("postgres", "select pg_reload_conf()");
    assert!(host.commit(&[payment(1, 50)])[0].is_ok());
    let stall = lost.elapsed();
    assert!(stall < Duration::from_secs(3), "{stall:?}");
    let mut new = Host::new(&standby.url("test0"));
    assert_eq!((balance(new.follow(), "b"), new.store.head().unwrap().size), (51, 52));
}

#[test]
fn a_database_that_was_set_back_is_not_followed() {
    let cluster = Cluster::start();
    let url = cluster.database();
    let mut host = funded(&url, 100);
    host.commit(&[payment(1, 0)]);
    cluster.sql("test0", "delete from commits where number = 1");
    let error = host.try_commit(&[payment(1, 1)]).unwrap_err();
    assert!(error.to_string().contains("another history"), "{error}");
    let mut other = Host::new(&url);
    other.commit(&[payment(2, 0), payment(2, 1)]);
    let folder = std::mem::replace(&mut host.folder, tempfile::tempdir().unwrap());
    drop(host);
    let mut again = Host::open(&folder, &url).unwrap();
    let error = again.commit(&[], &mut Numbered::default()).unwrap_err();
    assert!(error.to_string().contains("another history"), "{error}");
    drop(again);
    again = Host::open(&tempfile::tempdir().unwrap(), &url).unwrap();
    again.commit(&[], &mut Numbered::default()).unwrap();
}

#[test]
fn a_host_that_begins_has_what_was_compacted_and_what_came_later() {
    let cluster = Cluster::start();
    let url = cluster.database();
    let (mut host, mut model, mut chain) = (Host::new(&url), Model::default(), Numbered::default());
    let mut write = |host: &mut Host, number: u8| {
        let row = |key: &str, value: Option<&str>| put(key, value, Expect::Any);
        let puts = vec![row("k", Some("1")), row("gone", number.is_multiple_of(2).then_some("1"))];
        let change = Change { puts, outbox: vec![event("a")], ..record(number, &[("a", 1), ("out", -1)]) };
        model.apply(&change, &mut chain).unwrap();
        host.commit(&[change])[0].as_ref().unwrap();
        model.clone()
    };
    for number in 0..60 {
        write(&mut host, number);
    }
    let compactor = Compactor::start(settings(&url)).unwrap();
    let compacted = |to: &str| {
        let started = Instant::now();
        while cluster.sql("test0", "select compacted_next from ledger") != to {
            assert!(started.elapsed() < Duration::from_secs(20), "nothing was compacted");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    compacted("60");
    let late = Host::new(&url);
    // Age the commits by two hours, so that all but the newest are deleted.
    cluster.sql("test0", "update commits set at = at - interval '2 hours'");
    let started = Instant::now();
    while cluster.sql("test0", "select count(*) from commits") != "1" {
        assert!(started.elapsed() < Duration::from_secs(20), "nothing was deleted");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(compactor);
    let model = write(&mut host, 61);
    for host in [&mut Host::new(&url), &mut { late }] {
        model.diff(host.follow()).unwrap();
    }
}

#[test]
fn a_database_that_acknowledges_too_early_is_refused() {
    for (option, message) in [("fsync=off", "fsync is off"), ("synchronous_commit=off", "synchronous_commit is off")] {
        let cluster = Cluster::with_options(&[option]);
        let error = PostgresLog::open(settings(&cluster.database())).err().unwrap();
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn database_problems_are_reported() {
    let cluster = Cluster::start();
    let url = cluster.database();
    let error = |url: &str| PostgresLog::open(settings(url)).err().unwrap().to_string();
    assert!(error("postgress:/x").contains("store.url"), "{}", error("postgress:/x"));
    assert!(
        error(&cluster.url("nowhere")).contains("\"nowhere\" does not exist"),
        "{}",
        error(&cluster.url("nowhere"))
    );
    assert!(error(&self::url(&[9], "x")).contains("refused"), "{}", error(&self::url(&[9], "x")));
    drop(PostgresLog::open(settings(&url)).unwrap());
    cluster.sql("test0", "update ledger set tables_version = 5");
    assert!(matches!(PostgresLog::open(settings(&url)), Err(PostgresError::OtherShape { found: 5, .. })));
    cluster.sql("test0", "insert into migrations values (99)");
    assert!(matches!(PostgresLog::open(settings(&url)), Err(PostgresError::Newer(99))));
}

#[test]
fn hosts_that_start_together_make_one_ledger() {
    let cluster = Cluster::start();
    let url = cluster.database();
    let ids: Vec<_> = std::thread::scope(|scope| {
        let open = || {
            let mut log = PostgresLog::open(settings(&url)).unwrap();
            tollbridge_store::SharedLog::ledger_id(&mut log).unwrap()
        };
        let hosts: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        hosts.into_iter().map(|host| host.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]));
    let cluster = Arc::new(cluster);
    let mut host = funded(&url, 5);
    assert_eq!(host.follow().get(Collection::Accounts, "none").unwrap(), None);
    assert_eq!(host.store.balance("a").unwrap(), Millipence::new(5));
    drop(cluster);
}
