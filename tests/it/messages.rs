//! The Messages API with providers of either format: answers for Anthropic's clients,
//! their cost, and errors.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, COUNTED, TEXT, USED, Wire};
use tollbridge_tests::{Reply, eventually};

use crate::inference::{COST, Gateway};

const MESSAGES: &str = "/v1/messages";

fn hello() -> Value {
    json!({ "model": "small", "max_tokens": 20, "messages": [{ "role": "user", "content": "hello" }] })
}

fn with(mut body: Value, members: Value) -> Value {
    for (name, value) in members.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

/// Returns the data of each event in a stream, in order.
fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| panic!("{data}"))).collect()
}

fn spoken(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["delta"]["text"].as_str()).collect()
}

/// Returns the error members that Anthropic's clients read.
fn reported(reply: &Reply) -> (&str, &str, &str) {
    let [kind, error, code] = [&reply.json["type"], &reply.json["error"]["type"], &reply.json["error"]["code"]]
        .map(|member| member.as_str().unwrap_or_default());
    (kind, error, code)
}

#[tokio::test(flavor = "multi_thread")]
async fn any_provider_answers_and_costs_what_it_took() -> Result<()> {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let gateway = Gateway::with(wire, wire, "").await?;
        for path in [MESSAGES, "/api/v1/messages"] {
            let reply =
                gateway.customer.post(path, &with(hello(), json!({ "system": "be brief" }))).await?.must(200)?;
            let message = &reply.json;
            ensure!(message["content"] == json!([{ "type": "text", "text": TEXT }]), "{}", reply.text);
            ensure!(message["type"] == "message" && message["stop_reason"] == "end_turn", "{}", reply.text);
            ensure!(message["usage"]["input_tokens"] == USED.0 && message["usage"]["output_tokens"] == USED.1);
            ensure!(message["id"].as_str().is_some_and(|id| id.starts_with("msg_")), "{}", reply.text);
            ensure!(
                reply.header("x-cost-gbp") == Some("0.02500") && reply.header("x-worm-seal").is_some(),
                "{reply:?}"
            );
        }
        let reply = gateway.customer.post(MESSAGES, &with(hello(), json!({ "stream": true }))).await?.must(200)?;
        let events = events(&reply.text);
        let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        ensure!(kinds[0] == "message_start" && kinds[1] == "content_block_start", "{kinds:?}");
        ensure!(kinds[kinds.len() - 3..] == ["content_block_stop", "message_delta", "message_stop"], "{kinds:?}");
        ensure!(spoken(&events) == TEXT, "{}", reply.text);
        let last = &events[events.len() - 2];
        ensure!(last["delta"]["stop_reason"] == "end_turn" && last["usage"]["output_tokens"] == USED.1, "{last}");
        ensure!(reply.text.contains("charged_millipence=2500") && !reply.text.contains("[DONE]"), "{}", reply.text);
        ensure!(gateway.charged()? == 3 * COST, "{}", gateway.charged()?);
        gateway.finish().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_gets_what_the_client_wrote() -> Result<()> {
    let gateway = Gateway::with(Wire::Anthropic, Wire::OpenAi, "").await?;
    let mark = json!({ "type": "ephemeral" });
    let asked = json!({
        "system": [{ "type": "text", "text": "be brief", "cache_control": mark }], "top_k": 3,
        "thinking": { "type": "enabled", "budget_tokens": 1024 },
    });
    gateway.customer.post(MESSAGES, &with(hello(), asked.clone())).await?.must(200)?;
    let seen = gateway.first.seen().pop().context("no provider was called")?;
    ensure!(seen == with(hello(), asked), "{seen}");
    // Caching for an hour has a separate price, which the held maximum cost includes.
    let mut worst = Vec::new();
    for ttl in ["5m", "1h"] {
        let system = json!([{ "type": "text", "text": "s", "cache_control": { "type": "ephemeral", "ttl": ttl } }]);
        let asked = with(hello(), json!({ "model": "one/small", "system": system, "max_cost_gbp": "0.00" }));
        let reply = gateway.customer.post(MESSAGES, &asked).await?.must_be(402, "E003")?;
        worst.push(reply.json["payment"]["amount_millipence"].as_i64().context("no amount")?);
    }
    ensure!(worst[0] < worst[1], "{worst:?}");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_and_structured_answers_go_both_ways() -> Result<()> {
    let tool = json!({ "name": "weather", "description": "Weather of a place",
        "input_schema": { "type": "object", "properties": { "place": { "type": "string" } } } });
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let gateway = Gateway::with(wire, wire, "").await?;
        let asked = with(hello(), json!({ "tools": [tool], "tool_choice": { "type": "any" } }));
        let reply = gateway.customer.post(MESSAGES, &asked).await?.must(200)?;
        let call = reply.json["content"][0].clone();
        ensure!(call["type"] == "tool_use" && call["input"] == json!({ "place": "Rome" }), "{}", reply.text);
        ensure!(reply.json["stop_reason"] == "tool_use", "{}", reply.text);
        let result = json!({ "type": "tool_result", "tool_use_id": call["id"], "content": "sunny" });
        let turns = json!([{ "role": "user", "content": "hello" }, { "role": "assistant", "content": [call] },
            { "role": "user", "content": [result] }]);
        let reply = gateway.customer.post(MESSAGES, &with(hello(), json!({ "messages": turns }))).await?.must(200)?;
        ensure!(reply.json["content"][0]["text"] == TEXT, "{}", reply.text);
        gateway.finish().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_the_shape_that_the_clients_read() -> Result<()> {
    let gateway = Gateway::with(Wire::OpenAi, Wire::OpenAi, "").await?;
    let unlimited = json!({ "model": "small", "messages": [{ "role": "user", "content": "x" }] });
    let search = json!({ "tools": [{ "type": "web_search_20250305", "name": "web_search" }] });
    for (body, status, kind, code) in [
        (unlimited, 400, "invalid_request_error", "E011"),
        (with(hello(), search), 400, "invalid_request_error", "E011"),
        (with(hello(), json!({ "model": "none" })), 404, "not_found_error", "E004"),
        (with(hello(), json!({ "max_cost_gbp": "0.00" })), 402, "billing_error", "E003"),
    ] {
        let reply = gateway.customer.post(MESSAGES, &body).await?.must(status)?;
        ensure!(reported(&reply) == ("error", kind, code), "{}", reply.text);
        ensure!(reply.json["request_id"].is_string() && !reply.error().is_empty(), "{}", reply.text);
    }
    let limited = Act::Status(429, vec![("retry-after", "2".to_owned())], "{}".to_owned());
    gateway.first.next([limited.clone()]);
    gateway.second.next([limited]);
    let reply = gateway.customer.post(MESSAGES, &hello()).await?.must(429)?;
    ensure!(reported(&reply) == ("error", "rate_limit_error", "E002"), "{}", reply.text);
    ensure!(reply.header("retry-after").is_some(), "{reply:?}");
    let stranger = gateway.server.client();
    let reply = stranger.post(MESSAGES, &hello()).await?.must(401)?;
    ensure!(reported(&reply) == ("error", "authentication_error", "E001"), "{}", reply.text);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_stream_ends_with_an_error() -> Result<()> {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let gateway = Gateway::with(wire, wire, "").await?;
        for act in [Act::Cut, Act::ErrorLate, Act::SlowBody(Duration::from_secs(4))] {
            gateway.first.next([act]);
            let reply = gateway.customer.post(MESSAGES, &with(hello(), json!({ "stream": true }))).await?.must(200)?;
            let events = events(&reply.text);
            let said = spoken(&events);
            ensure!(!said.is_empty() && TEXT.starts_with(&said) && said != TEXT, "{}", reply.text);
            let last = events.last().context("no event")?;
            ensure!(last["type"] == "error" && last["error"]["code"] == "E005", "{last}");
            ensure!(!reply.text.contains("message_stop"), "the stream looks complete: {}", reply.text);
        }
        gateway.finish().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_come_in_either_header_and_tokens_are_counted_for_nothing() -> Result<()> {
    let gateway = Gateway::with(Wire::Anthropic, Wire::OpenAi, "").await?;
    let (_, key) = gateway.folder.key()?;
    let client = gateway.server.client();
    let request = client.request(reqwest::Method::GET, "/v1/models").header("x-api-key", &key);
    let models = client.send(request.header("anthropic-version", "2023-06-01")).await?.must(200)?.json;
    ensure!(models["data"][0]["type"] == "model" && models["data"][0]["display_name"].is_string(), "{models}");
    ensure!(models["has_more"] == false && models["first_id"] == models["data"][0]["id"], "{models}");
    let wrong = client.request(reqwest::Method::POST, MESSAGES).header("x-api-key", "tb_test_wrong").json(&hello());
    ensure!(reported(&client.send(wrong).await?.must(401)?).1 == "authentication_error");
    // Some clients leave out the output limit.
    let body = json!({ "model": "small", "messages": [{ "role": "user", "content": "hello" }] });
    let count = |body: Value| {
        let request = client.request(reqwest::Method::POST, "/v1/messages/count_tokens").header("x-api-key", &key);
        client.send(request.json(&body))
    };
    ensure!(count(body.clone()).await?.must(200)?.json == json!({ "input_tokens": COUNTED }));
    let estimated = count(with(body.clone(), json!({ "model": "two/small" }))).await?.must(200)?.json;
    ensure!(estimated["estimated"] == true && estimated["input_tokens"].as_u64().is_some_and(|count| count > 0));
    // If the provider fails to count, the gateway estimates.
    gateway.first.next([Act::Status(500, Vec::new(), "{}".to_owned())]);
    ensure!(count(body).await?.must(200)?.json["estimated"] == true);
    ensure!(gateway.charged()? == 0, "{}", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_pays_what_the_provider_took() -> Result<()> {
    let gateway = Gateway::with(Wire::Anthropic, Wire::Anthropic, "").await?;
    gateway.first.next([Act::Think(Duration::from_millis(300), 30)]);
    let body = with(hello(), json!({ "stream": true, "max_tokens": 40 }));
    let mut response = gateway.customer.request(reqwest::Method::POST, MESSAGES).json(&body).send().await?;
    let mut seen = String::new();
    while !seen.contains("text_delta") {
        seen.push_str(&String::from_utf8_lossy(&response.chunk().await?.context("the stream ended")?));
    }
    drop(response);
    let whole = 11 * 100 + 30 * 200;
    let ask = || async { Ok((gateway.charged()? == whole).then_some(())) };
    eventually("all tokens are charged", 5, ask).await?;
    gateway.finish().await
}
