//! Tests of holds, quotes and payments over the real store and record chain.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use proptest::prelude::*;
use tollbridge_access::{AccessControl, KeyMode, PrincipalCache};
use tollbridge_core::config::Sources;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::DAY_MS;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::{Chain, Earnings, Entry, LedgerAccount, Mode, Policy, Route, TestCredit, random_tx, salted};
use tollbridge_store::{Change, Collection, Db, RedbStore, Refusal, Store, SubmitError, Writer};

use super::*;

pub(super) const NOW_MS: u64 = 1_780_000_000_000;
const TTL_S: u64 = 900;
pub(super) const PRICE: Millipence = Millipence::new(10_000);
const BRIDGE: &str = "sentiment_feed";

pub(super) struct Shop {
    store: Arc<RedbStore>,
    writer: Arc<Writer>,
    pub(super) payments: Arc<CallPayments>,
    pub(super) payment_service: PaymentService,
    policy: [u8; 32],
}

pub(super) fn shop(minimum_charge: i64) -> Shop {
    shop_at(minimum_charge, None)
}

/// Creates a [`shop`] with payments by wallet.
pub(super) fn wallet_shop(rail: WalletRail) -> Shop {
    shop_with(0, None, PaymentRails { wallet: Some(rail), mpp: None })
}

/// Creates a [`shop`] with the given processor; `None` selects the sandbox.
pub(super) fn shop_at(minimum_charge: i64, processor: Option<Arc<dyn PaymentProcessor>>) -> Shop {
    shop_with(minimum_charge, processor, PaymentRails::default())
}

pub(super) fn shop_with(
    minimum_charge: i64,
    processor: Option<Arc<dyn PaymentProcessor>>,
    rails: PaymentRails,
) -> Shop {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let failed = |why: String| panic!("{why}");
    let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
    let split = split();
    let policy = Entry::Policy(Policy { mode: Mode::Sandbox, display_name: "Shop".to_owned(), split });
    let record = Some(policy.draft(random_tx().unwrap(), NOW_MS).unwrap());
    let sealed = writer.submit_blocking(Change { record, ..Change::default() }).unwrap().sealed.unwrap();
    let quoting = QuotePolicy { ttl_s: TTL_S, minimum_charge: Millipence::new(minimum_charge) };
    let signer = QuoteSigner::new(SecretBytes::new([5; 32]));
    let payments = Arc::new(CallPayments::new(signer, store.clone(), quoting, rails));
    let payment_service = payment_service(&store, &writer, &payments, processor);
    Shop { store, writer, payments, payment_service, policy: sealed.1 }
}

fn payment_service(
    store: &Arc<RedbStore>,
    writer: &Arc<Writer>,
    payments: &Arc<CallPayments>,
    processor: Option<Arc<dyn PaymentProcessor>>,
) -> PaymentService {
    let tiers = Sources::default().load().unwrap().config.tiers;
    let access = Arc::new(AccessControl::new(KeyMode::Test, PrincipalCache::new(store.clone(), tiers)));
    let sandbox = || Arc::new(SandboxProcessor::new(Db::new(store.clone(), writer.clone()))) as _;
    let processor = processor.unwrap_or_else(sandbox);
    let base_url = "http://127.0.0.1:8402".to_owned();
    PaymentService::new(payments.clone(), processor, Db::new(store.clone(), writer.clone()), access, base_url, 30)
}

fn split() -> SplitPolicy {
    SplitPolicy::new(800, 175, 25, 800).unwrap()
}

