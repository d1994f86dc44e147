//! A host, a faulty payment processor, and the steps that change them.

mod checks;
mod disputes;
mod sales;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tollbridge_access::{AccessControl, EmailDigestKey, KeyMode, PrincipalCache, SignUpRequest, sign_up};
use tollbridge_core::config::Sources;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::signing::Keyring;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::{
    Chain, DisputeStage, Earnings, Entry, Ledger, LedgerAccount, Mode, Nested, Notary, Policy, Record, RecordedShares,
    RefundStage, Route, Trust, random_tx, salted, split_tree,
};
use tollbridge_market::accounts::{HoldReleaser, Payouts, Withdrawals};
use tollbridge_market::catalog::Catalog;
use tollbridge_market::checkout::{Call, Checkout, PaymentSource};
use tollbridge_payment::{
    CallPayments, DisputeStatus, Listing, PaymentAuthorization, PaymentRails, PaymentService, ProcessorDispute,
    ProcessorFee, QuotePolicy, QuoteSigner, TaskReservations,
};
use tollbridge_plugin::Services;
use tollbridge_store::{Change, Collection, Db, Expect, Put, RedbStore, Store, SubmitError, Writer};
use tollbridge_test_payment::faulty_processor::{DISPUTE_FEE, FaultyProcessor};

use crate::{AgentService, ProofIssuer};

pub(super) use tollbridge_core::time::DAY_MS;

const BRIDGE: &str = "sentiment_feed";
const START_MS: u64 = 1_780_000_000_000;
/// The price of a call, so high that a few calls earn the minimum withdrawal.
const PRICE: Millipence = Millipence::new(100_000);

/// A step of a random sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Issues a quote and opens its payment page at the processor.
    Open {
        product: bool,
        pence: i64,
    },
    /// Pays one of the open quotes.
    Buy(usize),
    /// Calls a bridge, paid by one of the intents.
    Call(usize),
    CallOnCredit,
    /// Queues a task, which reserves its price.
    Queue,
    /// Answers a queued task.
    Answer(usize),
    Cancel(usize),
    Refund(usize),
    ToCredit(usize),
    Dispute(usize),
    Withdraw,
    Reverse(usize),
    /// Makes the bank return a refund; an even number also delivers the event.
    RefundFails(usize),
    /// Makes refunds wait for the bank, or ends this delay.
    SlowRefunds(bool),
    /// Removes the bridge from service, or puts it back.
    Bridge {
        live: bool,
    },
    Follow,
    Days(u64),
    Crash,
}

/// The state that survives a crash, and data that the checks need.
pub(super) struct World {
    pub(super) store: Arc<RedbStore>,
    writer: Arc<Writer>,
    notary: Arc<Notary>,
    pub(super) processor: Arc<FaultyProcessor>,
    pub(super) buyer: String,
    policy: [u8; 32],
    split: SplitPolicy,
    /// The owner of the called plugin.
    pub(super) owner: String,
    /// Whether the called plugin calls other plugins.
    pub(super) nesting: bool,
    pub(super) intents: Vec<String>,
    disputed: Vec<String>,
    /// Whether the bridge is in service.
    live: bool,
    pub(super) now_ms: u64,
    runtime: tokio::runtime::Runtime,
    pub(super) services: HostServices,
    _folder: tempfile::TempDir,
}

/// The services, which are rebuilt after a crash.
#[derive(Clone)]
pub(super) struct HostServices {
    pub(super) payments: Arc<CallPayments>,
    pub(super) payment_service: Arc<PaymentService>,
    pub(super) agents: Arc<AgentService>,
    withdrawals: Arc<Withdrawals>,
    holds: Arc<HoldReleaser>,
}

impl HostServices {
    /// Opens the services over the data on disk. If `tasks` is given, it replaces the
    /// task queue as the holder of reserved prices.
    fn open(
        store: &Arc<RedbStore>,
        writer: &Arc<Writer>,
        notary: &Arc<Notary>,
        faulty: &Arc<FaultyProcessor>,
        tasks: Option<&Arc<dyn TaskReservations>>,
    ) -> Self {
        let quoting = QuotePolicy { ttl_s: 900, minimum_charge: Millipence::new(500_000) };
        let book = QuoteSigner::new(SecretBytes::new([5; 32]));
        let payments = Arc::new(CallPayments::new(book, store.clone(), quoting, PaymentRails::default()));
        let tiers = Sources::default().load().unwrap().config.tiers;
        let access = Arc::new(AccessControl::new(KeyMode::Live, PrincipalCache::new(store.clone(), tiers)));
        let processor = faulty.clone();
        let base_url = "http://toll.example".to_owned();
        let db = Db::new(store.clone(), writer.clone());
        let payment_service =
            PaymentService::new(payments.clone(), processor.clone(), db.clone(), access, base_url.clone(), 30);
        let agents = sales::queue(payment_service, (store, writer), notary, tasks);
        let payment_service = agents.checkout.payment_service.clone();
        let payouts = Payouts { db: db.clone(), processor, base_url };
        let holds = HoldReleaser { db, notary: notary.clone(), days: 1 };
        Self {
            payments,
            payment_service,
            agents,
            withdrawals: Arc::new(Withdrawals::new(Arc::new(payouts), *notary.policy(), None)),
            holds: Arc::new(holds),
        }
    }
}

