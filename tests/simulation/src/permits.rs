//! Wallet signatures (permits) that pay for model requests by `upto`, valid and invalid.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::checkout::{Call, PaymentSource};
use tollbridge_payment::WalletPayment;
use tollbridge_x402::{Address, Amount, PaymentRequirements, TransactionHash};

use crate::book::PermitNote;
use crate::clock::now_ms;
use crate::host::Host;
use crate::wallets::wallet;

/// Signs a permit for the maximum cost of a request. Returns the permit's index in
/// `book.permits`, or `None` if `upto` is not offered.
pub(crate) fn sign(host: &Host, who: usize, most: Millipence) -> Option<usize> {
    let chance = &host.world.chance;
    let offer = host.payments.wallet_offers.upto(most, now_ms()).ok()??.requirements;
    let nonce = {
        let book = host.world.book.lock().unwrap();
        let mine: Vec<[u8; 32]> =
            book.permits.iter().filter(|permit| permit.who == who).map(|permit| permit.nonce).collect();
        let used = chance.pick(&mine).filter(|_| chance.percent(15)).copied();
        used.unwrap_or_else(|| {
            let mut nonce = [0; 32];
            nonce[..8].copy_from_slice(&chance.below(u64::MAX).to_be_bytes());
            nonce
        })
    };
    must_be_refused(host, who, &offer);
    let payment = wallet(who).pay(&offer, nonce, now_ms() / 1000);
    let read = host.payments.wallet_payments.read(&payment, now_ms()).ok()?.ok()?;
    let (handle, payer) = (read.handle().to_owned(), read.tenant());
    let transaction = TransactionHash::new(nonce).to_string();
    let permits = &mut host.world.book.lock().unwrap().permits;
    permits.push(PermitNote { who, payment, nonce, handle, payer, transaction, most: most.get() });
    Some(permits.len() - 1)
}

/// Checks that the host refuses a permit that deviates from its offer.
fn must_be_refused(host: &Host, who: usize, offer: &PaymentRequirements) {
    let (wallet, nonce, now_s) = (wallet(who), [0xee; 32], now_ms() / 1000);
    let mut permit = wallet.permit_for(offer, nonce, now_s);
    let amount = permit.permitted.amount.get();
    match host.world.chance.below(5) {
        0 => permit.witness.to = Address::new([1; 20]),
        1 => permit.witness.facilitator = Address::new([2; 20]),
        2 => permit.permitted.amount = Amount::new(amount + 1),
        3 => permit.permitted.amount = Amount::new(amount - 1),
        _ => permit.deadline = Amount::new(u128::from(now_s) + 86_400),
    }
    let read = host.payments.wallet_payments.read(&wallet.permit(offer, permit.clone()), now_ms());
    if !matches!(read, Ok(Err(_)) | Err(_)) {
        host.world.book.lock().unwrap().wrong.push(format!("an altered permit is accepted: {permit:?}"));
    }
}

/// Calls a bridge with a permit signed for a model.
pub(crate) async fn call_bridge(host: &Host, permit: usize) {
    let signed = host.world.book.lock().unwrap().permits[permit].clone();
    let Ok(Ok(payment)) = host.payments.wallet_payments.read(&signed.payment, now_ms()) else { return };
    let reported = host.checkout().run(call(host, payment)).await;
    if reported.is_ok() {
        host.world.book.lock().unwrap().wrong.push(format!("{} paid for a bridge", signed.handle));
    }
}

fn call(host: &Host, payment: WalletPayment) -> Call {
    let number = host.world.book.lock().unwrap().next();
    Call {
        request_id: format!("req_{number}"),
        now_ms: now_ms(),
        account: None,
        share: FairShare::single(payment.tenant().as_str()),
        kind: PluginKind::Bridge,
        name: "quote".to_owned(),
        route: "POST /v1/oracle/quote".to_owned(),
        body: Bytes::from(json!({ "n": 7 }).to_string()),
        source: PaymentSource::Wallet(Arc::new(payment)),
        idempotency_key: None,
        queued: None,
        spend: None,
        max_cost: None,
    }
}
