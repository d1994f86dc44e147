//! Wallets pay the actual cost of model answers instead of the maximum (x402, scheme
//! `upto`).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::provider::Act;
use tollbridge_tests::{Client, Reply, eventually};
use tollbridge_x402::{Amount, PaymentPayload, PaymentRequired, PaymentRequirements, SettlementResponse, TestWallet};

use super::inference::{COST, Gateway, hello, streamed};

const PAID_CHAT: &str = "/v1/paid/chat/completions";
/// `COST` in units of the token, at the sandbox's rate of 1.25 tokens per pound.
const COST_UNITS: u128 = 31_250;

async fn offers(client: &Client, path: &str, body: &Value) -> Result<Vec<PaymentRequirements>> {
    let reply = client.post(path, body).await?.must(402)?;
    let header = reply.header("payment-required").context("no PAYMENT-REQUIRED")?;
    Ok(PaymentRequired::decode(header.as_bytes())?.accepts)
}

/// Returns the `upto` payment for a request, signed by wallet number `wallet`.
async fn signed(client: &Client, path: &str, body: &Value, wallet: u8, nonce: u8) -> Result<PaymentPayload> {
    let (offer, _) = eventually("an offer by upto", 20, || async {
        Ok(offers(client, path, body).await?.into_iter().find(|offer| offer.scheme == "upto"))
    })
    .await?;
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(TestWallet::new(wallet).pay(&offer, [nonce; 32], now_s))
}

async fn pay(client: &Client, path: &str, body: &Value, payment: &PaymentPayload) -> Result<Reply> {
    client.send(client.request(Method::POST, path).header("payment-signature", payment.encode()).json(body)).await
}

fn settled(reply: &Reply) -> Result<SettlementResponse> {
    let header = reply.header("payment-response").with_context(|| format!("no PAYMENT-RESPONSE: {reply:?}"))?;
    let settled = SettlementResponse::decode(header.as_bytes())?;
    ensure!(settled.success, "{settled:?}");
    Ok(settled)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wallet_pays_what_a_request_costs_and_nothing_is_left() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let stranger = gateway.server.client();
    let payment = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    let schemes: Vec<String> =
        offers(&stranger, PAID_CHAT, &hello()).await?.into_iter().map(|offer| offer.scheme).collect();
    ensure!(schemes == ["exact", "upto"], "{schemes:?}");
    let records = gateway.folder.records()?;
    let first = pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?;
    let reported = settled(&first)?;
    ensure!(reported.amount == Some(Amount::new(COST_UNITS)), "{reported:?}");
    ensure!(payment.accepted.amount > Amount::new(COST_UNITS), "{} was signed", payment.accepted.amount);
    ensure!(first.header("x-charged-gbp") == Some("0.02500") && first.header("x-worm-seal").is_some(), "{first:?}");
    ensure!(gateway.charged()? == COST && gateway.folder.records()? == records + 1, "{first:?}");
    // The same signature with the same body is a repeat of the request; with another body
    // it is refused.
    let again = pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?;
    ensure!(again.text == first.text && settled(&again)?.transaction == reported.transaction, "{again:?}");
    let mut other = hello();
    other["max_tokens"] = 19.into();
    pay(&stranger, PAID_CHAT, &other, &payment).await?.must_be(422, "E023")?;
    // No credit remains: the next request needs a new signature.
    offers(&stranger, PAID_CHAT, &hello()).await?;
    ensure!(gateway.charged()? == COST && gateway.folder.records()? == records + 1, "the payment was settled twice");
    let export = gateway.folder.run(&["ledger", "export"])?;
    ensure!(!export.contains("credit:wallet_"), "{export}");
    let asked = json!({ "model": "vectors", "input": "hello" });
    let payment = signed(&stranger, "/v1/paid/embeddings", &asked, 1, 2).await?;
    let embedded = pay(&stranger, "/v1/paid/embeddings", &asked, &payment).await?.must(200)?;
    ensure!(settled(&embedded)?.amount <= Some(payment.accepted.amount), "{embedded:?}");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_settles_nothing() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let stranger = gateway.server.client();
    let payment = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    let records = gateway.folder.records()?;
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::Status(500, Vec::new(), "{}".to_owned()));
    }
    let failed = pay(&stranger, PAID_CHAT, &hello(), &payment).await?;
    ensure!(failed.status >= 500 && failed.header("payment-response").is_none(), "{failed:?}");
    ensure!(gateway.folder.records()? == records, "a refused request was recorded");
    gateway.first.always(Act::Answer);
    gateway.second.always(Act::Answer);
    // The signature was not used, and can be sent again.
    settled(&pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?)?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_answer_cannot_be_paid_by_upto() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let stranger = gateway.server.client();
    let payment = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    let schemes = offers(&stranger, PAID_CHAT, &streamed()).await?;
    ensure!(schemes.len() == 1 && schemes.iter().all(|offer| offer.scheme == "exact"), "{schemes:?}");
    let refused = pay(&stranger, PAID_CHAT, &streamed(), &payment).await?.must_be(400, "E011")?;
    ensure!(refused.error().contains("exact"), "{}", refused.text);
    ensure!(gateway.first.seen().is_empty(), "a provider was called");
    settled(&pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?)?;
    gateway.finish().await
}

