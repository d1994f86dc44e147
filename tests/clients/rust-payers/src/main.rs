//! Buys from a Tollbridge server with unmodified Rust clients: `x402-reqwest` signs
//! with a throwaway wallet, `mpp` sends a made-up Shared Payment Token.
//!
//! ```text
//! rust-payers SERVER KEY
//! ```
//!
//! The server must be in sandbox mode and have the model `scripted`, which answers
//! `{"hello": "there"}` to a message with the word "greet". KEY belongs to an
//! account of that server.

use std::error::Error;
use std::sync::Arc;

use alloy_signer_local::PrivateKeySigner;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mpp::Receipt;
use mpp::client::{ChargeClient, Fetch, StripeProvider};
use mpp::protocol::methods::stripe::CreateTokenResult;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};
use x402_chain_eip155::V2Eip155ExactClient;
use x402_reqwest::{ReqwestWithPayments, ReqwestWithPaymentsBuild, X402Client};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The header that names the MPP payment methods this client accepts.
const ALLOWED: (&str, &str) = ("Accept-Payment", "stripe/charge");

/// A call, and an expected value at a JSON pointer in its answer.
struct Order {
    path: &'static str,
    body: Value,
    at: &'static str,
    is: Value,
}

impl Order {
    fn new(path: &'static str, body: Value, at: &'static str, is: impl Into<Value>) -> Self {
        Self { path, body, at, is: is.into() }
    }
}

fn orders() -> Vec<Order> {
    let review = "The food was wonderful, the room was dirty.";
    let counted = json!({"text": "hello world", "encoding": "o200k_base"});
    vec![
        Order::new(
            "/v1/oracle/iban_validation",
            json!({"iban": "GB29 NWBK 6016 1331 9268 19"}),
            "/result/bank_code",
            "NWBK",
        ),
        Order::new("/v1/oracle/token_count", counted, "/result/tokens", 2),
        Order::new(
            "/v1/oracle/vat_number_check",
            json!({"vat_number": "DE 136,695 976"}),
            "/result/vat_number",
            "DE136695976",
        ),
        Order::new("/v1/paid/agents/sentiment", json!({"input": {"text": review}}), "/output/label", "mixed"),
    ]
}

/// Builds an order for a model; only wallets can buy models.
fn chat(max_tokens: u32) -> Order {
    let messages = json!([{"role": "user", "content": "greet"}]);
    Order::new(
        "/v1/paid/chat/completions",
        json!({"model": "scripted", "max_tokens": max_tokens, "messages": messages}),
        "/choices/0/message/content",
        r#"{"hello": "there"}"#,
    )
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Outcome<&'h str> {
    Ok(headers.get(name).ok_or_else(|| format!("no header {name} in {headers:?}"))?.to_str()?)
}

/// Checks a paid answer and that its seal is in the ledger; returns its headers.
async fn answered(server: &str, order: &Order, response: Response) -> Outcome<HeaderMap> {
    let (status, headers) = (response.status(), response.headers().clone());
    let said = response.text().await?;
    if status != StatusCode::OK {
        return Err(format!("{}: {status} {said}", order.path).into());
    }
    let body: Value = serde_json::from_str(&said)?;
    assert_eq!(body.pointer(order.at), Some(&order.is), "{}: {said}", order.path);

    let seal = text(&headers, "x-worm-seal")?;
    let proof = reqwest::get(format!("{server}/v1/ledger/proof/{seal}")).await?.error_for_status()?;
    let proof: Value = serde_json::from_str(&proof.text().await?)?;
    assert_eq!(proof["seal"], seal, "{}: {proof}", order.path);
    Ok(headers)
}

