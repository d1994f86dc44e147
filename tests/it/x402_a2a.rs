//! Wallet payments over A2A (x402): a task waits for a message with its payment.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, agents};
use tollbridge_x402::{PaymentRequirements, TestWallet};

use crate::a2a::{EXECUTE, credit, message, refused};

const EXTENSION: &str = "https://github.com/google-a2a/a2a-x402/v0.1";

/// Starts a server with an agent that costs more than the sandbox credit.
async fn started() -> Result<(Folder, Server, Client)> {
    let folder = Folder::new("[agents.skills]\nsummarization = \"costly\"")?;
    folder.publish(&agents::manifest("costly", "50.00"), &agents::mirror()?)?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    Ok((folder, server, client))
}

/// Sends a message as a client with x402 support; returns the task.
async fn send(client: &Client, params: Value) -> Result<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "message/send", "params": params });
    let request = client.request(Method::POST, EXECUTE).header("x-a2a-extensions", EXTENSION).json(&body);
    let reply = client.send(request).await?.must(200)?;
    reply.json.get("result").cloned().with_context(|| reply.text.clone())
}

fn asking(id: &str) -> Value {
    message(id, "twelve bytes", json!({ "metadata": { "capability": "summarization" } }))
}

fn about(id: &str, task: &Value, metadata: Value) -> Value {
    message(id, "Here is the payment authorization.", json!({ "taskId": task["id"], "metadata": metadata }))
}

/// Returns the payment requirement of a task that waits for payment.
fn asked(task: &Value) -> Result<PaymentRequirements> {
    ensure!(task["status"]["state"] == "input-required", "{task}");
    let metadata = &task["status"]["message"]["metadata"];
    ensure!(metadata["x402.payment.status"] == "payment-required", "{task}");
    Ok(serde_json::from_value(metadata["x402.payment.required"]["accepts"][0].clone())?)
}

fn paying(offer: &PaymentRequirements, nonce: u8) -> Result<Value> {
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let payment = TestWallet::new(1).pay(offer, [nonce; 32], now_s);
    Ok(json!({ "x402.payment.status": "payment-submitted", "x402.payment.payload": payment }))
}

#[tokio::test]
async fn a_task_waits_for_its_payment() -> Result<()> {
    let (folder, server, client) = started().await?;
    let card = client.get("/.well-known/agent-card.json").await?.must(200)?.json;
    ensure!(card["capabilities"]["extensions"][0]["uri"] == EXTENSION, "{card}");
    // A client without x402 support still gets the error.
    let (_, data) = refused(&client, "message/send", asking("m0")).await?;
    ensure!(data["code"] == "E003", "{data}");
    let before = credit(&client).await?;
    let task = send(&client, asking("m1")).await?;
    let offer = asked(&task)?;
    let records = folder.records()?;
    let payment = about("m2", &task, paying(&offer, 1)?);
    let paid = send(&client, payment.clone()).await?;
    ensure!(paid["id"] == task["id"] && paid["status"]["state"] == "completed", "{paid}");
    // The agent got only the original message.
    ensure!(paid["artifacts"][0]["parts"][0]["data"] == json!({ "bytes": "00012" }), "{paid}");
    let said = &paid["status"]["message"]["metadata"];
    ensure!(said["x402.payment.status"] == "payment-completed", "{paid}");
    ensure!(said["x402.payment.receipts"][0]["success"] == true, "{paid}");
    ensure!(folder.records()? == records + 2 && credit(&client).await? == before, "the payment was not by wallet");
    ensure!(send(&client, payment).await? == paid, "a repeated message created another task");
    ensure!(folder.records()? == records + 2, "paid twice");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn a_payment_that_does_not_pay_fails_its_task() -> Result<()> {
    let (folder, server, client) = started().await?;
    let records = folder.records()?;
    let task = send(&client, asking("m1")).await?;
    let mut wrong = paying(&asked(&task)?, 1)?;
    wrong["x402.payment.payload"]["payload"]["authorization"]["value"] = json!("1");
    let failed = send(&client, about("m2", &task, wrong)).await?;
    let said = &failed["status"]["message"]["metadata"];
    ensure!(failed["status"]["state"] == "failed" && said["x402.payment.status"] == "payment-failed", "{failed}");
    ensure!(said["x402.payment.receipts"][0]["success"] == false, "{failed}");

    let task = send(&client, asking("m3")).await?;
    let declined = send(&client, about("m4", &task, json!({ "x402.payment.status": "payment-rejected" }))).await?;
    let said = &declined["status"]["message"]["metadata"];
    ensure!(declined["status"]["state"] == "failed" && said["x402.payment.status"] == "payment-rejected", "{declined}");

    let task = send(&client, asking("m5")).await?;
    let (code, data) =
        refused(&client, "message/send", about("m6", &task, json!({ "x402.payment.payload": { "x402Version": 1 } })))
            .await?;
    let field = "/params/message/metadata/x402.payment.payload";
    ensure!(code == -32602 && data["details"]["field"] == field, "{data}");
    ensure!(folder.records()? == records, "a refused payment was settled");
    folder.verify()?;
    server.stop().await
}
