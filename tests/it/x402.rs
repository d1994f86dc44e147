//! Wallet payments (x402): what one signature buys, on every route, however often and in
//! whatever combination it is sent.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, Server, agents, eventually, guest, manifest};
use tollbridge_x402::{Amount, PaymentPayload, PaymentRequired, SettlementResponse, TestWallet};

/// Number of records that one paid call adds: the payment and the sale.
const OWN: u64 = 2;

async fn started() -> Result<(Folder, Server, Client)> {
    let folder = Folder::new("[tiers.free]\nper_minute = 100000\nper_hour = 1000000")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&manifest("other", "1.0.0", "0.10"), &guest::echo("1.0.0")?)?;
    folder.publish(&agents::manifest("mirror", "0.20"), &agents::mirror()?)?;
    let server = folder.serve().await?;
    let client = server.client();
    Ok((folder, server, client))
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the offer of a 402 answer.
fn asked(reply: &Reply) -> Result<PaymentRequired> {
    ensure!(reply.status == 402, "{}: {}", reply.status, reply.text);
    let header = reply.header("payment-required").context("no PAYMENT-REQUIRED")?;
    ensure!(header.len() <= 4_096, "{} bytes", header.len());
    Ok(PaymentRequired::decode(header.as_bytes())?)
}

/// Returns a wallet's signed payment for a call.
async fn signed(client: &Client, path: &str, body: &Value, wallet: u8, nonce: u8) -> Result<PaymentPayload> {
    let required = asked(&client.post(path, body).await?)?;
    let offer = required.accepts.first().context("nothing is accepted")?;
    Ok(TestWallet::new(wallet).pay(offer, [nonce; 32], now_s()))
}

async fn pay(client: &Client, path: &str, body: &Value, payment: &PaymentPayload) -> Result<Reply> {
    client.send(client.request(Method::POST, path).header("payment-signature", payment.encode()).json(body)).await
}

fn receipt(reply: &Reply) -> Result<SettlementResponse> {
    let header = reply.header("payment-response").with_context(|| format!("no PAYMENT-RESPONSE: {reply:?}"))?;
    Ok(SettlementResponse::decode(header.as_bytes())?)
}

const ECHO: &str = "/v1/oracle/echo";
const MIRROR: &str = "/v1/paid/agents/mirror";

#[tokio::test]
async fn a_wallet_buys_bridges_and_agents() -> Result<()> {
    let (folder, _server, client) = started().await?;
    for (nonce, path, body) in
        [(1, ECHO, json!({ "a": 1 })), (2, "/v1/oracle/other", json!({})), (3, MIRROR, json!({ "input": { "b": 2 } }))]
    {
        let payment = signed(&client, path, &body, 1, nonce).await?;
        let records = folder.records()?;
        let answer = pay(&client, path, &body, &payment).await?.must(200)?;
        let settled = receipt(&answer)?;
        ensure!(settled.success && settled.payer == Some(TestWallet::new(1).address().to_string()), "{settled:?}");
        ensure!(settled.amount == Some(payment.accepted.amount), "{settled:?}");
        ensure!(folder.records()? == records + OWN, "{} records", folder.records()? - records);
        let seal = answer.header("x-worm-seal").context("no seal")?;
        client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
        let again = pay(&client, path, &body, &payment).await?.must(200)?;
        ensure!(again.json == answer.json, "a different answer: {}", again.text);
        for name in ["x-worm-seal", "x-transaction-id", "payment-response"] {
            ensure!(again.header(name) == answer.header(name), "{path}: {name}");
        }
        ensure!(folder.records()? == records + OWN, "{path} was paid twice");
    }
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_at_once_are_one_sale() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let payment = signed(&client, ECHO, &json!({}), 1, 1).await?;
    let records = folder.records()?;
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let (client, payment) = (client.clone(), payment.clone());
            tokio::spawn(async move { pay(&client, ECHO, &json!({}), &payment).await })
        })
        .collect();
    let mut seals = std::collections::HashSet::new();
    for call in calls {
        let reply = call.await??;
        match reply.status {
            200 => seals.insert(reply.header("x-worm-seal").context("no seal")?.to_owned()),
            409 => reply.code() == "E028",
            other => anyhow::bail!("{other}: {}", reply.text),
        };
    }
    ensure!(seals.len() == 1, "{seals:?}");
    ensure!(folder.records()? == records + OWN, "{} records", folder.records()? - records);
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_signature_pays_for_one_call() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let body = json!({ "a": 1 });
    let payment = signed(&client, ECHO, &body, 1, 1).await?;
    let records = folder.records()?;
    let elsewhere = pay(&client, "/v1/oracle/other", &body, &payment).await?;
    ensure!(elsewhere.json["payment"]["reason"] == "other_bridge", "{}", elsewhere.text);
    asked(&elsewhere)?;
    pay(&client, MIRROR, &json!({ "input": { "a": 1 } }), &payment).await?.must(402)?;

    let offer = &payment.accepted;
    let wallet = TestWallet::new(1);
    let mut cheaper = offer.clone();
    cheaper.amount = Amount::new(1);
    let mut elsewhere = offer.clone();
    elsewhere.pay_to = TestWallet::new(9).address().to_string();
    let mut without = offer.clone();
    without.extra.remove("offer");
    let mut forged = payment.clone();
    forged.accepted.amount = Amount::new(1);
    for (what, wrong) in [
        ("less", wallet.pay(&cheaper, [2; 32], now_s())),
        ("another payee", wallet.pay(&elsewhere, [2; 32], now_s())),
        ("no offer", wallet.pay(&without, [2; 32], now_s())),
        ("changed after it was signed", forged),
        ("over", wallet.pay(offer, [2; 32], now_s() - offer.max_timeout_seconds - 60)),
    ] {
        let refused = pay(&client, ECHO, &body, &wrong).await?;
        ensure!(refused.json["payment"]["reason"] == "wallet", "{what}: {} {}", refused.status, refused.text);
        let again = asked(&refused)?;
        ensure!(again.error.is_some_and(|error| !error.is_empty()), "{what}: no reason is given");
    }
    ensure!(folder.records()? == records, "an invalid payment was accepted");

    pay(&client, ECHO, &body, &payment).await?.must(200)?;
    let other_body = pay(&client, ECHO, &json!({ "a": 2 }), &payment).await?.must_be(422, "E023")?;
    ensure!(other_body.error().contains("signature"), "{}", other_body.text);
    // A signature pays for only one offer, and a nonce is used for only one offer.
    pay(&client, ECHO, &body, &TestWallet::new(2).pay(offer, [2; 32], now_s())).await?.must_quote(Some("wallet"))?;
    let same_nonce = signed(&client, "/v1/oracle/other", &body, 1, 1).await?;
    pay(&client, "/v1/oracle/other", &body, &same_nonce).await?.must_quote(Some("wallet"))?;
    ensure!(folder.records()? == records + OWN, "paid more than once");
    let garbage = client.request(Method::POST, ECHO).header("payment-signature", "!").json(&body);
    client.send(garbage).await?.must_be(400, "E011")?;
    folder.verify().map(drop)
}

