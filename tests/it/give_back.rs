//! Refunds of unused payments: without a key, by the payment link or the intent's id, the
//! payer gets the unspent remainder back, but only once and never during a call.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::stripe::Fault;
use tollbridge_tests::{Client, Folder, Person, Reply, answering, eventually, intent_of, manifest};

use crate::stripe::{open, with_stripe};

/// Returns a paid intent of a bridge and the token of its payment link.
async fn paid(client: &Client, bridge: &str) -> Result<(String, String)> {
    let quote = client.call(bridge, &json!({}), &[]).await?.must_quote(None)?;
    let link = quote.json["payment"]["payment_link"].as_str().context("no link")?;
    let token = link.rsplit('/').next().context("no token")?.to_owned();
    client.post(&format!("/pay/{token}"), &json!({})).await?.must(200)?;
    Ok((intent_of(&quote)?, token))
}

async fn refund(client: &Client, intent: &str) -> Result<Reply> {
    client.post(&format!("/v1/payments/{intent}/refund"), &json!({})).await
}

/// Returns the number of refund records with the given stage in the ledger.
fn refunds(folder: &Folder, stage: &str) -> Result<usize> {
    let export = folder.run(&["ledger", "export"])?;
    Ok(export.lines().filter(|line| line.contains(&format!("\\\"stage\\\":\\\"{stage}\\\""))).count())
}

#[tokio::test]
async fn the_remainder_of_a_failed_call_is_refunded_by_the_link() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("broken", "1.0.0", "0.10"), &answering::failing()?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let (intent, token) = paid(&client, "broken").await?;
    let failed = client.call_with("broken", &intent).await?.must_be(502, "E017")?;
    ensure!(failed.json["hint"].as_str().is_some_and(|hint| hint.contains("/refund")), "{}", failed.text);

    let path = format!("/pay/{token}/refund");
    let first = client.post(&path, &json!({})).await?.must(200)?;
    ensure!(first.json["status"] == "refunded" && first.json["amount_pence"] == 10, "{}", first.text);
    for again in [client.post(&path, &json!({})).await?, refund(&client, &intent).await?] {
        ensure!(again.must(200)?.json == first.json, "a repeated refund request must get the same answer");
    }
    let state = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?.json;
    ensure!(state["state"] == "refunded" && state["remaining_pence"] == 0, "{state}");
    ensure!(state["refund"] == first.json, "{state}");
    client.call_with("broken", &intent).await?.must_be(409, "E010")?;
    ensure!((refunds(&folder, "owed")?, refunds(&folder, "paid")?) == (1, 1), "not exactly one refund");
    server.stop().await?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_person_gives_it_back_on_the_page() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[payments]\nminimum_charge = \"0.30\"").await?;
    let (intent, token) = paid(&client, "echo").await?;
    client.call_with("echo", &intent).await?.must(200)?;
    let mut person = Person::new(&client);
    let page = person.visit(&format!("/pay/{token}")).await?.must(200)?;
    ensure!(page.text.contains("Refund £0.20"), "{}", page.text);
    let back = person.send(&format!("/pay/{token}/refund"), &[]).await?.must(303)?;
    ensure!(back.header("location") == Some(&format!("/pay/{token}")), "{back:?}");
    let page = person.visit(&format!("/pay/{token}")).await?.must(200)?;
    ensure!(page.text.contains("£0.20 was refunded") && !page.text.contains("<form"), "{}", page.text);
    folder.verify().map(drop)
}

