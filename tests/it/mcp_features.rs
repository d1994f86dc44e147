//! MCP beyond tools: resources, tasks, and requests for payment.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::mcp::{able, modern, run_client, run_script};
use tollbridge_tests::{Folder, agents, guest, manifest, worker, worker_manifest, workspace};

/// Tests with the official client: resources, prompts, completions, hints, and a user who
/// pays through a link.
#[tokio::test]
async fn the_official_client_reads_completes_and_is_asked_to_pay() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    for (name, price) in [("costly", "50.00"), ("free", "0.00")] {
        folder.publish(&manifest(name, "1.0.0", price), &guest::echo("1.0.0")?)?;
    }
    folder.publish(&worker_manifest("tester", "worker", "0.20", "echo", 5_500), &worker("echo")?)?;
    let server = folder.serve().await?;
    let (_, key) = folder.key()?;
    run_client("features.py", &[&server.url, &key]).await?;
    // Reading resources is free, and so are refused calls.
    let balance = server.client().with_key(&key).get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£10.00", "{balance}");
    folder.verify().map(drop)
}

/// A client that supports tasks gets a task handle immediately, and fetches the answer
/// with it.
#[tokio::test]
async fn long_calls_become_tasks_for_clients_that_know_them() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    for (name, time_ms) in [("worker", 9_000), ("brief", 1_500)] {
        folder.publish(&worker_manifest("tester", name, "0.20", "echo", time_ms), &worker("echo")?)?;
    }
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    let knows = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let give = async |agent: &str, what: &str| -> Result<Value> {
        let arguments = json!({ "agent_slug": agent, "task": what });
        let params = json!({ "name": "invoke_agent", "arguments": arguments });
        Ok(able(&client, &knows, "tools/call", Some("invoke_agent"), params).await?.must(200)?.json["result"].clone())
    };
    let about = async |method: &str, id: &str| -> Result<Value> {
        let params = json!({ "taskId": id, "inputResponses": {} });
        Ok(able(&client, &knows, method, Some(id), params).await?.json)
    };
    let quick = give("worker", "at once").await?;
    ensure!(quick["resultType"] == "complete" && quick["structuredContent"]["status"] == "completed", "{quick}");
    let long = give("brief", "spin").await?;
    let id = long["taskId"].as_str().with_context(|| format!("no handle: {long}"))?.to_owned();
    ensure!(long["resultType"] == "task" && long["status"] == "working" && long["ttlMs"].is_u64(), "{long}");
    let looked = about("tasks/get", &id).await?;
    ensure!(looked["result"]["status"] == "working" && looked["result"]["resultType"] == "complete", "{looked}");
    ensure!(about("tasks/update", &id).await?["result"]["resultType"] == "complete", "no input is needed");
    // A client without task support, and another account, cannot see the task.
    let unknowing = modern(&client, "tasks/get", Some(&id), json!({ "taskId": id })).await?.json;
    ensure!(unknowing["error"]["code"] == -32021, "{unknowing}");
    let other = server.client().with_key(&folder.key()?.1);
    let strange = able(&other, &knows, "tasks/get", Some(&id), json!({ "taskId": id })).await?.json;
    ensure!(strange["error"]["code"] == -32602, "{strange}");
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let none = about(method, "task_none").await?;
        ensure!(none["error"]["code"] == -32602, "{method}: {none}");
    }
    let ended = give("worker", "lasting").await?;
    let answered = async |id: &str| -> Result<Value> {
        loop {
            let looked = about("tasks/get", id).await?["result"].clone();
            if looked["status"] != "working" {
                return Ok(looked);
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    if let Some(id) = ended["taskId"].as_str() {
        let done = answered(id).await?;
        ensure!(done["status"] == "completed" && done["result"]["isError"] == false, "{done}");
        ensure!(done["result"]["structuredContent"]["output"] == json!({ "done": true }), "{done}");
        ensure!(done["result"]["_meta"]["worm_seal"].is_string(), "{done}");
    }
    // The time limit stops a task that never ends; the task is then completed with an
    // error.
    let stopped = answered(&id).await?;
    ensure!(stopped["status"] == "completed" && stopped["result"]["isError"] == true, "{stopped}");
    let text = stopped["result"]["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(text.starts_with("E018") && text.ends_with("Nothing was charged."), "{text}");
    ensure!(
        about("tasks/cancel", &id).await?["result"]["resultType"] == "complete",
        "canceling an ended task must not fail"
    );
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_payment_that_was_not_made_is_looked_for_again() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("costly", "1.0.0", "50.00"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let made = server.client().post("/v1/signup", &json!({ "email": "poor@example.com" })).await?.must(201)?.json;
    let client = server.client().with_key(made["api_key"].as_str().context("no key")?);
    let links = json!({ "elicitation": { "url": {} } });
    let params = json!({ "name": "costly", "arguments": { "resource_id": "x" } });
    let asked = able(&client, &links, "tools/call", Some("costly"), params.clone()).await?.must(200)?.json;
    let asked = &asked["result"];
    ensure!(asked["resultType"] == "input_required", "{asked}");
    let question = &asked["inputRequests"]["payment"]["params"];
    ensure!(question["mode"] == "url", "{question}");
    let mut again = params.clone();
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "payment": { "action": "accept" } });
    let open = able(&client, &links, "tools/call", Some("costly"), again.clone()).await?.must(200)?.json;
    ensure!(open["result"]["resultType"] == "input_required", "{open}");
    ensure!(open["result"]["requestState"] == asked["requestState"], "{open}");
    ensure!(open["result"].get("inputRequests").is_none(), "the payment was requested twice: {open}");
    let url = question["url"].as_str().context("no link")?.strip_prefix(&server.url).context("elsewhere")?.to_owned();
    client.post(&url, &json!({})).await?.must(200)?;
    again["inputResponses"] = json!({});
    let done = able(&client, &links, "tools/call", Some("costly"), again.clone()).await?.must(200)?.json;
    ensure!(done["result"]["isError"] == false && done["result"]["_meta"]["worm_seal"].is_string(), "{done}");
    for state in ["", "pi_x", "x"] {
        again["requestState"] = json!(state);
        let forged = able(&client, &links, "tools/call", Some("costly"), again.clone()).await?.json;
        ensure!(forged["error"]["code"] == -32602, "{state}: {forged}");
    }
    // No other account can use the payment.
    let other = server.client().with_key(&folder.key()?.1);
    again["requestState"] = asked["requestState"].clone();
    let stolen = able(&other, &links, "tools/call", Some("costly"), again).await?.must(200)?.json;
    ensure!(stolen["result"]["isError"] == true, "{stolen}");
    folder.verify().map(drop)
}

/// A client with form support gets an agent's question as a form; other clients get it as
/// text.
#[tokio::test]
async fn an_agent_asks_the_person_behind_its_client() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&agents::manifest("asks", "0.10"), &agents::asking()?)?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "asked@example.com", "1.00").await?;
    let call = async |knows: &Value, more: Value| -> Result<Value> {
        let mut params = json!({ "name": "invoke_agent", "arguments": { "agent_slug": "asks", "task": "check it" } });
        params.as_object_mut().context("no object")?.extend(more.as_object().cloned().unwrap_or_default());
        let reply = able(&client, knows, "tools/call", Some("invoke_agent"), params).await?.must(200)?;
        Ok(reply.json["result"].clone())
    };
    let shows = json!({ "elicitation": { "form": {} } });
    let asked = call(&shows, json!({})).await?;
    let form = &asked["inputRequests"]["argument"]["params"];
    ensure!(asked["resultType"] == "input_required" && form["message"] == "{\"bytes\":\"00000\"}", "{asked}");
    ensure!(form["requestedSchema"]["required"] == json!(["answer"]), "{asked}");
    let state = asked["requestState"].clone();
    let decline = json!({ "requestState": state, "inputResponses": { "argument": { "action": "decline" } } });
    for reported in [call(&json!({}), json!({})).await?, call(&shows, decline).await?] {
        let text = reported["content"][0]["text"].as_str().unwrap_or_default();
        ensure!(reported["isError"] == true && text.contains("00000"), "{reported}");
    }
    let filled_in = json!({ "action": "accept", "content": { "answer": "id,age and more" } });
    let done = call(&shows, json!({ "requestState": state, "inputResponses": { "argument": filled_in } })).await?;
    ensure!(done["isError"] != true && done["resultType"] != "input_required", "{done}");
    folder.verify().map(drop)
}

