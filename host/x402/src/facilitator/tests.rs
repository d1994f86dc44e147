use serde_json::json;

use super::fake::{Fake, Fault};
use super::*;
use crate::amount::Amount;
use crate::check::check;
use crate::settlement::Settled;
use crate::testing::{signed, signed_upto};

fn payment() -> Authorized {
    let vector = signed().remove(0);
    check(&vector.payment, &vector.requirement, vector.now_s).unwrap()
}

fn client(fake: &Fake) -> Facilitator {
    let deadlines =
        Deadlines { settle: Duration::from_millis(700), lookup: Duration::from_secs(5), ..Deadlines::default() };
    Facilitator::new(&fake.url, Some(Secret::new("token")), deadlines).unwrap()
}

/// Settles a payment for the first time at a facilitator with the fault `fault`; returns
/// the outcome and the number of settled payments.
async fn outcome(fault: Fault) -> (Outcome, usize) {
    let fake = Fake::start(fault).await;
    let outcome = client(&fake).settle(&payment(), Attempt::First).await;
    assert_eq!(fake.complaints(), [] as [String; 0]);
    assert!(fake.requests() <= 1, "a request was repeated or a redirect followed");
    (outcome, fake.settled())
}

fn why(outcome: &Outcome) -> UnclearReason {
    match outcome {
        Outcome::Unclear { why, .. } => *why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_payment_is_verified_and_settled() {
    let fake = Fake::start(Fault::None).await;
    let (client, payment) = (client(&fake), payment());
    let supported = client.supported().await.unwrap();
    let network = payment.requirement().token().chain.network();
    assert!(supported.settles("exact", &network) && !supported.settles("upto", &network));
    assert!(!supported.settles("exact", &"eip155:8453".parse().unwrap()));
    let upto = |network: &str| supported.settles_upto(&network.parse().unwrap()).map(|address| address.to_string());
    assert_eq!(upto("eip155:137").as_deref(), Some("0x857b06519E91e3A54538791bDbb0E22373e36b66"));
    assert_eq!((upto("eip155:84532"), upto("eip155:8453")), (None, None), "no facilitator address is listed");
    assert_eq!(client.verify(&payment).await, Ok(Verified::Valid));
    let transaction = format!("0x{:064x}", 1).parse().unwrap();
    let settled = Settled { transaction, payer: payment.payer(), network, amount: Amount::new(10_000) };
    assert_eq!(client.settle(&payment, Attempt::First).await, Outcome::Settled(settled.clone()));
    assert_eq!(client.settle(&payment, Attempt::Again).await, Outcome::Settled(settled));
    assert_eq!((fake.settled(), fake.complaints()), (1, Vec::new()));
}

/// Checks that a settlement for less than the signed amount is accepted only if its
/// response states exactly the requested amount.
#[tokio::test]
async fn a_payment_by_upto_is_settled_for_what_it_came_to() {
    let fake = Fake::start(Fault::None).await;
    let (client, vector) = (client(&fake), signed_upto().remove(0));
    let signed = check(&vector.payment, &vector.requirement, vector.now_s).unwrap();
    assert_eq!(client.verify(&signed).await, Ok(Verified::Valid));
    let charge = signed.charging(Amount::new(1_234)).unwrap();
    let Outcome::Settled(settled) = client.settle(&charge, Attempt::First).await else { panic!("not settled") };
    assert_eq!((settled.amount, settled.payer), (Amount::new(1_234), vector.payer));
    for amount in ["1233", "1235", "10000", "0"] {
        fake.set(Fault::Lie("amount", json!(amount)));
        assert_eq!(why(&client.settle(&charge, Attempt::Again).await), UnclearReason::OtherPayment, "{amount}");
    }
    assert_eq!(fake.complaints(), [] as [String; 0]);
}

#[tokio::test]
async fn a_settlement_without_a_valid_answer_is_unclear() {
    let page = "<html>bad gateway</html>".to_owned();
    let failed =
        json!({ "success": false, "errorReason": "insufficient_funds", "transaction": "", "network": "eip155:84532" });
    for (fault, expected) in [
        (Fault::Hang, UnclearReason::TimedOut),
        (Fault::Close, UnclearReason::Broken),
        (Fault::Truncate, UnclearReason::Broken),
        (Fault::Endless, UnclearReason::Nonsense),
        (Fault::Status(200, page.clone()), UnclearReason::Nonsense),
        (Fault::Status(200, String::new()), UnclearReason::Nonsense),
        (Fault::Status(200, "{}".to_owned()), UnclearReason::Nonsense),
        (Fault::Status(302, String::new()), UnclearReason::Nonsense),
        (Fault::Status(401, failed.to_string()), UnclearReason::Nonsense),
        (Fault::Status(404, page.clone()), UnclearReason::Nonsense),
        (Fault::Status(409, failed.to_string()), UnclearReason::Nonsense),
        (Fault::Status(429, failed.to_string()), UnclearReason::Nonsense),
        (Fault::Status(500, failed.to_string()), UnclearReason::Nonsense),
        (Fault::Status(503, page), UnclearReason::Nonsense),
        (Fault::Lie("transaction", json!("")), UnclearReason::NoTransaction),
        (Fault::Lie("transaction", json!("0x12")), UnclearReason::NoTransaction),
        (Fault::Lie("transaction", json!(format!("0x{}", "0".repeat(64)))), UnclearReason::NoTransaction),
        (Fault::Lie("transaction", json!(null)), UnclearReason::Nonsense),
        (Fault::Lie("success", json!("yes")), UnclearReason::Nonsense),
        (Fault::Lie("success", json!(false)), UnclearReason::Pending),
        (Fault::Lie("network", json!("eip155:8453")), UnclearReason::OtherPayment),
        (Fault::Lie("payer", json!("0x0000000000000000000000000000000000000001")), UnclearReason::OtherPayment),
        (Fault::Lie("amount", json!("9999")), UnclearReason::OtherPayment),
    ] {
        let (outcome, settled) = outcome(fault.clone()).await;
        assert_eq!((why(&outcome), settled), (expected, 1), "{fault:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_refusal_says_so_in_its_own_words() {
    let reason = |reason: &str| Outcome::Refused { reason: reason.to_owned() };
    assert_eq!(outcome(Fault::Refuse("insufficient_funds", "")).await, (reason("insufficient_funds"), 0));
    let simulated = "invalid_exact_evm_transaction_simulation_failed";
    assert_eq!(outcome(Fault::Refuse(simulated, "")).await, (reason(simulated), 0));
    let hash = "0x1111111111111111111111111111111111111111111111111111111111111111";
    for (code, transaction) in [
        ("settlement_pending", hash),
        ("insufficient_funds", hash),
        ("transaction_failed", ""),
        ("invalid_exact_evm_nonce_already_used", ""),
        ("", ""),
    ] {
        let (outcome, _) = outcome(Fault::Refuse(code, transaction)).await;
        let Outcome::Unclear { why: UnclearReason::Pending, transaction: named, .. } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(named.is_some(), !transaction.is_empty());
    }
}

#[tokio::test]
async fn after_an_unclear_outcome_a_refusal_is_none() {
    let fake = Fake::start(Fault::Hang).await;
    let (client, payment) = (client(&fake), payment());
    assert_eq!(why(&client.settle(&payment, Attempt::First).await), UnclearReason::TimedOut);
    fake.set(Fault::Refuse("invalid_exact_evm_payload_authorization_valid_before", ""));
    assert_eq!(why(&client.settle(&payment, Attempt::Again).await), UnclearReason::RefusedAgain);
    fake.set(Fault::None);
    assert!(matches!(client.settle(&payment, Attempt::Again).await, Outcome::Settled(_)));
    assert_eq!(fake.settled(), 1);
}

#[tokio::test]
async fn an_unsent_request_is_known_to_be_unsent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Facilitator::new(&url, None, Deadlines::default()).unwrap();
    assert_eq!(why(&client.settle(&payment(), Attempt::First).await), UnclearReason::NotSent);
    assert!(client.supported().await.is_err());
}

/// Checks that a connection idle for longer than `EGRESS_IDLE_MS_MAX` is not reused.
/// Facilitators on Node.js and uvicorn close idle connections after 5 s; if a payment
/// were sent at that moment, its outcome would be unclear.
#[tokio::test]
async fn a_connection_that_was_idle_gets_no_other_request() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let client = Facilitator::new(&url, None, Deadlines::default()).unwrap();
    let opened = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = opened.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tokio::spawn(async move {
                let mut request = [0; 4_096];
                // Each request arrives in one read.
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let body = r#"{"kinds":[],"extensions":[],"signers":{}}"#;
                    let head =
                        format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
                    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.unwrap();
                }
            });
        }
    });
    for (pause_ms, connections) in [(0, 1), (500, 1), (EGRESS_IDLE_MS_MAX + 500, 2)] {
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        client.supported().await.unwrap();
        assert_eq!(opened.load(std::sync::atomic::Ordering::Relaxed), connections, "after {pause_ms} ms");
    }
}

