//! Payments: invalid ones, one payment used by many callers at once, exact accounting of
//! credit, repeats, and failures that cost nothing.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, answering, guest, intent_of, manifest};

/// Returns what the developer of the test bridges may withdraw, in pence: 80 % of
/// the payments.
async fn earned(folder: &Folder, client: &Client) -> Result<i64> {
    let balance = client.with_key(&folder.developer).get("/v1/balance").await?.must(200)?;
    balance.json["balance_pence"].as_i64().with_context(|| format!("no balance in {}", balance.text))
}

/// Sends the same call `times` times concurrently.
async fn at_once(times: usize, call: impl Fn() -> reqwest::RequestBuilder, client: &Client) -> Result<Vec<Reply>> {
    let calls: Vec<_> = (0..times)
        .map(|_| {
            let (client, request) = (client.clone(), call());
            tokio::spawn(async move { client.send(request).await })
        })
        .collect();
    let mut replies = Vec::new();
    for call in calls {
        replies.push(call.await??);
    }
    Ok(replies)
}

fn paid_call(client: &Client, bridge: &str, headers: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let request = client.request(Method::POST, &format!("/v1/oracle/{bridge}")).json(&json!({}));
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}

fn codes(replies: &[Reply], status: u16) -> Vec<&str> {
    replies.iter().filter(|reply| reply.status == status).map(Reply::code).collect()
}

/// Waits until a bridge serves a version.
async fn until_live(client: &Client, bridge: &str, version: &str) -> Result<()> {
    for _ in 0..300 {
        if client.get(&format!("/v1/bridges/{bridge}")).await?.json["version"] == version {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    anyhow::bail!("{bridge} {version} was not loaded: {}", client.get("/v1/bridges").await?.text)
}

#[tokio::test]
async fn never_paying_costs_the_server_no_disk() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let state = || -> Result<([(u64, SystemTime); 2], u64)> {
        let seen = |name: &str| -> Result<(u64, SystemTime)> {
            let file = std::fs::metadata(folder.data().join(name))?;
            Ok((file.len(), file.modified()?))
        };
        Ok(([seen("tollbridge.redb")?, seen("tollbridge.journal")?], folder.records()?))
    };
    client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    let before = state()?;
    let mut seen = std::collections::HashSet::new();
    for _ in 0..200 {
        let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
        seen.insert(intent_of(&quote)?);
    }
    ensure!(seen.len() == 200, "quotes repeat");
    for intent in seen.iter().take(20) {
        client.call_with("echo", intent).await?.must_quote(Some("unpaid"))?;
        client.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
    }
    ensure!(state()? == before, "quotes were written to disk: {before:?}, {:?}", state()?);
    Ok(())
}

#[tokio::test]
async fn a_refused_payment_gets_a_fresh_quote_and_the_reason() -> Result<()> {
    let folder = Folder::new("[payments]\nquote_ttl = \"1s\"")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&manifest("other", "1.0.0", "0.10"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let (_elsewhere, _other_server, stranger) = Folder::with_echo("").await?;

    let foreign = stranger.paid_intent("echo").await?;
    client.call_with("echo", &foreign).await?.must_quote(Some("unknown_intent"))?;
    client.get(&format!("/v1/payments/{foreign}")).await?.must_be(404, "E012")?;
    client.post(&format!("/pay/{foreign}"), &json!({})).await?.must_be(404, "E012")?;

    let good = client.paid_intent("echo").await?;
    for forged in forgeries(&good) {
        client.call_with("echo", &forged).await?.must_quote(Some("unknown_intent"))?;
    }
    client.call_with("other", &good).await?.must_quote(Some("other_bridge"))?;

    let (anne, bert) = (client.with_key(&folder.key()?.1), client.with_key(&folder.key()?.1));
    let annes = anne.paid_intent("echo").await?;
    bert.call_with("echo", &annes).await?.must_quote(Some("other_account"))?;
    client.call_with("echo", &annes).await?.must_quote(Some("other_account"))?;

    let unpaid = intent_of(&client.call("echo", &json!({}), &[]).await?)?;
    client.call_with("echo", &unpaid).await?.must_quote(Some("unpaid"))?;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    client.call_with("echo", &unpaid).await?.must_quote(Some("expired"))?;
    client.post(&format!("/pay/{unpaid}"), &json!({})).await?.must_be(410, "E003")?;

    // None of the attempts above spent anything, and a paid intent never expires.
    anne.call_with("echo", &annes).await?.must(200)?;
    client.call_with("echo", &good).await?.must(200)?;
    folder.verify().map(drop)
}

/// Returns variants of an intent id: first or last character changed, other case, other
/// length.
fn forgeries(intent: &str) -> Vec<String> {
    let body: Vec<char> = intent.chars().collect();
    let flip = |at: usize| -> String {
        let flipped = body.iter().enumerate();
        flipped.map(|(place, email)| if place == at { if *email == 'A' { 'B' } else { 'A' } } else { *email }).collect()
    };
    let mut forged: Vec<String> = (3..body.len().saturating_sub(1)).step_by(7).map(flip).collect();
    forged.extend([format!("{intent}A"), intent[..intent.len() - 4].to_owned(), "pi_".to_owned(), "x".to_owned()]);
    forged
}

#[tokio::test]
async fn one_payment_serves_one_of_many_callers() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let intent = client.paid_intent("echo").await?;
    let headers = [("x-payment-intent-id", intent.as_str())];
    let replies = at_once(32, || paid_call(&client, "echo", &headers), &client).await?;
    let served: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 200).collect();
    ensure!(served.len() == 1, "{} callers were served", served.len());
    let refused = codes(&replies, 409);
    ensure!(refused.len() == 31, "{replies:?}");
    ensure!(refused.iter().all(|code| ["E010", "E028"].contains(code)), "{refused:?}");
    for reply in replies.iter().filter(|reply| reply.code() == "E028") {
        ensure!(reply.header("retry-after") == Some("1"), "{reply:?}");
    }
    let after = client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    let path = format!("/v1/payments/{intent}/answer");
    ensure!(after.json["answer"] == path, "{}", after.text);
    let again = client.get(&path).await?.must(200)?;
    ensure!(again.text == served[0].text, "a different answer: {}", again.text);
    for name in ["x-worm-seal", "x-transaction-id", "content-type"] {
        ensure!(again.header(name).is_some() && again.header(name) == served[0].header(name), "{name} differs");
    }
    let state = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?.json;
    ensure!(state["state"] == "used_up" && state["remaining_pence"] == 0, "{state}");
    ensure!(earned(&folder, &client).await? == 8, "the developer has {}", earned(&folder, &client).await?);
    folder.verify().map(drop)
}

