//! Agent to agent: agent cards, the JSON-RPC endpoint and notifications, tested as an
//! unauthenticated client and with the official libraries.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Map, Value, json};
use tollbridge_tests::receiver::{Behaviour, Receiver};
use tollbridge_tests::{Client, Folder, Reply, Server, agents, eventually};

pub(crate) const EXECUTE: &str = "/v1/a2a/execute";
pub(crate) const SKILLS: [&str; 17] = [
    "research:citation",
    "classification",
    "data:aggregation",
    "video:evaluation",
    "code:review",
    "sentiment",
    "data:extraction",
    "analytics:forecast",
    "sales:lead-scoring",
    "summarization",
    "translation",
    "analytics:anomaly-detection",
    "general",
    "data:validation",
    "coding",
    "compliance:audit",
    "pricing:optimization",
];

/// Starts a server with a paid agent (10 p) for each skill. Exceptions: `coding` has an
/// agent that fails, and `translation` has none.
pub(crate) async fn start(extra: &str) -> Result<(Folder, Server)> {
    let mut bindings = String::from("[agents.skills]\n");
    for skill in SKILLS {
        let agent = match skill {
            "coding" => "breaks",
            "translation" => "missing",
            _ => "mirror",
        };
        bindings.push_str(&format!("{skill:?} = {agent:?}\n"));
    }
    let folder = Folder::new(&format!("{extra}\n{bindings}"))?;
    folder.publish(&agents::manifest("mirror", "0.10"), &agents::mirror()?)?;
    folder.publish(&agents::manifest("breaks", "0.10"), &agents::failing()?)?;
    let server = folder.serve().await?;
    Ok((folder, server))
}

pub(crate) async fn rpc(client: &Client, method: &str, params: Value) -> Result<Value> {
    let reply = client.post(EXECUTE, &json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })).await?;
    ensure!(reply.status == 200 && reply.json["id"] == 7 && reply.json["jsonrpc"] == "2.0", "{reply:?}");
    Ok(reply.json)
}

pub(crate) async fn result(client: &Client, method: &str, params: Value) -> Result<Value> {
    let response = rpc(client, method, params).await?;
    response.get("result").cloned().with_context(|| format!("{method}: {response}"))
}

pub(crate) async fn refused(client: &Client, method: &str, params: Value) -> Result<(i64, Value)> {
    let response = rpc(client, method, params).await?;
    let code = response["error"]["code"].as_i64().with_context(|| format!("{method}: {response}"))?;
    Ok((code, response["error"]["data"].clone()))
}

/// Returns a message with the given text; the members of `more` are added or replace the
/// defaults.
pub(crate) fn message(id: &str, text: &str, more: Value) -> Value {
    let mut message = json!({
        "kind": "message", "messageId": id, "role": "user", "parts": [{ "kind": "text", "text": text }],
    });
    if let (Some(members), Some(more)) = (message.as_object_mut(), more.as_object()) {
        members.extend(more.clone());
    }
    json!({ "message": message })
}

pub(crate) async fn credit(client: &Client) -> Result<i64> {
    client.get("/v1/balance").await?.json["credit_pence"].as_i64().context("no credit")
}

