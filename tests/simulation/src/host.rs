//! The simulated host: the production crates with their background tasks, opened on the
//! simulated disk in the same order as in `server/app`.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tollbridge_access::{AccessControl, KeyMode, PrincipalCache};
use tollbridge_agents::{AgentService, ProofIssuer, run_queue};
use tollbridge_core::config::{Config, Sources};
use tollbridge_core::egress::Egress;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::signing::Keyring;
use tollbridge_core::vault::{SecretBytes, Vault};
use tollbridge_ledger::{Chain, Ledger, Mode, Notary, Parties, Policy};
use tollbridge_market::accounts::{EarningsIndexer, HoldReleaser, Payouts, Withdrawals};
use tollbridge_market::catalog::{Catalog, testing};
use tollbridge_market::checkout::Checkout;
use tollbridge_payment::{
    CallPayments, EventOutcome, PaymentProcessor, PaymentRails, PaymentService, QuotePolicy, QuoteSigner,
    StripeProcessor,
};
use tollbridge_plugin::{DescriptionText, Plugin, PluginFacts, PluginPool, RuntimeLimits, Services};
use tollbridge_store::{Db, HostId, Hosts, RedbStore, Store, StoreLimits, Writer};
use tollbridge_webhooks::{EndpointIndex, EndpointRows, Webhooks};
use zeroize::Zeroizing;

use crate::clock::now_ms;
use crate::credentials;
use crate::disk::Name;
use crate::fellows::{Follower, PeerHost, start_heartbeats};
use crate::models::Models;
use crate::plugins::{Model, PluginBehavior, SCHEMAS, WARES};
use crate::receivers::{ReceiverLine, SIGNATURE};
use crate::shared_log::LogLine;
use crate::stripe::{Stripe, StripeLine};
use crate::stripe_books::Event;
use crate::wallets::rail;
use crate::world::World;

/// Limits so small that most commits move index entries from memory to the database, and
/// the journal is full after a few commits.
const LIMITS: StoreLimits = StoreLimits { index: 6, journal: 96 << 10 };
const SEED: [u8; 32] = [7; 32];
/// Maximum number of open tasks per account; small, so that simulations reach the limit.
const TASKS_PER_ACCOUNT: usize = 3;
/// Number of days that earnings are on hold.
pub(crate) const HOLD_DAYS: u32 = 1;
const MINIMUM_CHARGE: Millipence = Millipence::new(500_000);

