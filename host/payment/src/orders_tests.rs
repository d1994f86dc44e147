use std::sync::Arc;

use super::super::faulty_processor::FaultyProcessor;
use super::super::tests::{NOW_MS, PRICE, shop_at};
use super::*;
use crate::limits::RECONCILED_PER_ROUND_MAX;

/// Tests that many open, unpaid orders do not delay the recording of a payment.
#[test]
fn a_payment_behind_many_open_orders_is_found() {
    let faulty = Arc::new(FaultyProcessor::new(1));
    let shop = shop_at(0, Some(faulty.clone()));
    let service = &shop.payment_service;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut quotes: Vec<Quote> = (0..=RECONCILED_PER_ROUND_MAX)
        .map(|_| shop.payments.quotes.issue("sentiment_feed", PRICE, None, NOW_MS).unwrap().quote)
        .collect();
    for quote in &quotes {
        runtime.block_on(service.orders.open(quote, NOW_MS)).unwrap();
    }
    // Pay the order with the last row, so that all others are looked up before it.
    quotes.sort_by(|one, other| one.handle.as_str().cmp(other.handle.as_str()));
    let last = &quotes.last().unwrap().handle;
    faulty.buy(&service.orders.row(last).unwrap().unwrap().session.unwrap());
    let rounds = quotes.len().div_ceil(LOOKUPS_PER_ROUND_MAX) as u64;
    for round in 1..=rounds {
        runtime.block_on(service.reconcile(NOW_MS + round * 30_000)).unwrap();
    }
    assert!(shop.payments.intents.row(last).unwrap().is_some(), "the payment was not recorded");
}
