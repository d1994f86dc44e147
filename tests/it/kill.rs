//! Simulates power cuts with `kill -9` in the middle of payments, and checks the state
//! afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, answering, manifest};

const CLIENTS: usize = 8;

/// Facts that a client knows for certain when the server dies.
#[derive(Default)]
struct Known {
    /// Intents whose payment was acknowledged.
    paid: Vec<String>,
    /// Seal and answer of acknowledged calls, by intent.
    served: BTreeMap<String, (String, String)>,
}

/// Pays and calls until the server is killed.
async fn buy(client: Client, gone: Arc<AtomicBool>, calls: Arc<AtomicUsize>) -> Result<Known> {
    let mut known = Known::default();
    loop {
        let outcome = buy_once(&client, &mut known).await;
        match outcome {
            Ok(()) => calls.fetch_add(1, Ordering::Relaxed),
            Err(_) if gone.load(Ordering::SeqCst) => return Ok(known),
            // A connection may break shortly before the flag is set.
            Err(error) => {
                tokio::time::sleep(Duration::from_millis(500)).await;
                ensure!(gone.load(Ordering::SeqCst), "a call failed while the server was up: {error:#}");
                return Ok(known);
            }
        };
    }
}

async fn buy_once(client: &Client, known: &mut Known) -> Result<()> {
    let intent = client.paid_intent("echo").await?;
    known.paid.push(intent.clone());
    let answer = client.call_with("echo", &intent).await?.must(200)?;
    let seal = answer.header("x-worm-seal").context("no seal")?.to_owned();
    known.served.insert(intent, (seal, answer.text));
    Ok(())
}

fn rounds() -> usize {
    if std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1") { 20 } else { 5 }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_loses_no_money() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let (mut acknowledged, mut sold) = (0, 0);
    for round in 0..rounds() {
        let server = folder.serve().await?;
        let (gone, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| tokio::spawn(buy(server.client(), gone.clone(), calls.clone()))).collect();
        // Kills the server after some calls, at a different moment in each round.
        while calls.load(Ordering::Relaxed) < 20 && !clients.iter().any(tokio::task::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(37 * round as u64 % 101)).await;
        server.kill().await?;
        gone.store(true, Ordering::SeqCst);
        let mut known = Vec::new();
        for client in clients {
            known.push(client.await??);
        }
        let server = folder.serve().await?;
        for one in &known {
            acknowledged += one.served.len();
            sold += check_after(&folder, &server.client(), one).await?;
        }
        folder.verify()?;
        server.kill().await?;
    }
    let server = folder.serve().await?;
    let balance = server.client().with_key(&folder.developer).get("/v1/balance").await?.must(200)?;
    ensure!(balance.json["balance_pence"] == 8 * sold, "{sold} calls of 10 p were sold: {}", balance.text);
    ensure!(acknowledged >= 20 * rounds(), "only {acknowledged} calls: the test covered too little");
    Ok(())
}

/// Checks that every acknowledged payment buys exactly one answer; returns the number of
/// calls that were paid with these payments.
async fn check_after(folder: &Folder, client: &Client, known: &Known) -> Result<usize> {
    for intent in &known.paid {
        let path = format!("/v1/payments/{intent}/answer");
        if let Some((seal, text)) = known.served.get(intent) {
            let kept = client.get(&path).await?.must(200)?;
            ensure!(kept.header("x-worm-seal") == Some(seal) && kept.text == *text, "another answer: {kept:?}");
            client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
        } else {
            // Either the call was sealed and its answer lost, or it was not sealed: in
            // both cases a repeat gets the answer.
            let again = client.call_with("echo", intent).await?;
            if again.status != 200 {
                again.must_be(409, "E010")?;
                client.get(&path).await?.must(200)?;
            }
        }
        client.call_with("echo", intent).await?.must_be(409, "E010")?;
    }
    if let Some((seal, _)) = known.served.values().next() {
        let shown = folder.run_json(&["ledger", "show", seal])?;
        ensure!(shown["seal"] == *seal, "{shown}");
    }
    Ok(known.paid.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn credit_survives_a_power_cut_to_the_penny() -> Result<()> {
    let folder = Folder::new("[payments]\nsandbox_credit = \"1000.00\"")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let payer = server.client().with_key(&folder.key()?.1);
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let payer = payer.clone();
        clients.push(tokio::spawn(async move {
            let mut served = Vec::new();
            for call in 0.. {
                let key = format!("c{client}-{call}");
                let headers = [("x-payment-source", "credit"), ("idempotency-key", key.as_str())];
                match payer.call("echo", &json!({}), &headers).await {
                    Ok(reply) if reply.status == 200 => served.push((key, reply.text)),
                    Ok(reply) => anyhow::bail!("{}: {}", reply.status, reply.text),
                    Err(_) => return Ok((served, key)),
                }
            }
            anyhow::bail!("the client ran out of call numbers")
        }));
    }
    tokio::time::sleep(Duration::from_millis(400)).await;
    server.kill().await?;
    let server = folder.serve().await?;
    let payer = Client::new(&server.url).with_key(&payer_key(&payer)?);
    let mut sold = 0;
    for client in clients {
        let (served, unknown) = client.await??;
        // Each client also repeats, under its idempotency key, the call whose answer was
        // lost. The call is charged once, whether or not it was sealed before the kill.
        sold += served.len() + 1;
        for (key, text) in served.into_iter().chain([(unknown, String::new())]) {
            let headers = [("x-payment-source", "credit"), ("idempotency-key", key.as_str())];
            let again = payer.call("echo", &json!({}), &headers).await?.must(200)?;
            let replayed = again.header("idempotent-replayed") == Some("true");
            ensure!(text.is_empty() || (replayed && again.text == text), "{key} was sold twice: {again:?}");
        }
    }
    let balance = payer.get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_pence"] == json!(100_000 - 10 * sold), "{sold} calls were sold: {balance}");
    folder.verify().map(drop)
}

fn payer_key(client: &Client) -> Result<String> {
    client.key().map(str::to_owned).context("no key")
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_finishes_what_is_in_flight() -> Result<()> {
    let folder = Folder::new("")?;
    let patient = manifest("slow", "1.0.0", "0.10").replace("time_ms = 1000", "time_ms = 10000");
    folder.publish(&patient, &answering::slow(1_000_000_000)?)?;
    let server = folder.serve().await?;
    let mut calls = Vec::new();
    for _ in 0..3 {
        let client = server.client();
        let intent = client.paid_intent("slow").await?;
        calls.push(tokio::spawn(async move { client.call_with("slow", &intent).await }));
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let in_flight = calls.iter().filter(|call| !call.is_finished()).count();
    ensure!(in_flight > 0, "no call was in flight at the kill");
    server.stop().await?;
    for call in calls {
        let answer = call.await??.must(200)?;
        ensure!(answer.json == json!({ "slow": true }), "{}", answer.text);
    }
    let report: Value = folder.verify()?;
    ensure!(report["records"].as_u64().is_some_and(|records| records >= 7), "{report}");
    Ok(())
}

#[tokio::test]
async fn a_ready_server_can_be_stopped() -> Result<()> {
    let folder = Folder::new("")?;
    for _ in 0..10 {
        folder.serve().await?.stop().await?;
    }
    folder.verify().map(drop)
}
