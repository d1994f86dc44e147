//! Agent to agent: messages that run agents, and the charges for them.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::{Folder, agents, workspace};

use crate::a2a::{EXECUTE, SKILLS, credit, message, refused, result, rpc, start};

fn skilled(id: &str, text: &str, skill: &str) -> Value {
    message(id, text, json!({ "metadata": { "capability": skill } }))
}

#[tokio::test]
async fn a_named_skill_runs_its_agent_once_and_is_charged_once() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "a2a@example.com", "5.00").await?;
    let before = credit(&client).await?;
    let task = result(&client, "message/send", skilled("m1", "twelve bytes", "summarization")).await?;
    ensure!(task["kind"] == "task" && task["status"]["state"] == "completed", "{task}");
    ensure!(task["artifacts"][0]["parts"][0] == json!({ "kind": "data", "data": { "bytes": "00012" } }), "{task}");
    ensure!(task["metadata"]["capability"] == "summarization");
    ensure!(task["history"][0]["messageId"] == "m1" && task["contextId"].is_string(), "{task}");
    ensure!(before - credit(&client).await? == 10);

    // A repeated message always returns the same task.
    let again = result(&client, "message/send", skilled("m1", "twelve bytes", "summarization")).await?;
    ensure!(again == task, "{again}");
    let (code, data) = refused(&client, "message/send", skilled("m1", "something else", "summarization")).await?;
    ensure!(code == -32602 && data["code"] == "E023", "{data}");
    ensure!(before - credit(&client).await? == 10);

    // The task's record is in the ledger and belongs to the caller.
    let seal = task["metadata"]["worm_seal"].as_str().context("no seal")?;
    ensure!(client.get(&format!("/v1/ledger/record/{seal}")).await?.status == 200);
    let id = task["id"].clone();
    // The task's id is also the id of its proof, which is public.
    let path = format!("/v1/workforce/proof/{}/public", id.as_str().context("no id")?);
    let proof = server.client().get(&path).await?;
    ensure!(proof.status == 200 && proof.json["statement"]["task_id"] == id, "{proof:?}");
    ensure!(proof.json["statement"]["worm_seal"] == seal && proof.json["statement"]["slug"] == "mirror", "{proof:?}");
    // The answer to the message contained the same proof.
    ensure!(task["metadata"]["proof"]["signature"] == proof.json["signature"], "{task}");
    ensure!(task["metadata"]["proof_url"] == format!("{}{path}", server.url), "{task}");
    ensure!(result(&client, "tasks/get", json!({ "id": id })).await? == task);
    let none = result(&client, "tasks/get", json!({ "id": id, "historyLength": 0 })).await?;
    ensure!(none["history"] == json!([]));
    let stranger = folder.funded(&server, "other@example.com", "1.00").await?;
    ensure!(refused(&stranger, "tasks/get", json!({ "id": id })).await?.0 == -32001);
    ensure!(refused(&client, "tasks/cancel", json!({ "id": id })).await?.0 == -32002);
    let more = message("m2", "more", json!({ "taskId": id }));
    ensure!(refused(&client, "message/send", more).await?.0 == -32602);

    // Data parts become the agent's input, which this agent returns.
    let parts = json!([{ "kind": "data", "data": { "a": [1, 2] } }, { "kind": "text", "text": "x" }]);
    let more = json!({ "parts": parts, "metadata": { "capability": "general" } });
    let task = result(&client, "message/send", message("m3", "", more)).await?;
    ensure!(task["artifacts"][0]["parts"][0]["data"] == json!({ "a": [1, 2] }), "{task}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn a_message_sent_many_times_at_once_counts_once() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "many@example.com", "5.00").await?;
    let before = credit(&client).await?;
    let sending: Vec<_> = (0..10)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { rpc(&client, "message/send", skilled("m1", "x", "general")).await })
        })
        .collect();
    let mut ids = Vec::new();
    for one in sending {
        let response = one.await??;
        match response["result"]["id"].as_str() {
            Some(id) => ids.push(id.to_owned()),
            // This request arrived while the first request was still in progress.
            None => ensure!(response["error"]["data"]["code"] == "E028", "{response}"),
        }
    }
    ids.dedup();
    ensure!(ids.len() == 1, "{ids:?}");
    ensure!(before - credit(&client).await? == 10);
    server.stop().await
}

