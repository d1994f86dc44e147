use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, Payer};

use super::super::faulty_processor::FaultyProcessor;
use super::super::tests::{NOW_MS, PRICE, Shop, shop, shop_at};
use super::super::{PaymentDeclined, PaymentPageOutcome};
use super::*;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn give_back(shop: &Shop, intent: &str, now_ms: u64) -> Result<RefundRow, PaymentError> {
    let quote = shop.payments.intents.status(intent, now_ms).unwrap().quote;
    runtime().block_on(shop.payment_service.refunds.give_back(&quote, now_ms))
}

fn left(shop: &Shop, intent: &str) -> i64 {
    shop.payments.intents.status(intent, NOW_MS).unwrap().remaining.get()
}

#[test]
fn a_remainder_is_refunded_once_and_cannot_be_spent() {
    let shop = shop(25_000);
    let intent = shop.paid_intent();
    shop.sell(&shop.draw(&intent).unwrap()).unwrap();
    let in_flight = shop.draw(&intent).unwrap();
    assert!(matches!(give_back(&shop, &intent, NOW_MS), Err(PaymentError::FundsInUse)), "a held amount was refunded");
    drop(in_flight);
    let refund = give_back(&shop, &intent, NOW_MS).unwrap();
    assert_eq!((refund.amount.get(), &refund.state), (20_000, &RefundStatus::Paid));
    assert_eq!(give_back(&shop, &intent, NOW_MS + 60_000).unwrap(), refund, "a repeat returned another refund");
    assert_eq!((left(&shop, &intent), shop.balance(&LedgerAccount::Refunds)), (0, 0));
    assert_eq!(shop.balance(&LedgerAccount::ProcessorClearing), -10_000, "only the spent amount must remain");
    assert!(matches!(shop.draw(&intent), Err(PaymentDeclined::IntentUsedUp { .. })));
}

#[test]
fn only_an_unspent_payment_is_refunded() {
    let shop = shop(0);
    let unpaid = shop.payments.quotes.issue("x", PRICE, None, NOW_MS).unwrap().intent_id;
    assert!(matches!(give_back(&shop, &unpaid, NOW_MS), Err(PaymentError::NotPaid)));
    let spent = shop.paid_intent();
    shop.sell(&shop.draw(&spent).unwrap()).unwrap();
    assert!(matches!(give_back(&shop, &spent, NOW_MS), Err(PaymentError::NothingRemaining)));
    let credit = shop.payments.quotes.issue_product("credit", PRICE, "acct_a", NOW_MS).unwrap().intent_id;
    shop.pay(&credit, NOW_MS).unwrap();
    assert!(matches!(give_back(&shop, &credit, NOW_MS), Err(PaymentError::BoughtProduct)));
    assert_eq!(shop.balance(&LedgerAccount::Credit("acct_a".to_owned())), PRICE.get(), "credit was taken");
}

/// Tests that spending and refunds at the same time add up to the payment.
#[test]
fn spenders_and_refunders_at_once_share_one_payment() {
    for _ in 0..8 {
        let shop = shop(200_000);
        let intent = shop.paid_intent();
        let paid = left(&shop, &intent);
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let (shop, intent) = (&shop, &intent);
                scope.spawn(move || match thread % 2 {
                    0 => match shop.draw(intent) {
                        Ok(draw) => shop.sell(&draw).expect("selling a held amount must succeed"),
                        Err(PaymentDeclined::FundsInUse | PaymentDeclined::IntentUsedUp { .. }) => {}
                        Err(error) => panic!("{error}"),
                    },
                    _ => match give_back(shop, intent, NOW_MS) {
                        Ok(_) | Err(PaymentError::FundsInUse) => {}
                        Err(error) => panic!("{error}"),
                    },
                });
            }
        });
        let refund = give_back(&shop, &intent, NOW_MS).unwrap();
        let spent = -shop.balance(&LedgerAccount::ProcessorClearing);
        assert_eq!(spent + refund.amount.get(), paid, "money appeared or vanished");
        assert_eq!((left(&shop, &intent), shop.balance(&LedgerAccount::Refunds)), (0, 0));
    }
}