/// The state of a host process, which is lost in a crash.
pub(crate) struct Host {
    pub(crate) world: Arc<World>,
    pub(crate) db: Db,
    pub(crate) notary: Arc<Notary>,
    pub(crate) payments: Arc<CallPayments>,
    pub(crate) payment_service: Arc<PaymentService>,
    pub(crate) agents: Arc<AgentService>,
    pub(crate) payouts: Arc<Payouts>,
    pub(crate) withdrawals: Arc<Withdrawals>,
    pub(crate) webhooks: Webhooks,
    pub(crate) models: Models,
    holds: HoldReleaser,
    parties: Parties,
    earnings: EarningsIndexer,
    pub(crate) engine: Arc<RedbStore>,
    /// Membership of all hosts of the ledger; `None` if the ledger has a single host. The
    /// next field has the additional hosts that run beside this one.
    pub(crate) hosts: Option<Arc<Hosts>>,
    pub(crate) fellows: parking_lot::Mutex<Vec<Arc<PeerHost>>>,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Host {
    /// Opens the data folder, builds all services and starts the background tasks.
    pub(crate) fn open(world: &Arc<World>) -> Result<Arc<Self>, String> {
        let config = Sources::default().load().map_err(|_| "configuration")?.config;
        let engine = Arc::new(open_engine(world)?);
        let store: Arc<dyn Store> = engine.clone();
        let chain = Chain::resume(store.as_ref()).map_err(text)?;
        let listeners = Arc::new(EndpointIndex::load(store.as_ref()).map_err(text)?);
        let (over, log) = (world.disk.over.clone(), world.log.clone());
        let failed = move |why| {
            log.note(format!("the writer stops: {why}"));
            over.notify_one();
        };
        let (writer, steps) = Writer::in_steps(store.clone(), Box::new(chain), Some(listeners.clone()), failed);
        let commits = world.clone();
        tokio::spawn(async move {
            loop {
                steps.submitted().await;
                tokio::time::sleep(commits.chance.millis(0, 8)).await;
                while steps.step() {
                    tokio::time::sleep(commits.chance.millis(0, 4)).await;
                }
            }
        });
        let db = Db::new(store.clone(), Arc::new(writer));
        let notary = Arc::new(notary(world, &db)?);
        let access =
            Arc::new(AccessControl::new(KeyMode::Live, PrincipalCache::new(store.clone(), config.tiers.clone())));
        let hosts = world.shared.as_ref().map(|_| hosts(&db, &engine, &listeners)).transpose()?;
        let payments = call_payments(world, store);
        let payments = Arc::new(match &hosts {
            Some(hosts) => payments.with_hosts(hosts.clone(), db.clone()),
            None => payments,
        });
        let processor = processor(world, &config);
        let base_url = "http://toll.example".to_owned();
        let service =
            PaymentService::new(payments.clone(), processor.clone(), db.clone(), access, base_url.clone(), 30);
        let agents = agents(world, &db, &notary, service)?;
        let payment_service = agents.checkout.payment_service.clone();
        let payouts = Arc::new(Payouts { db: db.clone(), processor, base_url });
        let withdrawals = Arc::new(Withdrawals::new(payouts.clone(), *notary.policy(), None));
        let host = Arc::new(Self {
            webhooks: webhooks(world, &db, listeners, &config)?,
            models: Models::default(),
            world: world.clone(),
            holds: HoldReleaser { db: db.clone(), notary: notary.clone(), days: HOLD_DAYS },
            parties: Parties::new(db.clone()),
            earnings: EarningsIndexer::new(db.clone()),
            payments,
            payment_service,
            agents,
            payouts,
            withdrawals,
            notary,
            db,
            engine,
            hosts,
            fellows: parking_lot::Mutex::default(),
        });
        tokio::spawn(run_queue(host.agents.clone()));
        tokio::spawn(host.clone().keep_following());
        tokio::spawn(host.clone().deliver_in_background());
        tokio::spawn(host.clone().keep_asking());
        Ok(host)
    }

    /// Joins the hosts of the ledger, and removes hosts of earlier processes, all of
    /// which have ended.
    pub(crate) async fn join(&self) {
        let Some(hosts) = &self.hosts else { return };
        start_heartbeats(hosts.clone(), self.db.clone(), self.payments.clone());
        let _ = hosts.join().await;
        for other in hosts.live().into_iter().filter(|host| host != hosts.own()) {
            let _ = hosts.remove(&other).await;
        }
        self.payments.shares.clean_up().await;
    }

    /// Reads the shared log up to its end before a request; calls of bridges may use
    /// slightly older data.
    pub(crate) async fn catch_up(&self, is_call_of_bridge: bool) {
        let Some(hosts) = &self.hosts else { return };
        let _ = if is_call_of_bridge { hosts.stay_recent().await } else { hosts.catch_up().await };
    }

    /// Does the periodic work of `server/app/money.rs` and `server/app/follow.rs`.
    async fn keep_following(self: Arc<Self>) {
        loop {
            let (from, to) = if self.world.is_calm() { (45_000, 65_000) } else { (2_000, 12_000) };
            tokio::time::sleep(self.world.chance.millis(from, to)).await;
            self.follow().await;
        }
    }

    /// Checks once a minute whether the facilitator supports `upto`.
    async fn keep_asking(self: Arc<Self>) {
        let Some(rail) = &self.payments.wallet_rail else { return };
        loop {
            rail.ask_facilitator().await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
    }

    pub(crate) async fn follow(&self) {
        let _ = self.payment_service.reconcile(now_ms()).await;
        let _ = self.withdrawals.follow(now_ms()).await;
        let _ = self.holds.release(now_ms()).await;
        let _ = self.earnings.catch_up(3).await;
        let _ = self.parties.catch_up(3).await;
        if self.world.chance.percent(20) {
            let _ = self.notary.checkpoint(now_ms()).await;
        }
    }

    /// Delivers Stripe's events late, twice and in any order, until the host accepts
    /// them.
    async fn deliver_in_background(self: Arc<Self>) {
        let world = &self.world;
        loop {
            tokio::time::sleep(world.chance.millis(100, 3_000)).await;
            world.stripe.take_late();
            world.wallets.take_late();
            self.deliver_events().await;
        }
    }

    /// Delivers one pending event of Stripe to the host; returns whether there was one.
    pub(crate) async fn deliver_events(&self) -> bool {
        let world = &self.world;
        let event = {
            let events = &mut world.stripe.books.lock().unwrap().events;
            let place = if events.is_empty() { None } else { Some(world.chance.index(events.len())) };
            place.and_then(|place| events.remove(place))
        };
        let Some(event) = event else { return false };
        let mut telling = EventDelivery { stripe: world.stripe.clone(), event: Some(event.clone()) };
        let body = serde_json::json!({ "type": event.kind, "data": { "object": event.object } }).to_string();
        let outcome = self.payment_service.stripe_events.handle(body.as_bytes(), now_ms()).await;
        world.log.note(format!("event {} {}: {}", event.kind, event.object, outcome.is_ok()));
        let taken = match outcome {
            Ok(EventOutcome::TransferReversed { withdrawal, transfer }) => {
                self.withdrawals.returned(&withdrawal, &transfer, now_ms()).await.is_ok()
            }
            Ok(_) => true,
            Err(_) => false,
        };
        if taken && (world.is_calm() || world.chance.percent(85)) {
            telling.event = None;
        }
        true
    }

    pub(crate) fn checkout(&self) -> &Arc<Checkout> {
        &self.agents.checkout
    }
}

/// A Stripe event during its delivery. If it is dropped before the host accepted the
/// event, the event is queued again, so a host that dies does not lose it.
struct EventDelivery {
    stripe: Arc<Stripe>,
    event: Option<Event>,
}

impl Drop for EventDelivery {
    fn drop(&mut self) {
        self.stripe.books.lock().unwrap().events.extend(self.event.take());
    }
}

/// Builds the services that quote prices and hold payments.
pub(crate) fn call_payments(world: &World, store: Arc<dyn Store>) -> CallPayments {
    let quoting = QuotePolicy { ttl_s: 900, minimum_charge: MINIMUM_CHARGE };
    let quotes = QuoteSigner::new(SecretBytes::new([5; 32]));
    let mpp = world.takes_credentials.then(|| credentials::rail(&quotes));
    let rails = PaymentRails { wallet: Some(rail(&world.wallets)), mpp };
    CallPayments::new(quotes, store, quoting, rails)
}

fn hosts(db: &Db, engine: &RedbStore, listeners: &Arc<EndpointIndex>) -> Result<Arc<Hosts>, String> {
    let hosts = Arc::new(Hosts::load(db.clone(), HostId::random().map_err(text)?).map_err(text)?);
    let (listeners, end) = (Some(listeners.clone()), Arc::default());
    engine.listen_to_foreign_changes(Arc::new(Follower { hosts: Arc::downgrade(&hosts), listeners, end }));
    Ok(hosts)
}

/// Opens the store of the host that this process runs. If two hosts share the ledger,
/// either of them may run, so both become leader from time to time.
fn open_engine(world: &World) -> Result<RedbStore, String> {
    let Some(log) = &world.shared else {
        let (database, journal) = (world.disk.file(Name::Database), world.disk.file(Name::Journal));
        return RedbStore::with_backends(database, journal, LIMITS).map_err(text);
    };
    let host = if world.chance.percent(50) { Name::Database } else { Name::OtherDatabase };
    world.log.note(format!("the host runs on {host:?}"));
    let line = LogLine::new(log, &world.disk);
    let engine = RedbStore::replica_with_backend(world.disk.file(host), "a host", Box::new(line), LIMITS);
    let engine = engine.map_err(text)?;
    let mut chain = Chain::resume(&engine).map_err(text)?;
    engine.commit(&[], &mut chain).map_err(text)?;
    Ok(engine)
}

pub(crate) fn notary(world: &World, db: &Db) -> Result<Notary, String> {
    let ledger = Ledger::open(db.shared_store(), &SEED, "toll.example").map_err(text)?;
    let split = SplitPolicy::new(800, 175, 25, 800).map_err(text)?;
    let policy = Policy { mode: Mode::Live, display_name: "Simulation".to_owned(), split };
    Notary::open(ledger, db.clone(), &world.folder.path().join("checkpoints.jsonl"), policy, now_ms()).map_err(text)
}

pub(crate) fn processor(world: &World, config: &Config) -> Arc<dyn PaymentProcessor> {
    let line = Arc::new(StripeLine(world.stripe.clone()));
    let base = &config.payments.stripe.api_base;
    Arc::new(StripeProcessor::over(line, Some("ca_test".to_owned()), base, base))
}

fn agents(
    world: &World,
    db: &Db,
    notary: &Arc<Notary>,
    payment_service: PaymentService,
) -> Result<Arc<AgentService>, String> {
    let keys = Arc::new(Keyring::open(world.folder.path()).map_err(text)?);
    let proofs = Arc::new(ProofIssuer::new(keys, notary.clone(), db.shared_store()));
    let catalog = Arc::new(catalog(world)?);
    let model = Arc::new(Model { chance: world.chance.clone(), calm: world.calm.clone() });
    let services = Services { models: model, ..Services::none() };
    let agents = AgentService::new(proofs, now_ms, |queue| {
        let payment_service = Arc::new(payment_service.with_tasks(queue));
        Arc::new(Checkout::new(catalog, payment_service, db.clone(), notary.clone(), services, HOLD_DAYS))
    });
    agents.bound_tasks(TASKS_PER_ACCOUNT);
    Ok(agents)
}

fn catalog(world: &World) -> Result<Catalog, String> {
    let limits = RuntimeLimits { instances: 8, share: 4, ..RuntimeLimits::default() };
    let pool = PluginPool::new(&limits, &Zeroizing::new([2; 32]));
    let [input_schema, output_schema] = SCHEMAS.map(str::to_owned);
    let described = DescriptionText { input_schema, output_schema, examples: Vec::new() };
    let catalog = Catalog::default();
    let people = world.book.lock().unwrap().people.clone();
    for ware in WARES {
        let script =
            PluginBehavior { ware, below: world.below.clone(), chance: world.chance.clone(), calm: world.calm.clone() };
        let spec = ware.spec();
        let call_limits = spec.limits.clone().within(&limits);
        let described = described.check(&call_limits, false).map_err(text)?;
        let facts = Arc::new(PluginFacts::of(&spec));
        let plugin = Arc::new(Plugin::new(&pool, facts, call_limits, described, Box::new(script)));
        let owner = people.get(ware.owner).map_or("acct_nobody", String::as_str);
        testing::offer(&catalog, plugin, owner, Millipence::new(ware.price));
    }
    Ok(catalog)
}

fn webhooks(world: &World, db: &Db, listeners: Arc<EndpointIndex>, config: &Config) -> Result<Webhooks, String> {
    let mut settings = config.webhooks.clone();
    settings.signature_header = SIGNATURE.to_owned();
    settings.retries = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512].map(Duration::from_secs).into();
    let egress = Egress::with_peer(Arc::new(ReceiverLine(world.receivers.clone()))).map_err(text)?;
    let vault = Vault::open(world.folder.path()).map_err(text)?;
    let rows = Arc::new(EndpointRows::open(&vault, db).map_err(text)?);
    let webhooks = Webhooks::idle(db.clone(), rows, listeners, &settings, now_ms, Handle::current(), egress);
    webhooks.begin().map_err(text)?;
    Ok(webhooks)
}
