//! Tests of offers, signatures and settlements over the real store and record chain,
//! with a faulty facilitator.

use std::sync::Arc;

use serde_json::json;
use tollbridge_ledger::LedgerAccount;
use tollbridge_x402::{Address, Amount, Authorization, ChainId, ExactPayload, Rate, TestWallet, Token};

use super::faulty_facilitator::FaultyFacilitator;
use super::*;
use crate::declined::{PaymentDeclined, WalletDeclined};
use crate::error::PaymentError;
use crate::tests::{NOW_MS, PRICE, Shop, wallet_shop};

const BRIDGE: &str = "sentiment_feed";
const NOW_S: u64 = NOW_MS / 1000;
const TIMEOUT_S: u64 = 300;

fn rail(facilitator: Arc<dyn WalletFacilitator>) -> WalletRail {
    let token = Token::usdc(ChainId::BASE_SEPOLIA).unwrap();
    let rate = Rate::new("1.25", "test", NOW_S, 3_600).unwrap();
    WalletRail::new(token, Address::new([7; 20]), TIMEOUT_S, rate, facilitator, SettleWhen::After).unwrap()
}

fn faulty(faults: u64) -> (Shop, Arc<FaultyFacilitator>) {
    let facilitator = Arc::new(FaultyFacilitator::new(1, faults));
    (wallet_shop(rail(facilitator.clone())), facilitator)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

impl Shop {
    fn offer(&self) -> WalletOffer {
        self.payments.wallet_offers.exact(BRIDGE, PRICE, None, NOW_MS).unwrap().unwrap()
    }

    fn signed(&self, wallet: u8, nonce: u8) -> WalletPayment {
        let payment = TestWallet::new(wallet).pay(&self.offer().requirements, [nonce; 32], NOW_S);
        self.payments.wallet_payments.read(&payment, NOW_MS).unwrap().unwrap()
    }

    fn collect(&self, payment: &WalletPayment, now_ms: u64) -> Result<(), PaymentError> {
        run(self.payment_service.wallet.collect(payment, now_ms))
    }

    fn wallet_money(&self) -> i64 {
        -self.balance(&LedgerAccount::WalletClearing)
    }
}

fn refused(outcome: Result<(), PaymentError>) -> WalletDeclined {
    match outcome {
        Err(PaymentError::Declined(PaymentDeclined::Wallet(declined))) => declined,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_offer_asks_for_the_price_at_the_rate() {
    let shop = wallet_shop(rail(Arc::new(SandboxFacilitator)));
    let offer = shop.offer().requirements;
    // 10p at 1.25 dollars per pound, in millionths of a dollar.
    assert_eq!(offer.amount, Amount::new(125_000));
    assert_eq!(offer.network.to_string(), "eip155:84532");
    let old = NOW_MS + 3_600_001;
    assert!(
        shop.payments.wallet_offers.exact(BRIDGE, PRICE, None, old + 1_000).unwrap().is_none(),
        "the rate is too old"
    );
}

#[test]
fn a_settled_payment_is_booked_once_and_pays_for_one_call() {
    let (shop, facilitator) = faulty(0);
    let payment = shop.signed(1, 1);
    for _ in 0..3 {
        shop.collect(&payment, NOW_MS).unwrap();
    }
    assert_eq!((facilitator.count(), shop.wallet_money()), (1, PRICE.get()));
    let draw = shop.payments.authorizer.authorize_wallet(&payment).unwrap();
    shop.sell(&draw).unwrap();
    drop(draw);
    assert!(matches!(shop.payments.authorizer.authorize_wallet(&payment), Err(PaymentDeclined::IntentUsedUp { .. })));
    // A repeat is recognized as the accepted payment, however late it arrives.
    let late = NOW_MS + 100_000_000;
    let again = shop.payments.wallet_payments.read(payment.authorized.payment(), late).unwrap();
    assert_eq!(again.unwrap(), payment);
}

#[test]
fn an_unrequested_payment_is_not_accepted() {
    let shop = wallet_shop(rail(Arc::new(SandboxFacilitator)));
    let offer = shop.offer();
    let wallet = TestWallet::new(1);
    let read = |payment: &tollbridge_x402::PaymentPayload, now_ms| {
        shop.payments.wallet_payments.read(payment, now_ms).unwrap().unwrap_err()
    };
    let good = wallet.pay(&offer.requirements, [1; 32], NOW_S);
    assert_eq!(read(&good, NOW_MS + 901_000), WalletDeclined::Expired);

    let mut cheaper = offer.requirements.clone();
    cheaper.amount = Amount::new(1);
    assert!(matches!(read(&wallet.pay(&cheaper, [1; 32], NOW_S), NOW_MS), WalletDeclined::Invalid(_)));
    let mut elsewhere = offer.requirements.clone();
    elsewhere.pay_to = wallet.address().to_string();
    assert!(matches!(read(&wallet.pay(&elsewhere, [1; 32], NOW_S), NOW_MS), WalletDeclined::Invalid(_)));
    let mut without = offer.requirements.clone();
    without.extra.remove("offer");
    assert_eq!(read(&wallet.pay(&without, [1; 32], NOW_S), NOW_MS), WalletDeclined::UnknownOffer);
    let mut forged = offer.requirements.clone();
    let text = forged.extra["offer"].as_str().unwrap().to_owned();
    for position in 3..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
        forged.extra.insert("offer".to_owned(), json!(String::from_utf8(changed).unwrap()));
        assert_eq!(read(&wallet.pay(&forged, [1; 32], NOW_S), NOW_MS), WalletDeclined::UnknownOffer, "{position}");
    }
    let payload: ExactPayload = serde_json::from_value(serde_json::Value::Object(good.payload)).unwrap();
    let endless = Authorization { valid_before: Amount::new(u128::from(u64::MAX)), ..payload.authorization };
    assert!(matches!(read(&wallet.sign(&offer.requirements, endless), NOW_MS), WalletDeclined::Invalid(_)));
    assert!(
        super::super::tests::shop(0)
            .payments
            .wallet_payments
            .read(&wallet.pay(&offer.requirements, [1; 32], NOW_S), NOW_MS)
            .unwrap()
            .is_err(),
        "payments by wallet are not accepted"
    );
}

#[test]
fn one_offer_is_paid_by_one_signature_and_one_nonce_pays_one_offer() {
    let (shop, facilitator) = faulty(0);
    let first = shop.signed(1, 1);
    shop.collect(&first, NOW_MS).unwrap();
    // A different offer, signed with the same nonce.
    assert_eq!(refused(shop.collect(&shop.signed(1, 1), NOW_MS)), WalletDeclined::NonceUsed);
    // The same offer, signed by another wallet.
    let other = TestWallet::new(2).pay(&first.authorized.payment().accepted, [2; 32], NOW_S);
    assert_eq!(shop.payments.wallet_payments.read(&other, NOW_MS).unwrap(), Err(WalletDeclined::OtherSignature));
    assert_eq!(facilitator.count(), 1);
    // Nonces are separate for each wallet.
    shop.collect(&shop.signed(2, 1), NOW_MS).unwrap();
    assert_eq!(facilitator.count(), 2);
}

#[test]
fn a_refusal_leaves_the_payment_for_later() {
    let (shop, facilitator) = faulty(0);
    let payment = shop.signed(1, 1);
    let payer = payment.payer().to_string();
    facilitator.set_funds(&payer, 0);
    assert_eq!(refused(run(shop.payment_service.wallet.verify(&payment, NOW_MS))).code(), "insufficient_funds");
    assert_eq!(refused(shop.collect(&payment, NOW_MS)).code(), "insufficient_funds");
    facilitator.set_funds(&payer, 125_000);
    run(shop.payment_service.wallet.verify(&payment, NOW_MS)).unwrap();
    shop.collect(&payment, NOW_MS).unwrap();
    assert_eq!((facilitator.count(), shop.wallet_money()), (1, PRICE.get()));
}

/// Tests that the row of a refused settlement and its nonce are removed once the
/// settlement can no longer be carried out.
#[test]
fn expired_settlements_are_deleted() {
    let (shop, facilitator) = faulty(0);
    let payment = shop.signed(1, 1);
    facilitator.set_funds(&payment.payer().to_string(), 0);
    refused(shop.collect(&payment, NOW_MS));
    let rows = || shop.rows(tollbridge_store::Collection::Settlements);
    run(shop.payment_service.reconcile(NOW_MS + TIMEOUT_S * 1000)).unwrap();
    assert_eq!(rows(), 2, "the settlement could still be carried out");
    run(shop.payment_service.reconcile(NOW_MS + TIMEOUT_S * 1000 + 61_000)).unwrap();
    assert_eq!(rows(), 0);
}

#[test]
fn an_unclear_settlement_is_no_refusal_and_is_booked_in_the_end() {
    for seed in 0..200 {
        let facilitator = Arc::new(FaultyFacilitator::new(seed, 70));
        let shop = wallet_shop(rail(facilitator.clone()));
        let payment = shop.signed(1, 1);
        let outcome = shop.collect(&payment, NOW_MS);
        assert!(matches!(outcome, Ok(()) | Err(PaymentError::Processor(_))), "{outcome:?}");
        let moved_at_once = facilitator.count();
        // Until the authorization expires, reconciliation moves no money for a call
        // that may have failed.
        run(shop.payment_service.reconcile(NOW_MS + 1_000)).unwrap();
        assert_eq!(facilitator.count(), moved_at_once);
        facilitator.set_faults(0);
        if moved_at_once == 1 {
            run(shop.payment_service.reconcile(NOW_MS + TIMEOUT_S * 1000 + 61_000)).unwrap();
        } else {
            shop.collect(&payment, NOW_MS).unwrap();
        }
        assert_eq!((facilitator.count(), shop.wallet_money()), (1, PRICE.get()), "seed {seed}");
    }
}

/// Tests that if the chain can be read, every outcome becomes known.
#[test]
fn the_chain_says_what_the_facilitator_does_not() {
    for seed in 0..200 {
        let facilitator = Arc::new(FaultyFacilitator::new(seed, 70));
        facilitator.open_chain();
        let shop = wallet_shop(rail(facilitator.clone()));
        let payment = shop.signed(1, 1);
        let outcome = shop.collect(&payment, NOW_MS);
        assert!(matches!(outcome, Ok(()) | Err(PaymentError::Processor(_))), "{outcome:?}");
        facilitator.set_faults(0);
        let moved = facilitator.count();
        if moved == 1 {
            // A repeat by the payer is answered at once.
            shop.collect(&payment, NOW_MS).unwrap();
        }
        run(shop.payment_service.reconcile(NOW_MS + TIMEOUT_S * 1000 + 61_000)).unwrap();
        let money = if moved == 1 { PRICE.get() } else { 0 };
        assert_eq!((facilitator.count(), shop.wallet_money()), (moved, money), "seed {seed}");
        // A booked payment leaves two rows, its booking and its nonce; any other outcome
        // leaves none.
        assert_eq!(shop.rows(tollbridge_store::Collection::Settlements), 2 * moved, "seed {seed}");
    }
}

#[test]
fn a_liar_is_never_believed() {
    let (shop, facilitator) = faulty(0);
    facilitator.report_false_success();
    let payment = shop.signed(1, 1);
    run(shop.payment_service.wallet.verify(&payment, NOW_MS)).unwrap();
    for _ in 0..3 {
        assert!(matches!(shop.collect(&payment, NOW_MS), Err(PaymentError::Processor(_))));
    }
    assert!(!shop.payments.wallet_payments.is_booked(&payment).unwrap());
    assert_eq!(shop.wallet_money(), 0);
}

#[test]
fn many_at_once_are_one_payment() {
    let (shop, facilitator) = faulty(0);
    let payment = shop.signed(1, 1);
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| match shop.collect(&payment, NOW_MS) {
                Ok(()) | Err(PaymentError::FundsInUse) => {}
                other => panic!("{other:?}"),
            });
        }
    });
    assert_eq!((facilitator.count(), shop.wallet_money()), (1, PRICE.get()));
}