/// Adds a payment identifier that the payer chose.
fn named(mut payment: PaymentPayload, id: &str) -> PaymentPayload {
    payment.extensions.insert("payment-identifier".to_owned(), json!({ "info": { "required": false, "id": id } }));
    payment
}

#[tokio::test]
async fn a_payer_may_name_its_payments() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let (body, id) = (json!({ "a": 1 }), "pay_0123456789abcdef");
    let required = asked(&client.post(ECHO, &body).await?)?;
    ensure!(required.extensions["payment-identifier"]["info"]["required"] == false, "{required:?}");
    let records = folder.records()?;
    let first = named(signed(&client, ECHO, &body, 1, 1).await?, id);
    let answer = pay(&client, ECHO, &body, &first).await?.must(200)?;
    // A second signature with the same identifier is the same payment, so it is not
    // settled.
    let second = named(signed(&client, ECHO, &body, 1, 2).await?, id);
    let again = pay(&client, ECHO, &body, &second).await?.must(200)?;
    ensure!(again.header("x-worm-seal") == answer.header("x-worm-seal"), "{again:?}");
    ensure!(folder.records()? == records + OWN, "paid twice");
    let third = named(signed(&client, ECHO, &body, 1, 3).await?, id);
    pay(&client, ECHO, &json!({ "a": 2 }), &third).await?.must_be(409, "E023")?;
    // The same identifier from a different payer is a different payment.
    let strangers = named(signed(&client, ECHO, &body, 2, 4).await?, id);
    let own = pay(&client, ECHO, &body, &strangers).await?.must(200)?;
    ensure!(own.header("x-worm-seal") != answer.header("x-worm-seal"), "{own:?}");
    let short = named(signed(&client, ECHO, &body, 1, 5).await?, "short");
    pay(&client, ECHO, &body, &short).await?.must_be(400, "E011")?;
    ensure!(folder.records()? == records + 2 * OWN, "{} records", folder.records()? - records);
    folder.verify().map(drop)
}

#[tokio::test]
async fn pages_of_other_origins_may_pay() -> Result<()> {
    let (_folder, _server, client) = started().await?;
    let quote = client.post(ECHO, &json!({})).await?.must(402)?;
    let exposed = quote.header("access-control-expose-headers").context("nothing is exposed")?;
    for name in ["payment-required", "payment-response", "link", "x-price-gbp"] {
        ensure!(exposed.split(',').any(|one| one.trim() == name), "{name}: {exposed}");
    }
    let link = quote.json["payment"]["payment_link"].as_str().context("no link")?;
    ensure!(quote.header("link") == Some(&format!("<{link}>; rel=\"payment\"")), "{quote:?}");
    let preflight = client
        .request(Method::OPTIONS, ECHO)
        .header("origin", "https://page.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "payment-signature,content-type");
    let allowed = client.send(preflight).await?.must(200)?;
    let headers = allowed.header("access-control-allow-headers").context("no headers are allowed")?;
    ensure!(headers.split(',').any(|one| one == "payment-signature"), "{headers}");
    Ok(())
}

#[tokio::test]
async fn a_price_is_quoted_without_a_call() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let records = folder.records()?;
    for (path, price) in [(ECHO, "0.10"), ("/api/v1/oracle/echo", "0.10"), (MIRROR, "0.20")] {
        for method in [Method::HEAD, Method::OPTIONS] {
            let reported = client.send(client.request(method, path)).await?.must(200)?;
            ensure!(reported.header("x-price-gbp") == Some(price) && reported.text.is_empty(), "{path}: {reported:?}");
        }
    }
    client.send(client.request(Method::HEAD, "/v1/oracle/none")).await?.must(405)?;
    ensure!(folder.records()? == records, "reading left a record");
    Ok(())
}