/// A future that is polled a number of times and then dropped, as in a crash.
pub(super) struct CrashAfter<F> {
    pub(super) inner: Pin<Box<F>>,
    pub(super) left: usize,
}

impl<F: Future> Future for CrashAfter<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.left -= 1;
        self.inner.as_mut().poll(context).map(Some)
    }
}

pub(super) fn world(seed: u64, split: SplitPolicy) -> World {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let failed = |why: String| panic!("{why}");
    let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let policy = Policy { mode: Mode::Live, display_name: "Test".to_owned(), split };
    let ledger = Ledger::open(store.clone(), &[7; 32], "toll.example").unwrap();
    let now_ms = START_MS;
    let notary = Notary::open(
        ledger,
        Db::new(store.clone(), writer.clone()),
        &folder.path().join("checkpoints"),
        policy,
        now_ms,
    );
    let notary = Arc::new(notary.unwrap());
    let processor = Arc::new(FaultyProcessor::new(seed));
    let services = HostServices::open(&store, &writer, &notary, &processor, None);
    let buyer =
        sign_up(store.as_ref(), &EmailDigestKey::new([0; 32]), KeyMode::Live, SignUpRequest::default(), now_ms, |_| {
            None
        })
        .unwrap();
    writer.submit_blocking(buyer.change).unwrap();
    let world = World {
        policy: *notary.policy_seal(),
        runtime: tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap(),
        split,
        owner: "acct_dev".to_owned(),
        nesting: false,
        intents: Vec::new(),
        disputed: Vec::new(),
        live: true,
        buyer: buyer.account.id,
        services,
        store,
        writer,
        notary,
        processor,
        now_ms,
        _folder: folder,
    };
    let payouts = world.services.withdrawals.payouts.clone();
    let url = world.runtime.block_on(payouts.invite("acct_dev", now_ms)).unwrap();
    let state = url.rsplit('/').next().unwrap().to_owned();
    world.runtime.block_on(payouts.accept(&state, "dev", now_ms)).unwrap();
    world
}

impl World {
    /// Returns the balance of a ledger account.
    pub(super) fn amount(&self, account: &str) -> i64 {
        self.store.balance(account).unwrap().get()
    }

    /// Returns the buyer's credit.
    pub(super) fn credit(&self) -> i64 {
        self.amount(&format!("credit:{}", self.buyer))
    }

    /// Delivers the event of a payment.
    pub(super) fn deliver_payment_event(&mut self, intent: &str) {
        let (services, now, intent) = (self.services.clone(), self.now_ms, intent.to_owned());
        self.run(None, async move { services.payment_service.orders.check_intent(&intent, now).await.unwrap() });
    }

    /// Runs a future to its end, or until a crash interrupts it.
    fn run<T>(&mut self, crash_after: Option<usize>, act: impl Future<Output = T> + 'static) -> Option<T> {
        let Some(left) = crash_after else { return Some(self.runtime.block_on(act)) };
        let done = self.runtime.block_on(CrashAfter { inner: Box::pin(act), left });
        if done.is_none() {
            self.crash();
        }
        done
    }

    fn crash(&mut self) {
        // A new runtime: the crash also ends the spawned tasks.
        self.runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        self.services = HostServices::open(&self.store, &self.writer, &self.notary, &self.processor, None);
    }