#[tokio::test]
async fn only_an_unspent_payment_is_refunded() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let (intent, token) = paid(&client, "echo").await?;
    // The link's token differs from the intent's id and cannot be used in its place, so
    // links may be public.
    refund(&client, &token).await?.must_be(404, "E012")?;
    client.call_with("echo", &intent).await?.must(200)?;
    refund(&client, &intent).await?.must_be(409, "E010")?;
    let unpaid = intent_of(&client.call("echo", &json!({}), &[]).await?)?;
    refund(&client, &unpaid).await?.must_be(404, "E012")?;
    refund(&client, "pi_forged").await?.must_be(404, "E012")?;
    // A payment that bought credit cannot be refunded here, because the credit belongs to
    // the account.
    let buyer = client.with_key(&folder.key()?.1);
    let order = json!({ "product": "credit", "quantity": 5 });
    let bought = buyer.post("/api/v1/checkout/session", &order).await?;
    let link = bought.json["url"].as_str().with_context(|| bought.text.clone())?;
    let token = link.rsplit('/').next().context("no token")?;
    client.post(&format!("/pay/{token}"), &json!({})).await?.must(200)?;
    client.post(&format!("/pay/{token}/refund"), &json!({})).await?.must_be(409, "E010")?;
    ensure!(refunds(&folder, "owed")? == 0, "a refund was made");
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_keeps_what_it_holds() -> Result<()> {
    let folder = Folder::new("")?;
    let endless = manifest("slow", "1.0.0", "0.10").replace("time_ms = 1000", "time_ms = 3000");
    folder.publish(&endless, &answering::slow(u64::MAX)?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let (intent, _) = paid(&client, "slow").await?;
    let (caller, used) = (client.clone(), intent.clone());
    let call = tokio::spawn(async move { caller.call_with("slow", &used).await });
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    let busy = refund(&client, &intent).await?.must_be(409, "E028")?;
    ensure!(busy.header("retry-after").is_some(), "{busy:?}");
    call.await??.must_be(504, "E018")?;
    let given = refund(&client, &intent).await?.must(200)?;
    ensure!(given.json["status"] == "refunded" && given.json["amount_pence"] == 10, "{}", given.text);
    client.call_with("slow", &intent).await?.must_be(409, "E010")?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_get_one_refund() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let (intent, _) = paid(&client, "echo").await?;
    let asking: Vec<_> = (0..16)
        .map(|place| {
            let (client, intent) = (client.clone(), intent.clone());
            tokio::spawn(async move {
                match place % 4 {
                    0 => client.call_with("echo", &intent).await,
                    _ => refund(&client, &intent).await,
                }
            })
        })
        .collect();
    let mut ids = std::collections::BTreeSet::new();
    let mut served = 0;
    for one in asking {
        let reply = one.await??;
        match reply.status {
            200 if reply.json["refund_id"].is_string() => ids.extend([reply.json["refund_id"].to_string()]),
            200 => served += 1,
            409 => ensure!(["E010", "E028"].contains(&reply.code()), "{}", reply.text),
            _ => anyhow::bail!("{}: {}", reply.status, reply.text),
        }
    }
    ensure!(served + ids.len() == 1, "{served} answers and {} refunds of one payment", ids.len());
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_gets_it_back_once_whatever_is_lost() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let quote = client.call("echo", &json!({}), &[]).await?.must(402)?;
    let (intent, link) = (intent_of(&quote)?, quote.json["payment"]["payment_link"].as_str().context("no link")?);
    let session = open(&stripe, &client, link.rsplit('/').next().context("no token")?).await?;
    stripe.pay(&session)?;
    // The server gets no event about the payment, and the answer to its refund request is
    // lost.
    stripe.fail("POST", "/v1/refunds", &[Fault::LostAfter]);
    let nobody = server.client();
    let (given, _) = eventually("paid", 20, async || {
        let reply = refund(&nobody, &intent).await?;
        ensure!(matches!((reply.status, reply.code()), (200, _) | (503, "E026")), "{}: {}", reply.status, reply.text);
        Ok((reply.status == 200).then_some(reply))
    })
    .await?;
    ensure!(given.json["amount_pence"] == 500, "{}", given.text);
    client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    let done = eventually("refunded", 30, async || {
        let reply = refund(&nobody, &intent).await?.must(200)?;
        ensure!(reply.json["refund_id"] == given.json["refund_id"], "a second refund: {}", reply.text);
        Ok((reply.json["status"] == "refunded").then_some(reply.json))
    });
    let done: Value = done.await?.0;
    ensure!(
        refund(&nobody, &intent).await?.must(200)?.json == done,
        "a repeated refund request must get the same answer"
    );
    let made = stripe.all("refunds");
    ensure!(made.len() == 1 && made[0]["amount"] == 500, "{made:?}");
    ensure!((refunds(&folder, "owed")?, refunds(&folder, "paid")?) == (1, 1), "not exactly one refund");
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}