impl Shop {
    pub(super) fn pay(&self, text: &str, now_ms: u64) -> Result<PaymentOutcome, PaymentError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.payment_service.recorder.pay_in_sandbox(text, now_ms))
    }

    pub(super) fn paid_intent(&self) -> String {
        let issued = self.payments.quotes.issue(BRIDGE, PRICE, None, NOW_MS).unwrap();
        assert_eq!(self.pay(&issued.intent_id, NOW_MS).unwrap(), PaymentOutcome::Recorded);
        issued.intent_id
    }

    fn grant(&self, account: &str, amount: i64) {
        let grant = TestCredit { account: account.to_owned(), amount: Millipence::new(amount) };
        let record = Some(Entry::Grant(grant).draft(random_tx().unwrap(), NOW_MS).unwrap());
        self.writer.submit_blocking(Change { record, ..Change::default() }).unwrap();
    }

    /// Seals the record of a call that `draw` pays for.
    pub(super) fn sell(&self, draw: &PaymentAuthorization) -> Result<(), SubmitError> {
        let payer = draw.payer.clone();
        let entry = Entry::Route(Route {
            plugin: BRIDGE.to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0".to_owned(),
            component_sha256: [1; 32],
            payer,
            nested: Vec::new(),
            task: None,
            owner: "acct_dev".to_owned(),
            earnings: Earnings::Available,
            gross: draw.amount,
            inference: None,
            shares: split().split(draw.amount).into(),
            policy: self.policy,
            request_id: "req_1".to_owned(),
            salt: [2; 16],
            request_sha256: salted(&[2; 16], b"{}"),
            answer_sha256: salted(&[2; 16], b"{}"),
        });
        let record = Some(entry.draft(random_tx().unwrap(), NOW_MS).unwrap());
        self.writer.submit_blocking(Change { record, ..Change::default() }).map(drop)
    }

    pub(super) fn draw(&self, intent: &str) -> Result<PaymentAuthorization, PaymentDeclined> {
        self.payments.authorizer.authorize_intent(intent, BRIDGE, None, PRICE, NOW_MS)
    }

    pub(super) fn balance(&self, account: &LedgerAccount) -> i64 {
        self.store.balance(&account.to_string()).unwrap().get()
    }

    pub(super) fn rows(&self, collection: Collection) -> usize {
        self.store.list(collection, "", 1_000).unwrap().len()
    }

    fn credit(&self, account: &str) -> i64 {
        self.balance(&LedgerAccount::Credit(account.to_owned()))
    }
}

