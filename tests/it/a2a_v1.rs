//! Agent to agent in protocol version 1.0: both bindings operate on the same tasks as
//! version 0.3.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::receiver::Receiver;
use tollbridge_tests::{Client, Reply, eventually};

use crate::a2a::{EXECUTE, credit, message as message_0_3, refused as refused_0_3, result as result_0_3, start};

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// The protocol binding by which an operation is requested.
#[derive(Clone, Copy, Debug)]
enum Binding {
    Rpc,
    Rest,
}

const BOTH: [Binding; 2] = [Binding::Rpc, Binding::Rest];

/// An error response of either binding.
#[derive(Debug)]
struct ReportedError {
    code: i64,
    reason: String,
    details: Vec<Value>,
}

impl Binding {
    /// Calls an operation through this binding and returns its result or its error.
    async fn ask(
        self,
        client: &Client,
        method: &str,
        params: Value,
    ) -> Result<std::result::Result<Value, ReportedError>> {
        match self {
            Self::Rpc => {
                let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
                let request = client.request(Method::POST, EXECUTE).header("a2a-version", "1.0").json(&body);
                let reply = client.send(request).await?.must(200)?;
                ensure!(reply.json["id"] == 7, "{reply:?}");
                let error = &reply.json["error"];
                Ok(match error.is_object() {
                    true => Err(reported(error, "data")?),
                    false => Ok(reply.json["result"].clone()),
                })
            }
            Self::Rest => {
                let (verb, path, query) = address(method, &params)?;
                let mut request = client.request(verb.clone(), &path).header("a2a-version", "1.0").query(&query);
                if verb == Method::POST {
                    request = request.json(&params);
                }
                let reply = client.send(request).await?;
                if reply.status < 300 {
                    return Ok(Ok(reply.json));
                }
                ensure!(reply.json["error"]["code"] == reply.status, "{reply:?}");
                Ok(Err(reported(&reply.json["error"], "details")?))
            }
        }
    }

    async fn result(self, client: &Client, method: &str, params: Value) -> Result<Value> {
        let result = self.ask(client, method, params).await?;
        result.map_err(|reported| anyhow::anyhow!("{self:?} {method}: {reported:?}"))
    }

    /// Calls an operation that must fail, checks the error code for this binding, and
    /// returns the error.
    async fn refused(self, client: &Client, method: &str, params: Value, codes: (i64, i64)) -> Result<ReportedError> {
        let reported = self.ask(client, method, params).await?.err().with_context(|| format!("{method} succeeded"))?;
        let expected = if matches!(self, Self::Rpc) { codes.0 } else { codes.1 };
        ensure!(reported.code == expected, "{self:?} {method}: {reported:?}");
        Ok(reported)
    }
}

fn reported(error: &Value, details: &str) -> Result<ReportedError> {
    let details = error[details].as_array().cloned().unwrap_or_default();
    let info = details.iter().find(|one| one["@type"] == ERROR_INFO).cloned().unwrap_or_default();
    let reason = info["reason"].as_str().unwrap_or_default().to_owned();
    Ok(ReportedError { code: error["code"].as_i64().context("no code")?, reason, details })
}

/// Verb, path and query of an operation.
type Address = (Method, String, Vec<(String, String)>);