/// Returns another seller's requirements in the same token.
fn asked_by_another(shop: &Shop) -> tollbridge_x402::PaymentRequirements {
    let mut asked = shop.offer().requirements;
    asked.extra.remove("offer");
    asked.pay_to = Address::new([8; 20]).to_string();
    asked
}

#[test]
fn others_have_their_payments_settled_once_and_sealed() {
    let shop = wallet_shop(rail(Arc::new(SandboxFacilitator)).serving_others());
    let (service, asked) = (&shop.payment_service.wallet, asked_by_another(&shop));
    let payment = TestWallet::new(1).pay(&asked, [5; 32], NOW_S);
    let verify = || run(service.verify_for(&payment, &asked, NOW_MS)).unwrap();
    let settle = |account: &str, now_ms| run(service.settle_for(account, &payment, &asked, now_ms)).unwrap();
    assert!(verify().is_valid);
    let settled = settle("acct_seller", NOW_MS);
    assert!(settled.success && settled.extensions["tollbridge"]["info"]["worm_seal"].is_string(), "{settled:?}");
    assert!(!verify().is_valid, "the nonce is used");
    assert_eq!(settle("acct_seller", NOW_MS).transaction, settled.transaction, "a repeat returned another transaction");
    assert!(!settle("acct_other", NOW_MS).success, "the settlement belongs to another account");
    // The same nonce cannot pay this server either.
    let ours = TestWallet::new(1).pay(&shop.offer().requirements, [5; 32], NOW_S);
    let ours = shop.payments.wallet_payments.read(&ours, NOW_MS).unwrap().unwrap();
    assert_eq!(refused(shop.collect(&ours, NOW_MS)), WalletDeclined::NonceUsed);
    assert_eq!(shop.wallet_money(), 0, "the payment belongs to another seller");
}

