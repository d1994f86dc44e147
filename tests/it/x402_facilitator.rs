//! This server as an x402 facilitator for other sellers (x402, section 7).

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server};
use tollbridge_x402::{Amount, PaymentRequired, PaymentRequirements, TestWallet};

const SELLER: &str = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const ECHO: &str = "/v1/oracle/echo";

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the payment requirement of another seller: this server's token, to the
/// seller's address.
async fn asked_by_seller(client: &Client) -> Result<PaymentRequirements> {
    let reply = client.post(ECHO, &json!({})).await?.must(402)?;
    let required = PaymentRequired::decode(reply.header("payment-required").context("no offer")?.as_bytes())?;
    let mut asked = required.accepts.into_iter().next().context("nothing is accepted")?;
    asked.extra.remove("offer");
    Ok(PaymentRequirements { pay_to: SELLER.to_owned(), amount: Amount::new(10_000), ..asked })
}

fn request(asked: &PaymentRequirements, wallet: u8, nonce: u8) -> Value {
    let payment = TestWallet::new(wallet).pay(asked, [nonce; 32], now_s());
    json!({ "x402Version": 2, "paymentPayload": payment, "paymentRequirements": asked })
}

async fn started() -> Result<(Folder, Server, Client, Client)> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let seller = server.client().signed_up("seller@example.com").await?;
    Ok((folder, server, client, seller))
}

#[tokio::test]
async fn a_payment_to_another_seller_is_settled_once() -> Result<()> {
    let (folder, _server, client, seller) = started().await?;
    let asked = asked_by_seller(&client).await?;
    let other = client.signed_up("other@example.com").await?;
    let kinds = client.get("/x402/supported").await?.must(200)?.json;
    ensure!(kinds["kinds"][0]["network"] == asked.network.to_string(), "{kinds}");
    let payment = request(&asked, 1, 1);
    for path in ["/x402/verify", "/x402/settle"] {
        client.post(path, &payment).await?.must_be(401, "E001")?;
    }
    let records = folder.records()?;
    let verified = seller.post("/x402/verify", &payment).await?.must(200)?.json;
    ensure!(verified["isValid"] == true, "{verified}");
    ensure!(folder.records()? == records, "verifying left a record");
    let settled = seller.post("/x402/settle", &payment).await?.must(200)?.json;
    ensure!(settled["success"] == true && settled["amount"] == "10000", "{settled}");
    ensure!(folder.records()? == records + 1, "{} records", folder.records()? - records);
    let seal = settled["extensions"]["tollbridge"]["info"]["worm_seal"].as_str().context("no seal")?;
    client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
    let again = seller.post("/x402/settle", &payment).await?.must(200)?.json;
    ensure!(again["success"] == true && again["transaction"] == settled["transaction"], "{again}");
    // Another account cannot fetch the result, and the used nonce cannot pay again.
    let stranger = other.post("/x402/settle", &payment).await?.must(200)?.json;
    ensure!(stranger["success"] == false && stranger["errorReason"] == "invalid_transaction_state", "{stranger}");
    let verified = seller.post("/x402/verify", &payment).await?.must(200)?.json;
    ensure!(verified["isValid"] == false, "{verified}");
    ensure!(folder.records()? == records + 1, "settled twice");
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_nonce_pays_one_seller() -> Result<()> {
    let (folder, _server, client, seller) = started().await?;
    let mut ours = client.post(ECHO, &json!({})).await?.must(402)?;
    let offer = PaymentRequired::decode(ours.header("payment-required").context("no offer")?.as_bytes())?;
    let offer = offer.accepts.into_iter().next().context("nothing is accepted")?;
    let payment = TestWallet::new(1).pay(&offer, [7; 32], now_s());
    let body = json!({ "x402Version": 2, "paymentPayload": payment, "paymentRequirements": offer });
    let settled = seller.post("/x402/settle", &body).await?.must(200)?.json;
    ensure!(settled["success"] == true, "{settled}");
    // A payment that was settled for another seller does not pay for a call on this
    // server.
    let call = client.request(reqwest::Method::POST, ECHO).header("payment-signature", payment.encode());
    ours = client.send(call.json(&json!({}))).await?.must(402)?;
    ensure!(ours.header("payment-required").is_some(), "{ours:?}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn an_invalid_payment_is_not_settled() -> Result<()> {
    let (folder, _server, client, seller) = started().await?;
    let asked = asked_by_seller(&client).await?;
    let records = folder.records()?;
    let changed = |pointer: &str, value: Value| -> Result<Value> {
        let mut body = request(&asked, 2, 9);
        *body.pointer_mut(pointer).context("no such member")? = value;
        Ok(body)
    };
    for (pointer, value, reason) in [
        ("/paymentRequirements/amount", json!("10001"), None),
        ("/paymentRequirements/payTo", json!("0x857b06519E91e3A54538791bDbb0E22373e36b66"), None),
        ("/paymentRequirements/network", json!("eip155:1"), Some("invalid_network")),
        ("/paymentRequirements/scheme", json!("upto"), Some("unsupported_scheme")),
        ("/paymentPayload/payload/authorization/value", json!("1"), None),
        ("/paymentPayload/payload/authorization/validBefore", json!("1"), None),
    ] {
        let body = changed(pointer, value)?;
        let verified = seller.post("/x402/verify", &body).await?.must(200)?.json;
        let settled = seller.post("/x402/settle", &body).await?.must(200)?.json;
        ensure!(verified["isValid"] == false && settled["success"] == false, "{pointer}: {verified} {settled}");
        if let Some(reason) = reason {
            ensure!(settled["errorReason"] == reason, "{pointer}: {settled}");
        }
    }
    for (pointer, value) in [
        ("/x402Version", json!(1)),
        ("/paymentRequirements/maxTimeoutSeconds", json!(90_000)),
        ("/paymentPayload", json!(null)),
        ("/paymentPayload/accepted/amount", json!("1e3")),
    ] {
        for path in ["/x402/verify", "/x402/settle"] {
            seller.post(path, &changed(pointer, value.clone())?).await?.must_be(400, "E011")?;
        }
    }
    ensure!(folder.records()? == records, "a refused payment was recorded");
    // The valid request still succeeds afterwards.
    let settled = seller.post("/x402/settle", &request(&asked, 2, 9)).await?.must(200)?.json;
    ensure!(settled["success"] == true, "{settled}");
    folder.verify().map(drop)
}