#[test]
fn holds_never_exceed_the_balance_under_32_threads() {
    let shop = shop(0);
    shop.grant("a", 100_000);
    let (held, peak, sold) = (AtomicI64::new(0), AtomicI64::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..32 {
            let (shop, held, peak, sold) = (&shop, &held, &peak, &sold);
            scope.spawn(move || {
                for round in 0..40 {
                    match shop.payments.authorizer.authorize_credit("a", PRICE) {
                        Ok(draw) => {
                            let now = held.fetch_add(draw.amount.get(), Ordering::SeqCst) + draw.amount.get();
                            peak.fetch_max(now, Ordering::SeqCst);
                            // Most calls fail and release their holds.
                            if (thread + round) % 8 == 0 {
                                shop.sell(&draw).expect("sealing a call with a hold must succeed");
                                sold.fetch_add(1, Ordering::SeqCst);
                            }
                            held.fetch_sub(draw.amount.get(), Ordering::SeqCst);
                            drop(draw);
                        }
                        Err(PaymentDeclined::FundsInUse | PaymentDeclined::InsufficientCredit(_)) => {
                            std::thread::yield_now()
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let sold = i64::try_from(sold.into_inner()).unwrap();
    assert!(peak.into_inner() <= 100_000, "more was held than the balance");
    assert!(sold > 0 && shop.credit("a") == 100_000 - sold * PRICE.get());
    // All holds are released, so the whole rest can be drawn at once.
    if shop.credit("a") > 0 {
        assert!(shop.payments.authorizer.authorize_credit("a", Millipence::new(shop.credit("a"))).is_ok());
    }
}

#[test]
fn a_crowd_with_one_paid_intent_gets_one_answer() {
    let shop = shop(0);
    let intent = shop.paid_intent();
    let (won, busy, used) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| match shop.draw(&intent) {
                Ok(draw) => {
                    shop.sell(&draw).unwrap();
                    won.fetch_add(1, Ordering::SeqCst)
                }
                Err(PaymentDeclined::FundsInUse) => busy.fetch_add(1, Ordering::SeqCst),
                Err(PaymentDeclined::IntentUsedUp { .. }) => used.fetch_add(1, Ordering::SeqCst),
                Err(error) => panic!("{error}"),
            });
        }
    });
    assert_eq!((won.into_inner(), busy.into_inner() + used.into_inner()), (1, 31));
    assert_eq!(shop.balance(&LedgerAccount::DevAvailable("acct_dev".to_owned())), 8_000);
}

#[test]
fn in_flight_drawn_and_insufficient_are_distinguished() {
    let shop = shop(25_000);
    let intent = shop.paid_intent();
    let handle = shop.payments.intents.status(&intent, NOW_MS).unwrap().quote.handle;
    let three = [(); 3].map(|()| shop.draw(&intent).unwrap());
    assert!(matches!(shop.draw(&intent), Err(PaymentDeclined::FundsInUse)));
    let [first, second, third] = three;
    drop(first);
    let first = shop.draw(&intent).expect("a dropped hold is released");
    shop.sell(&first).unwrap();
    // The sealed call's hold still exists: its amount may be deducted twice, never less than once.
    assert!(matches!(shop.draw(&intent), Err(PaymentDeclined::FundsInUse)));
    drop(first);
    assert!(matches!(shop.draw(&intent), Err(PaymentDeclined::FundsInUse)));
    shop.sell(&second).unwrap();
    shop.sell(&third).unwrap();
    assert!(matches!(shop.draw(&intent), Err(PaymentDeclined::IntentUsedUp { handle: found }) if found == handle));
    drop((second, third));
    assert!(matches!(shop.draw(&intent), Err(PaymentDeclined::IntentUsedUp { .. })));
    let overdrawn = PaymentAuthorization { amount: PRICE, ..shop_draw_of(&shop) };
    assert!(shop.sell(&overdrawn).is_ok());
    let refused = shop.sell(&overdrawn).unwrap_err();
    assert!(matches!(refused, SubmitError::Refused(Refusal::Insufficient { .. })), "the store allowed an overdraft");
    shop.grant("poor", 9_999);
    assert!(
        matches!(shop.payments.authorizer.authorize_credit("poor", PRICE), Err(PaymentDeclined::InsufficientCredit(had)) if had.get() == 9_999)
    );
    assert!(
        matches!(shop.payments.authorizer.authorize_credit("nobody", PRICE), Err(PaymentDeclined::InsufficientCredit(had)) if had.is_zero())
    );
    assert!(shop.payments.authorizer.authorize_credit("poor", Millipence::new(-1)).is_err());
}

/// Draws credit that covers one call.
fn shop_draw_of(shop: &Shop) -> PaymentAuthorization {
    shop.grant("once", PRICE.get());
    shop.payments.authorizer.authorize_credit("once", PRICE).unwrap()
}

#[test]
fn a_call_draws_the_lower_price_and_what_is_left_may_not_cover_one() {
    let shop = shop(25_000);
    let intent = shop.paid_intent();
    let at =
        |price: i64| shop.payments.authorizer.authorize_intent(&intent, BRIDGE, None, Millipence::new(price), NOW_MS);
    assert_eq!(at(15_000).unwrap().amount, PRICE, "the quoted price must apply although the price has risen");
    let cheap = at(8_000).unwrap();
    assert_eq!(cheap.amount.get(), 8_000);
    shop.sell(&cheap).unwrap();
    drop(cheap);
    for _ in 0..2 {
        let draw = at(15_000).unwrap();
        shop.sell(&draw).unwrap();
    }
    assert!(matches!(at(15_000), Err(PaymentDeclined::InsufficientIntent(left)) if left.get() == 2_000));
    assert_eq!(at(2_000).unwrap().amount.get(), 2_000);
}

#[test]
fn an_intent_is_bound_to_bridge_account_and_server() {
    let shop = shop(0);
    let issued = shop.payments.quotes.issue(BRIDGE, PRICE, Some("acct_a"), NOW_MS).unwrap();
    let id = &issued.intent_id;
    let draw =
        |id: &str, bridge: &str, account| shop.payments.authorizer.authorize_intent(id, bridge, account, PRICE, NOW_MS);
    assert!(matches!(draw(id, BRIDGE, Some("acct_a")), Err(PaymentDeclined::Unpaid(quote)) if quote == issued.quote));
    shop.pay(id, NOW_MS).unwrap();
    assert!(matches!(draw(id, "other", Some("acct_a")), Err(PaymentDeclined::WrongBridge(bridge)) if bridge == BRIDGE));
    for account in [None, Some("acct_b"), Some("")] {
        assert!(matches!(draw(id, BRIDGE, account), Err(PaymentDeclined::WrongAccount)), "{account:?}");
    }
    assert!(draw(id, BRIDGE, Some("acct_a")).is_ok());
    assert!(
        matches!(draw(&issued.pay_token, BRIDGE, Some("acct_a")), Err(PaymentDeclined::UnknownIntent)),
        "a pay token must not spend"
    );
    assert!(matches!(draw("pi_x", BRIDGE, None), Err(PaymentDeclined::UnknownIntent)));
    let stranger = CallPayments::new(
        QuoteSigner::new(SecretBytes::new([6; 32])),
        shop.store.clone(),
        QuotePolicy { ttl_s: TTL_S, minimum_charge: Millipence::ZERO },
        PaymentRails::default(),
    );
    let foreign = stranger.quotes.issue(BRIDGE, PRICE, None, NOW_MS).unwrap().intent_id;
    assert!(matches!(draw(&foreign, BRIDGE, None), Err(PaymentDeclined::UnknownIntent)));
    // A quote made without a key is usable by any holder of its id.
    let open = shop.paid_intent();
    assert!(draw(&open, BRIDGE, Some("acct_b")).is_ok());
}

#[test]
fn the_charge_is_the_least_multiple_that_the_processor_takes() {
    for (minimum, price, charge) in [
        (0, 10_000, 10_000),
        (10_000, 10_000, 10_000),
        (10_001, 10_000, 20_000),
        (500_000, 10_000, 500_000),
        (500_000, 30_000, 510_000),
        (500_000, 700_000, 700_000),
        (500_000, 0, 0),
    ] {
        let quote = shop(minimum).payments.quotes.issue(BRIDGE, Millipence::new(price), None, NOW_MS).unwrap().quote;
        assert_eq!(quote.terms.charge.get(), charge, "minimum {minimum}, price {price}");
        assert_eq!(quote.terms.price.get(), price);
    }
}

#[test]
fn only_an_unpaid_quote_expires() {
    let shop = shop(0);
    let end = NOW_MS + TTL_S * 1_000;
    let late = |ms: u64| end + 1_000 + ms;
    let paid = shop.payments.quotes.issue(BRIDGE, PRICE, None, NOW_MS).unwrap();
    let unpaid = shop.payments.quotes.issue(BRIDGE, PRICE, None, NOW_MS).unwrap();
    assert!(!shop.payments.intents.status(&paid.pay_token, end).unwrap().expired);
    assert_eq!(shop.pay(&paid.pay_token, end).unwrap(), PaymentOutcome::Recorded, "payable until it expires");
    let draw = |id: &str| shop.payments.authorizer.authorize_intent(id, BRIDGE, None, PRICE, late(0));
    assert!(matches!(shop.pay(&unpaid.intent_id, late(0)), Err(PaymentError::QuoteExpired)));
    assert!(matches!(draw(&unpaid.intent_id), Err(PaymentDeclined::QuoteExpired)));
    assert!(shop.payments.intents.status(&unpaid.intent_id, late(0)).unwrap().expired);
    let year = late(365 * DAY_MS);
    let status = shop.payments.intents.status(&paid.intent_id, year).unwrap();
    assert!(!status.expired && status.paid.is_some() && status.remaining == PRICE);
    assert_eq!(shop.pay(&paid.intent_id, year).unwrap(), PaymentOutcome::AlreadyPaid);
    assert!(draw(&paid.intent_id).is_ok());
}

#[test]
fn an_intent_is_paid_once_by_id_or_token() {
    let shop = shop(25_000);
    let issued = shop.payments.quotes.issue(BRIDGE, PRICE, Some("acct_a"), NOW_MS).unwrap();
    assert!(shop.payments.intents.status(&issued.pay_token, NOW_MS).unwrap().paid.is_none());
    let now = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let text = if thread % 2 == 0 { &issued.pay_token } else { &issued.intent_id };
            scope.spawn(|| match shop.pay(text, NOW_MS).unwrap() {
                PaymentOutcome::Recorded => now.fetch_add(1, Ordering::SeqCst),
                PaymentOutcome::AlreadyPaid => 0,
            });
        }
    });
    assert_eq!(now.into_inner(), 1);
    assert_eq!(shop.pay(&issued.pay_token, NOW_MS).unwrap(), PaymentOutcome::AlreadyPaid);
    let status = shop.payments.intents.status(&issued.pay_token, NOW_MS).unwrap();
    let row = status.paid.unwrap();
    assert_eq!((status.remaining.get(), row.charge.get(), row.price), (30_000, 30_000, PRICE));
    assert_eq!((row.account.as_deref(), row.bridge.as_str()), (Some("acct_a"), BRIDGE));
    assert_eq!(shop.balance(&LedgerAccount::ProcessorClearing), -30_000);
    assert!(matches!(shop.pay("pt_x", NOW_MS), Err(PaymentError::Declined(PaymentDeclined::UnknownIntent))));
}

