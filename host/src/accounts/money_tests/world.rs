//! A host, a processor that goes wrong, and what can happen to both.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use redb::backends::InMemoryBackend;

use super::super::{Holds, Payouts, Withdrawals};
use crate::access::{Access, Directory, EmailKey, Mode as KeyMode, SignUp, sign_up};
use crate::config::Sources;
use crate::ledger::{
    Chain, Earnings, Entry, Ledger, LedgerAccount, Mode, Notary, PluginKind, Policy, Route, Trust, random_tx, salted,
};
use crate::money::{Millipence, SplitPolicy};
use crate::payment::faulty::{DISPUTE_FEE, Faulty};
use crate::payment::{Cashier, Charged, Disputed, DisputedState, Draw, Payments, Processor, QuoteBook, Quoting, Sold};
use crate::store::{Change, Collection, RedbStore, Store, Writer};
use crate::vault::SecretBytes;

const BRIDGE: &str = "sentiment_feed";
pub(super) const DAY_MS: u64 = 86_400_000;
/// Few calls make a withdrawal.
const PRICE: Millipence = Millipence::new(100_000);

/// One thing that happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A quote is opened at the processor.
    Open {
        product: bool,
        pence: i64,
    },
    /// A buyer pays one of the open orders.
    Buy(usize),
    /// A call on one of the intents.
    Call(usize),
    CallOnCredit,
    Refund(usize),
    ToCredit(usize),
    Dispute(usize),
    Withdraw,
    Reverse(usize),
    /// The bridge goes, or comes back.
    Bridge {
        live: bool,
    },
    Follow,
    Days(u64),
    Crash,
}

/// What survives a crash, and what a test knows besides.
pub(super) struct World {
    pub(super) store: Arc<RedbStore>,
    writer: Arc<Writer>,
    notary: Arc<Notary>,
    pub(super) processor: Arc<Faulty>,
    pub(super) buyer: String,
    policy: [u8; 32],
    split: SplitPolicy,
    pub(super) intents: Vec<String>,
    disputed: Vec<String>,
    /// Whether the bridge serves.
    live: bool,
    pub(super) now_ms: u64,
    runtime: tokio::runtime::Runtime,
    pub(super) rooms: Rooms,
    _folder: tempfile::TempDir,
}

/// What is lost in a crash.
#[derive(Clone)]
pub(super) struct Rooms {
    pub(super) payments: Arc<Payments>,
    cashier: Arc<Cashier>,
    withdrawals: Arc<Withdrawals>,
    holds: Arc<Holds>,
}

impl Rooms {
    fn open(store: &Arc<RedbStore>, writer: &Arc<Writer>, notary: &Arc<Notary>, faulty: &Arc<Faulty>) -> Self {
        let quoting = Quoting { ttl_s: 900, minimum_charge: Millipence::new(500_000) };
        let book = QuoteBook::new(SecretBytes::new([5; 32]));
        let payments = Arc::new(Payments::new(book, store.clone(), quoting));
        let tiers = Sources::default().load().unwrap().config.tiers;
        let access = Arc::new(Access::new(KeyMode::Live, Directory::new(store.clone(), tiers)));
        let processor = Arc::new(Processor::Faulty(faulty.clone()));
        let base_url = "http://toll.example".to_owned();
        let cashier = Cashier::new(
            payments.clone(),
            processor.clone(),
            store.clone(),
            writer.clone(),
            access,
            base_url.clone(),
            30,
        );
        let payouts = Payouts { store: store.clone(), writer: writer.clone(), processor, base_url };
        let holds = Holds { store: store.clone(), writer: writer.clone(), notary: notary.clone(), days: 1 };
        Self {
            payments,
            cashier: Arc::new(cashier),
            withdrawals: Arc::new(Withdrawals::new(Arc::new(payouts), *notary.policy(), None)),
            holds: Arc::new(holds),
        }
    }
}

/// Polls a future so many times and then drops it, as a crash does.
pub(super) struct Cut<F> {
    pub(super) inner: Pin<Box<F>>,
    pub(super) left: usize,
}