/// A missing argument is requested by a form, and then the payment by a link; the
/// repeated call is made with the value from the form.
#[tokio::test]
async fn a_missing_argument_is_asked_for_before_its_payment() -> Result<()> {
    let folder = Folder::new("[payments]\nsandbox_credit = \"0.00\"")?;
    let server = folder.serve_published().await?;
    let client = server.client().signed_up("poor@example.com").await?;
    let shows = json!({ "elicitation": { "form": {}, "url": {} } });
    let call = async |knows: &Value, more: Value| -> Result<Value> {
        let mut params = json!({ "name": "iban_validation", "arguments": {} });
        params.as_object_mut().context("no object")?.extend(more.as_object().cloned().unwrap_or_default());
        let reply = able(&client, knows, "tools/call", Some("iban_validation"), params).await?.must(200)?;
        Ok(reply.json["result"].clone())
    };
    let asked = call(&shows, json!({})).await?;
    let form = &asked["inputRequests"]["argument"]["params"];
    ensure!(asked["resultType"] == "input_required" && form["mode"] == "form", "{asked}");
    let schema = &form["requestedSchema"];
    ensure!(schema["required"] == json!(["iban"]) && schema["properties"]["iban"]["type"] == "string", "{asked}");
    // A client that does not support forms, or whose user declines, gets an error that
    // names the missing argument.
    let state = asked["requestState"].clone();
    let decline = json!({ "requestState": state, "inputResponses": { "argument": { "action": "decline" } } });
    for reported in [call(&json!({}), json!({})).await?, call(&shows, decline).await?] {
        let text = reported["content"][0]["text"].as_str().unwrap_or_default();
        ensure!(reported["isError"] == true && text.starts_with("E011") && text.contains("`iban`"), "{reported}");
    }
    let filled_in = json!({ "action": "accept", "content": { "iban": "GB82 WEST 1234 5698 7654 32" } });
    let unpaid = call(&shows, json!({ "requestState": state, "inputResponses": { "argument": filled_in } })).await?;
    let link = unpaid["inputRequests"]["payment"]["params"]["url"].as_str().with_context(|| unpaid.to_string())?;
    client.post(link.strip_prefix(&server.url).context("elsewhere")?, &json!({})).await?.must(200)?;
    let paid = json!({ "payment": { "action": "accept" } });
    let done = call(&shows, json!({ "requestState": unpaid["requestState"], "inputResponses": paid })).await?;
    ensure!(done["isError"] == false && done["structuredContent"]["result"]["valid"] == true, "{done}");
    ensure!(done["_meta"]["worm_seal"].is_string(), "{done}");
    folder.verify().map(drop)
}

/// Runs only with `make test-all`, because it needs Node and the packages in the
/// folder that `MCP_NODE` names.
#[tokio::test]
async fn the_typescript_clients_and_the_inspector_are_served() -> Result<()> {
    let Some(node) = std::env::var_os("MCP_NODE").map(PathBuf::from) else { return Ok(()) };
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&worker_manifest("tester", "worker", "0.20", "echo", 5_500), &worker("echo")?)?;
    let server = folder.serve().await?;
    // Node resolves modules relative to the script.
    let script = node.join("client.mjs");
    std::fs::copy(workspace().join("tests/mcp/client.mjs"), &script)?;
    run_script("node", &script, &[&server.url, &folder.key()?.1]).await?;
    folder.verify().map(drop)
}
