//! Tests of payments by `upto` over the real store and record chain, with a faulty
//! facilitator.

use std::sync::Arc;

use bytes::Bytes;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_ledger::{InferenceCharge, LedgerAccount};
use tollbridge_store::Collection;
use tollbridge_x402::{Address, Amount, ChainId, PaymentRequirements, Rate, TestWallet, Token};

use super::faulty_facilitator::FaultyFacilitator;
use super::*;
use crate::declined::{PaymentDeclined, WalletDeclined};
use crate::error::PaymentError;
use crate::tests::{NOW_MS, Shop, wallet_shop};

const NOW_S: u64 = NOW_MS / 1000;
/// The maximum cost of a request, and the actual cost.
const MOST: Millipence = Millipence::new(10_000);
const COST: Millipence = Millipence::new(3_333);
/// The cost in token units at 1.25 dollars per pound: 41,662.5 rounded down.
const UNITS: u128 = 41_662;
const RISK: Millipence = Millipence::new(25_000);
/// A time at which the chain no longer accepts any signature of these tests.
const OVER_MS: u64 = NOW_MS + 400_000;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn shop_with(facilitator: Arc<dyn WalletFacilitator>, risk: Millipence) -> Shop {
    let token = Token::usdc(ChainId::BASE_SEPOLIA).unwrap();
    let rate = Rate::new("1.25", "test", NOW_S, 3_600).unwrap();
    let rail = WalletRail::new(token, Address::new([7; 20]), 300, rate, facilitator, SettleWhen::After).unwrap();
    let shop = wallet_shop(rail.with_upto(risk));
    run(shop.payments.wallet_rail.as_ref().unwrap().ask_facilitator());
    shop
}

fn faulty(seed: u64, faults: u64) -> (Shop, Arc<FaultyFacilitator>) {
    let facilitator = Arc::new(FaultyFacilitator::new(seed, 0));
    let shop = shop_with(facilitator.clone(), RISK);
    facilitator.set_faults(faults);
    (shop, facilitator)
}

impl Shop {
    fn upto(&self) -> PaymentRequirements {
        self.payments.wallet_offers.upto(MOST, NOW_MS).unwrap().unwrap().requirements
    }

    fn permitted(&self, wallet: u8, nonce: u8) -> Arc<WalletPayment> {
        let payment = TestWallet::new(wallet).pay(&self.upto(), [nonce; 32], NOW_S);
        Arc::new(self.payments.wallet_payments.read(&payment, NOW_MS).unwrap().unwrap())
    }

    fn call(&self, payment: &Arc<WalletPayment>) -> UptoCall {
        UptoCall::new(self.payment_service.wallet.clone(), payment.clone()).unwrap()
    }

    /// Settles an answer that costs `cost`.
    fn sell_upto(&self, hold: &UptoHold, sale: UptoSale) -> Result<(), PaymentError> {
        let cost = sale.charge.amount;
        let change = run(hold.settle(sale, NOW_MS))?;
        run(self.payment_service.wallet.context.db.submit(change)).unwrap();
        hold.paid(cost);
        Ok(())
    }

    fn books(&self) -> (i64, i64, i64) {
        let credit = LedgerAccount::Credit(format!("wallet_{}", TestWallet::new(1).address()));
        let balance = |account: &LedgerAccount| self.balance(account);
        (-balance(&LedgerAccount::WalletClearing), balance(&LedgerAccount::Providers), balance(&credit))
    }
}

fn sale(payment: &WalletPayment, cost: Millipence) -> UptoSale {
    let key = payment.repeat_key();
    let key = IdempotencyKey::parse(&key).unwrap();
    let identity = RequestIdentity::of_inference(&payment.tenant(), "POST /x", Some(key), b"{}").unwrap();
    UptoSale {
        tx: identity.tx,
        charge: InferenceCharge {
            account: payment.tenant(),
            amount: cost,
            cached_tokens: 0,
            estimated: false,
            input_tokens: 9,
            model: "small".to_owned(),
            output_tokens: 3,
            provider: "local".to_owned(),
            request_id: "req_1".to_owned(),
            wallet: None,
        },
        answer: identity.stored_answer(None, "application/json", Bytes::new(), NOW_MS),
        body: Bytes::from_static(b"{\"answer\":1}"),
    }
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, PaymentError>) -> WalletDeclined {
    match outcome {
        Err(PaymentError::Declined(PaymentDeclined::Wallet(declined))) => declined,
        other => panic!("{other:?}"),
    }
}

fn admit(call: &UptoCall, worst: Millipence) -> Result<(), PaymentError> {
    run(call.admit(worst, NOW_MS)).map(drop)
}

