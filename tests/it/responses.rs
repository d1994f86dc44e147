//! The Responses API with providers that support chats, Messages or the API itself:
//! answers, stored responses, and access to them.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, TEXT, USED, Wire};
use tollbridge_tests::{Client, Folder, Reply, eventually};

use crate::inference::{COST, Gateway};

const RESPONSES: &str = "/v1/responses";

fn hello() -> Value {
    json!({ "model": "small", "input": "hello", "max_output_tokens": 20 })
}

fn with(mut body: Value, members: Value) -> Value {
    for (name, value) in members.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

/// Returns the text of a response.
fn said(response: &Value) -> String {
    let items = response["output"].as_array().into_iter().flatten();
    let parts = items.filter(|item| item["type"] == "message").filter_map(|item| item["content"].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// Returns the data of each event in a stream, in order.
fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| panic!("{data}"))).collect()
}

fn id_of(reply: &Reply) -> Result<&str> {
    reply.json["id"].as_str().filter(|id| id.starts_with("resp_")).with_context(|| reply.text.clone())
}

async fn delete(client: &Client, path: &str) -> Result<Reply> {
    client.send(client.request(reqwest::Method::DELETE, path)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn any_provider_answers_and_costs_what_it_took() -> Result<()> {
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Responses] {
        let gateway = Gateway::with(wire, wire, "").await?;
        for path in [RESPONSES, "/api/v1/responses"] {
            let reply = gateway.customer.post(path, &with(hello(), json!({ "instructions": "be brief" }))).await?;
            let reply = reply.must(200)?;
            let response = &reply.json;
            ensure!(said(response) == TEXT && response["status"] == "completed", "{}", reply.text);
            ensure!(response["usage"]["input_tokens"] == USED.0 && response["usage"]["output_tokens"] == USED.1);
            ensure!(response["store"] == true && response["instructions"] == "be brief", "{}", reply.text);
            ensure!(response["model"] == "small", "{}", reply.text);
            ensure!(reply.header("x-provider") == Some("one"), "{reply:?}");
            ensure!(
                reply.header("x-cost-gbp") == Some("0.02500") && reply.header("x-worm-seal").is_some(),
                "{reply:?}"
            );
            id_of(&reply)?;
        }
        let reply = gateway.customer.post(RESPONSES, &with(hello(), json!({ "stream": true }))).await?.must(200)?;
        let events = events(&reply.text);
        let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        ensure!(kinds[..2] == ["response.created", "response.in_progress"], "{kinds:?}");
        ensure!(kinds.last() == Some(&"response.completed"), "{kinds:?}");
        let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
        let text: String = deltas.filter_map(|event| event["delta"].as_str()).collect();
        ensure!(text == TEXT, "{text}");
        for (number, event) in events.iter().enumerate() {
            ensure!(event["sequence_number"] == number, "{event}");
        }
        let last = &events.last().context("no event")?["response"];
        ensure!(said(last) == TEXT && last["store"] == true && last["id"] == events[0]["response"]["id"], "{last}");
        ensure!(last["usage"]["total_tokens"] == USED.0 + USED.1, "{last}");
        ensure!(reply.text.contains("charged_millipence=2500") && !reply.text.contains("[DONE]"), "{}", reply.text);
        ensure!(gateway.charged()? == 3 * COST, "{}", gateway.charged()?);
        gateway.finish().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_continues_at_any_provider() -> Result<()> {
    // The first provider supports the API, the second does not.
    let gateway = Gateway::with(Wire::Responses, Wire::OpenAi, "").await?;
    let customer = &gateway.customer;
    let asked = with(hello(), json!({ "reasoning": { "effort": "low" } }));
    let first = customer.post(RESPONSES, &asked).await?.must(200)?;
    ensure!(first.json["id"] != "resp_theirs" && first.json["a_new_member"] == true, "{}", first.text);
    let follow = |previous: &str| with(hello(), json!({ "input": "and then?", "previous_response_id": previous }));
    let second = customer.post(RESPONSES, &follow(id_of(&first)?)).await?.must(200)?;
    ensure!(second.json["previous_response_id"] == first.json["id"], "{}", second.text);
    let seen = gateway.first.seen();
    let sent = seen[1]["input"].as_array().context("no input")?;
    let kinds: Vec<&str> = sent.iter().filter_map(|item| item["type"].as_str()).collect();
    ensure!(kinds == ["message", "reasoning", "message", "message"], "{kinds:?}");
    ensure!(seen[1].get("previous_response_id").is_none() && seen[1]["store"] == false, "{}", seen[1]);
    // When another provider takes over, it gets the same conversation.
    gateway.first.next([Act::Status(500, Vec::new(), "{}".to_owned())]);
    let third = customer.post(RESPONSES, &follow(id_of(&second)?)).await?.must(200)?;
    ensure!(third.header("x-provider") == Some("two") && said(&third.json) == TEXT, "{third:?}");
    let messages = gateway.second.seen()[0]["messages"].clone();
    let texts: Vec<&str> =
        messages.as_array().into_iter().flatten().filter_map(|one| one["content"].as_str()).collect();
    ensure!(texts == ["hello", TEXT, "and then?", TEXT, "and then?"], "{texts:?}");
    // A request can refer to an item of an earlier response by its id.
    let item = third.json["output"][0]["id"].clone();
    let named = json!([{ "type": "item_reference", "id": item }, { "role": "user", "content": "why?" }]);
    customer.post(RESPONSES, &with(hello(), json!({ "input": named }))).await?.must(200)?;
    let sent = gateway.first.seen().last().context("nothing")?["input"].clone();
    ensure!(sent[0]["content"][0]["text"] == TEXT && sent[0]["id"].is_null(), "{sent}");
    // No other account can continue the conversation.
    let other = gateway.server.client().signed_up("bob@example.com").await?;
    let refused = other.post(RESPONSES, &follow(id_of(&first)?)).await?.must(400)?;
    ensure!(refused.text.contains("keeps no response"), "{}", refused.text);
    let refused = other.post(RESPONSES, &with(hello(), json!({ "input": named }))).await?.must(400)?;
    ensure!(refused.text.contains("keeps no item"), "{}", refused.text);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_are_kept_for_their_account() -> Result<()> {
    let mut gateway = Gateway::start("").await?;
    let customer = gateway.customer.clone();
    let input = json!([
        { "role": "user", "content": "one" },
        { "role": "assistant", "content": "two" },
        { "role": "user", "content": "three" },
    ]);
    let made = customer.post(RESPONSES, &with(hello(), json!({ "input": input, "metadata": { "a": "b" } }))).await?;
    let made = made.must(200)?;
    let path = format!("{RESPONSES}/{}", id_of(&made)?);
    let items = format!("{path}/input_items");
    // The response was stored before the answer was sent, so a new process finds it.
    gateway.server.stop().await?;
    gateway.server = gateway.folder.serve().await?;
    let customer = gateway.server.client().with_key(customer.key().context("no key")?);
    gateway.customer = customer.clone();
    for prefix in ["", "/api"] {
        let read = customer.get(&format!("{prefix}{path}")).await?.must(200)?;
        ensure!(read.json == made.json && read.json["metadata"]["a"] == "b", "{}", read.text);
        let page = customer.get(&format!("{prefix}{items}?limit=2")).await?.must(200)?.json;
        ensure!(page["data"][0]["content"][0]["text"] == "three" && page["has_more"] == true, "{page}");
        let after = page["last_id"].as_str().context("no id")?;
        let rest = customer.get(&format!("{prefix}{items}?limit=2&after={after}")).await?.must(200)?.json;
        ensure!(rest["data"][0]["content"][0]["text"] == "one" && rest["has_more"] == false, "{rest}");
        let first = customer.get(&format!("{prefix}{items}?order=asc&include[]=x")).await?.must(200)?.json;
        ensure!(first["data"][0]["content"][0]["text"] == "one", "{first}");
    }
    for query in ["limit=0", "limit=101", "order=up", "after=msg_none", "page=2"] {
        customer.get(&format!("{items}?{query}")).await?.must(400)?;
    }
    let other = gateway.server.client().signed_up("bob@example.com").await?;
    for client in [&other, &gateway.server.client()] {
        let status = if client.key().is_some() { 404 } else { 401 };
        client.get(&path).await?.must(status)?;
        client.get(&items).await?.must(status)?;
        delete(client, &path).await?.must(status)?;
    }
    let deleted = delete(&customer, &path).await?.must(200)?;
    ensure!(deleted.json["deleted"] == true && deleted.json["id"] == made.json["id"], "{}", deleted.text);
    customer.get(&path).await?.must(404)?;
    delete(&customer, &path).await?.must(404)?;
    let follow = with(hello(), json!({ "previous_response_id": made.json["id"] }));
    customer.post(RESPONSES, &follow).await?.must(400)?;
    // Failed responses, and responses to requests with `store: false`, are not stored.
    let made = customer.post(RESPONSES, &with(hello(), json!({ "store": false }))).await?.must(200)?;
    ensure!(made.json["store"] == false, "{}", made.text);
    customer.get(&format!("{RESPONSES}/{}", id_of(&made)?)).await?.must(404)?;
    gateway.first.next([Act::Cut]);
    let cut = customer.post(RESPONSES, &with(hello(), json!({ "stream": true }))).await?.must(200)?;
    let events = events(&cut.text);
    let kinds: Vec<&str> = events.iter().rev().take(2).filter_map(|event| event["type"].as_str()).collect();
    ensure!(kinds == ["response.failed", "error"], "{kinds:?}");
    let failed = &events.last().context("no event")?["response"];
    ensure!(failed["status"] == "failed" && failed["error"]["code"] == "server_error", "{failed}");
    customer.get(&format!("{RESPONSES}/{}", failed["id"].as_str().context("no id")?)).await?.must(404)?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_gets_the_same_response_and_is_charged_once() -> Result<()> {
    let gateway = Gateway::start("").await?;
    for (key, more) in [("plain", json!({})), ("stream", json!({ "stream": true }))] {
        let ask = || {
            let request = gateway.customer.request(reqwest::Method::POST, RESPONSES).json(&with(hello(), more.clone()));
            gateway.customer.send(request.header("idempotency-key", key))
        };
        let (first, again) = (ask().await?.must(200)?, ask().await?.must(200)?);
        ensure!(again.header("idempotent-replayed") == Some("true"), "{again:?}");
        let ids = |reply: &Reply| {
            let events = if key == "stream" { events(&reply.text) } else { vec![json!({ "response": reply.json })] };
            events.last().map(|event| event["response"]["id"].clone())
        };
        ensure!(ids(&first) == ids(&again), "{} {}", first.text, again.text);
    }
    ensure!(gateway.charged()? == 2 * COST && gateway.first.seen().len() == 2, "{}", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_changes_nothing() -> Result<()> {
    let gateway = Gateway::start("").await?;
    gateway.first.next([Act::SlowBody(Duration::from_millis(300))]);
    let request =
        gateway.customer.request(reqwest::Method::POST, RESPONSES).json(&with(hello(), json!({ "stream": true })));
    let mut response = request.header("idempotency-key", "left").send().await?;
    let mut seen = String::new();
    while !seen.contains("output_text.delta") {
        seen.push_str(&String::from_utf8_lossy(&response.chunk().await?.context("the stream ended")?));
    }
    drop(response);
    let created = events(seen.rsplit_once("\n\n").unwrap_or_default().0);
    let id = created[0]["response"]["id"].as_str().context("no id")?.to_owned();
    let path = format!("{RESPONSES}/{id}");
    let ask = || async { Ok((gateway.customer.get(&path).await?.status == 200).then_some(())) };
    eventually("the response is kept", 5, ask).await?;
    ensure!(gateway.charged()? == COST, "{}", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_and_structured_answers_go_both_ways() -> Result<()> {
    let tool = json!({ "type": "function", "name": "weather", "strict": true,
        "parameters": { "type": "object", "properties": { "place": { "type": "string" } } } });
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Responses] {
        let gateway = Gateway::with(wire, wire, "").await?;
        let asked = with(hello(), json!({ "tools": [tool], "tool_choice": "required" }));
        let reply = gateway.customer.post(RESPONSES, &asked).await?.must(200)?;
        let call = reply.json["output"][0].clone();
        ensure!(call["type"] == "function_call" && call["name"] == "weather", "{}", reply.text);
        ensure!(call["arguments"] == "{\"place\":\"Rome\"}", "{call}");
        let result = json!([{ "type": "function_call_output", "call_id": call["call_id"], "output": "sunny" }]);
        let follow = json!({ "previous_response_id": reply.json["id"], "input": result });
        let reply = gateway.customer.post(RESPONSES, &with(hello(), follow)).await?.must(200)?;
        ensure!(said(&reply.json) == TEXT, "{}", reply.text);
        gateway.finish().await?;
    }
    let gateway = Gateway::start("").await?;
    gateway.first.next([Act::Say("{\"a\": 1}".to_owned())]);
    let format = json!({ "type": "json_schema", "name": "n", "strict": true, "schema": { "type": "object" } });
    let asked = with(hello(), json!({ "text": { "format": format } }));
    let reply = gateway.customer.post(RESPONSES, &asked).await?.must(200)?;
    ensure!(said(&reply.json) == "{\"a\": 1}" && reply.json["text"]["format"]["name"] == "n", "{}", reply.text);
    ensure!(gateway.first.seen()[0]["response_format"]["json_schema"]["name"] == "n");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_parameters_are_refused_by_name_and_cost_nothing() -> Result<()> {
    let gateway = Gateway::start("").await?;
    for (members, name) in [
        (json!({ "background": true }), "background"),
        (json!({ "conversation": "conv_1" }), "conversation"),
        (json!({ "prompt": { "id": "p" } }), "prompt"),
        (json!({ "tools": [{ "type": "web_search" }] }), "web_search"),
        (json!({ "tools": [{ "type": "custom", "name": "sql" }] }), "custom"),
        (json!({ "service_tier": "priority" }), "service_tier"),
        (json!({ "input": [{ "type": "mcp_call", "id": "m" }] }), "mcp_call"),
        (json!({ "input": [{ "role": "user", "content": [{ "type": "input_file", "file_id": "f" }] }] }), "file_id"),
        (json!({ "input": [] }), "input"),
        (json!({ "previous_response_id": "resp_none" }), "resp_none"),
    ] {
        let reply = gateway.customer.post(RESPONSES, &with(hello(), members.clone())).await?.must(400)?;
        ensure!(reply.text.contains(name), "{members}: {}", reply.text);
    }
    gateway.customer.post(RESPONSES, &with(hello(), json!({ "model": "none" }))).await?.must(404)?;
    gateway.server.client().post(RESPONSES, &hello()).await?.must(401)?;
    ensure!(gateway.charged()? == 0 && gateway.first.seen().is_empty(), "{}", gateway.charged()?);
    gateway.finish().await
}

/// An input of a megabyte is accepted, stored and continued; this model costs nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_input_is_kept_whole() -> Result<()> {
    let fake = FakeProvider::start(Wire::OpenAi).await?;
    let model = "{ id = \"small\", input_usd_per_mtok = 0, output_usd_per_mtok = 0, context = 4000000 }";
    let mut folder = Folder::new(&format!(
        "[inference]\nbilling = \"off\"\n[inference.providers.one]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\n\
         models = [{model}]\n",
        fake.url
    ))?;
    folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
    let server = folder.serve().await?;
    let customer = server.client().signed_up("ada@example.com").await?;
    let long = "long ".repeat(200_000);
    let made = customer.post(RESPONSES, &with(hello(), json!({ "input": long }))).await?.must(200)?;
    ensure!(made.json["store"] == true, "{}", made.text);
    let follow = json!({ "previous_response_id": made.json["id"], "input": "and?" });
    customer.post(RESPONSES, &with(hello(), follow)).await?.must(200)?;
    ensure!(fake.seen()[1]["messages"][0]["content"] == long, "the input was truncated");
    let too_long = "long ".repeat(900_000);
    let made = customer.post(RESPONSES, &with(hello(), json!({ "input": too_long }))).await?.must(200)?;
    ensure!(made.json["store"] == false, "an input that is too large to store was stored");
    ensure!(fake.wrong().is_empty(), "{:?}", fake.wrong());
    server.stop().await
}
