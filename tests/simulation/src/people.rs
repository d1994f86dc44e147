//! Performs the operations of people, and notes the answers they get.

use std::sync::Arc;
use std::time::Duration;

use tollbridge_core::money::Millipence;

use crate::book::{IntentNote, WithdrawalNote};
use crate::calls;
use crate::clock::{self, now_ms};
use crate::host::Host;
use crate::operation::Operation;
use crate::plugins::WARES;
use crate::{credentials, models, permits, tokens};

/// Performs one operation and notes its outcome.
pub(crate) async fn perform(host: &Arc<Host>, operation: Operation) {
    let world = host.world.clone();
    world.log.note(format!("do {operation:?}"));
    if !matches!(operation, Operation::Call(_) | Operation::Repeat { .. }) {
        host.catch_up(false).await;
    }
    match operation {
        Operation::BuyCredit { who, pence } => buy(host, who, None, Some(pence)).await,
        Operation::BuyCalls { who, ware } => buy(host, who, Some(ware), None).await,
        Operation::Pay => {
            let books = &mut *world.stripe.books.lock().unwrap();
            if let Some(session) = world.chance.pick(&books.open_sessions()) {
                books.pay(session);
            }
        }
        Operation::Call(wish) => calls::call(host, wish).await,
        Operation::CallByWallet { who, ware } => calls::call_by_wallet(host, who, ware).await,
        Operation::CallByToken { who, ware } => tokens::call_by_token(host, who, ware).await,
        Operation::CallBySignature { who, ware } => credentials::call_by_signature(host, who, ware).await,
        Operation::AskModel { who } => models::buy_answer(host, who).await,
        Operation::AskModelAgain { permit } => models::ask_again(host, permit).await,
        Operation::CallByPermit { permit } => permits::call_bridge(host, permit).await,
        Operation::Repeat { call, other_body } => calls::repeat(host, call, other_body).await,
        Operation::Cancel { call } => calls::cancel(host, call).await,
        Operation::Refund { intent } => {
            let intent = world.book.lock().unwrap().intents[intent].clone();
            let reported = host.payment_service.refunds.refund(&intent.id, None, "test", now_ms()).await;
            world.log.note(format!(
                "refund of {}: {}",
                intent.handle,
                reported.map_or_else(|e| e.to_string(), |row| row.id)
            ));
        }
        Operation::ToCredit { intent } => to_credit(host, intent).await,
        Operation::Dispute => {
            let books = &mut *world.stripe.books.lock().unwrap();
            let payments: Vec<String> = books.payments.keys().cloned().collect();
            if let Some(payment) = world.chance.pick(&payments) {
                books.dispute(payment);
            }
        }
        Operation::CloseDispute { won } => {
            let books = &mut *world.stripe.books.lock().unwrap();
            let disputes: Vec<String> = books.disputes.keys().cloned().collect();
            if let Some(dispute) = world.chance.pick(&disputes) {
                books.close_dispute(dispute, won);
            }
        }
        Operation::Withdraw { who } => withdraw(host, who).await,
        Operation::Connect { who } => connect(host, who).await,
        Operation::StealPayouts { victim, thief } => steal(host, victim, thief).await,
        Operation::FailRefund => {
            let books = &mut *world.stripe.books.lock().unwrap();
            let refunds: Vec<String> = books.refunds.keys().cloned().collect();
            world.chance.pick(&refunds).into_iter().for_each(|refund| books.fail_refund(refund));
        }
        Operation::Reverse { whole } => {
            let books = &mut *world.stripe.books.lock().unwrap();
            let transfers: Vec<String> = books.transfers.keys().cloned().collect();
            if let Some(transfer) = world.chance.pick(&transfers) {
                books.reverse(transfer, whole);
            }
        }
        // Jump only while no message is in transit, because in reality no message is in
        // transit for hours.
        Operation::Jump(by_ms) if world.stripe.is_quiet() => clock::jump(by_ms),
        Operation::Jump(_) => {}
        Operation::Checkpoint => drop(host.notary.checkpoint(now_ms()).await),
    }
}