/// Tests that a refund is paid once even if the processor's answers are lost and the
/// refund is requested again: each unknown outcome is looked up.
#[test]
fn a_processor_that_loses_answers_pays_back_once() {
    for seed in 0..40 {
        let faulty = Arc::new(FaultyProcessor::new(seed));
        let shop = shop_at(500_000, Some(faulty.clone()));
        let issued = shop.payments.quotes.issue("sentiment_feed", PRICE, None, NOW_MS).unwrap();
        let runtime = runtime();
        let opened = runtime.block_on(shop.payment_service.orders.open(&issued.quote, NOW_MS)).unwrap();
        assert!(matches!(opened, PaymentPageOutcome::Open(_)));
        let [session] = faulty.open_orders().try_into().unwrap();
        faulty.buy(&session);
        runtime.block_on(shop.payment_service.orders.check_now(&issued.quote.handle, NOW_MS)).unwrap();
        let before = faulty.balance();
        faulty.set_faults(60);
        let mut asked = 0;
        let refund = loop {
            asked += 1;
            assert!(asked < 1_000, "the refund never finishes");
            let now_ms = NOW_MS + asked * ORDER_LOOKUP_MS_MIN;
            let refund = give_back(&shop, &issued.intent_id, now_ms).unwrap();
            assert_eq!(left(&shop, &issued.intent_id), 0, "an owed amount can still be spent");
            if refund.state == RefundStatus::Paid {
                break refund;
            }
        };
        assert_eq!(before - faulty.balance(), refund.amount.get(), "seed {seed}: not paid back exactly once");
        assert_eq!(shop.balance(&LedgerAccount::Refunds), 0);
    }
}

/// Tests that a refusal returns the money to the intent and that requests are limited.
#[test]
fn a_refused_refund_can_be_asked_for_again_a_few_times() {
    let faulty = Arc::new(FaultyProcessor::new(1));
    let shop = shop_at(0, Some(faulty.clone()));
    let issued = shop.payments.quotes.issue("sentiment_feed", PRICE, None, NOW_MS).unwrap();
    let runtime = runtime();
    runtime.block_on(shop.payment_service.orders.open(&issued.quote, NOW_MS)).unwrap();
    let [session] = faulty.open_orders().try_into().unwrap();
    faulty.buy(&session);
    runtime.block_on(shop.payment_service.orders.check_now(&issued.quote.handle, NOW_MS)).unwrap();
    faulty.dispute(&format!("pay_{session}"), 1);
    let mut ids = std::collections::BTreeSet::new();
    for asked in 0..2 * PAYER_REFUNDS_PER_INTENT_MAX {
        let refund = give_back(&shop, &issued.intent_id, NOW_MS + asked * ORDER_LOOKUP_MS_MIN).unwrap();
        assert!(matches!(refund.state, RefundStatus::Failed { .. }), "{refund:?}");
        assert_eq!(left(&shop, &issued.intent_id), PRICE.get(), "the refused amount did not return to the payer");
        ids.insert(refund.id);
    }
    assert_eq!(ids.len() as u64, PAYER_REFUNDS_PER_INTENT_MAX);
}

/// Tests that all open refunds of a payer are listed: a dispute needs all of them before
/// it takes any money.
#[test]
fn every_open_refund_is_listed_however_many_there_are() {
    let shop = shop(0);
    let context = &shop.payment_service.refunds.context;
    let row = RefundRow {
        id: "0000".to_owned(),
        payer: Payer::Account("acct_a".to_owned()),
        payment: None,
        amount: PRICE,
        reason: "test".to_owned(),
        created_ms: NOW_MS,
        state: RefundStatus::Owed,
        relieved: Millipence::ZERO,
    };
    let rows = (0..1_001).map(|number| RefundRow { id: format!("{number:04}"), ..row.clone() });
    let puts = rows.flat_map(|row| row.owed(NOW_MS).unwrap().puts).collect();
    runtime().block_on(context.write_rows(puts)).unwrap();
    assert_eq!(shop.payment_service.refunds.open().unwrap().len(), 1_001);
}
