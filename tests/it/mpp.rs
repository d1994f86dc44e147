//! Calls paid by `Authorization: Payment`, with a server that behaves like Stripe:
//! challenges, tokens and failures.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::stripe::{Fault, Stripe};
use tollbridge_tests::{Client, Folder, Reply, Server, eventually, guest, manifest};

/// Starts a server that charges tokens through a fake Stripe, with the bridges
/// `echo` and `other` at 10 p, and a client without a key.
async fn with_tokens() -> Result<(Stripe, Folder, Server, Client)> {
    let stripe = Stripe::start().await?;
    let folder = Folder::new(&format!("{}[payments.mpp]\nnetwork_id = \"profile_test\"\n", stripe.config()))?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&manifest("other", "1.0.0", "0.10"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    Ok((stripe, folder, server, client))
}

type Challenge = BTreeMap<String, String>;

/// Checks that an answer is a 402, and returns its challenge for a method.
fn challenge(reply: &Reply, method: &str) -> Result<Challenge> {
    ensure!(reply.status == 402, "{}: {}", reply.status, reply.text);
    ensure!(reply.header("cache-control").is_some_and(|value| value.contains("no-store")), "{reply:?}");
    ensure!(reply.header("content-type") == Some("application/json"), "{reply:?}");
    ensure!(reply.header("payment-receipt").is_none(), "a receipt without a payment: {reply:?}");
    let of_problem = reply.json["type"].as_str().unwrap_or_default();
    ensure!(of_problem.starts_with("https://paymentauth.org/problems/"), "{}", reply.text);
    ensure!(reply.json["status"] == 402 && reply.json["title"].is_string(), "{}", reply.text);
    ensure!(reply.json["detail"].is_string() && reply.json["error"].is_string(), "{}", reply.text);
    let all = reply.headers.get_all("www-authenticate");
    let read = all.iter().filter_map(|value| params(value.to_str().ok()?));
    let found = read.into_iter().find(|challenge| challenge["method"] == method);
    found.with_context(|| format!("no challenge of {method} in {reply:?}"))
}

/// Parses `Payment name="value", …`; no value contains quotes.
fn params(header: &str) -> Option<Challenge> {
    let pairs = header.strip_prefix("Payment ")?.split("\", ");
    pairs
        .map(|pair| {
            pair.split_once("=\"").map(|(name, value)| (name.to_owned(), value.trim_end_matches('"').to_owned()))
        })
        .collect()
}

fn decoded(text: &str) -> Result<Value> {
    Ok(serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text)?)?)
}

fn credential(challenge: &Challenge, spt: &str) -> String {
    let json = json!({ "challenge": challenge, "payload": { "spt": spt } });
    format!("Payment {}", URL_SAFE_NO_PAD.encode(json.to_string()))
}

/// Returns a new challenge for the body `{}`.
async fn asked(client: &Client, bridge: &str) -> Result<Challenge> {
    challenge(&client.call(bridge, &json!({}), &[]).await?, "stripe")
}

/// Returns a credential that pays a new challenge with a Stripe test card.
async fn on_card(stripe: &Stripe, client: &Client, card: &str) -> Result<String> {
    Ok(credential(&asked(client, "echo").await?, &stripe.grant(card, 500)?))
}

async fn pay(client: &Client, credential: &str) -> Result<Reply> {
    client.call("echo", &json!({}), &[("authorization", credential)]).await
}

/// Checks that an answer is a 402 with the given type of problem; returns the new
/// challenge.
fn refused(reply: &Reply, kind: &str) -> Result<Challenge> {
    let fresh = challenge(reply, "stripe")?;
    ensure!(reply.json["type"].as_str().is_some_and(|uri| uri.ends_with(kind)), "not {kind}: {}", reply.text);
    Ok(fresh)
}