#[tokio::test]
async fn paid_resources_can_be_discovered() -> Result<()> {
    let (_folder, server, client) = started().await?;
    let listed = client.get("/.well-known/x402").await?.must(200)?.json;
    ensure!(listed["version"] == 1 && listed["x402Version"] == 2 && listed["pagination"]["total"] == 3, "{listed}");
    let url = format!("{}{ECHO}", server.url);
    let items = listed["items"].as_array().context("no items")?;
    let echo = items.iter().find(|item| item["resource"] == url).context("echo is not listed")?;
    ensure!(echo["accepts"][0]["amount"] == "125000" && echo["accepts"][0]["extra"].get("offer").is_none(), "{echo}");
    ensure!(echo["metadata"]["priceGbp"] == "0.10", "{echo}");
    let page = client.get("/.well-known/x402?limit=1&offset=2").await?.must(200)?.json;
    ensure!(page["items"].as_array().is_some_and(|items| items.len() == 1), "{page}");
    for wrong in ["limit=0", "limit=101", "limit=x", "more=1"] {
        client.get(&format!("/.well-known/x402?{wrong}")).await?.must_be(400, "E011")?;
    }
    let text = client.get("/llms.txt").await?.must(200)?;
    ensure!(text.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")), "{text:?}");
    ensure!(text.text.contains("PAYMENT-SIGNATURE") && text.text.contains("/api/v1/bridges/echo"), "{}", text.text);
    let document = client.get("/openapi.json").await?.must(200)?.json;
    for path in [ECHO, "/v1/paid/agents/{slug}"] {
        let operation = &document["paths"][path]["post"];
        let offers = &operation["x-payment-info"]["offers"];
        ensure!(offers[0]["intent"] == "charge" && offers[1]["currency"] == "gbp", "{path}: {operation}");
        ensure!(!operation["responses"]["402"].is_null(), "{path}: {operation}");
    }
    Ok(())
}

/// Returns the payload and the signature of the signed offer in a 402 answer.
fn signed_offer(reply: &Reply) -> Result<(Value, String)> {
    let required = asked(reply)?;
    let jws = required.extensions["offer-receipt"]["info"]["offers"][0]["signature"].as_str().context("not signed")?;
    let payload = jws.split('.').nth(1).context("the signature does not have three parts")?;
    Ok((serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload)?)?, jws.to_owned()))
}

#[tokio::test]
async fn an_offer_is_signed_for_what_it_says_now() -> Result<()> {
    let (folder, server, client) = started().await?;
    let before_s = now_s();
    let (offer, jws) = signed_offer(&client.post(ECHO, &json!({})).await?)?;
    ensure!(offer["resourceUrl"] == format!("{}{ECHO}", server.url) && offer["amount"] == "125000", "{offer}");
    let until = offer["validUntil"].as_u64().context("no end")?;
    ensure!((before_s + 800..=now_s() + 900).contains(&until), "{until} at {}", now_s());
    let (other, _) = signed_offer(&client.post("/v1/oracle/other", &json!({})).await?)?;
    ensure!(other["resourceUrl"] == format!("{}/v1/oracle/other", server.url), "{other}");
    let (same, again) = signed_offer(&client.post(ECHO, &json!({ "x": 1 })).await?)?;
    ensure!(same["amount"] == offer["amount"], "{same}");
    ensure!(again == jws || same["validUntil"] != offer["validUntil"], "the same offer was signed twice");
    // After a price change, a new offer is signed immediately.
    folder.publish_echo("1.0.1", "0.20")?;
    let dearer = eventually("the new price", 20, || async {
        let (offer, _) = signed_offer(&client.post(ECHO, &json!({})).await?)?;
        Ok((offer["amount"] != "125000").then_some(offer))
    });
    let (dearer, _) = dearer.await?;
    ensure!(dearer["amount"] == "250000", "{dearer}");
    // The signing key is published in the DID document.
    let keys = client.get("/.well-known/did.json").await?.must(200)?.json;
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(jws.split('.').next().unwrap_or_default())?)?;
    ensure!(keys["assertionMethod"][0] == header["kid"], "{keys} {header}");
    Ok(())
}