/// Returns the address of an operation in the HTTP+JSON binding.
fn address(method: &str, params: &Value) -> Result<Address> {
    let text = |name: &str| params[name].as_str().unwrap_or_default();
    let configs = || format!("/tasks/{}/pushNotificationConfigs", text("taskId"));
    let (verb, path, named) = match method {
        "SendMessage" => (Method::POST, "/message:send".to_owned(), None),
        "SendStreamingMessage" => (Method::POST, "/message:stream".to_owned(), None),
        "GetTask" => (Method::GET, format!("/tasks/{}", text("id")), Some("id")),
        "ListTasks" => (Method::GET, "/tasks".to_owned(), None),
        "CancelTask" => (Method::POST, format!("/tasks/{}:cancel", text("id")), None),
        "SubscribeToTask" => (Method::POST, format!("/tasks/{}:subscribe", text("id")), None),
        "CreateTaskPushNotificationConfig" => (Method::POST, configs(), None),
        "ListTaskPushNotificationConfigs" => (Method::GET, configs(), Some("taskId")),
        "GetTaskPushNotificationConfig" => (Method::GET, format!("{}/{}", configs(), text("id")), Some("id")),
        "DeleteTaskPushNotificationConfig" => (Method::DELETE, format!("{}/{}", configs(), text("id")), Some("id")),
        "GetExtendedAgentCard" => (Method::GET, "/extendedAgentCard".to_owned(), None),
        other => anyhow::bail!("no address for {other}"),
    };
    let members = params.as_object().into_iter().flatten().filter(|(name, _)| Some(name.as_str()) != named);
    let query = members
        .filter(|(_, value)| verb != Method::POST && !value.is_object())
        .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    let query = query.collect();
    Ok((verb, format!("/v1/a2a{path}"), query))
}

