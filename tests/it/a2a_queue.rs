//! Agent to agent: tasks that no client waits for (`blocking: false`), which run from the
//! durable queue.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::receiver::Receiver;
use tollbridge_tests::{Client, Folder, Server, eventually, manifest, worker, worker_manifest};

use crate::a2a::{EXECUTE, credit, message, refused, result, rpc, start};

const LOCAL_RECEIVERS: &str = "[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\nretries = [\"1s\", \"1s\", \"1s\"]";

/// Returns a non-blocking message; the receiver `push`, if any, is notified when the task
/// ends.
fn later(id: &str, text: &str, skill: &str, push: Option<&str>) -> Value {
    let mut params = message(id, text, json!({ "metadata": { "capability": skill } }));
    params["configuration"] = json!({ "blocking": false });
    if let Some(url) = push {
        params["configuration"]["pushNotificationConfig"] = json!({ "url": url });
    }
    params
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or_default()
}

fn is_open(task: &Value) -> bool {
    ["submitted", "working"].contains(&state(task))
}

async fn get(client: &Client, task: &Value) -> Result<Value> {
    result(client, "tasks/get", json!({ "id": task["id"] })).await
}

async fn ended(client: &Client, task: &Value) -> Result<Value> {
    let look = || async {
        let task = get(client, task).await?;
        Ok((!is_open(&task)).then_some(task))
    };
    Ok(eventually("the task ends", 60, look).await?.0)
}

/// Returns the notifications of a receiver, as (task id, state).
fn reported(receiver: &Receiver) -> Vec<(String, String)> {
    let received = receiver.received().into_iter();
    let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    received.map(|one| (name(&one.body["id"]), name(&one.body["status"]["state"]))).collect()
}

/// Starts a server whose skill `general` is bound to a test agent. The text of a task
/// selects the agent's behaviour.
async fn with_worker(time_ms: u32) -> Result<(Folder, Server)> {
    let bound = "[agents.skills]\n\"general\" = \"worker\"";
    let folder = Folder::new(&format!("{LOCAL_RECEIVERS}\n{bound}"))?;
    folder.publish(&manifest("echo", "1.0.0", "0.05"), &tollbridge_tests::guest::echo("1.0.0")?)?;
    folder.publish(&worker_manifest("tester", "worker", "0.10", "echo", time_ms), &worker("echo")?)?;
    let server = folder.serve().await?;
    Ok((folder, server))
}