/// The server is killed while messages are in transit. Afterwards each message is sent
/// again: it has one task and is charged once.
#[tokio::test]
async fn a_power_cut_loses_no_message_and_charges_none_twice() -> Result<()> {
    let (folder, mut server) = start("").await?;
    let mut client = folder.funded(&server, "cut@example.com", "10.00").await?;
    let key = client.key().context("no key")?.to_owned();
    let before = credit(&client).await?;
    for round in 0_u64..3 {
        let sending: Vec<_> = (0..20)
            .map(|n| {
                let client = client.clone();
                let params = skilled(&format!("m{round}-{n}"), "x", "general");
                tokio::spawn(async move { rpc(&client, "message/send", params).await })
            })
            .collect();
        tokio::time::sleep(std::time::Duration::from_millis(round * 15)).await;
        server.kill().await?;
        for one in sending {
            // The server may have been killed before or after it answered, so any result
            // is fine.
            let _ = one.await?;
        }
        server = folder.serve().await?;
        client = server.client().with_key(&key);
    }
    for round in 0..3 {
        for n in 0..20 {
            let id = format!("m{round}-{n}");
            let task = result(&client, "message/send", skilled(&id, "x", "general")).await?;
            ensure!(task["status"]["state"] == "completed" && task["history"][0]["messageId"] == id, "{task}");
        }
    }
    ensure!(before - credit(&client).await? == 600, "{} of {before} left", credit(&client).await?);
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn the_skill_may_be_named_in_a_second_message() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "ask@example.com", "1.00").await?;
    let before = credit(&client).await?;
    let task = result(&client, "message/send", message("m1", "a long text", json!({ "contextId": "mine" }))).await?;
    let id = task["id"].clone();
    // A message that consists only of a skill name answers the question which skill to
    // use; it does not become part of the task's text.
    let done = result(&client, "message/send", message("m5", "summarization", json!({ "taskId": id }))).await?;
    ensure!(done["id"] == id && done["status"]["state"] == "completed", "{done}");
    ensure!(done["artifacts"][0]["parts"][0]["data"] == json!({ "bytes": "00011" }), "{done}");
    ensure!(done["history"].as_array().map(Vec::len) == Some(3), "{done}");
    let last = result(&client, "tasks/get", json!({ "id": id, "historyLength": 2 })).await?;
    ensure!(last["history"].as_array().map(Vec::len) == Some(2), "{last}");
    ensure!(before - credit(&client).await? == 10);

    server.stop().await
}