fn message(id: &str, text: &str, more: Value) -> Value {
    let mut message = json!({ "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }] });
    if let (Some(members), Some(more)) = (message.as_object_mut(), more.as_object()) {
        members.extend(more.clone());
    }
    json!({ "message": message })
}

fn skilled(id: &str, text: &str, skill: &str) -> Value {
    message(id, text, json!({ "metadata": { "capability": skill } }))
}

#[tokio::test]
async fn a_task_costs_and_seals_the_same_by_either_version_and_binding() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "v1@example.com", "5.00").await?;
    let before = credit(&client).await?;
    for (n, binding) in BOTH.into_iter().enumerate() {
        let id = format!("m{n}");
        let task = binding.result(&client, "SendMessage", skilled(&id, "twelve bytes", "summarization")).await?;
        let task = &task["task"];
        ensure!(task["status"]["state"] == "TASK_STATE_COMPLETED" && task.get("kind").is_none(), "{task}");
        ensure!(task["artifacts"][0]["parts"] == json!([{ "data": { "bytes": "00012" } }]), "{task}");
        ensure!(task["history"][0]["role"] == "ROLE_USER" && task["history"][0]["messageId"] == id, "{task}");
        ensure!(task["history"][0]["parts"] == json!([{ "text": "twelve bytes" }]), "{task}");
        let seal = task["metadata"]["worm_seal"].as_str().context("no seal")?;
        ensure!(client.get(&format!("/v1/ledger/record/{seal}")).await?.status == 200);
        // The same message, sent in version 0.3 or through the other binding, returns the
        // same task.
        let older = message_0_3(&id, "twelve bytes", json!({ "metadata": { "capability": "summarization" } }));
        let older = result_0_3(&client, "message/send", older).await?;
        ensure!(older["id"] == task["id"] && older["status"]["state"] == "completed", "{older}");
        ensure!(older["history"][0]["parts"] == json!([{ "kind": "text", "text": "twelve bytes" }]), "{older}");
        for other in BOTH {
            let got = other.result(&client, "GetTask", json!({ "id": task["id"] })).await?;
            ensure!(got == *task, "{got}");
            let none = other.result(&client, "GetTask", json!({ "id": task["id"], "historyLength": 0 })).await?;
            ensure!(none.get("history").is_none(), "{none}");
        }
        let stranger = folder.funded(&server, &format!("other{n}@example.com"), "1.00").await?;
        let reported = binding.refused(&stranger, "GetTask", json!({ "id": task["id"] }), (-32001, 404)).await?;
        ensure!(reported.reason == "TASK_NOT_FOUND", "{reported:?}");
    }
    ensure!(before - credit(&client).await? == 20);
    // A task started in 0.3 continues in 1.0.
    let asked = result_0_3(&client, "message/send", message_0_3("m9", "a long text", json!({}))).await?;
    let params = message("m10", "summarization", json!({ "taskId": asked["id"], "contextId": asked["contextId"] }));
    let done = Binding::Rest.result(&client, "SendMessage", params).await?;
    ensure!(done["task"]["id"] == asked["id"] && done["task"]["status"]["state"] == "TASK_STATE_COMPLETED", "{done}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn refusals_use_the_error_format_of_their_binding() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "no@example.com", "1.00").await?;
    let before = credit(&client).await?;
    let open = Binding::Rpc.result(&client, "SendMessage", message("m0", "x", json!({}))).await?["task"].clone();
    ensure!(open["status"]["state"] == "TASK_STATE_INPUT_REQUIRED", "{open}");
    let done = Binding::Rpc.result(&client, "SendMessage", skilled("m00", "x", "general")).await?["task"].clone();
    let raw = json!({ "parts": [{ "raw": "dGNr", "mediaType": "image/png" }] });
    let wrong_context = json!({ "taskId": open["id"], "contextId": "other" });
    let skill = json!({ "metadata": { "capability": "nonsense" } });
    let dear = json!({ "metadata": { "capability": "general", "max_cost_gbp": "0.09" } });
    for binding in BOTH {
        for (method, params, codes, reason) in [
            ("SendMessage", json!({}), (-32602, 400), ""),
            ("SendMessage", message("m1", "x", json!({ "role": "user" })), (-32602, 400), ""),
            ("SendMessage", message("m1", "x", json!({ "parts": [{}] })), (-32602, 400), ""),
            ("SendMessage", message("m1", "x", raw.clone()), (-32005, 415), "CONTENT_TYPE_NOT_SUPPORTED"),
            ("SendMessage", message("m1", "x", json!({ "taskId": "task_no" })), (-32001, 404), "TASK_NOT_FOUND"),
            ("SendMessage", message("m1", "x", wrong_context.clone()), (-32602, 400), ""),
            (
                "SendMessage",
                message("m1", "x", json!({ "taskId": done["id"] })),
                (-32004, 400),
                "UNSUPPORTED_OPERATION",
            ),
            ("SendMessage", message("m1", "x", skill.clone()), (-32602, 400), ""),
            ("SendMessage", message("m1", "x", dear.clone()), (-32000, 402), ""),
            ("SendStreamingMessage", message("m1", "x", json!({})), (-32004, 400), "UNSUPPORTED_OPERATION"),
            ("SubscribeToTask", json!({ "id": open["id"] }), (-32004, 400), "UNSUPPORTED_OPERATION"),
            ("GetTask", json!({ "id": "task_no" }), (-32001, 404), "TASK_NOT_FOUND"),
            ("GetTask", json!({ "id": open["id"], "historyLength": -1 }), (-32602, 400), ""),
            ("CancelTask", json!({ "id": done["id"] }), (-32002, 409), "TASK_NOT_CANCELABLE"),
            ("CancelTask", json!({ "id": "task_no" }), (-32001, 404), "TASK_NOT_FOUND"),
            ("ListTasks", json!({ "pageSize": 0 }), (-32602, 400), ""),
            ("ListTasks", json!({ "pageSize": 101 }), (-32602, 400), ""),
            ("ListTasks", json!({ "pageToken": "x" }), (-32602, 400), ""),
            ("ListTasks", json!({ "status": "TASK_STATE_RUNNING" }), (-32602, 400), ""),
            ("ListTasks", json!({ "statusTimestampAfter": "yesterday" }), (-32602, 400), ""),
        ] {
            let reported = binding.refused(&client, method, params.clone(), codes).await?;
            ensure!(reported.reason == reason && !reported.details.is_empty(), "{method} {params}: {reported:?}");
        }
    }
    ensure!(before - credit(&client).await? == 10, "only the finished task must be charged");
    server.stop().await
}

#[tokio::test]
async fn versions_are_negotiated_and_types_are_the_protocols_to_tell() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "version@example.com", "1.00").await?;
    let ask = |version: &str, method: &str| {
        let body = json!({ "jsonrpc": "2.0", "id": "x", "method": method, "params": { "id": "none" } });
        client.send(client.request(Method::POST, EXECUTE).header("a2a-version", version).json(&body))
    };
    let code = |reply: &Reply| reply.json["error"]["code"].as_i64().unwrap_or_default();
    for (version, method, expect) in [
        ("1.0", "GetTask", -32001),
        ("1.0.3", "GetTask", -32001),
        ("1.0", "tasks/get", -32601),
        ("0.3", "tasks/get", -32001),
        ("", "tasks/get", -32001),
        ("", "GetTask", -32601),
        ("99.0", "GetTask", -32009),
    ] {
        let reply = ask(version, method).await?;
        ensure!(reply.status == 200 && code(&reply) == expect && reply.json["id"] == "x", "{version}: {reply:?}");
    }
    // Errors in 0.3 have only the members that version 0.3 defines.
    ensure!(ask("0.3", "GetTask").await?.json["error"]["data"]["protocolVersion"] == "0.3.0");
    let (_, data) = refused_0_3(&client, "tasks/get", json!({ "id": "none" })).await?;
    ensure!(data == json!({ "code": "E012" }), "{data}");
    for (path, version, expect) in [
        ("/v1/a2a/tasks", None, 400),
        ("/v1/a2a/tasks", Some("0.3"), 400),
        ("/v1/a2a/tasks", Some("99.0"), 400),
        ("/v1/a2a/tasks?A2A-Version=1.0", None, 200),
    ] {
        let request = client.request(Method::GET, path);
        let request = version.map_or(request.try_clone(), |version| Some(request.header("a2a-version", version)));
        let reply = client.send(request.context("no request")?).await?;
        ensure!(reply.status == expect, "{path} {version:?}: {reply:?}");
    }
    let plain = |path: &str| {
        let request = client.request(Method::POST, path).header("a2a-version", "1.0");
        client.send(request.header("content-type", "text/plain").body("{}"))
    };
    let reply = plain(EXECUTE).await?;
    ensure!(reply.status == 200 && code(&reply) == -32005, "{reply:?}");
    let reply = plain("/v1/a2a/message:send").await?;
    ensure!(reply.status == 415 && reply.json["error"]["details"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED");
    for path in [EXECUTE, "/v1/a2a/message:send", "/v1/a2a/tasks/x:cancel"] {
        let request = server.client().request(Method::POST, path).header("a2a-version", "1.0");
        server.client().send(request.json(&json!({}))).await?.must_be(401, "E001")?;
    }
    let request = client.request(Method::GET, "/v1/a2a/tasks").header("a2a-version", "1.0");
    let reply = client.send(request.header("accept", "application/a2a+json")).await?;
    ensure!(reply.header("content-type") == Some("application/a2a+json"), "{reply:?}");
    server.stop().await
}

#[tokio::test]
async fn lists_are_an_accounts_own_in_pages_the_newest_first() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "list@example.com", "5.00").await?;
    let mut ids = Vec::new();
    for n in 0..5 {
        let context = json!({ "contextId": if n < 2 { "first" } else { "second" } });
        let task = Binding::Rpc.result(&client, "SendMessage", message(&format!("m{n}"), "x", context)).await?;
        ids.insert(0, task["task"]["id"].clone());
        // Tasks that change in the same millisecond have no defined order, so let the
        // clock advance.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let done = Binding::Rpc.result(&client, "SendMessage", skilled("m5", "x", "general")).await?["task"].clone();
    ids.insert(0, done["id"].clone());
    let of = |page: &Value| -> Vec<Value> {
        page["tasks"].as_array().into_iter().flatten().map(|task| task["id"].clone()).collect()
    };
    for binding in BOTH {
        let all = binding.result(&client, "ListTasks", json!({})).await?;
        ensure!(of(&all) == ids && all["totalSize"] == 6 && all["pageSize"] == 50, "{all}");
        ensure!(all["nextPageToken"] == "" && all["tasks"][0].get("artifacts").is_none(), "{all}");
        let shown = binding.result(&client, "ListTasks", json!({ "includeArtifacts": true, "pageSize": 1 })).await?;
        ensure!(shown["tasks"][0]["artifacts"] == done["artifacts"], "{shown}");
        let (mut paged, mut token) = (Vec::new(), json!(""));
        loop {
            let page = binding.result(&client, "ListTasks", json!({ "pageSize": 4, "pageToken": token })).await?;
            ensure!(page["totalSize"] == 6 && page["pageSize"] == 4, "{page}");
            paged.extend(of(&page));
            token = page["nextPageToken"].clone();
            if token == "" {
                break;
            }
        }
        ensure!(paged == ids, "{paged:?}");
        for (filter, expect) in [
            (json!({ "contextId": "first" }), &ids[4..]),
            (json!({ "status": "TASK_STATE_COMPLETED" }), &ids[..1]),
            (json!({ "status": "TASK_STATE_REJECTED" }), &[]),
            (json!({ "status": "TASK_STATE_INPUT_REQUIRED", "contextId": "second" }), &ids[1..4]),
            (json!({ "statusTimestampAfter": done["status"]["timestamp"] }), &ids[..1]),
        ] {
            let page = binding.result(&client, "ListTasks", filter.clone()).await?;
            ensure!(of(&page) == expect && page["totalSize"] == expect.len(), "{filter}: {page}");
        }
        let stranger = folder.funded(&server, &format!("{binding:?}@example.com"), "1.00").await?;
        let none = binding.result(&stranger, "ListTasks", json!({ "contextId": "first" })).await?;
        ensure!(none["tasks"] == json!([]) && none["totalSize"] == 0, "{none}");
    }
    // The most recently changed task comes first, and the list survives a restart.
    Binding::Rest.result(&client, "CancelTask", json!({ "id": ids[5] })).await?;
    let key = client.key().context("no key")?.to_owned();
    server.stop().await?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&key);
    let all = Binding::Rest.result(&client, "ListTasks", json!({})).await?;
    ensure!(of(&all)[0] == ids[5] && all["totalSize"] == 6, "{all}");
    server.stop().await
}