#[tokio::test]
async fn one_payment_covers_many_calls() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[payments]\nminimum_charge = \"1.00\"").await?;
    let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    ensure!(quote.json["payment"]["charge_pence"] == 100, "{}", quote.text);
    ensure!(quote.json["payment"]["amount_pence"] == 10, "{}", quote.text);
    let intent = client.paid_intent("echo").await?;
    for left in (0..10).rev() {
        let answer = client.call_with("echo", &intent).await?.must(200)?;
        let expect = format!("0.{left}0");
        ensure!(answer.header("x-payment-remaining") == Some(&expect), "expected {expect}: {answer:?}");
    }
    client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    ensure!(earned(&folder, &client).await? == 80, "the developer has {}", earned(&folder, &client).await?);
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_call_draws_the_lower_price() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[payments]\nminimum_charge = \"0.20\"").await?;
    let (dear, later) = (client.paid_intent("echo").await?, client.paid_intent("echo").await?);
    folder.publish_echo("1.1.0", "0.05")?;
    until_live(&client, "echo", "1.1.0").await?;
    let answer = client.call_with("echo", &dear).await?.must(200)?;
    ensure!(answer.json["version"] == "1.1.0" && answer.header("x-payment-remaining") == Some("0.15"), "{answer:?}");
    folder.publish_echo("1.2.0", "0.15")?;
    until_live(&client, "echo", "1.2.0").await?;
    // A call that was paid at the old price is still answered after a price increase.
    let answer = client.call_with("echo", &later).await?.must(200)?;
    ensure!(answer.header("x-payment-remaining") == Some("0.10"), "{answer:?}");
    let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    ensure!(quote.json["payment"]["amount_pence"] == 15, "{}", quote.text);
    ensure!(earned(&folder, &client).await? == 12, "the developer has {}", earned(&folder, &client).await?);
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_failing_plugin_costs_nothing() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("echo", "1.0.0", "0.10"), &answering::failing()?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let intent = client.paid_intent("echo").await?;
    let records = folder.records()?;
    for _ in 0..3 {
        client.call_with("echo", &intent).await?.must_be(502, "E017")?;
    }
    let rich = client.with_key(&folder.key()?.1);
    rich.call_on_credit("echo").await?.must_be(502, "E017")?;
    ensure!(rich.get("/v1/balance").await?.json["credit_pence"] == 1000, "a failure was charged");
    let state = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?.json;
    ensure!(state["state"] == "paid" && state["remaining_pence"] == 10, "{state}");
    ensure!(folder.records()? == records + 2, "only the new account and its creation may be in the ledger");
    folder.publish_echo("1.0.1", "0.10")?;
    until_live(&client, "echo", "1.0.1").await?;
    client.call_with("echo", &intent).await?.must(200)?;
    ensure!(earned(&folder, &client).await? == 8, "the developer has {}", earned(&folder, &client).await?);
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_plugin_that_is_too_slow_costs_nothing() -> Result<()> {
    let folder = Folder::new("")?;
    let endless = manifest("slow", "1.0.0", "0.10").replace("time_ms = 1000", "time_ms = 200");
    folder.publish(&endless, &answering::slow(u64::MAX)?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let intent = client.paid_intent("slow").await?;
    client.call_with("slow", &intent).await?.must_be(504, "E018")?;
    let state = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?.json;
    ensure!(state["remaining_pence"] == 10, "{state}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn credit_is_exact_under_load() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    client.call("echo", &json!({}), &[("x-payment-source", "credit")]).await?.must_be(401, "E001")?;
    let (account, key) = folder.key()?;
    let payer = client.with_key(&key);
    let credit =
        async || -> Result<Value> { Ok(payer.get("/v1/balance").await?.must(200)?.json["credit_pence"].clone()) };
    ensure!(credit().await? == 1000, "the sandbox gives ten pounds");
    let headers = [("x-payment-source", "credit")];
    // 120 calls would cost £12.00, but the credit is £10.00.
    let replies = at_once(120, || paid_call(&payer, "echo", &headers), &payer).await?;
    let mut served = replies.iter().filter(|reply| reply.status == 200).count();
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        let fits = reply.status == 402 || (reply.status, reply.code()) == (409, "E028") || reply.status == 503;
        ensure!(fits, "{}: {}", reply.status, reply.text);
    }
    ensure!(credit().await? == 1000 - 10 * served, "{served} served, credit {}", credit().await?);
    while served < 100 {
        payer.call_on_credit("echo").await?.must(200)?;
        served += 1;
    }
    ensure!(credit().await? == 0, "credit {}", credit().await?);
    payer.call_on_credit("echo").await?.must_quote(Some("insufficient_credit"))?;
    folder.run(&["account", "credit", &account, "0.15"])?;
    payer.call_on_credit("echo").await?.must(200)?;
    payer.call_on_credit("echo").await?.must_quote(Some("insufficient_credit"))?;
    ensure!(credit().await? == 5, "credit {}", credit().await?);
    ensure!(earned(&folder, &client).await? == 808, "the developer has {}", earned(&folder, &client).await?);
    folder.verify().map(drop)
}

#[tokio::test]
async fn an_idempotency_key_pays_once() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let payer = client.with_key(&folder.key()?.1);
    let headers = [("x-payment-source", "credit"), ("idempotency-key", "order-7")];
    let first = payer.call("echo", &json!({}), &headers).await?.must(200)?;
    ensure!(first.header("idempotent-replayed").is_none(), "{first:?}");
    // The path with the prefix `/api` is the same route.
    for path in ["/v1/oracle/echo", "/api/v1/oracle/echo"] {
        let mut request = payer.request(Method::POST, path).json(&json!({}));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let again = payer.send(request).await?.must(200)?;
        ensure!(again.header("idempotent-replayed") == Some("true"), "{again:?}");
        ensure!(again.header("x-worm-seal") == first.header("x-worm-seal") && again.text == first.text, "{again:?}");
    }
    payer.call("echo", &json!({ "other": 1 }), &headers).await?.must_be(422, "E023")?;
    let bad = [("x-payment-source", "credit"), ("idempotency-key", "two words")];
    payer.call("echo", &json!({}), &bad).await?.must_be(400, "E011")?;
    // Another account may use the same idempotency key for its own call.
    let other = client.with_key(&folder.key()?.1);
    let others = other.call("echo", &json!({}), &headers).await?.must(200)?;
    ensure!(others.header("idempotent-replayed").is_none(), "{others:?}");

    let headers = [("x-payment-source", "credit"), ("idempotency-key", "order-8")];
    let replies = at_once(16, || paid_call(&payer, "echo", &headers), &payer).await?;
    let seals: std::collections::HashSet<_> = replies.iter().filter_map(|reply| reply.header("x-worm-seal")).collect();
    ensure!(seals.len() == 1, "{seals:?}");
    for reply in &replies {
        ensure!(reply.status == 200 || reply.code() == "E028", "{}: {}", reply.status, reply.text);
    }
    ensure!(payer.get("/v1/balance").await?.json["credit_pence"] == 980, "not charged exactly twice");

    // For clients without an account, idempotency keys are scoped to the payment.
    let intent = client.paid_intent("echo").await?;
    let headers = [("x-payment-intent-id", intent.as_str()), ("idempotency-key", "order-7")];
    let one = client.call("echo", &json!({}), &headers).await?.must(200)?;
    let two = client.call("echo", &json!({}), &headers).await?.must(200)?;
    ensure!(two.header("idempotent-replayed") == Some("true") && one.text == two.text, "{two:?}");

    // A paid call gets its stored answer even after the bridge became free.
    folder.publish_echo("1.1.0", "0.00")?;
    until_live(&client, "echo", "1.1.0").await?;
    for (key, replayed) in [("order-7", Some("true")), ("order-9", None), ("order-9", None)] {
        let reply = payer.call("echo", &json!({}), &[("idempotency-key", key)]).await?.must(200)?;
        ensure!(reply.header("idempotent-replayed") == replayed, "{key}: {reply:?}");
        ensure!((reply.text == first.text) == replayed.is_some(), "{key}: {reply:?}");
    }
    folder.verify().map(drop)
}

