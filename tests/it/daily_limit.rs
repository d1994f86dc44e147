//! The daily limit on the credit that a key may spend, for every way to spend credit.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, guest, manifest, worker, worker_manifest};

use crate::agents::{Shop, ended, enqueue, money};

#[tokio::test]
async fn a_key_stays_within_its_day_and_a_call_within_its_limit() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let owner = client.with_key(&folder.key()?.1);
    owner.post("/v1/keys", &json!({ "max_spend_gbp": "0.305" })).await?.must_be(400, "E011")?;
    let made = owner.post("/v1/keys", &json!({ "max_spend_gbp": "0.35" })).await?.must(201)?;
    let limited = client.with_key(made.json["api_key"].as_str().context("no key")?);
    let mut calls = Vec::new();
    for _ in 0..16 {
        let limited = limited.clone();
        calls.push(tokio::spawn(async move { limited.call_on_credit("echo").await }));
    }
    let mut served = 0;
    for call in calls {
        let reply = call.await??;
        match (reply.status, reply.json["payment"]["reason"].as_str()) {
            (200, _) => served += 1,
            (402, Some("daily_limit")) => {}
            _ => anyhow::bail!("{}: {}", reply.status, reply.text),
        }
    }
    ensure!(served == 3, "{served} calls of 10 p within 35 p");
    server.stop().await?;
    let server = folder.serve().await?;
    let client = server.client();
    let limited = client.with_key(limited.key().context("no key")?);
    limited.call_on_credit("echo").await?.must_quote(Some("daily_limit"))?;
    let owner = client.with_key(owner.key().context("no key")?);
    let capped = |most| [("x-payment-source", "credit"), ("x-max-cost-gbp", most)];
    owner.call("echo", &json!({}), &capped("0.09")).await?.must_quote(Some("above_max_cost"))?;
    owner.call("echo", &json!({}), &capped("ten")).await?.must_be(400, "E011")?;
    owner.call("echo", &json!({}), &capped("0.10")).await?.must(200)?;
    ensure!(owner.get("/v1/balance").await?.json["credit_pence"] == 960, "charged a different amount");
    folder.verify().map(drop)
}

#[tokio::test]
async fn queued_tasks_count_towards_the_daily_limit_of_their_key() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("echo", "1.0.0", "0.05"), &guest::echo("1.0.0")?)?;
    folder.publish(&worker_manifest("tester", "worker", "0.20", "echo", 1_000), &worker("echo")?)?;
    let server = folder.serve().await?;
    let caller = server.client().signed_up("a@example.com").await?;
    let made = caller.post("/v1/keys", &json!({ "max_spend_gbp": "0.45" })).await?.must(201)?;
    let limited = caller.with_key(made.json["api_key"].as_str().context("no key")?);
    let refused = async |client: &Client| {
        let queued = client.post("/v1/agents/enqueue", &json!({ "agent": "worker", "task": "hello" })).await?;
        queued.must_quote(Some("daily_limit"))
    };
    // A task costs 20 p; queued and answered tasks count towards the limit.
    let (done, long) = (enqueue(&limited, "hello").await?, enqueue(&limited, "spin").await?);
    ensure!(ended(&limited, &done).await?["status"] == "completed");
    refused(&limited).await?;
    let now = limited.post("/v1/agents/worker/invoke", &json!({ "task": "hello" })).await?;
    now.must_quote(Some("daily_limit"))?;
    // When a task fails or is canceled, its price no longer counts.
    limited.post(&format!("/v1/tasks/{long}/cancel"), &json!({})).await?.must(200)?;
    let failing = enqueue(&limited, "fail").await?;
    refused(&limited).await?;
    ensure!(ended(&limited, &failing).await?["status"] == "failed");
    let last = enqueue(&limited, "hello").await?;
    ensure!(ended(&limited, &last).await?["status"] == "completed");
    refused(&limited).await?;
    // The spent amount survives a restart, and other keys have separate limits.
    server.stop().await?;
    let server = folder.serve().await?;
    refused(&server.client().with_key(limited.key().context("no key")?)).await?;
    let caller = server.client().with_key(caller.key().context("no key")?);
    ensure!(ended(&caller, &enqueue(&caller, "hello").await?).await?["status"] == "completed");
    folder.verify().map(drop)
}

/// A price above the caller's maximum gives the same error wherever in the request the
/// maximum is stated; of two maxima, the lower applies.
#[tokio::test]
async fn a_maximum_in_the_header_and_one_in_the_body_refuse_alike() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let ask = async |body: &Value, header: Option<&str>| {
        let request = caller.request(reqwest::Method::POST, "/v1/agents/worker/invoke").json(body);
        caller.send(header.into_iter().fold(request, |request, most| request.header("x-max-cost-gbp", most))).await
    };
    let members = |reply: &Value| reply.as_object().map(|members| members.keys().cloned().collect::<Vec<_>>());
    let plain = json!({ "task": "x" });
    let capped = |most: &str| json!({ "task": "x", "max_cost_gbp": most });
    let by_header = ask(&plain, Some("0.19")).await?.must_quote(Some("above_max_cost"))?.json;
    for (body, header) in [(capped("0.19"), None), (capped("0.19"), Some("1.00")), (capped("1.00"), Some("0.19"))] {
        let refused = ask(&body, header).await?.must_quote(Some("above_max_cost"))?.json;
        ensure!(refused["error"] == by_header["error"] && members(&refused) == members(&by_header), "{refused}");
        ensure!(members(&refused["payment"]) == members(&by_header["payment"]), "{refused}");
    }
    ensure!(money(&caller).await? == (0, 1_000), "a refused task was charged");
    ask(&capped("0.20"), Some("0.20")).await?.must(200)?;
    Ok(())
}