#[tokio::test]
async fn cards_are_public_and_say_what_is_configured() -> Result<()> {
    let folder = Folder::new("")?;
    let config = std::fs::read_to_string(folder.config())?;
    let named = "[server]\nbase_url = \"https://bridge.example\"\nprovider_url = \"https://example.com\"\n\
                 display_name = \"P\u{e9}age\"\n";
    std::fs::write(folder.config(), config.replacen("[server]\n", named, 1))?;
    let server = folder.serve().await?;
    let client = server.client();
    // The request's Host header must not affect the card.
    let ask = |path: &str| client.request(Method::GET, path).header("host", "evil.example");
    let one = client.send(ask("/.well-known/agent-card.json")).await?;
    let two = client.send(ask("/.well-known/agent.json")).await?;
    for card in [&one, &two] {
        ensure!(card.status == 200 && card.text.is_ascii() && !card.text.contains("evil"), "{card:?}");
        ensure!(card.headers["access-control-allow-origin"] == "*");
        ensure!(card.json["name"] == "P\u{e9}age" && card.json["protocolVersion"] == "0.3.0");
        ensure!(card.json["url"] == "https://bridge.example/v1/a2a/execute");
        ensure!(card.json["provider"]["url"] == "https://example.com");
    }
    ensure!(ids(&one) == SKILLS, "{:?}", ids(&one));
    ensure!(ids(&two) == SKILLS.into_iter().filter(|id| *id != "general").collect::<Vec<_>>());
    let members = |card: &Reply| card.json.as_object().map(Map::len);
    // The newer card also has security, signatures, and members of version 1.0: five
    // members more in total.
    ensure!(members(&one) == members(&two).map(|count| count + 5));
    let keys = client.get("/.well-known/jwks.json").await?.json;
    let cards: Vec<&Value> =
        keys["keys"].as_array().into_iter().flatten().filter(|key| key["purpose"] == "cards").collect();
    ensure!(cards.len() == 1 && cards[0]["crv"] == "Ed25519", "{keys}");
    server.stop().await
}

fn ids(card: &Reply) -> Vec<&str> {
    let skills = card.json["skills"].as_array().into_iter().flatten();
    skills
        .filter(|skill| skill["name"] == skill["id"] && skill["tags"] == json!([skill["id"]]))
        .filter_map(|skill| skill["id"].as_str())
        .collect()
}