#[tokio::test]
async fn receivers_get_a_stream_response_and_settings_may_be_deleted_twice() -> Result<()> {
    let (folder, server) = start("[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\nretries = [\"1s\"]").await?;
    let client = folder.funded(&server, "push1@example.com", "1.00").await?;
    for (n, binding) in BOTH.into_iter().enumerate() {
        let receiver = Receiver::start(&[]).await?;
        let config = json!({ "id": "mine", "url": receiver.url, "token": "tok",
            "authentication": { "scheme": "Bearer", "credentials": "cred" } });
        let mut params = message(&format!("m{n}"), "hello", json!({}));
        params["configuration"] = json!({ "taskPushNotificationConfig": config });
        let task = binding.result(&client, "SendMessage", params).await?["task"].clone();
        let named = json!({ "taskId": task["id"], "id": "mine" });
        let kept = binding.result(&client, "GetTaskPushNotificationConfig", named.clone()).await?;
        ensure!(kept["taskId"] == task["id"] && kept["url"] == config["url"] && kept["token"] == "tok", "{kept}");
        ensure!(kept["authentication"] == config["authentication"], "{kept}");
        let done = message(&format!("n{n}"), "general", json!({ "taskId": task["id"] }));
        binding.result(&client, "SendMessage", done).await?;
        let reported = || async {
            let last = receiver.received().pop();
            Ok(last.filter(|one| one.body["task"]["status"]["state"] == "TASK_STATE_COMPLETED"))
        };
        let (reported, _) = eventually("the end of the task", 30, reported).await?;
        let head = reported.head.to_ascii_lowercase();
        ensure!(head.contains("authorization: bearer cred") && head.contains("application/a2a+json"), "{head}");
        ensure!(reported.body["task"]["id"] == task["id"], "{}", reported.body);
        let second = json!({ "taskId": task["id"], "id": "second", "url": "https://example.com/2" });
        binding.result(&client, "CreateTaskPushNotificationConfig", second).await?;
        let all = binding.result(&client, "ListTaskPushNotificationConfigs", json!({ "taskId": task["id"] })).await?;
        ensure!(all["configs"].as_array().map(Vec::len) == Some(2) && all["nextPageToken"] == "", "{all}");
        for _ in 0..2 {
            binding.result(&client, "DeleteTaskPushNotificationConfig", named.clone()).await?;
        }
        binding.refused(&client, "GetTaskPushNotificationConfig", named, (-32001, 404)).await?;
        let wrong = json!({ "taskId": task["id"], "url": "ftp://example.com" });
        binding.refused(&client, "CreateTaskPushNotificationConfig", wrong, (-32602, 400)).await?;
    }
    server.stop().await
}