impl Shop {
    /// Reconciles delistings with a new service, as after a restart.
    fn reconcile_delistings(&self, available: bool, now_ms: u64) -> usize {
        let service = payment_service(&self.store, &self.writer, &self.payments, None);
        let listing = |name: &str, available| Listing { name: name.to_owned(), available };
        let listings = [listing(BRIDGE, available), listing("other", true)];
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(service.delistings.reconcile(&listings, now_ms)).unwrap()
    }

    fn remaining(&self, intent: &str) -> i64 {
        self.payments.intents.status(intent, NOW_MS).unwrap().remaining.get()
    }
}

#[test]
fn payments_for_a_removed_bridge_are_refunded_after_a_day() {
    let shop = shop(25_000);
    let nobodys = shop.paid_intent();
    let quote = |bridge: &str, account| shop.payments.quotes.issue(bridge, PRICE, account, NOW_MS).unwrap().intent_id;
    let [annes, others, unpaid] = [quote(BRIDGE, Some("acct_a")), quote("other", None), quote(BRIDGE, None)];
    for intent in [&annes, &others] {
        shop.pay(intent, NOW_MS).unwrap();
    }
    shop.sell(&shop.draw(&nobodys).unwrap()).unwrap();

    assert_eq!(shop.reconcile_delistings(false, NOW_MS), 0, "refunded at once after the plugin was removed");
    assert_eq!(shop.reconcile_delistings(false, NOW_MS + DAY_MS - 1), 0);
    assert_eq!(shop.reconcile_delistings(true, NOW_MS + DAY_MS), 0, "the plugin came back");
    let gone = NOW_MS + DAY_MS + 1;
    assert_eq!(shop.reconcile_delistings(false, gone), 0, "the waiting period must start again");
    assert_eq!(shop.reconcile_delistings(false, gone + DAY_MS - 1), 0);
    assert_eq!([&nobodys, &annes].map(|intent| shop.remaining(intent)), [20_000, 30_000]);

    // A call in flight keeps its hold, and the amount on hold is not refunded.
    let draw = shop.draw(&nobodys).unwrap();
    shop.reconcile_delistings(false, gone + DAY_MS);
    assert_eq!(shop.remaining(&nobodys), 20_000, "the money of a call in flight was refunded");
    shop.sell(&draw).unwrap();
    drop(draw);
    shop.reconcile_delistings(false, gone + DAY_MS);
    assert_eq!([&nobodys, &annes, &others].map(|intent| shop.remaining(intent)), [0, 0, 30_000]);
    assert_eq!(shop.credit("acct_a"), 30_000, "an account's payment must become its credit");
    // Still at the processor: the drawn price, the credit, and the payment for `other`.
    assert_eq!(shop.balance(&LedgerAccount::ProcessorClearing), -(20_000 + 30_000 + 30_000));
    assert_eq!(shop.balance(&LedgerAccount::Refunds), 0);
    assert!(matches!(shop.draw(&nobodys), Err(PaymentDeclined::IntentUsedUp { .. })));

    // A payment is refunded only once. One made after the refunds is refunded a day later.
    assert_eq!(shop.reconcile_delistings(false, gone + DAY_MS + 1), 0);
    shop.pay(&unpaid, NOW_MS).unwrap();
    assert_eq!(shop.reconcile_delistings(false, gone + 2 * DAY_MS - 1), 0);
    assert_eq!(shop.reconcile_delistings(false, gone + 2 * DAY_MS), 1);
    assert_eq!(shop.remaining(&unpaid), 0);
    assert_eq!(shop.balance(&LedgerAccount::ProcessorClearing), -80_000);
}