#[tokio::test]
async fn envelopes_are_refused_in_order_and_keys_come_first() -> Result<()> {
    let (folder, server) = start("").await?;
    let (_, key) = folder.key()?;
    let (open, client) = (server.client(), server.client().with_key(&key));
    for stranger in [&open, &open.with_key("tb_test_nonsense")] {
        let reply = stranger.post(EXECUTE, &json!({})).await?;
        ensure!(reply.status == 401 && reply.json["code"] == "E001", "{reply:?}");
        ensure!(reply.headers["www-authenticate"] == "Bearer");
    }
    for (body, code, id) in [
        (r#"{"jsonrpc": "2.0", "method": "message/send", "params": {"foo": "bar"}"#, -32700, json!(null)),
        (r#"[{"jsonrpc":"2.0","method":"tasks/get","id":1}]"#, -32600, json!(null)),
        (r#"{"jsonrpc":"aaa","method":"message/send","params":{}}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","params":{},"id":"x"}"#, -32600, json!("x")),
        (r#"{"jsonrpc":"2.0","method":"message/send","params":{},"id":{"bad":"type"}}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","method":"message/ssend","params":{}}"#, -32601, json!(null)),
        (r#"{"jsonrpc":"2.0","method":"message/send","params":{"":"not_a_dict"}}"#, -32602, json!(null)),
        (
            r#"{"jsonrpc":"2.0","method":"message/send","params":{"message":{"parts":"invalid"}},"id":1}"#,
            -32602,
            json!(1),
        ),
        (r#"{"jsonrpc":"2.0","method":"tasks/get","params":{"taskId":12345},"id":1}"#, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"none"},"id":1}"#, -32001, json!(1)),
        (r#"{"jsonrpc":"2.0","method":"tasks/cancel","params":{"id":"none"},"id":1}"#, -32001, json!(1)),
        (r#"{"jsonrpc":"2.0","method":"message/stream","params":{},"id":1}"#, -32004, json!(1)),
        (r#"{"jsonrpc":"2.0","method":"tasks/resubscribe","params":{"id":"none"},"id":1}"#, -32004, json!(1)),
        (r#"{"jsonrpc":"2.0","method":"agent/getAuthenticatedExtendedCard","id":1}"#, -32007, json!(1)),
    ] {
        let request = client.request(Method::POST, EXECUTE).header("content-type", "application/json").body(body);
        let reply = client.send(request).await?;
        ensure!(
            reply.status == 200 && reply.json["error"]["code"] == code && reply.json["id"] == id,
            "{body}: {reply:?}"
        );
    }
    let long = "A".repeat(1 << 20);
    let reply =
        client.post(EXECUTE, &json!({ "jsonrpc": "2.0", "method": "message/send", "params": { "x": long } })).await?;
    ensure!(reply.status == 413 && reply.json["code"] == "E014", "{reply:?}");
    server.stop().await
}

#[tokio::test]
async fn without_a_skill_the_task_asks_for_one() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "ask@example.com", "1.00").await?;
    let before = credit(&client).await?;
    let task = result(&client, "message/send", message("m1", "a long text", json!({ "contextId": "mine" }))).await?;
    ensure!(task["status"]["state"] == "input-required" && task["contextId"] == "mine", "{task}");
    let question = task["status"]["message"]["parts"][0]["text"].as_str().context("no question")?;
    ensure!(SKILLS.iter().all(|id| question.contains(id)), "{question}");
    let id = task["id"].clone();
    for (n, wrong, code) in [
        (2, json!({ "taskId": id, "contextId": "other" }), -32602),
        (3, json!({ "taskId": "task_none" }), -32001),
        (4, json!({ "taskId": id, "metadata": { "capability": "sumarization" } }), -32602),
    ] {
        ensure!(refused(&client, "message/send", message(&format!("m{n}"), "x", wrong)).await?.0 == code);
    }
    ensure!(credit(&client).await? == before);
    // Sending the same message again returns the same task; a different text under the
    // same message id creates another task.
    let same = message("m1", "a long text", json!({ "contextId": "mine" }));
    ensure!(result(&client, "message/send", same).await? == task);
    let other = result(&client, "message/send", message("m1", "another text", json!({}))).await?;
    ensure!(other["id"] != id, "{other}");
    ensure!(result(&client, "message/send", message("m1", "another text", json!({}))).await? == other);
    let named = message("m1", "a third", json!({ "metadata": { "capability": "general" } }));
    ensure!(refused(&client, "message/send", named).await?.1["code"] == "E023");

    let open = result(&client, "message/send", message("m6", "never mind", json!({}))).await?;
    let canceled = result(&client, "tasks/cancel", json!({ "id": open["id"] })).await?;
    ensure!(canceled["status"]["state"] == "canceled", "{canceled}");
    ensure!(refused(&client, "tasks/cancel", json!({ "id": open["id"] })).await?.0 == -32002);
    server.stop().await
}

#[tokio::test]
async fn push_settings_are_kept_per_task() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "push@example.com", "1.00").await?;
    let task = result(&client, "message/send", message("m1", "x", json!({}))).await?;
    let id = task["id"].clone();
    let set = |config: Value| json!({ "taskId": id, "pushNotificationConfig": config });
    let method = |name: &str| format!("tasks/pushNotificationConfig/{name}");
    let one = result(&client, &method("set"), set(json!({ "url": "https://example.com/webhook1" }))).await?;
    ensure!(one["taskId"] == id && one["pushNotificationConfig"]["url"] == "https://example.com/webhook1", "{one}");
    let two = json!({ "id": "two", "url": "https://example.com/2", "token": "t",
        "authentication": { "schemes": ["Bearer"], "credentials": "c" } });
    ensure!(result(&client, &method("set"), set(two.clone())).await?["pushNotificationConfig"] == two);
    let get = |config: Value| json!({ "id": id, "pushNotificationConfigId": config });
    ensure!(result(&client, &method("get"), get(json!("two"))).await?["pushNotificationConfig"] == two);
    ensure!(result(&client, &method("get"), json!({ "id": id })).await? == one);
    ensure!(result(&client, &method("list"), json!({ "id": id })).await?.as_array().map(Vec::len) == Some(2));
    ensure!(result(&client, &method("delete"), get(json!("two"))).await?.is_null());
    ensure!(refused(&client, &method("get"), get(json!("two"))).await?.0 == -32602);
    ensure!(refused(&client, &method("delete"), get(json!("two"))).await?.0 == -32602);
    for name in ["get", "list", "delete"] {
        let params = json!({ "id": "none", "pushNotificationConfigId": "x" });
        ensure!(refused(&client, &method(name), params).await?.0 == -32001, "{name}");
    }
    for url in ["http://127.0.0.1:9/", "http://169.254.169.254/latest/meta-data", "ftp://example.com/", "x"] {
        let (code, data) = refused(&client, &method("set"), set(json!({ "url": url }))).await?;
        ensure!(code == -32602 && data["code"] == "E011", "{url}: {data}");
    }
    server.stop().await
}

/// Receivers that at first fail, hang up or do not answer eventually get the
/// notification, even if the server is killed in between.
#[tokio::test]
async fn notifications_arrive_at_least_once() -> Result<()> {
    let quick = "[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\nretries = [\"1s\", \"1s\", \"1s\", \"1s\"]";
    let (folder, server) = start(quick).await?;
    let client = folder.funded(&server, "push@example.com", "1.00").await?;
    let stubborn = Receiver::start(&[Behaviour::Answer(500), Behaviour::HangUp]).await?;
    let silent = Receiver::start(&[Behaviour::Silence]).await?;
    let mut params = message("m1", "x", json!({}));
    params["configuration"] = json!({ "pushNotificationConfig": {
        "url": stubborn.url, "token": "tok-1", "authentication": { "schemes": ["Bearer"], "credentials": "cred-1" } } });
    let task = result(&client, "message/send", params).await?;
    let id = task["id"].clone();
    let arrived = |receiver: &Receiver, count: usize, state: &str| {
        let (received, state) = (receiver.received(), state.to_owned());
        (received.len() >= count && received.last().is_some_and(|last| last.body["status"]["state"] == state))
            .then_some(received)
    };
    let ask = || async { Ok(arrived(&stubborn, 3, "input-required")) };
    let (received, _) = eventually("the third attempt", 30, ask).await?;
    let head = received[2].head.to_ascii_lowercase();
    ensure!(
        head.contains("x-a2a-notification-token: tok-1") && head.contains("authorization: bearer cred-1"),
        "{head}"
    );
    ensure!(received[2].body["id"] == id && received[2].body["kind"] == "task");

    let config = json!({ "taskId": id, "pushNotificationConfig": { "id": "silent", "url": silent.url } });
    result(&client, "tasks/pushNotificationConfig/set", config).await?;
    result(&client, "tasks/cancel", json!({ "id": id })).await?;
    // The receiver that never answers does not delay other receivers.
    let ask = || async { Ok(arrived(&stubborn, 4, "canceled")) };
    eventually("the stubborn receiver gets the notification of the cancellation", 30, ask).await?;
    let ask = || async { Ok(arrived(&silent, 1, "canceled")) };
    eventually("the silent receiver's request", 30, ask).await?;
    server.kill().await?;
    let server = folder.serve().await?;
    let ask = || async { Ok(arrived(&silent, 2, "canceled")) };
    eventually("the silent receiver gets the notification after the crash", 30, ask).await?;
    server.stop().await
}

#[test]
fn config_check_reports_a_skill_that_no_card_names() -> Result<()> {
    let folder = Folder::new("[agents.skills]\n\"code:rewiev\" = \"critic\"")?;
    let checked = folder.try_run(&["config", "check"])?;
    let reported = String::from_utf8_lossy(&checked.stderr).into_owned();
    ensure!(
        !checked.status.success() && reported.contains("\"code:rewiev\"") && reported.contains("code:review"),
        "{reported}"
    );
    Ok(())
}