#[test]
fn settlements_for_others_are_checked_like_our_own() {
    let (shop, facilitator) = faulty(0);
    let asked = asked_by_another(&shop);
    let payment = TestWallet::new(1).pay(&asked, [5; 32], NOW_S);
    let settle = |shop: &Shop, asked: &tollbridge_x402::PaymentRequirements| {
        run(shop.payment_service.wallet.settle_for("acct_seller", &payment, asked, NOW_MS)).unwrap()
    };
    assert_eq!(
        settle(&shop, &asked).error_reason.as_deref(),
        Some("unsupported_scheme"),
        "settling for other sellers must be disabled"
    );
    let shop = wallet_shop(rail(facilitator.clone()).serving_others());
    let changes: [fn(&mut tollbridge_x402::PaymentRequirements); 5] = [
        |asked| asked.amount = Amount::new(1),
        |asked| asked.pay_to = Address::new([6; 20]).to_string(),
        |asked| asked.asset = Address::new([6; 20]).to_string(),
        |asked| asked.network = ChainId::new(1).network(),
        |asked| asked.scheme = "upto".to_owned(),
    ];
    for change in changes {
        let mut other = asked.clone();
        change(&mut other);
        assert!(!settle(&shop, &other).success, "{other:?}");
    }
    assert_eq!(facilitator.count(), 0);
    facilitator.set_funds(&TestWallet::new(1).address().to_string(), 0);
    assert_eq!(settle(&shop, &asked).error_reason.as_deref(), Some("insufficient_funds"));
    facilitator.set_funds(&TestWallet::new(1).address().to_string(), u128::MAX);
    assert!(settle(&shop, &asked).success, "a refused payment can be settled later");
}