/// Returns the number of successful payments at Stripe.
fn charges(stripe: &Stripe) -> usize {
    stripe.all("charges").len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_pays_for_a_call_and_what_is_left_for_others() -> Result<()> {
    let (stripe, folder, _server, client) = with_tokens().await?;
    let asked = asked(&client, "echo").await?;
    let request = decoded(&asked["request"])?;
    ensure!(request["amount"] == "500" && request["currency"] == "gbp", "{request}");
    ensure!(request["methodDetails"]["networkId"] == "profile_test", "{request}");
    ensure!(asked["intent"] == "charge" && asked["digest"].starts_with("sha-256=:"), "{asked:?}");
    ensure!(asked["description"].starts_with("50 calls of echo"), "{asked:?}");
    let credential = credential(&asked, &stripe.grant("pm_card_visa", 500)?);
    let first = pay(&client, &credential).await?.must(200)?;
    let receipt = decoded(first.header("payment-receipt").context("no receipt")?)?;
    let payment = stripe.all("payment_intents").remove(0);
    ensure!(receipt["reference"] == payment["id"] && receipt["status"] == "success", "{receipt}");
    ensure!(receipt["challengeId"] == asked["id"] && receipt["method"] == "stripe", "{receipt}");
    ensure!(first.header("cache-control").is_some_and(|value| value.contains("private")), "{first:?}");
    ensure!(first.header("x-payment-remaining") == Some("4.90"), "{first:?}");
    let intent = first.header("x-payment-intent-id").context("no intent")?.to_owned();

    // Repeating the request returns the same answer and costs nothing.
    let again = pay(&client, &credential).await?.must(200)?;
    ensure!(again.text == first.text && again.header("idempotent-replayed") == Some("true"), "{again:?}");
    for name in ["payment-receipt", "x-payment-intent-id", "x-payment-remaining", "x-worm-seal"] {
        ensure!(again.header(name).is_some() && again.header(name) == first.header(name), "{name}: {again:?}");
    }
    // A different idempotency key makes this a new call. It can be paid with the intent's
    // id, but not with the used credential.
    let used = client.call("echo", &json!({}), &[("authorization", &credential), ("idempotency-key", "k")]).await?;
    refused(&used, "invalid-challenge")?;
    client.call_with("echo", &intent).await?.must(200)?;
    let known = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
    ensure!(known.json["remaining_pence"] == 480, "{}", known.text);
    ensure!(charges(&stripe) == 1, "{:?}", stripe.all("payment_intents"));
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_payment_gets_a_fresh_challenge_and_costs_nothing() -> Result<()> {
    let (stripe, folder, _server, client) = with_tokens().await?;
    let body = json!({ "text": "x" });
    for garbage in ["Payment dGhpcyBpcyBnYXJiYWdl", "Payment", "Payment e30", "payment ???", "Payment bnVsbA"] {
        refused(&pay(&client, garbage).await?, "malformed-credential")?;
    }
    let good = asked(&client, "echo").await?;
    let spt = stripe.grant("pm_card_visa", 500)?;
    // Sends the credential to another bridge, with another body, and with a changed
    // challenge.
    let at_other = client.call("other", &json!({}), &[("authorization", &credential(&good, &spt))]).await?;
    refused(&at_other, "verification-failed")?;
    let other_body = client.call("echo", &body, &[("authorization", &credential(&good, &spt))]).await?;
    refused(&other_body, "verification-failed")?;
    for member in ["id", "request", "realm", "expires", "digest", "opaque"] {
        let mut changed = good.clone();
        // Changes the first letter or digit of the member.
        let place = changed[member].find(|c: char| c.is_ascii_alphanumeric()).context("nothing to change")?;
        let other = if changed[member][place..].starts_with('b') { "c" } else { "b" };
        let mut value = changed[member].clone();
        value.replace_range(place..=place, other);
        changed.insert(member.to_owned(), value);
        let reply = pay(&client, &credential(&changed, &spt)).await?;
        refused(&reply, if member == "digest" { "invalid-challenge" } else { "" })?;
    }
    refused(&pay(&client, &credential(&good, "tok_1")).await?, "malformed-credential")?;
    ensure!(stripe.asked("POST", "/v1/payment_intents") == 0, "Stripe was asked to charge an invalid credential");
    // A request may contain only one payment. If it contains two, the error names both
    // headers.
    for (name, value) in [("x-payment-intent-id", "pi_x"), ("x-payment-source", "credit")] {
        let several = [("authorization", credential(&good, &spt)), (name, value.to_owned())];
        let several: Vec<(&str, &str)> = several.iter().map(|(name, value)| (*name, value.as_str())).collect();
        client.call("echo", &json!({}), &several).await?.must_be(400, "E011")?;
    }
    // One card is declined; the other requires the payer's authentication.
    for card in ["pm_card_chargeDeclined", "pm_card_authenticationRequired"] {
        let bad = on_card(&stripe, &client, card).await?;
        for _ in 0..2 {
            refused(&pay(&client, &bad).await?, "verification-failed")?;
        }
    }
    let unknown = credential(&asked(&client, "echo").await?, "spt_unknown");
    refused(&pay(&client, &unknown).await?, "verification-failed")?;
    ensure!(charges(&stripe) == 0 && stripe.asked("POST", "/v1/payment_intents") == 3, "{:?}", stripe.all("charges"));
    // The token that has not been charged still works, and only once.
    pay(&client, &credential(&good, &spt)).await?.must(200)?;
    let reused = credential(&asked(&client, "echo").await?, &spt);
    refused(&pay(&client, &reused).await?, "verification-failed")?;
    // A client that sends a different token for a paid challenge gets no information
    // about the payment.
    let curious = pay(&client, &credential(&good, &stripe.grant("pm_card_visa", 500)?)).await?;
    refused(&curious, "invalid-challenge")?;
    ensure!(curious.header("x-payment-intent-id").is_none(), "{curious:?}");
    ensure!(charges(&stripe) == 1, "{:?}", stripe.all("charges"));
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unclear_charge_is_no_decline_and_no_second_charge() -> Result<()> {
    let (stripe, folder, _server, client) = with_tokens().await?;
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::ErrorAfter, Fault::TooMany, Fault::Conflict] {
        let before = charges(&stripe);
        let credential = on_card(&stripe, &client, "pm_card_visa").await?;
        stripe.fail("POST", "/v1/payment_intents", &[fault]);
        let unclear = pay(&client, &credential).await?.must_be(503, "E026")?;
        ensure!(unclear.header("retry-after").is_some(), "{unclear:?}");
        let paid = pay(&client, &credential).await?.must(200)?;
        ensure!(paid.header("x-payment-remaining") == Some("4.90"), "{paid:?}");
        ensure!(charges(&stripe) == before + 1, "{:?}", stripe.all("payment_intents"));
    }
    // A client hangs up during the charge: reconciliation finds the charge, and repeating
    // the request with the same credential gets the answer.
    let credential = on_card(&stripe, &client, "pm_card_visa").await?;
    stripe.fail("POST", "/v1/payment_intents", &[Fault::LostAfter]);
    pay(&client, &credential).await?.must_be(503, "E026")?;
    let records = folder.records()?;
    eventually("booked", 30, async || Ok((folder.records()? > records).then_some(()))).await?;
    pay(&client, &credential).await?.must(200)?;
    // The outcome of a slow payment is not known immediately.
    let slow = on_card(&stripe, &client, "pm_slow").await?;
    pay(&client, &slow).await?.must_be(503, "E026")?;
    pay(&client, &slow).await?.must_be(503, "E026")?;
    let processing = stripe.all("payment_intents").into_iter().find(|one| one["status"] == "processing");
    stripe.finish_payment(processing.context("none is slow")?["id"].as_str().context("no id")?);
    pay(&client, &slow).await?.must(200)?;
    ensure!(charges(&stripe) == 7, "{:?}", stripe.all("charges"));
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_credential_at_once_is_one_answer() -> Result<()> {
    let (stripe, folder, _server, client) = with_tokens().await?;
    let credential = on_card(&stripe, &client, "pm_card_visa").await?;
    let calls: Vec<_> = (0..16)
        .map(|number| {
            let request = client.request(Method::POST, "/v1/oracle/echo").json(&json!({}));
            let request = request.header("authorization", &credential);
            // Half of the requests have a distinct idempotency key; the others have none.
            let request =
                if number % 2 == 0 { request } else { request.header("idempotency-key", format!("k{number}")) };
            let client = client.clone();
            tokio::spawn(async move { client.send(request).await })
        })
        .collect();
    let mut answers = Vec::new();
    for call in calls {
        let reply = call.await??;
        match reply.status {
            200 => answers.push(reply.header("x-transaction-id").context("no transaction")?.to_owned()),
            402 | 409 | 503 => {}
            _ => anyhow::bail!("{}: {}", reply.status, reply.text),
        }
    }
    answers.dedup();
    ensure!(answers.len() <= 1, "{answers:?}");
    ensure!(charges(&stripe) == 1, "{:?}", stripe.all("charges"));
    // The processor's fee may be booked at the same time, so count records by kind.
    if answers.len() == 1 {
        let count = |kind| anyhow::Ok(folder.records_of(kind)?.len());
        ensure!((count("payment")?, count("route")?) == (1, 1), "{}", folder.run(&["ledger", "export"])?);
    }
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_and_a_credential_come_together() -> Result<()> {
    let (stripe, folder, server, stranger) = with_tokens().await?;
    let key = folder.key()?.1;
    let client = server.client().with_key(&key);
    let asked = asked(&client, "echo").await?;
    ensure!(asked["header"] == "Payment-Authorization", "{asked:?}");
    let credential = credential(&asked, &stripe.grant("pm_card_visa", 500)?);
    // The credential is bound to the account, so a request without the account's key is
    // refused.
    refused(&pay(&stranger, &credential).await?, "verification-failed")?;
    let in_place_of_key =
        stranger.call("echo", &json!({}), &[("authorization", &credential), ("x-api-key", "tb_no")]).await?;
    in_place_of_key.must(401)?;
    let paid = client.call("echo", &json!({}), &[("payment-authorization", &credential)]).await?.must(200)?;
    let both = [("authorization", credential.as_str()), ("x-api-key", key.as_str())];
    let again = stranger.call("echo", &json!({}), &both).await?.must(200)?;
    ensure!(again.header("x-transaction-id") == paid.header("x-transaction-id"), "{again:?}");
    ensure!(charges(&stripe) == 1, "{:?}", stripe.all("charges"));
    // A credential does not replace a key.
    stranger
        .send(stranger.request(Method::GET, "/v1/balance").header("authorization", &credential))
        .await?
        .must(401)?;
    stripe.must_have_no_violations()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_not_lost_if_the_call_fails_after_the_charge() -> Result<()> {
    let stripe = Stripe::start().await?;
    let folder = Folder::new(&format!("{}[payments.mpp]\nnetwork_id = \"profile_test\"\n", stripe.config()))?;
    folder.publish(&manifest("fails", "1.0.0", "0.10"), &guest::component("trap")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let asked = asked(&client, "fails").await?;
    let credential = credential(&asked, &stripe.grant("pm_card_visa", 500)?);
    // The token was charged and then the plugin failed: the money stays on the intent
    // that the answer names.
    let failed = client.call("fails", &json!({}), &[("authorization", &credential)]).await?;
    ensure!(failed.status >= 500 && failed.header("payment-receipt").is_none(), "{failed:?}");
    let intent = failed.header("x-payment-intent-id").context("no intent")?;
    ensure!(failed.header("x-payment-remaining") == Some("5.00"), "{failed:?}");
    let known = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
    ensure!(known.json["remaining_pence"] == 500, "{}", known.text);
    client.post(&format!("/v1/payments/{intent}/refund"), &json!({})).await?.must(200)?;
    folder.verify().map(drop)
}