#[tokio::test]
async fn a_look_up_that_tells_nothing_is_no_answer() {
    let fake = Fake::start(Fault::None).await;
    let (client, payment) = (client(&fake), payment());
    for fault in [
        Fault::Status(500, "{\"isValid\":false}".to_owned()),
        Fault::Status(400, "{\"isValid\":true}".to_owned()),
        Fault::Status(200, "[]".to_owned()),
        Fault::Truncate,
        Fault::Lie("payer", json!("0x0000000000000000000000000000000000000001")),
    ] {
        fake.set(fault.clone());
        assert!(client.verify(&payment).await.is_err(), "{fault:?}");
    }
    fake.set(Fault::Refuse("insufficient_funds", ""));
    assert_eq!(client.verify(&payment).await, Ok(Verified::Invalid { reason: "insufficient_funds".to_owned() }));
}

#[test]
fn an_address_of_a_facilitator_is_plain() {
    for url in ["", "facilitator", "ftp://x", "https://a:b@x", "https://x/?a=1", "https://x/#a"] {
        let made = Facilitator::new(url, None, Deadlines::default());
        assert!(matches!(made, Err(SetUpError::BadUrl(_))), "{url}");
    }
    assert!(Facilitator::new("https://x.example/platform/v2/x402/", None, Deadlines::default()).is_ok());
}
