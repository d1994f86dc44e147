//! Tests of the facilitator client against the official facilitator with a local chain.
//! `scripts/test-x402.sh` starts the facilitator; without it these tests do nothing.

// Panics are allowed: this is test code.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::{SystemTime, UNIX_EPOCH};

use tollbridge_x402::{
    Address, Amount, Attempt, Authorized, ChainId, ChainReader, Deadlines, Facilitator, OnChain, Outcome,
    PaymentPayload, Requirement, Token, UnclearReason, Verified, check,
};

const PAY_TO: &str = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

async fn get(url: String) -> String {
    reqwest::get(url).await.unwrap().text().await.unwrap()
}

/// Returns a new payment made by an official client.
async fn payment(url: &str, key: &str) -> Authorized {
    let token = Token::usdc(ChainId::BASE_SEPOLIA).unwrap();
    let asked = Requirement::new(token, Amount::new(10_000), PAY_TO.parse().unwrap(), 60).unwrap();
    signed(format!("{url}/payment?key={key}"), &asked).await
}

/// Returns a new `upto` payment made by an official client.
async fn permit(url: &str, key: &str, facilitator: Address) -> Authorized {
    let token = Token::usdc(ChainId::BASE_SEPOLIA).unwrap();
    let asked = Requirement::new(token, Amount::new(10_000), PAY_TO.parse().unwrap(), 60).unwrap().upto(facilitator);
    signed(format!("{url}/payment?key={key}&scheme=upto"), &asked).await
}

async fn signed(url: String, asked: &Requirement) -> Authorized {
    let payment = PaymentPayload::decode(get(url).await.as_bytes()).unwrap();
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    check(&payment, asked, now_s).unwrap()
}

/// Checks that an `upto` payment is settled for the actual cost, and only once.
async fn settles_what_it_came_to(url: &str, facilitator: &Facilitator, chain: &ChainReader) {
    let supported = facilitator.supported().await.unwrap();
    let settles = supported.settles_upto(&ChainId::BASE_SEPOLIA.network()).unwrap();
    let signed = permit(url, "11", settles).await;
    let (charge, less) = (signed.charging(Amount::new(1_234)).unwrap(), signed.charging(Amount::new(1_233)).unwrap());
    assert_eq!(chain.look_up(&charge).await, Ok(OnChain::Unused));
    assert_eq!(facilitator.verify(&signed).await, Ok(Verified::Valid));
    let Outcome::Settled(settled) = facilitator.settle(&charge, Attempt::First).await else { panic!("not settled") };
    assert_eq!((settled.payer, settled.amount), (signed.payer(), Amount::new(1_234)));
    assert_eq!(chain.look_up(&charge).await, Ok(OnChain::Moved(settled.transaction)));
    assert_eq!(
        chain.look_up(&less).await,
        Ok(OnChain::UsedOtherwise),
        "a look-up of another amount must not count as paid"
    );
    let other = permit(url, "11", settles).await.charging(Amount::new(1_234)).unwrap();
    assert_eq!(chain.look_up(&other).await, Ok(OnChain::Unused), "a payment with another nonce must count as unused");
    // The settlement was carried out, so a repeated request must not be reported as a
    // refusal.
    let again = facilitator.settle(&charge, Attempt::Again).await;
    assert!(matches!(again, Outcome::Unclear { .. }), "{again:?}");
    let poor = permit(url, "22", settles).await;
    assert!(matches!(facilitator.verify(&poor).await, Ok(Verified::Invalid { .. })));
    let refused = facilitator.settle(&poor.charging(Amount::new(1)).unwrap(), Attempt::First).await;
    assert!(
        matches!(refused, Outcome::Refused { .. } | Outcome::Unclear { why: UnclearReason::Pending, .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_official_facilitator_settles_once() {
    let Ok(url) = std::env::var("X402_FACILITATOR") else { return };
    let facilitator = Facilitator::new(&url, None, Deadlines::default()).unwrap();
    let balance = || get(format!("{url}/balance?of={PAY_TO}"));
    let supported = facilitator.supported().await.unwrap();
    assert!(supported.settles("exact", &ChainId::BASE_SEPOLIA.network()));

    let rich = payment(&url, "11").await;
    let chain = ChainReader::new(&std::env::var("X402_CHAIN").unwrap()).unwrap();
    assert_eq!(chain.look_up(&rich).await, Ok(OnChain::Unused));
    assert_eq!(facilitator.verify(&rich).await, Ok(Verified::Valid));
    let outcome = facilitator.settle(&rich, Attempt::First).await;
    let Outcome::Settled(settled) = outcome else { panic!("{outcome:?}") };
    assert_eq!((settled.payer, settled.amount), (rich.payer(), Amount::new(10_000)));
    assert_eq!(balance().await, "10000");
    assert_eq!(chain.look_up(&rich).await, Ok(OnChain::Moved(settled.transaction)));
    // Another payment of the same payer does not affect the first, and a canceled
    // authorization moves no money.
    let other = payment(&url, "11").await;
    assert_eq!(chain.look_up(&other).await, Ok(OnChain::Unused));
    get(format!("{url}/cancel?from={}&nonce={}", other.payer(), other.nonce())).await;
    assert_eq!(chain.look_up(&other).await, Ok(OnChain::UsedOtherwise));

    // The settled payment is submitted again: the answer must not be reported as a
    // refusal.
    assert!(matches!(facilitator.verify(&rich).await, Ok(Verified::Invalid { .. })));
    let again = facilitator.settle(&rich, Attempt::Again).await;
    assert!(matches!(again, Outcome::Unclear { .. }), "{again:?}");
    assert_eq!(balance().await, "10000");

    // The payer has no money. A facilitator that checks before it settles refuses without
    // sending anything to the chain; otherwise the chain refuses the payment.
    let poor = payment(&url, "22").await;
    let Ok(Verified::Invalid { reason }) = facilitator.verify(&poor).await else { panic!("valid without money") };
    assert!(reason.contains("insufficient") || reason.contains("simulation"), "{reason}");
    match facilitator.settle(&poor, Attempt::First).await {
        Outcome::Refused { .. } | Outcome::Unclear { why: UnclearReason::Pending, .. } => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(balance().await, "10000");
    settles_what_it_came_to(&url, &facilitator, &chain).await;
    assert_eq!(balance().await, "11234");
}
