//! Schemas from untrusted authors: slow ones are refused or checked outside the serving
//! threads, and a plugin that violates its own output schema earns nothing, on any route.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, agents, guest, manifest};

use crate::a2a::{credit, message, rpc};
use crate::agents::{Shop, ended};
use crate::marketplace::deployment;

const ANY: &str = r#"{"type":"object"}"#;
/// Maximum response time of `/health/live` while slow checks run.
const ALIVE: Duration = Duration::from_millis(200);

/// Returns a schema with eight alternatives, each the same slow pattern with two hundred
/// repetitions.
fn slow_schema() -> String {
    let slow = json!({ "properties": { "text": { "$ref": "#/$defs/slow" } } });
    let pattern = json!({ "type": "string", "pattern": "a[ab]{200}[^ab]" });
    json!({ "anyOf": vec![slow; 8], "$defs": { "slow": pattern } }).to_string()
}

/// Returns a deployment of an agent without grants, with the additional members `more`.
fn deployed(component: &[u8], more: Value) -> Result<Value> {
    let code = base64::engine::general_purpose::STANDARD.encode(component);
    let mut body = deployment(&json!({ "component_base64": code, "grants": [], "bridges": [] }))?;
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    Ok(body)
}

#[tokio::test]
async fn a_slow_schema_blocks_no_other_call() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let maker = shop.caller("maker").await?;
    let slow = agents::answering(&slow_schema(), ANY, r#"{"done":true}"#)?;
    for limits in [json!({}), json!({ "limits": { "input_bytes": 1_048_576 } })] {
        let body = deployed(&slow, limits)?;
        let refused = maker.post("/api/v1/agents/deploy", &body).await?.must_be(400, "E011")?;
        for word in ["input schema", "steps", "/$defs/slow/pattern", "limits.input_bytes"] {
            ensure!(refused.text.contains(word), "`{word}` is not in {}", refused.text);
        }
    }
    // With a smaller input limit, the schema is accepted.
    let limits = json!({ "limits": { "time_ms": 1000, "memory_mib": 8, "input_bytes": 15_000 } });
    let live = maker.post("/api/v1/agents/deploy", &deployed(&slow, limits)?).await?.must(201)?;
    let path = format!("/v1/agents/{}/invoke", live.json["agent_id"].as_str().context("no agent_id")?);
    let caller = shop.caller("a").await?;
    // Pseudo-random text without a match, in which the pattern's engine never meets the
    // same state twice.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let text: String = std::iter::repeat_with(|| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if random & 1 == 0 { 'a' } else { 'b' }
    })
    .take(14_000)
    .collect();
    let calls: Vec<_> = (0..3)
        .map(|_| {
            let (caller, path, body) = (caller.clone(), path.clone(), json!({ "input": { "text": text } }));
            tokio::spawn(async move { caller.post(&path, &body).await })
        })
        .collect();
    let (mut slowest, mut asked) = (Duration::ZERO, 0);
    while asked < 20 || calls.iter().any(|call| !call.is_finished()) {
        let began = Instant::now();
        ensure!(shop.server.client().get("/health/live").await?.status == 200, "the server has exited");
        slowest = slowest.max(began.elapsed());
        asked += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for call in calls {
        let reply = call.await??;
        let busy = reply.status == 503 && reply.code() == "E024";
        ensure!(reply.status == 400 || busy, "{} {}", reply.status, reply.text);
    }
    println!("/health/live took at most {slowest:?} in {asked} requests");
    ensure!(slowest < ALIVE, "/health/live took {slowest:?}");
    ensure!(credit(&caller).await? == 1_000, "a refused input was charged");
    shop.server.stop().await
}

/// An output schema that requires `valid` to be a boolean, and allows other members.
const PROMISE: &str = r#"{"type":"object","properties":{"valid":{"type":"boolean"}}}"#;
const LIE: &str = r#"{"valid":"yes","extra":1}"#;

async fn tool(client: &Client, name: &str, arguments: Value) -> Result<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": name, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {} } } });
    let request = client
        .request(Method::POST, "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", name);
    Ok(client.send(request.json(&body)).await?.must(200)?.json["result"].clone())
}

#[tokio::test]
async fn a_plugin_that_lies_about_its_output_earns_nothing() -> Result<()> {
    let folder = Folder::new("[agents.skills]\n\"coding\" = \"liar\"\n\"general\" = \"honest\"\n")?;
    folder.publish(&manifest("lies", "1.0.0", "0.10"), &guest::component("output_lies")?)?;
    folder.publish(&agents::manifest("liar", "0.10"), &agents::answering(ANY, PROMISE, LIE)?)?;
    let honest = agents::answering(ANY, PROMISE, r#"{"valid":true,"extra":1}"#)?;
    folder.publish(&agents::manifest("honest", "0.10"), &honest)?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "caller@example.com", "5.00").await?;
    let before = credit(&client).await?;

    client.call_on_credit("lies").await?.must_be(502, "E017")?;
    let intent = client.paid_intent("lies").await?;
    let payment = format!("/v1/payments/{intent}");
    let paid = client.get(&payment).await?.json;
    client.call_with("lies", &intent).await?.must_be(502, "E017")?;
    ensure!(client.get(&payment).await?.json == paid, "a failed call must not draw on the intent");

    let task = json!({ "task": "x" });
    client.post("/v1/agents/liar/invoke", &task).await?.must_be(502, "E017")?;
    let queued = client.post("/v1/agents/enqueue", &json!({ "agent": "liar", "task": "x" })).await?.must(202)?;
    let id = queued.json["task_id"].as_str().context("no task_id")?.to_owned();
    let task = ended(&client, &id).await?;
    ensure!(task["status"] == "failed" && task["error"]["code"] == "E017", "{task}");
    ensure!(task["output"].is_null(), "{task}");

    for (name, arguments) in [("lies", json!({})), ("invoke_agent", json!({ "agent_slug": "liar", "task": "x" }))] {
        let answer = tool(&client, name, arguments).await?;
        ensure!(answer["isError"] == true && !answer.to_string().contains("yes"), "{name}: {answer}");
    }
    let skilled = |id: &str, skill: &str| message(id, "x", json!({ "metadata": { "capability": skill } }));
    let answer = rpc(&client, "message/send", skilled("m1", "coding")).await?;
    ensure!(answer["result"]["status"]["state"] != "completed" && !answer.to_string().contains("yes"), "{answer}");
    ensure!(credit(&client).await? == before, "a lie was charged");

    // The owner's log names the member that is wrong.
    for name in ["lies", "agents/liar"] {
        let logs = folder.run_json(&["plugin", "logs", name])?["lines"].to_string();
        ensure!(logs.contains("the output does not fit the output schema: `valid` must be"), "the owner reads: {logs}");
    }
    // Members that the schema does not forbid are allowed.
    let answer = rpc(&client, "message/send", skilled("m2", "general")).await?;
    ensure!(answer["result"]["status"]["state"] == "completed", "{answer}");
    ensure!(before - credit(&client).await? == 10, "an honest answer is paid");
    folder.verify()?;
    server.stop().await
}