/// A task continues when a message answers its agent's question, whether the message
/// names the task or the context. Only the completed task is charged.
#[tokio::test]
async fn an_agent_asks_for_what_is_missing() -> Result<()> {
    let folder = Folder::new("[agents.skills]\n\"data:validation\" = \"asks\"\n\"general\" = \"mirror\"")?;
    folder.publish(&agents::manifest("asks", "0.10"), &agents::asking()?)?;
    folder.publish(&agents::manifest("mirror", "0.10"), &agents::mirror()?)?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "asked@example.com", "1.00").await?;
    let before = credit(&client).await?;
    let words = "{\"bytes\":\"00000\"}; nothing was charged";
    for (number, by_context) in [(1, false), (2, true)] {
        let name = |message: &str| format!("{message}-{number}");
        let mut first = skilled(&name("first"), "check it", "data:validation");
        first["message"]["contextId"] = format!("context-{number}").into();
        let asked = result(&client, "message/send", first.clone()).await?;
        ensure!(asked["status"]["state"] == "input-required", "{asked}");
        ensure!(asked["status"]["message"]["parts"][0]["text"] == words, "{asked}");
        ensure!(asked["metadata"]["missing"] == "/data" && asked["artifacts"] == json!([]), "{asked}");
        ensure!(credit(&client).await? == before - 10 * (number - 1));
        // A repeat of the first message gets the same question again.
        ensure!(result(&client, "message/send", first).await?["id"] == asked["id"]);
        let place = match by_context {
            true => json!({ "contextId": asked["contextId"] }),
            false => json!({ "taskId": asked["id"] }),
        };
        let still = result(&client, "message/send", message(&name("short"), "a", place.clone())).await?;
        ensure!(still["id"] == asked["id"] && still["status"]["state"] == "input-required", "{still}");
        let done = result(&client, "message/send", message(&name("rest"), "id,age and more", place)).await?;
        ensure!(done["id"] == asked["id"] && done["status"]["state"] == "completed", "{done}");
        ensure!(
            done["metadata"]["missing"].is_null() && done["artifacts"][0]["parts"][0]["data"].is_object(),
            "{done}"
        );
        let said: Vec<&Value> = done["history"].as_array().context("no history")?.iter().collect();
        let roles: Vec<&str> = said.iter().filter_map(|message| message["role"].as_str()).collect();
        ensure!(roles == ["user", "agent", "user", "agent", "user"], "{done}");
        ensure!(credit(&client).await? == before - 10 * number);
    }
    // In the same context, a message for another skill creates another task, and so does
    // a message after the task has ended.
    let other = json!({ "contextId": "context-3", "metadata": { "capability": "data:validation" } });
    let open = result(&client, "message/send", message("m3", "check it", other)).await?;
    let named = json!({ "contextId": "context-3", "metadata": { "capability": "general" } });
    let apart = result(&client, "message/send", message("m4", "something else", named)).await?;
    ensure!(apart["id"] != open["id"] && apart["status"]["state"] == "completed", "{apart}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn failures_cost_nothing_and_give_the_reason() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "wrong@example.com", "1.00").await?;
    let before = credit(&client).await?;
    let failed = result(&client, "message/send", skilled("m1", "x", "coding")).await?;
    ensure!(failed["status"]["state"] == "failed" && failed["artifacts"] == json!([]), "{failed}");
    for (id, skill) in [("m2", "nonsense"), ("m3", "translation")] {
        let (code, data) = refused(&client, "message/send", skilled(id, "x", skill)).await?;
        ensure!(code == -32602 && data["code"] == "E007", "{data}");
    }
    let dear = json!({ "metadata": { "capability": "general", "max_cost_gbp": "0.09" } });
    let (code, data) = refused(&client, "message/send", message("m7", "x", dear)).await?;
    ensure!(code == -32000 && data["payment"]["reason"] == "above_max_cost", "{data}");
    let file = json!({ "parts": [{ "kind": "file", "file": { "bytes": "VGVzdA==", "mimeType": "image/png" } }] });
    ensure!(refused(&client, "message/send", message("m4", "", file)).await?.0 == -32005);
    let mut params = skilled("m5", "x", "general");
    params["configuration"] = json!({ "acceptedOutputModes": ["image/png"] });
    ensure!(refused(&client, "message/send", params).await?.0 == -32005);
    let split = json!({ "parts": [{ "kind": "text", "text": "x".repeat(300 << 10) }] });
    let (code, data) = refused(&client, "message/send", message("m6", "", split)).await?;
    ensure!(code == -32602 && data["details"]["field"] == "/params/message/parts", "{data}");
    ensure!(credit(&client).await? == before);
    server.stop().await
}