#[test]
fn it_is_offered_where_the_facilitator_settles_it_and_something_may_be_at_risk() {
    let shop = shop_with(Arc::new(SandboxFacilitator), RISK);
    let offer = shop.upto();
    assert_eq!((offer.scheme.as_str(), offer.amount), ("upto", Amount::new(125_000)));
    assert_eq!(offer.extra["assetTransferMethod"], "permit2");
    assert!(offer.extra["facilitatorAddress"].is_string() && offer.extra["offer"].is_string(), "{offer:?}");
    assert!(shop.payments.wallet_offers.upto(RISK, NOW_MS).unwrap().is_some());
    let more = RISK.checked_add(Millipence::new(1)).unwrap();
    assert!(
        shop.payments.wallet_offers.upto(more, NOW_MS).unwrap().is_none(),
        "an amount above the risk limit must not be offered"
    );
    assert!(
        shop.payments.wallet_offers.upto(MOST, NOW_MS + 3_700_000).unwrap().is_none(),
        "an outdated exchange rate must prevent the offer"
    );
    let careful = shop_with(Arc::new(SandboxFacilitator), Millipence::ZERO);
    assert!(careful.payments.wallet_offers.upto(MOST, NOW_MS).unwrap().is_none(), "no risk is allowed");
}

#[test]
fn a_wallet_is_settled_for_what_it_came_to_and_nothing_is_left() {
    let (shop, facilitator) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
    assert_eq!(facilitator.count(), 0, "settled before the answer");
    shop.sell_upto(&hold, sale(&payment, COST)).unwrap();
    drop(hold);
    assert_eq!((facilitator.count(), facilitator.moved()), (1, UNITS));
    assert_eq!(shop.books(), (COST.get(), COST.get(), 0));
    let receipt = shop.payments.wallet_payments.settlement(&payment).unwrap().unwrap();
    assert_eq!((receipt.success, receipt.amount), (true, Some(Amount::new(UNITS))));
    // The offer is used: it pays for no other request and is not settled again.
    assert!(matches!(
        admit(&shop.call(&payment), MOST),
        Err(PaymentError::Declined(PaymentDeclined::IntentUsedUp { .. }))
    ));
    assert!(!run(shop.call(&payment).resume(NOW_MS)).unwrap());
    run(shop.payment_service.reconcile(OVER_MS)).unwrap();
    assert_eq!((facilitator.count(), shop.rows(Collection::Settlements)), (1, 2));
}

#[test]
fn a_failed_call_settles_nothing_and_frees_the_signature() {
    let (shop, facilitator) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    for _ in 0..3 {
        admit(&shop.call(&payment), MOST).unwrap();
    }
    assert_eq!((facilitator.count(), shop.rows(Collection::Settlements)), (0, 0));
}

#[test]
fn a_settlement_never_exceeds_the_signed_amount() {
    let (shop, facilitator) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    let more = Millipence::new(MOST.get() + 1);
    assert_eq!(refused(admit(&shop.call(&payment), more)), WalletDeclined::TooLittle(MOST));
    let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
    assert_eq!(refused(shop.sell_upto(&hold, sale(&payment, more))), WalletDeclined::UnknownOffer);
    // The answer does not exist yet, so the amount to settle is unknown.
    assert_eq!(refused(run(shop.payment_service.wallet.collect(&payment, NOW_MS))), WalletDeclined::UnknownOffer);
    assert_eq!((facilitator.count(), shop.rows(Collection::Settlements)), (0, 0));
    // A charge of the whole signed amount is accepted.
    drop(hold);
    let other = shop.permitted(2, 2);
    let hold = run(shop.call(&other).admit(MOST, NOW_MS)).unwrap();
    shop.sell_upto(&hold, sale(&other, MOST)).unwrap();
    assert_eq!(facilitator.moved(), 125_000);
}