#[tokio::test]
async fn a_task_for_later_is_answered_charged_once_and_proven() -> Result<()> {
    let (folder, server) = start(LOCAL_RECEIVERS).await?;
    let client = folder.funded(&server, "later@example.com", "5.00").await?;
    let receiver = Receiver::start(&[]).await?;
    let before = credit(&client).await?;
    let params = later("m1", "twelve bytes", "summarization", Some(&receiver.url));
    let first = result(&client, "message/send", params.clone()).await?;
    ensure!(is_open(&first) || state(&first) == "completed", "{first}");
    let done = ended(&client, &first).await?;
    ensure!(done["id"] == first["id"] && done["artifacts"][0]["name"] == "summarization", "{done}");
    ensure!(done["artifacts"][0]["parts"][0]["data"] == json!({ "bytes": "00012" }), "{done}");
    ensure!(result(&client, "message/send", params).await? == done, "a repeated message created another task");
    ensure!(before - credit(&client).await? == 10);

    // The task has a proof and the proof's public address, like the answer of an
    // invocation.
    let proof = &done["metadata"]["proof"];
    ensure!(proof["statement"]["task_id"] == done["id"] && proof["statement"]["slug"] == "mirror", "{proof}");
    ensure!(proof["statement"]["worm_seal"] == done["metadata"]["worm_seal"], "{proof}");
    let url = done["metadata"]["proof_url"].as_str().context("no proof_url")?;
    let path = url.strip_prefix(&server.url).with_context(|| format!("not on this server: {url}"))?;
    let public = server.client().get(path).await?.must(200)?;
    ensure!(public.json["signature"] == proof["signature"], "{}", public.text);

    let (id, look) = (done["id"].as_str().context("no id")?.to_owned(), || async { Ok(reported(&receiver).pop()) });
    let (last, _) = eventually("the notification", 20, look).await?;
    ensure!(last == (id, "completed".to_owned()), "{last:?}");
    ensure!(receiver.received()[0].body == done, "the receiver got a different task");
    ensure!(refused(&client, "tasks/cancel", json!({ "id": done["id"] })).await?.0 == -32002);
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn a_task_for_later_that_fails_is_tried_again_and_costs_nothing() -> Result<()> {
    let (folder, server) = start(LOCAL_RECEIVERS).await?;
    let client = folder.funded(&server, "fails@example.com", "5.00").await?;
    let receiver = Receiver::start(&[]).await?;
    let before = credit(&client).await?;
    let task = result(&client, "message/send", later("m1", "x", "coding", Some(&receiver.url))).await?;
    ensure!(is_open(&task), "{task}");
    // A queued task accepts no further messages.
    let more = message("m2", "more", json!({ "taskId": task["id"] }));
    ensure!(refused(&client, "message/send", more).await?.0 == -32602);
    let failed = ended(&client, &task).await?;
    ensure!(state(&failed) == "failed" && failed["artifacts"] == json!([]), "{failed}");
    let why = failed["status"]["message"]["parts"][0]["text"].as_str().context("no message")?;
    ensure!(why.contains("nothing was charged") && credit(&client).await? == before, "{why}");
    let look = || async { Ok(reported(&receiver).pop().filter(|(_, state)| state == "failed")) };
    eventually("the notification", 20, look).await?;
    // A message that cannot be executed is refused immediately and creates no task.
    let dear = json!({ "metadata": { "capability": "general", "max_cost_gbp": "0.09" } });
    let mut params = message("m3", "x", dear);
    params["configuration"] = json!({ "blocking": false });
    ensure!(refused(&client, "message/send", params).await?.0 == -32000);
    ensure!(refused(&client, "message/send", later("m4", "x", "translation", None)).await?.1["code"] == "E007");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn tasks_are_canceled_while_they_wait_and_while_they_run() -> Result<()> {
    let (folder, server) = with_worker(4_000).await?;
    let client = folder.funded(&server, "cancel@example.com", "10.00").await?;
    let receiver = Receiver::start(&[]).await?;
    let before = credit(&client).await?;
    // Queues more tasks than can run at once; each runs until its time limit.
    let mut tasks = Vec::new();
    for n in 0..20 {
        let params = later(&format!("m{n}"), "spin", "general", Some(&receiver.url));
        tasks.push(result(&client, "message/send", params).await?);
    }
    ensure!(before - credit(&client).await? == 200, "the price of the tasks is not reserved");
    let (first, last) = (&tasks[0], &tasks[19]);
    let running = || async { Ok((state(&get(&client, first).await?) == "working").then_some(())) };
    eventually("the first task runs", 10, running).await?;
    ensure!(state(&get(&client, last).await?) == "submitted", "the last task is not queued");
    for task in [last, first] {
        let canceled = result(&client, "tasks/cancel", json!({ "id": task["id"] })).await?;
        ensure!(state(&canceled) == "canceled" && canceled["artifacts"] == json!([]), "{canceled}");
        ensure!(refused(&client, "tasks/cancel", json!({ "id": task["id"] })).await?.0 == -32002);
    }
    let stranger = folder.funded(&server, "other@example.com", "1.00").await?;
    ensure!(refused(&stranger, "tasks/cancel", json!({ "id": tasks[1]["id"] })).await?.0 == -32001);
    for task in &tasks[1..19] {
        let canceled = result(&client, "tasks/cancel", json!({ "id": task["id"] })).await?;
        ensure!(state(&canceled) == "canceled", "{canceled}");
    }
    ensure!(credit(&client).await? == before, "a canceled task was charged");
    let all = || async { Ok((reported(&receiver).len() >= 20).then(|| reported(&receiver))) };
    let (heard, _) = eventually("all notifications", 30, all).await?;
    ensure!(heard.iter().all(|(_, state)| state == "canceled"), "{heard:?}");
    // A task canceled while running stays canceled when its agent finishes.
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    ensure!(state(&get(&client, first).await?) == "canceled" && credit(&client).await? == before);
    folder.verify()?;
    server.stop().await
}

fn rounds() -> usize {
    if std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1") { 10 } else { 2 }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_loses_no_task_for_later_and_no_notification() -> Result<()> {
    // Many tasks run at once, perhaps on a busy machine, so the time limit is generous.
    let (folder, mut server) = with_worker(30_000).await?;
    let mut client = folder.funded(&server, "cut@example.com", "60.00").await?;
    let key = client.key().context("no key")?.to_owned();
    let receiver = Receiver::start(&[]).await?;
    let before = credit(&client).await?;
    let mut tasks = Vec::new();
    for round in 0..rounds() {
        for n in 0..50 {
            // These tasks take longer, so that some of them are running when the server
            // is killed.
            let text = if n % 5 == 0 { "wait" } else { "hello" };
            let params = later(&format!("m{round}-{n}"), text, "general", Some(&receiver.url));
            tasks.push(result(&client, "message/send", params).await?);
        }
        tokio::time::sleep(std::time::Duration::from_millis(31 * round as u64 % 83)).await;
        server.kill().await?;
        server = folder.serve().await?;
        client = server.client().with_key(&key);
    }
    for task in &tasks {
        let done = ended(&client, task).await?;
        ensure!(state(&done) == "completed" && done["metadata"]["proof"]["signature"].is_string(), "{done}");
    }
    let spent = 10 * i64::try_from(tasks.len())?;
    ensure!(before - credit(&client).await? == spent, "{} left of {before}", credit(&client).await?);
    for task in &tasks {
        let id = task["id"].as_str().context("no id")?;
        let look = || async {
            Ok(reported(&receiver).into_iter().find(|(reported, state)| reported == id && state == "completed"))
        };
        eventually("each notification", 60, look).await?;
    }
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn an_intent_pays_for_a_task_for_later() -> Result<()> {
    let (folder, server) = start("[payments]\nsandbox_credit = \"0.00\"").await?;
    let client = server.client().signed_up("poor@example.com").await?;
    let params = later("m1", "x", "general", None);
    let (code, data) = refused(&client, "message/send", params.clone()).await?;
    ensure!(code == -32000 && data["code"] == "E003", "{data}");
    let intent = data["payment"]["payment_intent_id"].as_str().context("no intent")?;
    client.post(&format!("/pay/{intent}"), &json!({})).await?.must(200)?;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params });
    let request = client.request(Method::POST, EXECUTE).header("x-payment-intent-id", intent).json(&body);
    let reply = client.send(request).await?.must(200)?;
    let done = ended(&client, &reply.json["result"]).await?;
    ensure!(state(&done) == "completed" && done["metadata"]["proof"].is_object(), "{done}");
    let again = rpc(&client, "message/send", later("m2", "x", "general", None)).await?;
    ensure!(again["error"]["code"] == -32000, "{again}");
    folder.verify()?;
    server.stop().await
}
