//! Charges of the gateway: who pays, limits, repeats, plugins and formats.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, TEXT, Wire};
use tollbridge_tests::{Client, Folder, Reply, eventually};

use super::inference::{COST, Gateway, hello};

const CHAT: &str = "/v1/chat/completions";

async fn with(client: &Client, body: &Value, headers: &[(&str, &str)]) -> Result<Reply> {
    let mut request = client.request(Method::POST, CHAT).json(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    client.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_is_billed_once() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let client = &gateway.customer;
    for stream in [false, true] {
        let mut body = hello();
        body["stream"] = stream.into();
        let first = with(client, &body, &[]).await?.must(200)?;
        let again = with(client, &body, &[("x-stainless-retry-count", "1")]).await?.must(200)?;
        ensure!(again.header("idempotent-replayed") == Some("true"), "{again:?}");
        if !stream {
            ensure!(
                again.text == first.text && again.header("x-worm-seal") == first.header("x-worm-seal"),
                "{again:?}"
            );
        }
        ensure!(again.text.contains("[DONE]") == stream, "{}", again.text);
        // A different body with the same retry count counts as a new request.
        body["user"] = json!(format!("u{stream}"));
        let other = with(client, &body, &[("x-stainless-retry-count", "1")]).await?.must(200)?;
        ensure!(other.header("idempotent-replayed").is_none(), "{other:?}");
    }
    ensure!(gateway.first.seen().len() == 4, "{} requests went out", gateway.first.seen().len());
    let key = [("idempotency-key", "k-1")];
    let first = with(client, &hello(), &key).await?.must(200)?;
    let again = with(client, &hello(), &key).await?.must(200)?;
    ensure!(again.text == first.text && again.header("idempotent-replayed") == Some("true"), "{again:?}");
    let mut other = hello();
    other["user"] = "x".into();
    with(client, &other, &key).await?.must_be(422, "E023")?;
    with(client, &hello(), &[("idempotency-key", "a b")]).await?.must_be(400, "E011")?;
    let used = client.get("/v1/usage").await?.must(200)?.json;
    ensure!(used["total"]["requests"] == 5, "{used}");
    gateway.folder.verify()?;
    gateway.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn spending_never_exceeds_the_credit() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let client = &gateway.customer;
    // The maximum cost of a request: 1,000 input tokens at 0.1 p and 40 output tokens at
    // 0.2 p, about £1.08.
    let mut dear = hello();
    dear["max_cost_gbp"] = "0.01".into();
    let reply = client.post(CHAT, &dear).await?.must_be(402, "E003")?;
    ensure!(reply.json["payment"]["reason"] == "max_cost", "{}", reply.text);
    ensure!(reply.json["payment"].get("payment_link").is_none(), "no payment helps: {}", reply.text);
    let (_, poor) = gateway.folder.key()?;
    let poor = gateway.server.client().with_key(&poor);
    for _ in 0..500 {
        let mut body = hello();
        body["messages"][0]["content"] = "x".repeat(400).into();
        let reply = poor.post(CHAT, &body).await?;
        if reply.status == 402 {
            let reply = reply.must_be(402, "E003")?;
            ensure!(reply.json["payment"]["reason"] == "insufficient_credit", "{}", reply.text);
            ensure!(poor.get("/v1/balance").await?.json["credit_gbp"] != "£10.00", "nothing was spent before");
            // After the missing credit is bought through the link, the same request
            // succeeds.
            let link = reply.json["payment"]["payment_link"].as_str().context("no link")?;
            let path = link.strip_prefix(&gateway.server.url).context("a link to another server")?;
            let paid = gateway.server.client().post(path, &json!({})).await?.must(200)?;
            ensure!(paid.json["status"] == "paid", "{}", paid.text);
            ensure!(paid.json["charge_gbp"] == reply.json["payment"]["charge_gbp"], "{} {}", paid.text, reply.text);
            poor.post(CHAT, &body).await?.must(200)?;
            gateway.folder.verify()?;
            return gateway.server.stop().await;
        }
        reply.must(200)?;
    }
    anyhow::bail!("£10 were never used up")
}

/// Returns a client with a second key of the account, whose daily limit is given in
/// pounds.
async fn limited(owner: &Client, pounds: &str) -> Result<Client> {
    let made = owner.post("/v1/keys", &json!({ "max_spend_gbp": pounds })).await?.must(201)?.json;
    Ok(owner.with_key(made["api_key"].as_str().context("no key")?))
}

fn total(used: &Value, member: &str) -> i64 {
    used["total"][member].as_i64().unwrap_or(-1)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stays_within_its_daily_limit() -> Result<()> {
    const LIMIT: i64 = 50_000;
    let mut gateway = Gateway::start("").await?;
    gateway.folder.publish_echo("1.0.0", "0.30")?;
    // With a single provider, all requests have the same maximum cost; the refusal states
    // it.
    let mut body = hello();
    body["model"] = "one/small".into();
    let mut dear = body.clone();
    dear["max_cost_gbp"] = "0.01".into();
    let refused = gateway.customer.post(CHAT, &dear).await?.must_be(402, "E003")?;
    let worst = refused.json["payment"]["amount_millipence"].as_i64().context("no amount")?;
    ensure!(2 * worst < LIMIT && worst > 2 * COST, "{worst}");
    let key = limited(&gateway.customer, "0.50").await?;
    // Concurrent requests to a slow provider: the limit must cover the maximum cost of
    // all admitted requests.
    gateway.first.always(Act::SlowHead(Duration::from_millis(600)));
    let asked = futures_util::future::join_all((0..12).map(|_| key.post(CHAT, &body))).await;
    let mut answered = 0;
    for reply in asked {
        let reply = reply?;
        if reply.status == 200 {
            answered += 1;
        } else {
            let reply = reply.must_be(402, "E003")?;
            ensure!(reply.json["payment"]["reason"] == "key_limit", "{}", reply.text);
            ensure!(reply.json["payment"].get("payment_link").is_none(), "no payment helps: {}", reply.text);
        }
    }
    ensure!(answered == LIMIT / worst, "{answered} requests were answered, at a maximum cost of {worst} each");
    ensure!(i64::try_from(gateway.first.seen().len())? == answered, "a refused request was sent to the provider");
    // Sequential requests: each releases the unspent part of its hold, so the limit
    // allows more of them.
    gateway.first.always(Act::Answer);
    let fits = (LIMIT - worst) / COST + 1;
    while key.post(CHAT, &body).await?.status == 200 {
        answered += 1;
        ensure!(answered <= fits, "more than {fits} were answered");
    }
    ensure!(answered == fits, "{answered} instead of {fits} were answered");
    // A streamed request also holds its maximum cost before it is sent.
    let mut streamed = body.clone();
    streamed["stream"] = true.into();
    key.post(CHAT, &streamed).await?.must_be(402, "E003")?;
    let used = gateway.customer.get("/v1/usage").await?.must(200)?.json;
    ensure!(total(&used, "charged_millipence") == answered * COST, "{used}");
    // Bridges and models share the limit, and a restart preserves it.
    let headers = [("x-payment-source", "credit")];
    let other = limited(&gateway.customer, "0.31").await?;
    let look = || async { Ok((other.call("echo", &json!({}), &[]).await?.status == 402).then_some(())) };
    eventually("the bridge is loaded", 20, look).await?;
    other.post(CHAT, &body).await?.must(200)?;
    other.call("echo", &json!({}), &headers).await?.must_be(402, "E003")?;
    gateway.server.stop().await?;
    gateway.server = gateway.folder.serve().await?;
    let again = |client: &Client| gateway.server.client().with_key(client.key().unwrap_or_default());
    again(&key).post(CHAT, &body).await?.must_be(402, "E003")?;
    again(&other).call("echo", &json!({}), &headers).await?.must_be(402, "E003")?;
    again(&gateway.customer).post(CHAT, &body).await?.must(200)?;
    gateway.folder.verify()?;
    gateway.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_charged_where_billing_is_off() -> Result<()> {
    let gateway = Gateway::start("billing = \"off\"").await?;
    let reply = gateway.customer.post(CHAT, &hello()).await?.must(200)?;
    ensure!(reply.header("x-cost-gbp") == Some("0.02500"), "{reply:?}");
    ensure!(reply.header("x-charged-gbp") == Some("0.00000") && reply.header("x-worm-seal").is_none(), "{reply:?}");
    ensure!(gateway.customer.get("/v1/balance").await?.json["credit_gbp"] == "£10.00", "charged");
    let used = gateway.customer.get("/v1/usage").await?.json;
    ensure!(used["total"]["cost_gbp"] == "0.02500" && used["total"]["charged_millipence"] == 0, "{used}");
    gateway.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropics_format_looks_like_openais() -> Result<()> {
    let gateway = Gateway::with(Wire::Anthropic, Wire::OpenAi, "").await?;
    let client = &gateway.customer;
    let reply = client.post(CHAT, &hello()).await?.must(200)?;
    ensure!(reply.header("x-provider") == Some("one") && reply.header("x-cost-gbp") == Some("0.02500"), "{reply:?}");
    let choice = &reply.json["choices"][0];
    ensure!(choice["message"]["content"] == TEXT && choice["finish_reason"] == "stop", "{}", reply.text);
    ensure!(reply.json["usage"]["prompt_tokens"] == 11 && reply.json["object"] == "chat.completion", "{}", reply.text);
    let mut streamed = hello();
    streamed["stream"] = true.into();
    streamed["stream_options"] = json!({ "include_usage": true });
    let reply = client.post(CHAT, &streamed).await?.must(200)?;
    ensure!(reply.text.contains("chat.completion.chunk") && !reply.text.contains("message_start"), "{}", reply.text);
    ensure!(
        reply.text.contains("\"completion_tokens\":7") && reply.text.ends_with("data: [DONE]\n\n"),
        "{}",
        reply.text
    );
    ensure!(reply.text.contains("charged_millipence=2500"), "{}", reply.text);
    let mut tools = hello();
    tools["tools"] =
        json!([{ "type": "function", "function": { "name": "weather", "parameters": { "type": "object" } } }]);
    let reply = client.post(CHAT, &tools).await?.must(200)?;
    let call = &reply.json["choices"][0]["message"]["tool_calls"][0];
    ensure!(
        call["function"]["name"] == "weather" && call["function"]["arguments"] == "{\"place\":\"Rome\"}",
        "{}",
        reply.text
    );
    let mut json_mode = hello();
    json_mode["response_format"] = json!({ "type": "json_object" });
    gateway.first.next([Act::Say("Here you are:\n```json\n{\"place\":\"Rome\"}\n```".to_owned())]);
    let reply = client.post(CHAT, &json_mode).await?.must(200)?;
    ensure!(reply.json["choices"][0]["message"]["content"] == "{\"place\":\"Rome\"}", "{}", reply.text);
    // If a stream fails before its first content, the second provider answers.
    for act in [Act::Empty, Act::ErrorInside, Act::Status(529, Vec::new(), "{}".to_owned())] {
        gateway.first.next([act]);
        let reply = client.post(CHAT, &streamed).await?.must(200)?;
        ensure!(reply.header("x-provider") == Some("two"), "{reply:?}");
        client.post(CHAT, &hello()).await?.must(200)?;
    }
    gateway.first.next([Act::Cut]);
    let reply = client.post(CHAT, &streamed).await?.must(200)?;
    ensure!(!reply.text.contains("[DONE]") && reply.text.contains("\"code\":\"E005\""), "{}", reply.text);
    ensure!(gateway.first.wrong().is_empty(), "{:?}", gateway.first.wrong());
    gateway.folder.verify()?;
    gateway.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn models_and_routes_say_what_they_are() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let client = &gateway.customer;
    for prefix in ["/v1", "/api/v1"] {
        let list = client.get(&format!("{prefix}/models")).await?.must(200)?.json;
        let small = list["data"].as_array().and_then(|data| data.iter().find(|one| one["id"] == "small").cloned());
        let small = small.with_context(|| list.to_string())?;
        ensure!(small["object"] == "model" && small["created"].is_i64() && small["owned_by"] == "several", "{small}");
        ensure!(client.get(&format!("{prefix}/models/one/small")).await?.must(200)?.json["owned_by"] == "one", "owner");
        client.get(&format!("{prefix}/models/none")).await?.must_be(404, "E004")?;
    }
    let wish =
        json!({ "task": "summarize", "priority": "cheap", "prompt": "hello", "max_tokens": 20, "dry_run": true });
    let decided = client.post("/v1/inference/route", &wish).await?.must(200)?.json;
    ensure!(decided["provider"] == "one" && decided["candidate_count"] == 2, "{decided}");
    ensure!(gateway.first.seen().is_empty(), "a dry run called the provider");
    let wish = json!({ "task": "general", "priority": "balanced", "prompt": "hello", "max_tokens": 20 });
    let routed = client.post("/v1/inference/route", &wish).await?.must(200)?;
    ensure!(routed.json["output"] == TEXT && routed.header("x-worm-seal").is_some(), "{}", routed.text);
    for wrong in
        [json!({ "prompt": "x", "priority": "best" }), json!({ "task": "x" }), json!({ "prompt": "x", "y": 1 })]
    {
        client.post("/v1/inference/route", &wrong).await?.must_be(400, "E011").context(wrong)?;
    }
    let checked = gateway.folder.run_json(&["config", "check"])?;
    let live: Vec<&Value> =
        checked["providers"].as_array().into_iter().flatten().filter(|one| one["live"] == true).collect();
    ensure!(live.len() == 2 && live[0]["models"] == 2, "{checked}");
    gateway.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_providers_the_fix_is_named() -> Result<()> {
    let folder = Folder::new("")?;
    let server = folder.serve().await?;
    let client = server.client().signed_up("bob@example.com").await?;
    let reply = client.post(CHAT, &hello()).await?.must_be(503, "E005")?;
    let text = reply.error();
    ensure!(text.contains("OPENAI_API_KEY") && text.contains("[inference.providers.NAME]"), "{text}");
    ensure!(reply.header("x-should-retry") == Some("false"), "{reply:?}");
    let health = server.client().get("/api/v1/health").await?.must(200)?.json;
    ensure!(health["status"] == "unconfigured" && health["provider_count"] == 0, "{health}");
    ensure!(client.get("/v1/models").await?.must(200)?.json["data"] == json!([]), "models");
    server.stop().await
}