#[test]
fn one_signature_runs_once_and_one_nonce_pays_one_offer() {
    let (shop, _) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
    assert!(matches!(admit(&shop.call(&payment), MOST), Err(PaymentError::FundsInUse)));
    let same_nonce = shop.permitted(1, 1);
    assert!(matches!(admit(&shop.call(&same_nonce), MOST), Err(PaymentError::FundsInUse)));
    shop.sell_upto(&hold, sale(&payment, COST)).unwrap();
    drop(hold);
    assert_eq!(refused(admit(&shop.call(&same_nonce), MOST)), WalletDeclined::NonceUsed);
    // Another wallet must not pay an offer that is already paid.
    let other = TestWallet::new(2).pay(&payment.authorized.payment().accepted, [2; 32], NOW_S);
    assert_eq!(shop.payments.wallet_payments.read(&other, NOW_MS).unwrap(), Err(WalletDeclined::OtherSignature));
    // Nonces of the token contract are separate from those of Permit2.
    let exact = shop.payments.wallet_offers.exact("product:credit", MOST, None, NOW_MS).unwrap().unwrap();
    let exact = TestWallet::new(1).pay(&exact.requirements, [1; 32], NOW_S);
    let exact = shop.payments.wallet_payments.read(&exact, NOW_MS).unwrap().unwrap();
    run(shop.payment_service.wallet.collect(&exact, NOW_MS)).unwrap();
    assert!(UptoCall::new(shop.payment_service.wallet.clone(), Arc::new(exact)).is_none());
}

/// Tests a wallet that is emptied before the settlement: its answer is withheld and its
/// further requests are refused; later it pays for the stored answer.
#[test]
fn an_answer_that_is_not_paid_is_kept_until_it_is() {
    let (shop, facilitator) = faulty(1, 0);
    let (payment, other) = (shop.permitted(1, 1), shop.permitted(1, 2));
    let payer = payment.payer().to_string();
    let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
    facilitator.set_funds(&payer, 0);
    assert_eq!(refused(shop.sell_upto(&hold, sale(&payment, COST))).code(), "insufficient_funds");
    drop(hold);
    assert_eq!(refused(admit(&shop.call(&other), MOST)), WalletDeclined::Unpaid);
    assert_eq!(refused(run(shop.call(&payment).resume(NOW_MS))).code(), "insufficient_funds");
    facilitator.set_funds(&payer, UNITS);
    assert!(run(shop.call(&payment).resume(NOW_MS)).unwrap());
    assert_eq!((facilitator.moved(), shop.books()), (UNITS, (COST.get(), COST.get(), 0)));
    let receipt = shop.payments.wallet_payments.settlement(&payment).unwrap().unwrap();
    assert_eq!(receipt.amount, Some(Amount::new(UNITS)));
    facilitator.set_funds(&payer, u128::MAX);
    admit(&shop.call(&other), MOST).unwrap();
}

#[test]
fn the_risk_stays_within_its_limit() {
    let (shop, facilitator) = faulty(1, 0);
    let payments = [shop.permitted(1, 1), shop.permitted(2, 2), shop.permitted(3, 3)];
    let first = run(shop.call(&payments[0]).admit(MOST, NOW_MS)).unwrap();
    let second = run(shop.call(&payments[1]).admit(MOST, NOW_MS)).unwrap();
    assert_eq!(refused(admit(&shop.call(&payments[2]), MOST)), WalletDeclined::UptoExhausted);
    assert!(shop.payments.wallet_offers.upto(MOST, NOW_MS).unwrap().is_none(), "`upto` must not be offered either");
    drop(second);
    admit(&shop.call(&payments[2]), MOST).unwrap();
    // An unpaid answer counts towards the limit with its actual cost, for a day.
    facilitator.set_funds(&payments[0].payer().to_string(), 0);
    refused(shop.sell_upto(&first, sale(&payments[0], MOST)));
    drop(first);
    let left = Millipence::new(RISK.get() - MOST.get());
    assert!(shop.payments.wallet_offers.upto(left, NOW_MS).unwrap().is_some());
    assert!(shop.payments.wallet_offers.upto(RISK, NOW_MS).unwrap().is_none());
    let risk = &shop.payments.wallet_rail.as_deref().unwrap().risk;
    assert!(!risk.has_room(RISK, NOW_MS + DAY_MS - 1) && risk.has_room(RISK, NOW_MS + DAY_MS));
}

#[test]
fn a_signature_that_is_over_before_it_could_be_settled_asks_no_model() {
    let (shop, _) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    // 95 seconds of the signature's validity are left: 75 for the settlement and 20 for
    // the answer.
    let at = |now_ms| run(shop.call(&payment).admit(MOST, now_ms));
    let hold = at(NOW_MS + 206_000).unwrap();
    assert!(hold.answer_by().unwrap() <= tokio::time::Instant::now() + std::time::Duration::from_secs(20));
    drop(hold);
    assert_eq!(refused(at(NOW_MS + 207_000).map(drop)), WalletDeclined::Expired);
}