async fn buy(host: &Host, who: usize, ware: Option<usize>, pence: Option<i64>) {
    let world = &host.world;
    let account = world.book.lock().unwrap().people[who].clone();
    let issued = match ware.map(|ware| WARES[ware]) {
        Some(ware) => {
            host.payments.quotes.issue(&ware.sold_as(), Millipence::new(ware.price), Some(&account), now_ms())
        }
        None => {
            let amount = Millipence::from_pence(pence.unwrap_or(500)).unwrap();
            host.payments.quotes.issue_product("credit", amount, &account, now_ms())
        }
    };
    let issued = issued.unwrap();
    let (id, handle) = (issued.intent_id, issued.quote.handle.as_str().to_owned());
    world.book.lock().unwrap().intents.push(IntentNote { id, handle: handle.clone(), ware, who });
    let opened = host.payment_service.orders.open(&issued.quote, now_ms()).await;
    world.log.note(format!("page for {handle}: {}", opened.is_ok()));
    if opened.is_ok() && world.chance.percent(70) {
        tokio::time::sleep(world.chance.millis(100, 5_000)).await;
        let books = &mut *world.stripe.books.lock().unwrap();
        let page = books.open_sessions().into_iter().find(|id| books.sessions[id].handle == handle);
        if let Some(page) = page {
            books.pay(&page);
        }
    }
}

async fn to_credit(host: &Host, intent: usize) {
    let world = &host.world;
    let (intent, account) = {
        let book = world.book.lock().unwrap();
        let intent = book.intents[intent].clone();
        let account = book.people[intent.who].clone();
        (intent, account)
    };
    let reported = host.payment_service.recorder.remainder_to_credit(&intent.id, &account, now_ms()).await;
    world.log.note(format!("rest of {} to credit: {reported:?}", intent.handle));
}

async fn withdraw(host: &Arc<Host>, who: usize) {
    let world = &host.world;
    let account = world.book.lock().unwrap().people[who].clone();
    // Some clients disconnect before the processor has answered.
    let patience = if world.chance.percent(15) { world.chance.millis(1, 500) } else { Duration::from_secs(600) };
    let asked = host.withdrawals.withdraw(&account, None, None, now_ms());
    match tokio::time::timeout(patience, asked).await {
        Ok(Ok(reported)) => {
            let withdrawal = reported.withdrawal;
            world.log.note(format!("withdrawal {} of {}: {:?}", withdrawal.id, withdrawal.amount, withdrawal.state));
            let (amount, state) = (withdrawal.amount.pence_floor(), withdrawal.state.name().to_owned());
            world.book.lock().unwrap().withdrawals.insert(withdrawal.id, WithdrawalNote { who, amount, state });
        }
        Ok(Err(error)) => world.log.note(format!("no withdrawal: {error}")),
        Err(_) => world.log.note("the client stops waiting for the withdrawal"),
    }
}

/// Connects a payout account through the processor's pages, as a browser does.
pub(crate) async fn connect(host: &Host, who: usize) {
    let world = &host.world;
    let account = world.book.lock().unwrap().people[who].clone();
    let Ok(url) = host.payouts.invite(&account, now_ms()).await else { return };
    let state = url.split("state=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or_default().to_owned();
    let (code, destination) = world.stripe.books.lock().unwrap().authorize();
    world.book.lock().unwrap().destinations.insert(destination.clone(), who);
    let reported = host.payouts.accept(&state, &code, now_ms()).await;
    world.log.note(format!("{account} is paid to {destination}: {}", reported.is_ok()));
}

/// Tries to connect the thief's payout account to the victim's earnings. The thief must
/// guess the secret in the victim's link.
async fn steal(host: &Host, victim: usize, thief: usize) {
    let world = &host.world;
    let account = world.book.lock().unwrap().people[victim].clone();
    let _ = host.payouts.invite(&account, now_ms()).await;
    let (code, destination) = world.stripe.books.lock().unwrap().authorize();
    world.book.lock().unwrap().destinations.insert(destination, thief);
    let reported = host.payouts.accept(&format!("{account}.{}", "0".repeat(32)), &code, now_ms()).await;
    world.log.note(format!("a thief's payout account for {account}: {}", reported.is_ok()));
}
