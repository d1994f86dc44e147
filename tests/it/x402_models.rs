//! Wallets buy answers of models, without an account.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::provider::Act;
use tollbridge_tests::{Client, Reply, eventually};
use tollbridge_x402::{PaymentPayload, PaymentRequired, SettlementResponse, TestWallet};

use super::inference::{COST, Gateway, hello};

const PAID_CHAT: &str = "/v1/paid/chat/completions";
/// Units of the token per penny, at the sandbox's rate of 1.25 tokens per pound.
const UNITS_A_PENNY: i64 = 12_500;

/// Returns the payment for a request, signed by wallet number `wallet`.
async fn signed(client: &Client, path: &str, body: &Value, wallet: u8, nonce: u8) -> Result<PaymentPayload> {
    let reply = client.post(path, body).await?.must(402)?;
    let header = reply.header("payment-required").context("no PAYMENT-REQUIRED")?;
    let required = PaymentRequired::decode(header.as_bytes())?;
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let offer = required.accepts.first().context("nothing is accepted")?;
    Ok(TestWallet::new(wallet).pay(offer, [nonce; 32], now_s))
}

async fn pay(client: &Client, path: &str, body: &Value, payment: &PaymentPayload) -> Result<Reply> {
    client.send(client.request(Method::POST, path).header("payment-signature", payment.encode()).json(body)).await
}

fn settled(reply: &Reply) -> Result<Option<SettlementResponse>> {
    let header = reply.header("payment-response").map(str::as_bytes);
    Ok(header.map(SettlementResponse::decode).transpose()?.filter(|settled| settled.success))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unused_amount_pays_for_the_next_request() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let stranger = gateway.server.client();
    let asked = stranger.post(PAID_CHAT, &hello()).await?.must_be(402, "E003")?;
    ensure!(asked.error().contains("at most £"), "{}", asked.text);
    ensure!(gateway.first.seen().is_empty(), "a provider was called without a payment");
    let mut longest = hello();
    longest["max_tokens"] = 40.into();
    let payment = signed(&stranger, PAID_CHAT, &longest, 1, 1).await?;
    let taken = i64::try_from(payment.accepted.amount.get())?;
    ensure!(taken > COST.saturating_mul(UNITS_A_PENNY) / 1_000, "{taken} is below the maximum cost");
    let first = pay(&stranger, PAID_CHAT, &longest, &payment).await?.must(200)?;
    let receipt = settled(&first)?.context("nothing was settled")?;
    ensure!(receipt.amount == Some(payment.accepted.amount), "{receipt:?}");
    ensure!(gateway.charged()? == COST, "{} was charged", gateway.charged()?);
    // A request with the same signature is a repeat of the first request.
    let again = pay(&stranger, PAID_CHAT, &longest, &payment).await?.must(200)?;
    ensure!(again.text == first.text && gateway.charged()? == COST, "{again:?}");
    // The remaining credit is used before another signature is settled.
    let unused = signed(&stranger, PAID_CHAT, &hello(), 1, 2).await?;
    let second = pay(&stranger, PAID_CHAT, &hello(), &unused).await?.must(200)?;
    ensure!(settled(&second)?.is_none(), "settled although there was credit: {second:?}");
    ensure!(gateway.charged()? == 2 * COST, "{} was charged", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_costs_a_wallet_nothing() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let stranger = gateway.server.client();
    let payment = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    gateway.first.always(Act::Status(500, Vec::new(), "{}".to_owned()));
    gateway.second.always(Act::Status(500, Vec::new(), "{}".to_owned()));
    let failed = pay(&stranger, PAID_CHAT, &hello(), &payment).await?;
    ensure!(failed.status >= 500 && gateway.charged()? == 0, "{failed:?}");
    gateway.first.always(Act::Answer);
    gateway.second.always(Act::Answer);
    // The settled amount is credit of the wallet, and pays for a repeat of the request.
    pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?;
    let charged = gateway.charged()?;
    let repeated = pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?;
    ensure!(charged > 0 && gateway.charged()? == charged, "{repeated:?}");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_for_one_resource_buys_no_other() -> Result<()> {
    let gateway = Gateway::start("").await?;
    gateway.folder.publish_echo("1.0.0", "0.10")?;
    let stranger = gateway.server.client();
    let chat = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    eventually("echo", 20, || async {
        Ok((stranger.post("/v1/oracle/echo", &json!({})).await?.status == 402).then_some(()))
    })
    .await?;
    let bridge = signed(&stranger, "/v1/oracle/echo", &json!({}), 1, 2).await?;
    let records = gateway.folder.records()?;
    pay(&stranger, "/v1/oracle/echo", &json!({}), &chat).await?.must_be(402, "E003")?;
    pay(&stranger, PAID_CHAT, &hello(), &bridge).await?.must_be(402, "E003")?;
    // A wallet proves its identity by its signature, so it cannot spend another's
    // credit.
    pay(&stranger, PAID_CHAT, &hello(), &chat).await?.must(200)?;
    let mut stolen = signed(&stranger, PAID_CHAT, &hello(), 2, 3).await?;
    stolen.payload["authorization"]["from"] = json!(TestWallet::new(1).address());
    pay(&stranger, PAID_CHAT, &hello(), &stolen).await?.must_be(402, "E003")?;
    ensure!(gateway.charged()? == COST && gateway.folder.records()? > records, "{} was charged", gateway.charged()?);
    // These routes accept only wallets; keys and account credit are refused.
    let keyed = gateway.customer.request(Method::POST, PAID_CHAT).header("x-payment-source", "credit").json(&hello());
    gateway.customer.send(keyed).await?.must_be(400, "E011")?;
    gateway.finish().await
}