#[tokio::test]
async fn errors_are_reported_before_payment() -> Result<()> {
    let folder = Folder::new("")?;
    let schema = r#"{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}"#;
    folder.publish(&manifest("mirror", "1.0.0", "0.10"), &answering::mirror(schema)?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let intent = client.paid_intent("mirror").await?;
    let paid = [("x-payment-intent-id", intent.as_str())];
    let wrong = client.call("mirror", &json!({ "name": 7 }), &[]).await?.must_be(400, "E011")?;
    ensure!(wrong.json["details"]["field"] == "/name", "{}", wrong.text);
    client.call("mirror", &json!({ "name": 7 }), &paid).await?.must_be(400, "E011")?;
    let missing = client.call("mirror", &json!({}), &paid).await?.must_be(400, "E011")?;
    ensure!(missing.text.contains("name"), "{}", missing.text);
    for member in ["developer_pct", "split", "platform_fee_pct"] {
        let rules = client.call("mirror", &json!({ "name": "a", member: 1 }), &paid).await?.must_be(403, "E008")?;
        ensure!(rules.text.contains(member), "{}", rules.text);
    }
    wrong_requests(&client).await?;
    // The payment is still unspent.
    let answer = client.call("mirror", &json!({ "name": "Ada" }), &paid).await?.must(200)?;
    ensure!(answer.json == json!({ "name": "Ada" }), "{}", answer.text);
    folder.verify().map(drop)
}

async fn wrong_requests(client: &Client) -> Result<()> {
    let mistyped = client.call("miror", &json!({}), &[]).await?.must_be(404, "E012")?;
    ensure!(mistyped.text.contains("`mirror`"), "no suggestion: {}", mistyped.text);
    client.get("/v1/nothing/here").await?.must_be(404, "E012")?;
    client.get("/v1/oracle/mirror").await?.must_be(405, "E013")?;
    let post = |body: Vec<u8>, kind: &'static str| {
        client.request(Method::POST, "/v1/oracle/mirror").header("content-type", kind).body(body)
    };
    client.send(post(b"name=x".to_vec(), "application/x-www-form-urlencoded")).await?.must_be(415, "E015")?;
    client.send(post(vec![b' '; (1 << 20) + 1], "application/json")).await?.must_be(413, "E014")?;
    for broken in ["{", "[]", "7", "{\"name\":\"a\"} x", "\u{0}"] {
        client.send(post(broken.into(), "application/json")).await?.must_be(400, "E011")?;
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    client.send(post(deep.into(), "application/json")).await?.must_be(400, "E011")?;
    let both = [("x-payment-intent-id", "pi_x"), ("x-payment-source", "credit")];
    client.call("mirror", &json!({}), &both).await?.must_be(400, "E011").map(drop)
}

#[tokio::test]
async fn a_client_that_hangs_up_is_served_once_all_the_same() -> Result<()> {
    let folder = Folder::new("")?;
    let patient = manifest("slow", "1.0.0", "0.10").replace("time_ms = 1000", "time_ms = 10000");
    folder.publish(&patient, &answering::slow(600_000_000)?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let intent = client.paid_intent("slow").await?;
    let before = folder.records()?;
    let hasty = paid_call(&client, "slow", &[("x-payment-intent-id", &intent)]).timeout(Duration::from_millis(60));
    ensure!(client.send(hasty).await.is_err(), "the bridge was too quick for this test");
    let answer = sealed_answer(&client, &intent).await?;
    ensure!(answer.json == json!({ "slow": true }), "{}", answer.text);
    client.call_with("slow", &intent).await?.must_be(409, "E010")?;
    ensure!(earned(&folder, &client).await? == 8, "the developer has {}", earned(&folder, &client).await?);
    ensure!(folder.records()? > before, "nothing was sealed");
    server.stop().await
}

async fn sealed_answer(client: &Client, intent: &str) -> Result<Reply> {
    for _ in 0..200 {
        let reply = client.get(&format!("/v1/payments/{intent}/answer")).await?;
        if reply.status == 200 {
            return Ok(reply);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    anyhow::bail!("the abandoned call was not finished")
}