#[tokio::test]
async fn an_unpaid_request_gets_a_quote_inside_the_protocol() -> Result<()> {
    let (folder, server) = start("[payments]\nsandbox_credit = \"0.00\"").await?;
    let client = server.client().signed_up("poor@example.com").await?;
    let (code, data) = refused(&client, "message/send", skilled("m1", "x", "general")).await?;
    ensure!(code == -32000 && data["code"] == "E003" && data["payment"]["amount_pence"] == 10, "{data}");
    let intent = data["payment"]["payment_intent_id"].as_str().context("no intent")?;
    ensure!(client.post(&format!("/pay/{intent}"), &json!({})).await?.status == 200);
    // Sends the same message again, now with a paid intent.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": skilled("m1", "x", "general") });
    let request = client.request(Method::POST, EXECUTE).header("x-payment-intent-id", intent).json(&body);
    let reply = client.send(request).await?;
    ensure!(reply.json["result"]["status"]["state"] == "completed", "{reply:?}");
    folder.verify()?;
    server.stop().await
}

/// Both major versions of the official Python library resolve the card, verify a
/// signature and execute every skill.
#[tokio::test]
async fn the_official_clients_resolve_verify_and_execute() -> Result<()> {
    const ASKS: &str = "data:validation";
    let agent = |skill: &str| if skill == ASKS { "asks" } else { "mirror" };
    let bindings: String = SKILLS.iter().map(|skill| format!("{skill:?} = {:?}\n", agent(skill))).collect();
    let folder = Folder::new(&format!("[agents.skills]\n{bindings}"))?;
    folder.publish(&agents::manifest("mirror", "0.10"), &agents::mirror()?)?;
    folder.publish(&agents::manifest("asks", "0.10"), &agents::asking()?)?;
    let answering: Vec<&str> = SKILLS.into_iter().filter(|skill| *skill != ASKS).collect();
    let server = folder.serve().await?;
    // `make test` sets the interpreters for both library versions; in that case both must
    // be installed and pass.
    let strict = std::env::var("PYTHON_A2A_03").is_ok();
    for (script, variable) in [("sdk_1.py", "PYTHON"), ("sdk_0_3.py", "PYTHON_A2A_03")] {
        let python = std::env::var(variable).unwrap_or_else(|_| "python3".to_owned());
        let able = Command::new(&python).args(["-c", "import a2a.utils.signing"]).output();
        if !able.is_ok_and(|ran| ran.status.success()) {
            ensure!(!strict, "{python} has no a2a-sdk; `make test` installs it");
            eprintln!("{script} is not run: {python} has no a2a-sdk; `make test` installs it");
            continue;
        }
        let (_, key) = folder.key()?;
        let script = workspace().join("tests/a2a").join(script);
        let skills = serde_json::to_string(&answering)?;
        let url = server.url.clone();
        let check = documented_check()?;
        let run = move || {
            let checked = Command::new(&python).args(["-c", &check, &url]).output()?;
            anyhow::ensure!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
            Ok(Command::new(&python).arg(&script).args([&url, &key, &skills]).output()?)
        };
        let run = tokio::task::spawn_blocking(run).await??;
        ensure!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let report: Value = serde_json::from_slice(&run.stdout)?;
        ensure!(report["skills"] == json!(SKILLS), "{report}");
        ensure!(answering.iter().all(|skill| report["answers"][skill] == json!({ "bytes": "00005" })), "{report}");
        ensure!(report["later"] == json!({ "state": "completed", "answer": { "bytes": "00005" } }), "{report}");
        ensure!(report["question"].as_str().is_some_and(|question| question.contains("metadata.capability")));
    }
    folder.verify()?;
    server.stop().await
}

/// Returns the code example in docs/a2a.md that checks a card's signature.
fn documented_check() -> Result<String> {
    let text = std::fs::read_to_string(workspace().join("docs/a2a.md"))?;
    let (_, rest) = text.split_once("```python\n").context("no code in docs/a2a.md")?;
    Ok(rest.split_once("```").context("unterminated code block")?.0.to_owned())
}
