//! MPP challenges and credentials from the payer's side: a credential contains a
//! processor token or a wallet signature.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_mpp::{Challenge, Credential, Method, evm_nonce};
use tollbridge_payment::{CredentialPayment, MppRail, Purchase, QuoteSigner, StripeTerms};
use tollbridge_x402::{PaymentPayload, TransactionHash};

use crate::book::{CallMode, SignedNote, Source, TokenNote};
use crate::calls;
use crate::clock::now_ms;
use crate::host::Host;
use crate::operation::CallPlan;
use crate::plugins::WARES;
use crate::wallets::wallet;

/// Builds the configuration with which the host accepts MPP credentials.
pub(crate) fn rail(quotes: &QuoteSigner) -> MppRail {
    let terms = StripeTerms { network_id: "profile_1".to_owned(), payment_method_types: vec!["card".to_owned()] };
    MppRail::new("toll.example", quotes, Some(terms), true).unwrap()
}

/// Returns the challenge for a call by the given method; `None` if the host does not
/// offer the method.
pub(crate) fn challenge(host: &Host, account: &str, ware: usize, body: &Bytes, method: &Method) -> Option<Challenge> {
    let (sold_as, price) = (WARES[ware].sold_as(), Millipence::new(WARES[ware].price));
    let purchase = Purchase { bridge: &sold_as, price, account: Some(account), body };
    let challenges = host.payments.challenges.issue(&purchase, now_ms()).ok()?;
    challenges.into_iter().find(|challenge| challenge.method() == method)
}

/// Makes a call that a person's wallet pays by signing its MPP challenge.
pub(crate) async fn call_by_signature(host: &Arc<Host>, who: usize, ware: usize) {
    let (chance, kind) = (&host.world.chance, WARES[ware].kind);
    let n = chance.below(1_000);
    let Some(at) = sign(host, who, ware, &calls::body(kind, n)) else { return };
    let manner = if kind == PluginKind::Bridge { CallMode::Call } else { CallMode::Invoke };
    let (source, key) = (Source::Wallet(at), chance.percent(30));
    calls::call_and_repeat(host, CallPlan { who, ware, manner, source, key, n, wait_ms: 30_000 }).await;
}

/// Signs the challenge of a call; returns the index in the book's list of wallet
/// signatures.
fn sign(host: &Host, who: usize, ware: usize, body: &Bytes) -> Option<usize> {
    let book = &mut *host.world.book.lock().unwrap();
    let (sold_as, price, account) = (WARES[ware].sold_as(), Millipence::new(WARES[ware].price), &book.people[who]);
    let challenge = challenge(host, account, ware, body, &Method::EVM)?;
    let asked = host.payments.wallet_offers.exact(&sold_as, price, Some(account), now_ms()).ok()??.requirements;
    let nonce = evm_nonce(challenge.id(), challenge.realm());
    let payment = wallet(who).pay(&asked, nonce, now_ms() / 1000);
    let PaymentSource::Wallet(read) = of_wallet(host, &challenge, &payment, body) else { return None };
    let (handle, transaction) = (read.handle().to_owned(), TransactionHash::new(nonce).to_string());
    book.signed.push(SignedNote { payment, challenge: Some(challenge), handle, transaction, ware });
    Some(book.signed.len() - 1)
}

/// Parses a request that is paid by a token, as the host does.
pub(crate) fn of_token(host: &Host, note: &TokenNote, body: &Bytes) -> PaymentSource {
    read(host, &note.challenge, &json!({ "spt": note.token }), body)
}

/// Parses a request that is paid by a signature, as the host does.
pub(crate) fn of_wallet(host: &Host, challenge: &Challenge, payment: &PaymentPayload, body: &Bytes) -> PaymentSource {
    let mut payload = payment.payload["authorization"].clone();
    payload["signature"] = payment.payload["signature"].clone();
    payload["type"] = "authorization".into();
    read(host, challenge, &payload, body)
}

fn read(host: &Host, challenge: &Challenge, payload: &Value, body: &Bytes) -> PaymentSource {
    let credential = json!({ "challenge": challenge, "payload": payload });
    let credential: Credential = serde_json::from_value(credential).unwrap();
    match host.payments.credentials.read(credential, body, now_ms()).unwrap() {
        Ok(CredentialPayment::Token(payment)) => PaymentSource::Token(Arc::from(payment)),
        Ok(CredentialPayment::Wallet(payment)) => PaymentSource::Wallet(Arc::from(payment)),
        Err(declined) => PaymentSource::UnusableCredential(declined),
    }
}
