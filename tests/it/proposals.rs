//! Agents that refuse a task in words and propose the input that they understood: over
//! HTTP, A2A and MCP. The refusal is free; the confirmation is one call and is charged
//! once.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::mcp::able;
use tollbridge_tests::{Client, Folder, Server, agents};

use crate::a2a::{credit, message, result};
use crate::agents::ended;

const QUESTION: &str = "Which currency?";
/// The agent proposes the text after the first character as its input. Without that
/// character the host would take the task for an input.
const TASK: &str = r#"?{"amount":5}"#;

fn proposal() -> Value {
    json!({ "amount": 5 })
}

fn confirmed() -> Value {
    json!({ "amount": 5, "currency": "EUR" })
}

async fn start() -> Result<(Folder, Server, Client)> {
    let folder = Folder::new("[agents.skills]\n\"general\" = \"proposes\"")?;
    let manifest = agents::manifest("proposes", "0.10");
    let skill = "[[skills]]\nid = \"testing\"\ndescription = \"for tests\"\n";
    folder.publish(&format!("{manifest}{skill}"), &agents::proposing()?)?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "proposals@example.com", "1.00").await?;
    Ok((folder, server, client))
}

#[tokio::test]
async fn a_proposed_input_is_confirmed_with_one_call() -> Result<()> {
    let (folder, server, client) = start().await?;
    let before = credit(&client).await?;
    for (path, more) in [("/v1/agents/proposes/invoke", json!({})), ("/v1/route", json!({ "capability": "testing" }))] {
        let ask = async |members: Value| {
            let mut body = more.clone();
            body.as_object_mut().context("no object")?.extend(members.as_object().cloned().unwrap_or_default());
            client.post(path, &body).await
        };
        let refused = ask(json!({ "task": TASK })).await?.must_be(400, "E011")?;
        ensure!(refused.json["error"] == QUESTION, "{}", refused.text);
        ensure!(refused.json["details"] == json!({ "field": "", "input": proposal() }), "{}", refused.text);
        // Unusable proposals: a wrong member, no object, and too long a text.
        let long = format!("?{}", json!({ "currency": "x".repeat(65 << 10) }));
        for unusable in [r#"?{"amount":"five"}"#, "?[5]", "?five", long.as_str()] {
            let refused = ask(json!({ "task": unusable })).await?.must_be(400, "E011")?;
            ensure!(refused.json["details"] == json!({ "field": "" }), "{}", refused.text);
        }
    }
    ensure!(credit(&client).await? == before, "a refusal was charged");
    let body = json!({ "task": TASK, "input": confirmed() });
    let done = client.post("/v1/agents/proposes/invoke", &body).await?.must(200)?;
    ensure!(done.json["output"] == confirmed(), "{}", done.text);
    ensure!(credit(&client).await? == before - 10);
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn a_queued_task_fails_with_the_proposed_input() -> Result<()> {
    let (folder, server, client) = start().await?;
    let before = credit(&client).await?;
    let queued = json!({ "agent": "proposes", "task": TASK });
    let id = client.post("/v1/agents/enqueue", &queued).await?.must(202)?.json["task_id"].clone();
    let failed = ended(&client, id.as_str().context("no task")?).await?;
    let expected = json!({ "error": QUESTION, "code": "E011", "details": { "input": proposal() } });
    ensure!(failed["status"] == "failed" && failed["error"] == expected, "{failed}");
    let params = json!({ "name": "get_task", "arguments": { "task_id": id } });
    let shown = able(&client, &json!({}), "tools/call", Some("get_task"), params).await?.must(200)?.json;
    ensure!(shown["result"]["structuredContent"]["error"] == expected, "{shown}");
    ensure!(credit(&client).await? == before, "a refusal was charged");
    // A non-blocking message is such a task.
    let mut params = message("m1", TASK, json!({ "metadata": { "capability": "general" } }));
    params["configuration"] = json!({ "blocking": false });
    let task = result(&client, "message/send", params).await?;
    ended(&client, task["id"].as_str().context("no task")?).await?;
    let task = result(&client, "tasks/get", json!({ "id": task["id"] })).await?;
    ensure!(task["status"]["state"] == "failed", "{task}");
    ensure!(task["status"]["message"]["parts"][1]["data"] == json!({ "input": proposal() }), "{task}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn an_a2a_message_confirms_a_proposed_input() -> Result<()> {
    let (folder, server, client) = start().await?;
    let before = credit(&client).await?;
    let question = format!("{QUESTION}; nothing was charged");
    let first = message("m1", TASK, json!({ "metadata": { "capability": "general" } }));
    let asked = result(&client, "message/send", first).await?;
    ensure!(asked["status"]["state"] == "input-required" && asked["metadata"]["missing"] == "", "{asked}");
    let parts = json!([
        { "kind": "text", "text": question }, { "kind": "data", "data": { "input": proposal() } },
    ]);
    ensure!(asked["status"]["message"]["parts"] == parts, "{asked}");
    // Version 1.0 shows the same task in its own form.
    let path = format!("/v1/a2a/tasks/{}", asked["id"].as_str().context("no id")?);
    let shown = client.send(client.request(Method::GET, &path).header("a2a-version", "1.0")).await?.must(200)?;
    let parts = json!([{ "text": question }, { "data": { "input": proposal() } }]);
    ensure!(shown.json["status"]["message"]["parts"] == parts, "{}", shown.text);
    ensure!(credit(&client).await? == before, "a question was charged");
    let answer = json!({ "taskId": asked["id"], "parts": [{ "kind": "data", "data": confirmed() }] });
    for _ in 0..2 {
        let done = result(&client, "message/send", message("m2", "", answer.clone())).await?;
        ensure!(done["id"] == asked["id"] && done["status"]["state"] == "completed", "{done}");
        ensure!(done["artifacts"][0]["parts"][0]["data"] == confirmed(), "{done}");
        ensure!(done["history"][1]["parts"][1]["data"] == json!({ "input": proposal() }), "{done}");
    }
    ensure!(credit(&client).await? == before - 10);
    // An unusable proposal leaves the question as it was.
    let wrong = message("m3", r#"?{"amount":"five"}"#, json!({ "metadata": { "capability": "general" } }));
    let asked = result(&client, "message/send", wrong).await?;
    ensure!(asked["status"]["state"] == "input-required", "{asked}");
    ensure!(asked["status"]["message"]["parts"].as_array().map(Vec::len) == Some(1), "{asked}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn an_mcp_client_gets_the_question_or_the_proposed_input() -> Result<()> {
    let (folder, server, client) = start().await?;
    let before = credit(&client).await?;
    let call = async |knows: &Value, mut arguments: Value| -> Result<Value> {
        arguments["agent_slug"] = "proposes".into();
        let params = json!({ "name": "invoke_agent", "arguments": arguments });
        Ok(able(&client, knows, "tools/call", Some("invoke_agent"), params).await?.must(200)?.json["result"].clone())
    };
    let forms = json!({ "elicitation": { "form": {} } });
    let asked = call(&forms, json!({ "task": TASK })).await?;
    ensure!(asked["inputRequests"]["argument"]["params"]["message"] == QUESTION, "{asked}");
    let refused = call(&json!({}), json!({ "task": TASK })).await?;
    ensure!(refused["isError"] == true, "{refused}");
    ensure!(refused["structuredContent"] == json!({ "details": { "input": proposal() } }), "{refused}");
    let texts: Vec<&str> =
        refused["content"].as_array().into_iter().flatten().filter_map(|one| one["text"].as_str()).collect();
    ensure!(
        texts.len() == 2 && texts[0].contains(QUESTION) && texts[1].ends_with(TASK.trim_start_matches('?')),
        "{refused}"
    );
    // The TypeScript client checks the structured content of failures too.
    let tools = able(&client, &json!({}), "tools/list", None, json!({})).await?.must(200)?.json;
    let tool = tools["result"]["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == "invoke_agent");
    let schema = &tool.context("no tool")?["outputSchema"];
    ensure!(schema["anyOf"][1]["required"] == json!(["details"]), "{schema}");
    let unusable = call(&json!({}), json!({ "task": "?five" })).await?;
    ensure!(unusable["isError"] == true && unusable["structuredContent"].is_null(), "{unusable}");
    ensure!(credit(&client).await? == before, "a refusal was charged");
    let done = call(&json!({}), json!({ "task": TASK, "input": confirmed() })).await?;
    ensure!(done["structuredContent"]["output"] == confirmed(), "{done}");
    ensure!(credit(&client).await? == before - 10);
    folder.verify()?;
    server.stop().await
}