#[tokio::test]
async fn cards_are_sent_once_and_the_extended_one_names_prices() -> Result<()> {
    let (folder, server) = start("").await?;
    let client = folder.funded(&server, "card@example.com", "1.00").await?;
    let open = server.client();
    for path in
        ["/.well-known/agent-card.json", "/.well-known/agent-card.json?A2A-Version=1.0", "/.well-known/agent.json"]
    {
        let card = open.get(path).await?.must(200)?;
        let (tag, made) = (card.header("etag").context("no tag")?, card.header("last-modified").context("no time")?);
        for (name, value, expect) in [
            ("if-none-match", tag, 304),
            ("if-none-match", "\"other\"", 200),
            ("if-modified-since", made, 304),
            ("if-modified-since", "Tue, 14 Nov 2023 22:13:20 GMT", 200),
        ] {
            let again = open.send(open.request(Method::GET, path).header(name, value)).await?;
            ensure!(again.status == expect && again.header("etag") == Some(tag), "{path} {name}: {again:?}");
            ensure!(again.text.is_empty() == (expect == 304), "{again:?}");
        }
    }
    let both = open.get("/.well-known/agent-card.json").await?;
    let asked = open.request(Method::GET, "/.well-known/agent-card.json").header("a2a-version", "1.0");
    let only = open.send(asked).await?;
    ensure!(both.header("vary") == Some("a2a-version") && both.header("etag") != only.header("etag"));
    ensure!(only.json.get("url").is_none() && only.json["supportedInterfaces"] == both.json["supportedInterfaces"]);
    ensure!(both.json["url"] == both.json["supportedInterfaces"][0]["url"], "{both:?}");
    for binding in BOTH {
        let card = binding.result(&client, "GetExtendedAgentCard", json!({})).await?;
        // The skill `translation` is missing, because no agent is bound to it.
        ensure!(card["skills"].as_array().map(Vec::len) == Some(16), "{card}");
        let text = card["skills"][0]["description"].as_str().context("no description")?;
        ensure!(text.ends_with("A call costs 0.10 GBP.") && card["signatures"].is_array(), "{card}");
    }
    open.get("/v1/a2a/extendedAgentCard?A2A-Version=1.0").await?.must_be(401, "E001")?;
    server.stop().await
}

#[tokio::test]
async fn an_unpaid_request_gets_a_quote_in_either_binding() -> Result<()> {
    let (folder, server) = start("[payments]\nsandbox_credit = \"0.00\"").await?;
    let client = server.client().signed_up("poor1@example.com").await?;
    for (n, binding) in BOTH.into_iter().enumerate() {
        let params = skilled(&format!("m{n}"), "x", "general");
        let reported = binding.refused(&client, "SendMessage", params, (-32000, 402)).await?;
        let ours = &reported.details[0]["value"];
        ensure!(ours["code"] == "E003" && ours["payment"]["amount_pence"] == 10, "{reported:?}");
        ensure!(ours["payment"]["payment_intent_id"].is_string(), "{reported:?}");
    }
    folder.verify()?;
    server.stop().await
}
