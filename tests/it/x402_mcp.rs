//! Wallet payments over MCP (x402): for an account whose credit is too low, and without
//! an account.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::mcp::modern;
use tollbridge_tests::{Client, Folder, Reply, Server, agents, guest, manifest};
use tollbridge_x402::{PaymentRequirements, TestWallet};

const PAID: &str = "/v1/paid/mcp";

async fn started() -> Result<(Folder, Server, Client)> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&manifest("dear", "1.0.0", "50.00"), &guest::echo("1.0.0")?)?;
    folder.publish(&agents::manifest("mirror", "0.20"), &agents::mirror()?)?;
    let server = folder.serve().await?;
    let client = server.client();
    Ok((folder, server, client))
}

async fn ask(client: &Client, path: &str, method: &str, params: Value) -> Result<Reply> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = client.request(Method::POST, path).header("accept", "application/json, text/event-stream");
    client.send(request.header("mcp-protocol-version", "2025-11-25").json(&body)).await
}

async fn call(client: &Client, path: &str, tool: &str, arguments: &Value, payment: Option<&Value>) -> Result<Value> {
    let mut params = json!({ "name": tool, "arguments": arguments });
    if let Some(payment) = payment {
        params["_meta"] = json!({ "x402/payment": payment });
    }
    Ok(ask(client, path, "tools/call", params).await?.must(200)?.json)
}

/// Returns the offer of a result, after checking that both copies are equal.
fn offer(result: &Value) -> Result<PaymentRequirements> {
    ensure!(result["isError"] == true, "{result}");
    let offered = &result["structuredContent"];
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().context("no text")?)?;
    ensure!(*offered == text && offered["x402Version"] == 2, "{result}");
    ensure!(offered["error"].as_str().is_some_and(|error| error.starts_with("E003")), "{result}");
    Ok(serde_json::from_value(offered["accepts"][0].clone())?)
}

fn sign(offer: &PaymentRequirements, nonce: u8) -> Result<Value> {
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(serde_json::to_value(TestWallet::new(1).pay(offer, [nonce; 32], now_s))?)
}

#[tokio::test]
async fn a_client_without_an_account_buys_tools() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let begun = ask(
        &client,
        PAID,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
    );
    ensure!(begun.await?.must(200)?.json["result"]["serverInfo"]["name"] == "tollbridge", "no server");
    let tools = ask(&client, PAID, "tools/list", json!({})).await?.must(200)?.json;
    ensure!(tools["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 3), "{tools}");
    for (nonce, tool, arguments) in [
        (1, "echo", json!({ "a": 1 })),
        (2, "invoke_agent", json!({ "agent_slug": "mirror", "task": "look", "input": { "b": 2 } })),
    ] {
        let unpaid = call(&client, PAID, tool, &arguments, None).await?;
        ensure!(unpaid["result"]["structuredContent"]["resource"]["url"] == format!("mcp://tool/{tool}"), "{unpaid}");
        let payment = sign(&offer(&unpaid["result"])?, nonce)?;
        let records = folder.records()?;
        let paid = call(&client, PAID, tool, &arguments, Some(&payment)).await?;
        ensure!(paid["result"]["isError"] == false, "{paid}");
        let meta = &paid["result"]["_meta"];
        ensure!(meta["x402/payment-response"]["success"] == true && meta["worm_seal"].is_string(), "{paid}");
        ensure!(folder.records()? == records + 2, "{} records", folder.records()? - records);
        let again = call(&client, PAID, tool, &arguments, Some(&payment)).await?;
        ensure!(again["result"]["_meta"]["worm_seal"] == meta["worm_seal"], "{again}");
        ensure!(folder.records()? == records + 2, "paid twice");
        // The payment is used up, so it does not pay for another call.
        let other = if tool == "echo" { json!({ "a": 2 }) } else { json!({ "agent_slug": "mirror", "task": "x" }) };
        let refused = call(&client, PAID, tool, &other, Some(&payment)).await?;
        ensure!(refused["result"]["isError"] == true, "{refused}");
    }
    let wrong = call(&client, PAID, "echo", &json!({}), Some(&json!({ "x402Version": 1 }))).await?;
    ensure!(wrong["error"]["message"].as_str().is_some_and(|text| text.contains("x402Version")), "{wrong}");
    let looked = call(&client, PAID, "get_task", &json!({ "task_id": "task_x" }), None).await?;
    ensure!(looked["error"]["message"].as_str().is_some_and(|text| text.contains("API key")), "{looked}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn an_account_without_credit_pays_by_wallet() -> Result<()> {
    let (folder, _server, client) = started().await?;
    // OAuth clients still get the 401 challenge that they need.
    modern(&client, "tools/list", None, json!({})).await?.must_be(401, "E001")?;
    let keyed = client.with_key(&folder.key()?.1);
    let unpaid = call(&keyed, "/mcp", "dear", &json!({}), None).await?;
    let offered = offer(&unpaid["result"])?;
    ensure!(unpaid["result"]["content"][1]["text"].as_str().is_some_and(|text| text.contains("/account")), "{unpaid}");
    let payment = sign(&offered, 1)?;
    // The offer is valid for this account only.
    let stranger = call(&client, PAID, "dear", &json!({}), Some(&payment)).await?;
    offer(&stranger["result"])?;
    let paid = call(&keyed, "/mcp", "dear", &json!({}), Some(&payment)).await?;
    ensure!(paid["result"]["_meta"]["x402/payment-response"]["success"] == true, "{paid}");
    let balance = keyed.get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£10.00", "{balance}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn tools_need_a_key_if_bridges_do() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("[bridges]\nrequire_key = true").await?;
    ask(&client, PAID, "tools/list", json!({})).await?.must_be(401, "E001").map(drop)
}
