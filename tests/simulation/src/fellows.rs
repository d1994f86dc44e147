//! Additional hosts ("fellows") that serve the same ledger as the leader. They sell calls
//! of stateless bridges, and end in every possible way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use redb::backends::InMemoryBackend;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tollbridge_access::{AccessControl, KeyMode, PrincipalCache};
use tollbridge_core::config::Sources;
use tollbridge_ledger::Chain;
use tollbridge_market::checkout::{Call, Checkout, PaymentSource};
use tollbridge_payment::{CallPayments, PaymentService};
use tollbridge_plugin::Services;
use tollbridge_store::{
    Collection, Db, ForeignChanges, HostId, Hosts, OutboxListener, RedbStore, Store, StoreLimits, Writer,
};
use tollbridge_webhooks::EndpointIndex;

use crate::book::Reported;
use crate::calls::{answered, refused};
use crate::host::{HOLD_DAYS, Host, call_payments, notary, processor};
use crate::shared_log::LogLine;

/// Number of hosts that run in addition to the leader at a time.
const PLACES: usize = 2;
/// Timings like those in `server/app/cluster.rs`: the time that a joining host waits
/// until all others know it, the interval of each host's checks, and the silence after
/// which a host is considered dead.
const KNOWN_AFTER: Duration = Duration::from_millis(600);
const CATCH_UP_INTERVAL: Duration = Duration::from_millis(250);
const SILENT_MAX: Duration = Duration::from_secs(3);

/// A host other than the leader.
pub(crate) struct PeerHost {
    checkout: Arc<Checkout>,
    hosts: Arc<Hosts>,
    end: Arc<End>,
    tasks: Vec<JoinHandle<()>>,
}

/// The end of a host: whether it has ended, and a signal that wakes its tasks.
#[derive(Default)]
pub(crate) struct End {
    has_come: AtomicBool,
    reported: Notify,
}

impl End {
    pub(crate) fn has_come(&self) -> bool {
        self.has_come.load(Ordering::SeqCst)
    }

    fn finish(&self) {
        self.has_come.store(true, Ordering::SeqCst);
        self.reported.notify_waiters();
    }

    async fn wait(&self) {
        let reported = self.reported.notified();
        if !self.has_come() {
            reported.await;
        }
    }
}

/// Handles changes made by other hosts, as `server/app/foreign_changes.rs` does. The
/// store owns this value, so its references to the hosts are weak: strong ones would form
/// a cycle that leaks every host of a seed.
pub(crate) struct Follower {
    pub(crate) hosts: Weak<Hosts>,
    pub(crate) listeners: Option<Arc<EndpointIndex>>,
    pub(crate) end: Arc<End>,
}

impl ForeignChanges for Follower {
    fn rows_changed(&self, rows: &[(Collection, String)]) {
        let about_hosts = rows.iter().any(|(collection, _)| *collection == Collection::Hosts);
        if about_hosts && self.hosts.upgrade().is_some_and(|hosts| !hosts.refresh().unwrap()) {
            self.end.finish();
        }
    }

    fn events_written(&self, accounts: &[String]) {
        let Some(listeners) = &self.listeners else { return };
        accounts.iter().for_each(|account| listeners.written(account, 1));
    }
}

/// Starts the background tasks of a host that shares its ledger.
pub(crate) fn start_heartbeats(hosts: Arc<Hosts>, db: Db, payments: Arc<CallPayments>) -> Vec<JoinHandle<()>> {
    let (kept, swept) = (payments.clone(), payments);
    let keep = async move {
        loop {
            kept.shares.keep().await;
        }
    };
    let look = async move {
        loop {
            tokio::time::sleep(CATCH_UP_INTERVAL).await;
            if hosts.has_others() {
                let _ = db.writer().catch_up().await;
                swept.shares.sweep();
            }
        }
    };
    vec![tokio::spawn(keep), tokio::spawn(look)]
}

/// Keeps `PLACES` additional hosts running until this host ends; each one that ends is
/// replaced.
pub(crate) fn start_peer_hosts(host: &Arc<Host>) {
    if host.world.shared.is_none() {
        return;
    }
    for _ in 0..PLACES {
        let host = host.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(host.world.chance.millis(0, 4_000)).await;
                let Some(fellow) = PeerHost::start(&host).await else { return };
                host.fellows.lock().push(fellow.clone());
                tokio::time::sleep(host.world.chance.millis(200, 15_000)).await;
                fellow.leave(&host).await;
            }
        });
    }
}

