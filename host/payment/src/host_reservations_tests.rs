//! Tests of several hosts that sell from the same balances at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redb::backends::InMemoryBackend;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::{Chain, Earnings, Entry, Mode, Policy, Route, TestCredit, random_tx, salted};
use tollbridge_store::testing::memory_log::{MemoryLog, MemoryLogEnd};
use tollbridge_store::{
    Change, Collection, Db, ForeignChanges, HostId, Hosts, RedbStore, StoreLimits, SubmitError, Writer,
};

use super::*;

const NOW_MS: u64 = 1_780_000_000_000;

struct Host {
    db: Db,
    hosts: Arc<Hosts>,
    payments: Arc<CallPayments>,
    keeper: tokio::task::JoinHandle<()>,
}

struct HostsFollower(Arc<Hosts>);

impl ForeignChanges for HostsFollower {
    fn rows_changed(&self, rows: &[(Collection, String)]) {
        if rows.iter().any(|(collection, _)| *collection == Collection::Hosts) {
            self.0.refresh().unwrap();
        }
    }

    fn events_written(&self, _: &[String]) {}
}

impl Host {
    async fn start(log: &Arc<Mutex<MemoryLog>>) -> Self {
        let end = Box::new(MemoryLogEnd::of(log.clone()));
        let store = RedbStore::replica_with_backend(InMemoryBackend::new(), "a host", end, StoreLimits::default());
        let store = Arc::new(store.unwrap());
        let chain = Chain::resume(store.as_ref()).unwrap();
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(store.clone(), Box::new(chain), None, failed).unwrap();
        let db = Db::new(store.clone(), Arc::new(writer));
        let hosts = Arc::new(Hosts::load(db.clone(), HostId::random().unwrap()).unwrap());
        store.listen_to_foreign_changes(Arc::new(HostsFollower(hosts.clone())));
        let quoting = QuotePolicy { ttl_s: 900, minimum_charge: Millipence::new(1) };
        let signer = QuoteSigner::new(SecretBytes::new([5; 32]));
        let payments = CallPayments::new(signer, store, quoting, PaymentRails::default());
        let payments = Arc::new(payments.with_hosts(hosts.clone(), db.clone()));
        let kept = payments.clone();
        let keeper = tokio::spawn(async move {
            loop {
                kept.shares.keep().await;
            }
        });
        hosts.join().await.unwrap();
        Self { db, hosts, payments, keeper }
    }

    async fn reserve(&self, account: &str, price: i64) -> Result<PaymentAuthorization, PaymentDeclined> {
        self.hosts.catch_up().await.unwrap();
        self.payments
            .shares
            .reserve(|| self.payments.authorizer.authorize_credit(account, Millipence::new(price)))
            .await
    }

    async fn seal(&self, entry: Entry) -> Result<(), SubmitError> {
        let record = Some(entry.draft(random_tx().unwrap(), NOW_MS).unwrap());
        self.db.submit(Change { record, ..Change::default() }).await.map(drop)
    }

    async fn grant(&self, account: &str, amount: i64) {
        let policy = Policy { mode: Mode::Sandbox, display_name: "Shop".to_owned(), split: split() };
        self.seal(Entry::Policy(policy)).await.unwrap();
        let grant = TestCredit { account: account.to_owned(), amount: Millipence::new(amount) };
        self.seal(Entry::Grant(grant)).await.unwrap();
    }

    async fn sell(&self, sold: &PaymentAuthorization) -> Result<(), SubmitError> {
        let entry = Entry::Route(Route {
            plugin: "echo".to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0".to_owned(),
            component_sha256: [1; 32],
            payer: sold.payer.clone(),
            nested: Vec::new(),
            task: None,
            owner: "acct_dev".to_owned(),
            earnings: Earnings::Available,
            gross: sold.amount,
            inference: None,
            shares: split().split(sold.amount).into(),
            policy: [3; 32],
            request_id: "req_1".to_owned(),
            salt: [2; 16],
            request_sha256: salted(&[2; 16], b"{}"),
            answer_sha256: salted(&[2; 16], b"{}"),
        });
        self.seal(entry).await
    }

    fn credit(&self, account: &str) -> i64 {
        self.db.balance(&format!("credit:{account}")).unwrap().get()
    }