impl<F: Future> Future for Cut<F> {
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
    let store = Arc::new(RedbStore::with_backend(InMemoryBackend::new()).unwrap());
    let failed = |why: String| panic!("{why}");
    let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), failed).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let policy = Policy { mode: Mode::Live, display_name: "Test".to_owned(), split };
    let ledger = Ledger::open(store.clone(), &[7; 32], "toll.example").unwrap();
    let now_ms = 1_780_000_000_000;
    let notary =
        Notary::open(ledger, store.clone(), writer.clone(), &folder.path().join("checkpoints"), policy, now_ms);
    let notary = Arc::new(notary.unwrap());
    let processor = Arc::new(Faulty::new(seed));
    let rooms = Rooms::open(&store, &writer, &notary, &processor);
    let buyer =
        sign_up(store.as_ref(), &EmailKey::new([0; 32]), KeyMode::Live, SignUp::default(), now_ms, |_| None).unwrap();
    writer.submit_blocking(buyer.change).unwrap();
    let world = World {
        policy: *notary.policy_seal(),
        runtime: tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap(),
        split,
        intents: Vec::new(),
        disputed: Vec::new(),
        live: true,
        buyer: buyer.account.id,
        rooms,
        store,
        writer,
        notary,
        processor,
        now_ms,
        _folder: folder,
    };
    let payouts = world.rooms.withdrawals.payouts.clone();
    let url = world.runtime.block_on(payouts.invite("acct_dev", now_ms)).unwrap();
    let state = url.rsplit('/').next().unwrap().to_owned();
    world.runtime.block_on(payouts.accept(&state, "dev", now_ms)).unwrap();
    world
}

impl World {
    /// Runs something, to its end or to a crash in its middle.
    fn run<T>(&mut self, crash_after: Option<usize>, act: impl Future<Output = T> + 'static) -> Option<T> {
        let Some(left) = crash_after else { return Some(self.runtime.block_on(act)) };
        let done = self.runtime.block_on(Cut { inner: Box::pin(act), left });
        if done.is_none() {
            self.crash();
        }
        done
    }

    fn crash(&mut self) {
        // Tasks of their own end with the process.
        self.runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        self.rooms = Rooms::open(&self.store, &self.writer, &self.notary, &self.processor);
    }