impl PeerHost {
    async fn start(host: &Host) -> Option<Arc<Self>> {
        let (world, end) = (&host.world, Arc::new(End::default()));
        let line = LogLine::of_fellow(world.shared.as_ref()?, &world.disk, &end, &world.chance);
        let limits = StoreLimits { index: 6, journal: 96 << 10 };
        let engine = RedbStore::replica_with_backend(InMemoryBackend::new(), "a host", Box::new(line), limits).ok()?;
        let engine = Arc::new(engine);
        let store: Arc<dyn Store> = engine.clone();
        let mut chain = Chain::resume(store.as_ref()).ok()?;
        engine.commit(&[], &mut chain).ok()?;
        let listeners = Arc::new(EndpointIndex::load(store.as_ref()).ok()?);
        let failed = end.clone();
        let on_failure = move |_| failed.finish();
        let (writer, steps) = Writer::in_steps(store.clone(), Box::new(chain), Some(listeners), on_failure);
        let (chance, ended) = (world.chance.clone(), end.clone());
        let committing = tokio::spawn(async move {
            loop {
                steps.submitted().await;
                tokio::time::sleep(chance.millis(0, 8)).await;
                if chance.percent(1) {
                    // Simulates a frozen process, which does not notice the time that
                    // passes.
                    tokio::time::sleep(chance.millis(0, 8_000)).await;
                }
                while !ended.has_come() && steps.step() {
                    tokio::time::sleep(chance.millis(0, 4)).await;
                }
            }
        });
        let db = Db::new(store.clone(), Arc::new(writer));
        let hosts = Arc::new(Hosts::load(db.clone(), HostId::random().ok()?).ok()?);
        engine.listen_to_foreign_changes(Arc::new(Follower {
            hosts: Arc::downgrade(&hosts),
            listeners: None,
            end: end.clone(),
        }));
        let payments = Arc::new(call_payments(world, store.clone()).with_hosts(hosts.clone(), db.clone()));
        let mut tasks = start_heartbeats(hosts.clone(), db.clone(), payments.clone());
        tasks.push(committing);
        hosts.join().await.ok()?;
        tokio::time::sleep(KNOWN_AFTER).await;
        let config = Sources::default().load().ok()?.config;
        let access = Arc::new(AccessControl::new(KeyMode::Live, PrincipalCache::new(store, config.tiers.clone())));
        let processor = processor(world, &config);
        let service = PaymentService::new(payments, processor, db.clone(), access, String::new(), 30);
        let catalog = host.checkout().catalog.clone();
        let notary = Arc::new(notary(world, &db).ok()?);
        let checkout = Checkout::new(catalog, Arc::new(service), db, notary, Services::none(), HOLD_DAYS);
        world.log.note(format!("host {} serves", hosts.own().as_str()));
        Some(Arc::new(Self { checkout: Arc::new(checkout), hosts, end, tasks }))
    }

    /// Answers a call; `None` if only the leader can answer it.
    pub(crate) async fn answer(&self, call: &Call) -> Option<Reported> {
        let call = call.clone();
        let answering = async {
            if self.hosts.stay_recent().await.is_err() {
                return None;
            }
            match &call.source {
                PaymentSource::Intent(id) if !self.checkout.payments.intents.is_paid(id) => None,
                PaymentSource::Token(_) | PaymentSource::UnusableCredential(_) => None,
                _ => Some(self.checkout.run(call).await.map_or_else(|error| refused(&error), answered)),
            }
        };
        tokio::select! {
            biased;
            () = self.end.wait() => Some(Reported::Unknown),
            reported = answering => reported,
        }
    }

    /// Leaves the ledger properly, or just stops; in that case, the leader later declares
    /// the host dead.
    async fn leave(self: &Arc<Self>, host: &Host) {
        host.fellows.lock().retain(|other| !Arc::ptr_eq(self, other));
        let own = self.hosts.own().clone();
        if host.world.chance.percent(30) && !self.end.has_come() {
            // A host finishes its open calls before it leaves.
            tokio::time::sleep(Duration::from_secs(20)).await;
            let left = tokio::time::timeout(Duration::from_secs(20), self.hosts.remove(&own)).await;
            host.world.log.note(format!("host {} leaves: {}", own.as_str(), matches!(left, Ok(Ok(())))));
        }
        let is_frozen = host.world.chance.percent(30);
        if !is_frozen {
            self.end.finish();
        }
        tokio::time::sleep(SILENT_MAX).await;
        if let Some(hosts) = &host.hosts {
            let removed = hosts.remove(&own).await;
            host.world.log.note(format!("host {} is declared dead: {}", own.as_str(), removed.is_ok()));
            host.payments.shares.clean_up().await;
        }
        // A frozen host continues to serve for a while before it notices that it was
        // declared dead.
        tokio::time::sleep(Duration::from_secs(if is_frozen { 10 } else { 0 })).await;
        self.end.finish();
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