/// Pays by x402: the middleware signs the offer in a 402 and repeats the request.
async fn by_wallet(server: &str) -> Outcome<()> {
    let wallet = Arc::new(PrivateKeySigner::random());
    let payer = wallet.address().to_string();
    let x402 = X402Client::new().register(V2Eip155ExactClient::new(wallet));
    let client = Client::new().with_payments(x402).build();

    let mut paid = Vec::new();
    for order in orders().into_iter().chain([chat(100)]) {
        let response = client.post(format!("{server}{}", order.path)).json(&order.body).send().await?;
        let headers = answered(server, &order, response).await?;
        let reported: Value = serde_json::from_slice(&STANDARD.decode(text(&headers, "payment-response")?)?)?;
        assert_eq!(reported["success"], true, "{reported}");
        assert_eq!(reported["network"], "eip155:84532", "{reported}");
        assert_eq!(reported["payer"].as_str().map(str::to_lowercase), Some(payer.to_lowercase()), "{reported}");
        let transaction = reported["transaction"].as_str().ok_or("no transaction")?;
        assert_eq!(transaction.len(), 66, "{reported}");
        assert!(!paid.iter().any(|other| other == transaction), "{transaction} twice");
        paid.push(transaction.to_owned());
    }

    // The unused part of the first chat's payment is credit of the wallet and pays for a
    // smaller chat.
    let order = chat(50);
    let response = client.post(format!("{server}{}", order.path)).json(&order.body).send().await?;
    let headers = answered(server, &order, response).await?;
    assert!(headers.get("payment-response").is_none(), "{headers:?}");
    assert!(text(&headers, "x-charged-gbp")?.parse::<f64>()? > 0.0, "{headers:?}");
    println!("x402-reqwest: {} calls paid; the remainder paid for one more call", paid.len());
    Ok(())
}

fn receipt(headers: &HeaderMap) -> Outcome<Receipt> {
    let receipt = Receipt::from_response(text(headers, "payment-receipt")?)?;
    assert!(receipt.is_success() && receipt.method.as_str() == "stripe", "{receipt:?}");
    Ok(receipt)
}

/// Pays by MPP through the crate's own request extension, with one token per
/// challenge.
async fn by_token(server: &str, provider: &StripeProvider) -> Outcome<()> {
    let mut paid = Vec::new();
    for order in orders() {
        let request = Client::new().post(format!("{server}{}", order.path)).header(ALLOWED.0, ALLOWED.1);
        let response = request.json(&order.body).send_with_payment(provider).await?;
        let receipt = receipt(&answered(server, &order, response).await?)?;
        assert!(!paid.contains(&receipt.reference), "{receipt:?} twice");
        paid.push(receipt.reference);
    }
    println!("mpp: {} calls paid", paid.len());
    Ok(())
}

/// With a key in `Authorization`, the payment is sent in a separate header.
async fn by_token_with_key(server: &str, key: &str, provider: &StripeProvider) -> Outcome<()> {
    let client = ChargeClient::new(Client::builder())?;
    for order in orders().into_iter().filter(|order| order.path.starts_with("/v1/oracle/")) {
        let request = client.request(Method::POST, format!("{server}{}", order.path)).bearer_auth(key);
        let request = request.header(ALLOWED.0, ALLOWED.1).json(&order.body);
        let response = client.send_with_payment(request, provider).await?;
        receipt(&answered(server, &order, response).await?)?;
    }
    println!("mpp: 3 calls with an API key, paid by token in a separate header");
    Ok(())
}

/// Sends an invalid token: it pays for nothing, and the client gets the reason.
async fn by_no_token(server: &str) -> Outcome<()> {
    let provider = paying_with("none");
    let order = &orders()[0];
    let request = Client::new().post(format!("{server}{}", order.path)).header(ALLOWED.0, ALLOWED.1);
    let response = request.json(&order.body).send_with_payment(&provider).await?;
    assert_eq!(response.status(), StatusCode::PAYMENT_REQUIRED);
    assert!(response.headers().get("payment-receipt").is_none(), "{:?}", response.headers());
    let said: Value = serde_json::from_str(&response.text().await?)?;
    assert_eq!(said["type"], "https://paymentauth.org/problems/malformed-credential", "{said}");
    println!("mpp: an invalid token is refused");
    Ok(())
}

/// Builds a provider of Stripe tokens that start with this prefix; each challenge gets a
/// new token.
fn paying_with(beginning: &'static str) -> StripeProvider {
    StripeProvider::new(move |asked| {
        assert_eq!((asked.currency.as_str(), asked.network_id.as_str()), ("gbp", "profile_sandbox"), "{asked:?}");
        let id = asked.challenge["id"].as_str().unwrap_or_default();
        let token = format!("{beginning}_{}", id.replace(|c: char| !c.is_ascii_alphanumeric(), ""));
        Box::pin(async move { Ok(CreateTokenResult::from(token)) })
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let mut given = std::env::args().skip(1);
    let (Some(server), Some(key)) = (given.next(), given.next()) else {
        return Err("usage: rust-payers SERVER KEY".into());
    };
    let server = server.trim_end_matches('/');
    let provider = paying_with("spt");
    by_wallet(server).await?;
    by_token(server, &provider).await?;
    by_token_with_key(server, &key, &provider).await?;
    by_no_token(server).await
}