    fn reservations(&self) -> Vec<(String, String)> {
        let rows = self.db.list(Collection::Reservations, "", 100).unwrap();
        rows.into_iter().map(|(key, value)| (key, String::from_utf8(value).unwrap())).collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// Starts two more hosts on the same log as `first`, and waits until each host knows all
/// three.
async fn together(log: &Arc<Mutex<MemoryLog>>, first: Host) -> [Host; 3] {
    let hosts = [first, Host::start(log).await, Host::start(log).await];
    for host in &hosts {
        host.db.writer().catch_up().await.unwrap();
        assert_eq!(host.hosts.count(), 3);
    }
    hosts
}

fn split() -> SplitPolicy {
    SplitPolicy::new(800, 175, 25, 800).unwrap()
}

/// Sells calls at all hosts until the balance runs out. Checks that every hold was
/// covered when its call was sealed, and that the remainder does not pay for another
/// call.
async fn sell_out(balance: i64, price: i64, callers: usize) {
    let log = Arc::default();
    let first = Host::start(&log).await;
    first.grant("buyer", balance).await;
    let hosts = Arc::new(together(&log, first).await);
    let swept = hosts.clone();
    let sweeping = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            swept.iter().for_each(|host| host.payments.shares.sweep());
        }
    });
    let (sold, in_vain) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicUsize::new(0)));
    let callers = (0..callers).map(|caller| {
        let (hosts, sold, in_vain) = (hosts.clone(), sold.clone(), in_vain.clone());
        tokio::spawn(async move {
            let mut declined = 0;
            for call in 0_usize.. {
                let host = &hosts[(caller + call) % hosts.len()];
                match host.reserve("buyer", price).await {
                    Ok(reserved) => {
                        tokio::time::sleep(Duration::from_micros((caller * 37 + call * 101) as u64 % 700)).await;
                        // One call in five fails; the others are answered.
                        if (caller + call) % 5 > 0 {
                            match host.sell(&reserved).await {
                                Ok(()) => drop(sold.fetch_add(price, Ordering::SeqCst)),
                                Err(_) => drop(in_vain.fetch_add(1, Ordering::SeqCst)),
                            }
                        }
                    }
                    Err(PaymentDeclined::InsufficientCredit(_)) => return,
                    // Other calls may still fail and release their holds.
                    Err(PaymentDeclined::FundsInUse) => {
                        declined += 1;
                        assert!(declined < 5, "the holds of other calls are never released");
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    sweeping.abort();
    assert_eq!(in_vain.load(Ordering::SeqCst), 0, "calls ran without cover");
    let left = balance - sold.load(Ordering::SeqCst);
    assert!((0..price).contains(&left), "{left} of {balance} is left");
    hosts[2].hosts.catch_up().await.unwrap();
    assert_eq!(hosts[2].credit("buyer"), left);
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hosts_promise_no_balance_twice() {
    // Balances that cover many calls, a few, and one.
    for (balance, price, callers) in [(600_000, 1_000, 12), (20_500, 1_000, 12), (1_500, 1_000, 6), (7_000, 3_000, 9)] {
        sell_out(balance, price, callers).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_host_announces_nothing() {
    let log = Arc::default();
    let host = Host::start(&log).await;
    host.grant("buyer", 10_000).await;
    let held = host.reserve("buyer", 1_000).await.unwrap();
    assert!(host.reservations().is_empty());
    // The existing holds of the first host count when another host joins.
    let other = Host::start(&log).await;
    host.hosts.catch_up().await.unwrap();
    host.db.writer().catch_up().await.unwrap();
    drop(host.reserve("buyer", 1_000).await.unwrap());
    assert_eq!(host.reservations().len(), 1);
    assert!(matches!(other.reserve("buyer", 9_500).await, Err(PaymentDeclined::FundsInUse)));
    drop(held);
    drop(other.reserve("buyer", 9_500).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn reservations_of_a_dead_host_are_released() {
    let log = Arc::default();
    let [alive, dead, _] = together(&log, Host::start(&log).await).await;
    alive.grant("buyer", 10_000).await;
    let held = dead.reserve("buyer", 6_000).await.unwrap();
    assert!(matches!(alive.reserve("buyer", 5_000).await, Err(PaymentDeclined::FundsInUse)));
    std::mem::forget(held);
    alive.hosts.remove(dead.hosts.own()).await.unwrap();
    drop(alive.reserve("buyer", 10_000).await.unwrap());
    alive.payments.shares.clean_up().await;
    let dead = dead.hosts.own().as_str();
    assert!(
        !alive.reservations().iter().any(|(key, _)| key.ends_with(dead)),
        "the row of the dead host was not deleted"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_balance_is_reserved_in_advance_and_given_up_when_it_rests() {
    let log = Arc::default();
    let [host, other, _] = together(&log, Host::start(&log).await).await;
    host.grant("buyer", 10_000_000).await;
    for _ in 0..10 {
        drop(host.reserve("buyer", 1_000).await.unwrap());
    }
    let rows = host.reservations();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].1, "16000", "many calls must share one announcement");
    let entries = log.lock().entries.len();
    drop(host.reserve("buyer", 1_000).await.unwrap());
    assert_eq!(log.lock().entries.len(), entries, "each call announces");
    // Seven eighths remain available to other hosts.
    drop(other.reserve("buyer", 9_000_000).await.unwrap());
    host.payments.shares.sweep();
    host.payments.shares.sweep();
    for _ in 0..100 {
        host.db.writer().catch_up().await.unwrap();
        if host.reservations().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?}", host.reservations());
}