    pub(super) fn step(&mut self, step: Step, crash_after: Option<usize>) {
        let (services, now) = (self.services.clone(), self.now_ms);
        match step {
            Step::Open { product, pence } => self.open(product, pence, crash_after),
            Step::Buy(which) => {
                if let Some(session) = pick(&self.processor.open_orders(), which) {
                    self.processor.buy(&session);
                }
            }
            Step::Call(which) => {
                let Some(intent) = pick(&self.intents, which) else { return };
                let (asked, buyer) = (intent.clone(), self.buyer.clone());
                let looked = self.run(crash_after, async move {
                    services.payment_service.orders.check_intent(&asked, now).await.is_ok()
                });
                if looked == Some(true) {
                    let price = PRICE;
                    let drawn =
                        self.services.payments.authorizer.authorize_intent(&intent, BRIDGE, Some(&buyer), price, now);
                    drawn.into_iter().for_each(|draw| drop(self.sell(&draw, Vec::new())));
                }
            }
            Step::CallOnCredit => {
                let drawn = services.payments.authorizer.authorize_credit(&self.buyer, PRICE);
                drawn.into_iter().for_each(|draw| drop(self.sell(&draw, Vec::new())));
            }
            Step::Queue => self.queue(crash_after),
            Step::Answer(which) => self.answer(which),
            Step::Cancel(which) => {
                let (Some(task), buyer) = (pick(&self.tasks(), which), self.buyer.clone()) else { return };
                self.run(crash_after, async move { services.agents.cancel(&buyer, &task).await.is_ok() });
            }
            Step::Refund(which) => {
                let Some(intent) = pick(&self.intents, which) else { return };
                self.run(crash_after, async move {
                    services.payment_service.refunds.refund(&intent, None, "test", now).await.is_ok()
                });
            }
            Step::ToCredit(which) => {
                let (Some(intent), buyer) = (pick(&self.intents, which), self.buyer.clone()) else { return };
                let act = async move {
                    services.payment_service.recorder.remainder_to_credit(&intent, &buyer, now).await.is_ok()
                };
                self.run(crash_after, act);
            }
            Step::Dispute(which) => self.dispute(which, crash_after),
            Step::Withdraw => {
                let act = async move { services.withdrawals.withdraw("acct_dev", None, None, now).await.is_ok() };
                self.run(crash_after, act);
            }
            Step::Reverse(which) => self.reverse(which, crash_after),
            Step::RefundFails(which) => self.fail_refund(which, crash_after),
            Step::SlowRefunds(slow) => self.processor.set_slow_refunds(slow),
            Step::Bridge { live } => self.live = live,
            Step::Follow => {
                self.run(crash_after, reconcile(services, self.live, now));
            }
            Step::Days(days) => self.now_ms += days * DAY_MS,
            Step::Crash => self.crash(),
        }
        self.now_ms += 20_000;
    }

    fn open(&mut self, product: bool, pence: i64, crash_after: Option<usize>) {
        let (services, now, buyer) = (self.services.clone(), self.now_ms, self.buyer.clone());
        let issued = match product {
            true => {
                services.payments.quotes.issue_product("credit", Millipence::from_pence(pence).unwrap(), &buyer, now)
            }
            // Half of the quotes do not belong to an account.
            false => services.payments.quotes.issue(BRIDGE, PRICE, (pence % 2 == 0).then_some(buyer.as_str()), now),
        };
        let issued = issued.unwrap();
        self.intents.push(issued.intent_id);
        self.run(crash_after, async move { services.payment_service.orders.open(&issued.quote, now).await.is_ok() });
    }

    fn reverse(&mut self, which: usize, crash_after: Option<usize>) {
        let (services, now) = (self.services.clone(), self.now_ms);
        let settled = services.withdrawals.list("acct_dev", None, 100).unwrap();
        let settled: Vec<_> = settled.into_iter().filter(|one| one.state.name() == "settled").collect();
        let Some(withdrawal) = pick(&settled, which) else { return };
        // Reverses all that is left of the transfer, or a third of the original amount.
        let whole = withdrawal.amount.get();
        self.processor.reverse(&withdrawal.id, if which.is_multiple_of(3) { whole } else { whole / 3_000 * 1_000 });
        if which.is_multiple_of(2) {
            let transfer = self.processor.transfer_of(&withdrawal.id).unwrap();
            let heard = async move { services.withdrawals.returned(&withdrawal.id, &transfer, now).await.is_ok() };
            self.run(crash_after, heard);
        }
    }

    fn fail_refund(&mut self, which: usize, crash_after: Option<usize>) {
        let Some((refund, _)) = pick(&self.processor.refunds(), which) else { return };
        self.processor.fail_refund(&refund);
        if which.is_multiple_of(2) {
            let (services, now) = (self.services.clone(), self.now_ms);
            let heard = async move { services.payment_service.refunds.follow_up(&refund, now).await.is_ok() };
            self.run(crash_after, heard);
        }
    }
}

async fn reconcile(services: HostServices, live: bool, now: u64) {
    let _ = services.payment_service.reconcile(now).await;
    let sold = [Listing { name: BRIDGE.to_owned(), available: live }];
    let _ = services.payment_service.delistings.reconcile(&sold, now).await;
    let _ = services.withdrawals.follow(now).await;
    services.holds.release(now).await.unwrap();
}

fn pick<T: Clone>(all: &[T], which: usize) -> Option<T> {
    let index = which.checked_rem(all.len())?;
    all.get(index).cloned()
}