    pub(super) fn step(&mut self, step: Step, crash_after: Option<usize>) {
        let (rooms, now) = (self.rooms.clone(), self.now_ms);
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
                let looked = self.run(crash_after, async move { rooms.cashier.arrived(&asked, now).await.is_ok() });
                if looked == Some(true) {
                    let price = PRICE;
                    let drawn = self.rooms.payments.draw_intent(&intent, BRIDGE, Some(&buyer), price, now);
                    drawn.into_iter().for_each(|draw| self.sell(&draw));
                }
            }
            Step::CallOnCredit => {
                let drawn = rooms.payments.draw_credit(&self.buyer, PRICE);
                drawn.into_iter().for_each(|draw| self.sell(&draw));
            }
            Step::Refund(which) => {
                let Some(intent) = pick(&self.intents, which) else { return };
                self.run(crash_after, async move { rooms.cashier.refund(&intent, "test", now).await.is_ok() });
            }
            Step::ToCredit(which) => {
                let (Some(intent), buyer) = (pick(&self.intents, which), self.buyer.clone()) else { return };
                let act = async move { rooms.cashier.remainder_to_credit(&intent, &buyer, now).await.is_ok() };
                self.run(crash_after, act);
            }
            Step::Dispute(which) => self.dispute(which, crash_after),
            Step::Withdraw => {
                let act = async move { rooms.withdrawals.withdraw("acct_dev", None, None, now).await.is_ok() };
                self.run(crash_after, act);
            }
            Step::Reverse(which) => self.reverse(which, crash_after),
            Step::Bridge { live } => self.live = live,
            Step::Follow => {
                self.run(crash_after, follow(rooms, self.live, now));
            }
            Step::Days(days) => self.now_ms += days * DAY_MS,
            Step::Crash => self.crash(),
        }
        self.now_ms += 20_000;
    }

    fn open(&mut self, product: bool, pence: i64, crash_after: Option<usize>) {
        let (rooms, now, buyer) = (self.rooms.clone(), self.now_ms, self.buyer.clone());
        let issued = match product {
            true => rooms.payments.quote_product("credit", Millipence::from_pence(pence).unwrap(), &buyer, now),
            // Half of them by nobody in particular.
            false => rooms.payments.quote(BRIDGE, PRICE, (pence % 2 == 0).then_some(buyer.as_str()), now),
        };
        let issued = issued.unwrap();
        self.intents.push(issued.intent_id);
        self.run(crash_after, async move { rooms.cashier.open_order(&issued.quote, now).await.is_ok() });
    }

    /// A new dispute, or the happy end of an old one.
    fn dispute(&mut self, which: usize, crash_after: Option<usize>) {
        let Some((payment, handle, amount)) = pick(&self.processor.payments(), which) else { return };
        // A card that was refunded cannot be disputed for the whole amount.
        if self.processor.is_refunded(&payment) {
            return;
        }
        let won = self.disputed.contains(&payment);
        if !won {
            self.disputed.push(payment.clone());
        }
        self.processor.dispute(&payment, if won { 0 } else { amount });
        self.hear_of_dispute(&payment, &handle, amount, won, crash_after);
    }

    fn hear_of_dispute(&mut self, payment: &str, handle: &str, amount: i64, won: bool, crash_after: Option<usize>) {
        let (rooms, now) = (self.rooms.clone(), self.now_ms);
        let mut charged = vec![Charged { line: format!("txn_dp_{payment}"), fee: DISPUTE_FEE }];
        if won {
            let fee = DISPUTE_FEE.checked_neg().unwrap();
            charged.push(Charged { line: format!("txn_won_{payment}"), fee });
        }
        let disputed = Disputed {
            id: format!("dp_{payment}"),
            payment: payment.to_owned(),
            handle: Some(handle.to_owned()),
            amount: Millipence::new(amount),
            state: if won { DisputedState::Won } else { DisputedState::Taken },
            charged,
        };
        self.run(crash_after, async move { rooms.cashier.book_dispute(&disputed, now).await.is_ok() });
    }

    fn reverse(&mut self, which: usize, crash_after: Option<usize>) {
        let (rooms, now) = (self.rooms.clone(), self.now_ms);
        let settled = rooms.withdrawals.list("acct_dev", None, 100).unwrap();
        let settled: Vec<_> = settled.into_iter().filter(|one| one.state.name() == "settled").collect();
        let Some(withdrawal) = pick(&settled, which) else { return };
        self.processor.reverse(&withdrawal.id);
        self.run(crash_after, async move { rooms.withdrawals.returned(&withdrawal.id, now).await.is_ok() });
    }

    fn sell(&self, draw: &Draw) {
        let entry = Entry::Route(Route {
            plugin: BRIDGE.to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0".to_owned(),
            component_sha256: [1; 32],
            payer: draw.payer.clone(),
            owner: "acct_dev".to_owned(),
            earnings: Earnings::Pending,
            gross: draw.amount,
            inference: None,
            nested: Vec::new(),
            task: None,
            shares: self.split.split(draw.amount).into(),
            policy: self.policy,
            request_id: "req_1".to_owned(),
            salt: [2; 16],
            request_sha256: salted(&[2; 16], b"{}"),
            answer_sha256: salted(&[2; 16], b"{}"),
        });
        let record = Some(entry.draft(random_tx().unwrap(), self.now_ms).unwrap());
        self.writer.submit_blocking(Change { record, ..Change::default() }).unwrap();
    }

    /// The processor behaves, and everything under way comes to its end.
    pub(super) fn calm_down(&mut self) {
        self.processor.set_faults(0);
        for _ in 0..4 {
            self.crash();
            // What Stripe would go on telling us until it is heard.
            for (payment, handle, amount) in self.processor.payments() {
                let rooms = self.rooms.clone();
                let parsed = crate::payment::Handle::parse(&handle).unwrap();
                self.run(None, async move { rooms.cashier.look_now(&parsed).await.map(drop).unwrap() });
                if self.disputed.contains(&payment) {
                    self.hear_of_dispute(&payment, &handle, amount, false, None);
                    if self.processor_gave_back(&payment) {
                        self.hear_of_dispute(&payment, &handle, amount, true, None);
                    }
                }
            }
            let rooms = self.rooms.clone();
            for one in rooms.withdrawals.list("acct_dev", None, 1_000).unwrap() {
                if one.state.name() == "settled" && self.processor.is_reversed(&one.id) {
                    let (rooms, now) = (self.rooms.clone(), self.now_ms);
                    self.run(None, async move { rooms.withdrawals.returned(&one.id, now).await.unwrap() });
                }
            }
            // What nobody could confirm for a day is the operator's to decide.
            for (number, one) in rooms.withdrawals.open().unwrap().into_iter().enumerate() {
                let (rooms, now) = (self.rooms.clone(), self.now_ms);
                let decide = async move {
                    match number % 2 {
                        0 => rooms.withdrawals.reject(&one.id, "test", now).await.is_ok(),
                        _ => rooms.withdrawals.release(&one.id, now).await.is_ok(),
                    }
                };
                self.run(None, decide);
            }
            self.now_ms += 3_600_000;
            self.run(None, follow(rooms, self.live, self.now_ms));
        }
        // Every hold ends.
        self.now_ms += 3 * DAY_MS;
        self.run(None, follow(self.rooms.clone(), self.live, self.now_ms));
    }

    fn processor_gave_back(&self, payment: &str) -> bool {
        self.processor.disputed(payment) == Some(0)
    }

    pub(super) fn check(&self) {
        let balances = self.store.balances().unwrap();
        assert_eq!(balances.iter().map(|(_, amount)| amount.get()).sum::<i64>(), 0, "the books do not balance");
        for (name, amount) in &balances {
            let account = LedgerAccount::parse(name).unwrap();
            assert!(!account.guarded() || !amount.is_negative(), "{name} has {amount}");
        }
        for pending in ["dev:acct_dev:pending", "refunds"] {
            assert!(self.store.balance(pending).unwrap().is_zero(), "{pending} is not empty at the end");
        }
        let waiting = |collection, prefix: &str| {
            let rows = self.store.list(collection, prefix, 10_000).unwrap();
            rows.into_iter().filter(|(key, _)| key.starts_with(prefix)).count()
        };
        assert_eq!(waiting(Collection::Refunds, "taken/"), 0, "something is still to be passed over");
        assert_eq!(waiting(Collection::Fees, ""), 0, "a fee is not in the books");
        let clearing = self.store.balance("processor:clearing").unwrap();
        assert_eq!(self.processor.balance(), -clearing.get(), "the processor has another amount of ours");
        let transfers = self.processor.transfers();
        let known = self.rooms.withdrawals.list("acct_dev", None, 10_000).unwrap();
        for one in &known {
            let moved = transfers.get(&one.id).copied();
            let expected = matches!(one.state.name(), "settled" | "returned").then_some(one.amount.get());
            assert_eq!(moved, expected, "{one:?}");
        }
        assert!(transfers.keys().all(|id| known.iter().any(|one| one.id == *id)), "a transfer for nobody");
        assert!(self.rooms.withdrawals.open().unwrap().is_empty(), "a withdrawal is still under way");
        assert!(self.rooms.cashier.open_refunds().unwrap().is_empty(), "a refund is still under way");
        // Recomputes every balance from the records, and the whole chain.
        self.notary.ledger().verify(&Trust::default()).unwrap();
    }
}

async fn follow(rooms: Rooms, live: bool, now: u64) {
    let _ = rooms.cashier.reconcile(now).await;
    let sold = [Sold { name: BRIDGE.to_owned(), live }];
    let _ = rooms.cashier.follow_departures(&sold, now).await;
    let _ = rooms.withdrawals.follow(now).await;
    rooms.holds.release(now).await.unwrap();
}

fn pick<T: Clone>(all: &[T], which: usize) -> Option<T> {
    let index = which.checked_rem(all.len())?;
    all.get(index).cloned()
}