/// Tests that, whichever request to the facilitator fails, the moved amount is recorded
/// once, as the payment for the stored answer.
#[test]
fn an_unclear_settlement_is_booked_in_the_end_for_what_was_answered() {
    for seed in 0..200 {
        let (shop, facilitator) = faulty(seed, 0);
        if seed % 2 == 0 {
            facilitator.open_chain();
        }
        let payment = shop.permitted(1, 1);
        let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
        facilitator.set_faults(70);
        let outcome = shop.sell_upto(&hold, sale(&payment, COST));
        drop(hold);
        assert!(matches!(outcome, Ok(()) | Err(PaymentError::Processor(_))), "{outcome:?}");
        // Until the settlement succeeds, the payment buys no other answer.
        assert!(outcome.is_ok() || admit(&shop.call(&payment), MOST).is_err());
        run(shop.payment_service.reconcile(NOW_MS + 1_000)).unwrap();
        facilitator.set_faults(0);
        match seed % 3 {
            0 => run(shop.payment_service.reconcile(OVER_MS)).map(drop).unwrap(),
            _ => run(shop.call(&payment).resume(NOW_MS)).map(drop).unwrap(),
        }
        let moved = i64::try_from(facilitator.count()).unwrap();
        assert_eq!(shop.books(), (COST.get() * moved, COST.get() * moved, 0), "seed {seed}");
        assert!(moved <= 1 && facilitator.moved() == UNITS * u128::try_from(moved).unwrap(), "seed {seed}");
        assert!(moved == 1 || seed % 3 == 0, "seed {seed}: the resumed sale was not settled");
    }
}

/// Tests a facilitator that receives a settlement request twice and returns only the
/// second answer, a refusal. If the chain is readable, a look-up shows that the first
/// request moved the money.
#[test]
fn a_refused_settlement_is_looked_up_before_deletion() {
    for has_chain in [true, false] {
        let (shop, facilitator) = faulty(1, 0);
        facilitator.answer_twice();
        if has_chain {
            facilitator.open_chain();
        }
        let payment = shop.permitted(1, 1);
        let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
        assert_eq!(refused(shop.sell_upto(&hold, sale(&payment, COST))).code(), "insufficient_funds");
        drop(hold);
        assert_eq!((facilitator.count(), shop.books().0), (1, 0));
        run(shop.payment_service.reconcile(OVER_MS)).unwrap();
        let booked = if has_chain { COST.get() } else { 0 };
        assert_eq!(shop.books(), (booked, booked, 0), "with access to the chain: {has_chain}");
        run(shop.payment_service.reconcile(OVER_MS + DAY_MS)).unwrap();
        assert_eq!(shop.books().0, booked);
    }
}

#[test]
fn a_liar_and_another_amount_are_never_believed() {
    let (shop, facilitator) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
    facilitator.report_false_success();
    let outcome = shop.sell_upto(&hold, sale(&payment, COST));
    assert!(matches!(outcome, Err(PaymentError::Processor(_))), "{outcome:?}");
    assert!(
        matches!(run(shop.call(&payment).resume(NOW_MS)), Err(PaymentError::FundsInUse)),
        "the settlement is in progress"
    );
    drop(hold);
    let resumed = run(shop.call(&payment).resume(NOW_MS));
    assert!(matches!(resumed, Err(PaymentError::Processor(_))), "{resumed:?}");
    assert_eq!(shop.books(), (0, 0, 0));
    for units in [UNITS - 1, UNITS + 1, 125_000] {
        let (shop, facilitator) = faulty(1, 0);
        facilitator.open_chain();
        facilitator.set_moved_amount(units);
        let payment = shop.permitted(1, 1);
        let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
        let outcome = shop.sell_upto(&hold, sale(&payment, COST));
        drop(hold);
        assert!(matches!(outcome, Err(PaymentError::Processor(_))), "{outcome:?}");
        run(shop.payment_service.reconcile(OVER_MS)).unwrap();
        assert_eq!(shop.books(), (0, 0, 0), "{units} units differ from the requested amount");
    }
}

#[test]
fn many_at_once_are_one_payment_by_upto() {
    let (shop, facilitator) = faulty(1, 0);
    let payment = shop.permitted(1, 1);
    let hold = run(shop.call(&payment).admit(MOST, NOW_MS)).unwrap();
    let sold = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| match shop.sell_upto(&hold, sale(&payment, COST)) {
                Ok(()) => {
                    sold.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
                Err(PaymentError::FundsInUse) => {}
                // The nonce was used before this attempt began.
                Err(PaymentError::Declined(PaymentDeclined::Wallet(WalletDeclined::NonceUsed))) => {}
                other => panic!("{other:?}"),
            });
        }
    });
    assert_eq!((sold.into_inner(), facilitator.count(), shop.books().0), (1, 1, COST.get()));
}