/// One signature buys only one answer, whatever concurrent requests use it.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_at_once_are_one_answer() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let stranger = gateway.server.client();
    let payment = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    let records = gateway.folder.records()?;
    gateway.first.always(Act::SlowBody(Duration::from_millis(300)));
    let calls: Vec<_> = (0..100)
        .map(|number| {
            let (client, payment) = (stranger.clone(), payment.clone());
            tokio::spawn(async move {
                let request = client.request(Method::POST, PAID_CHAT).header("payment-signature", payment.encode());
                // Half of the requests have distinct idempotency keys.
                let request = match number % 2 {
                    0 => request,
                    _ => request.header("idempotency-key", format!("key-{number}")),
                };
                client.send(request.json(&hello())).await
            })
        })
        .collect();
    let mut seals = std::collections::HashSet::new();
    for call in calls {
        let reply = call.await??;
        match (reply.status, reply.code()) {
            (200, _) => {
                seals.insert(reply.header("x-worm-seal").context("no seal")?.to_owned());
            }
            (409, "E028") | (402, "E003") | (429, _) => {}
            _ => anyhow::bail!("{}: {}", reply.status, reply.text),
        }
    }
    ensure!(seals.len() == 1, "{seals:?}");
    let (seen, charged) = (gateway.first.seen().len(), gateway.charged()?);
    ensure!(seen == 1 && charged == COST, "one signature must buy one request: {seen} were run, {charged} was charged");
    ensure!(gateway.folder.records()? == records + 1, "{} records", gateway.folder.records()? - records);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_for_models_pays_for_nothing_else() -> Result<()> {
    let gateway = Gateway::start("").await?;
    gateway.folder.publish_echo("1.0.0", "0.01")?;
    let stranger = gateway.server.client();
    let (echo, _) = eventually("echo", 20, || async {
        let reply = stranger.post("/v1/oracle/echo", &json!({})).await?;
        Ok((reply.status == 402).then_some(reply))
    })
    .await?;
    let required = PaymentRequired::decode(echo.header("payment-required").context("no offer")?.as_bytes())?;
    ensure!(required.accepts.len() == 1, "upto is offered for a bridge: {required:?}");
    let payment = signed(&stranger, PAID_CHAT, &hello(), 1, 1).await?;
    pay(&stranger, "/v1/oracle/echo", &json!({}), &payment).await?.must_be(402, "E003")?;
    // A payment with another payer's money is refused, and so is one below the requirement.
    let mut stolen = signed(&stranger, PAID_CHAT, &hello(), 2, 2).await?;
    stolen.payload["permit2Authorization"]["from"] = json!(TestWallet::new(1).address());
    pay(&stranger, PAID_CHAT, &hello(), &stolen).await?.must_be(402, "E003")?;
    let mut longer = hello();
    longer["max_tokens"] = 40.into();
    let little = pay(&stranger, PAID_CHAT, &longer, &payment).await?.must_be(402, "E003")?;
    ensure!(little.error().contains("less than the maximum cost"), "{}", little.text);
    ensure!(gateway.first.seen().is_empty(), "a provider was called");
    settled(&pay(&stranger, PAID_CHAT, &hello(), &payment).await?.must(200)?)?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_who_bears_no_risk_offers_none() -> Result<()> {
    let gateway = Gateway::start("[payments.x402]\nupto_risk_gbp = \"0\"").await?;
    let stranger = gateway.server.client();
    for _ in 0..20 {
        let offered = offers(&stranger, PAID_CHAT, &hello()).await?;
        ensure!(offered.len() == 1 && offered.iter().all(|offer| offer.scheme == "exact"), "{offered:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    gateway.finish().await
}