#[test]
fn many_payments_go_back_over_many_rounds() {
    let shop = shop(0);
    let peak = crate::limits::DEPARTED_RETURNS_PER_ROUND_MAX;
    let intents: Vec<String> = (0..2 * peak + 1).map(|_| shop.paid_intent()).collect();
    assert_eq!(shop.reconcile_delistings(false, NOW_MS), 0);
    let rounds: Vec<usize> = (0..4).map(|round| shop.reconcile_delistings(false, NOW_MS + DAY_MS + round)).collect();
    assert_eq!(rounds, [peak, peak, 1, 0]);
    assert!(intents.iter().all(|intent| shop.remaining(intent) == 0));
    assert_eq!(shop.balance(&LedgerAccount::ProcessorClearing), 0);
}

/// One step of a test run on one intent and one account's credit.
#[derive(Clone, Copy, Debug)]
enum Step {
    HoldIntent(i64),
    HoldCredit(i64),
    Seal(usize),
    Drop(usize),
    TopUp(i64),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1_i64..15).prop_map(|pence| Step::HoldIntent(pence * 1_000)),
        3 => (1_i64..15).prop_map(|pence| Step::HoldCredit(pence * 1_000)),
        3 => (0_usize..8).prop_map(Step::Seal),
        2 => (0_usize..8).prop_map(Step::Drop),
        1 => (1_i64..20).prop_map(|pence| Step::TopUp(pence * 1_000)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn never_more_is_sold_than_was_paid(steps in proptest::collection::vec(any_step(), 1..60)) {
        let shop = shop(45_000);
        let intent = shop.paid_intent();
        let (mut draws, mut paid, mut sold): (Vec<(PaymentAuthorization, bool)>, i64, i64) = (Vec::new(), 50_000, 0);
        for step in steps {
            let before: i64 = shop.credit("a");
            let held = |draws: &[(PaymentAuthorization, bool)], credit: bool| -> i64 {
                let same = draws.iter().filter(|(draw, _)| draw.intent().is_none() == credit);
                same.map(|(draw, _)| draw.amount.get()).sum()
            };
            match step {
                Step::HoldIntent(price) => {
                    let price = Millipence::new(price);
                    let left = shop.payments.intents.status(&intent, NOW_MS).unwrap().remaining.get();
                    let fits = held(&draws, false) + price.min(PRICE).get() <= left;
                    let drawn = shop.payments.authorizer.authorize_intent(&intent, BRIDGE, None, price, NOW_MS);
                    prop_assert_eq!(drawn.is_ok(), fits);
                    draws.extend(drawn.ok().map(|draw| (draw, false)));
                }
                Step::HoldCredit(price) => {
                    let fits = held(&draws, true) + price <= before;
                    let drawn = shop.payments.authorizer.authorize_credit("a", Millipence::new(price));
                    prop_assert_eq!(drawn.is_ok(), fits);
                    draws.extend(drawn.ok().map(|draw| (draw, false)));
                }
                Step::Seal(which) => {
                    if let Some((draw, sealed)) = draws.get_mut(which).filter(|(_, sealed)| !sealed) {
                        prop_assert_eq!(shop.sell(draw), Ok(()), "sealing a call with a hold must succeed");
                        *sealed = true;
                        sold += draw.amount.get();
                    }
                }
                Step::Drop(which) if which < draws.len() => drop(draws.remove(which)),
                Step::Drop(_) => {}
                Step::TopUp(amount) => {
                    shop.grant("a", amount);
                    paid += amount;
                }
            }
            let left = shop.payments.intents.status(&intent, NOW_MS).unwrap().remaining.get();
            prop_assert!(left >= 0 && shop.credit("a") >= 0 && sold <= paid);
            prop_assert_eq!(left + shop.credit("a") + sold, paid);
        }
        drop(draws);
        let (left, credit) = (shop.payments.intents.status(&intent, NOW_MS).unwrap().remaining, shop.credit("a"));
        prop_assert!(credit == 0 || shop.payments.authorizer.authorize_credit("a", Millipence::new(credit)).is_ok());
        let price = left.min(PRICE);
        prop_assert!(left.is_zero() || shop.payments.authorizer.authorize_intent(&intent, BRIDGE, None, price, NOW_MS).is_ok());
    }
}
