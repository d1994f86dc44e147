//! Clients that disconnect before the provider reports usage: the provider's cost is
//! charged anyway.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::Value;
use tollbridge_tests::provider::{Act, TEXT, USED, Wire};
use tollbridge_tests::{Client, eventually};

use super::inference::{COST, Gateway, hello, streamed};

const CHAT: &str = "/v1/chat/completions";
/// Output tokens of a reasoning model: 38 of the 40 allowed.
const THOUGHT: u64 = 38;

/// Returns the request changed to use only the first provider, with enough output tokens
/// for reasoning.
fn thoughtful(mut body: Value) -> Value {
    body["model"] = "one/small".into();
    body["max_tokens"] = 40.into();
    body
}

/// Returns the cost of this many output tokens at the first provider, in millipence.
fn cost_of(output: u64) -> Result<i64> {
    Ok(i64::try_from(USED.0 * 100 + output * 200)?)
}

/// Returns the maximum cost of a request, which is held for it.
async fn worst(gateway: &Gateway, body: &Value) -> Result<i64> {
    let mut dear = body.clone();
    dear["max_cost_gbp"] = "0.01".into();
    let refused = gateway.customer.post(CHAT, &dear).await?.must_be(402, "E003")?;
    refused.json["payment"]["amount_millipence"].as_i64().context("no amount")
}

/// Reads the first piece of a stream and hangs up.
async fn leave_after_the_first_piece(client: &Client, body: &Value) -> Result<()> {
    let mut response = client.request(Method::POST, CHAT).json(body).send().await?;
    ensure!(response.status() == 200 && response.chunk().await?.is_some(), "no piece arrived");
    Ok(())
}

/// Waits until the given number of requests is settled; returns the usage.
async fn settled(gateway: &Gateway, requests: i64) -> Result<Value> {
    let ask = || async {
        let used = gateway.customer.get("/v1/usage").await?.must(200)?.json;
        Ok((used["total"]["requests"] == requests).then_some(used))
    };
    Ok(eventually("the requests are settled", 10, ask).await?.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_pays_for_hidden_reasoning() -> Result<()> {
    disconnect_while_thinking(Wire::OpenAi).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_pays_for_hidden_reasoning_in_the_other_format() -> Result<()> {
    disconnect_while_thinking(Wire::Anthropic).await
}

async fn disconnect_while_thinking(wire: Wire) -> Result<()> {
    let gateway = Gateway::with(wire, Wire::OpenAi, "").await?;
    gateway.first.next([Act::Think(Duration::from_millis(700), THOUGHT)]);
    let body = thoughtful(streamed());
    leave_after_the_first_piece(&gateway.customer, &body).await?;
    let used = settled(&gateway, 1).await?;
    ensure!(used["total"]["charged_millipence"] == cost_of(THOUGHT)?, "{used}");
    ensure!(used["total"]["requests_estimated"] == 0 && gateway.first.left() == 0, "{used}");
    ensure!(gateway.charged()? == cost_of(THOUGHT)?, "{}", gateway.charged()?);
    // A client that repeats the request gets the whole stream, and is charged once.
    let request = gateway.customer.request(Method::POST, CHAT).json(&body).header("x-stainless-retry-count", "1");
    let again = gateway.customer.send(request).await?.must(200)?;
    ensure!(again.header("idempotent-replayed") == Some("true"), "{again:?}");
    let last = TEXT.rsplit(' ').next().context("no words")?;
    ensure!(again.text.contains(last) && again.text.ends_with("data: [DONE]\n\n"), "{}", again.text);
    ensure!(gateway.charged()? == cost_of(THOUGHT)?, "charged again");
    let metrics = gateway.folder.metrics().await?;
    ensure!(metrics.contains("tollbridge_inference_streams_read_on_total{outcome=\"ended\"} 1"), "{metrics}");
    gateway.finish().await
}

/// If no usage was reported, the maximum that the provider can bill is charged, whether
/// the client disconnected or the provider broke off.
#[tokio::test(flavor = "multi_thread")]
async fn uncounted_usage_costs_the_amount_held() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let body = thoughtful(streamed());
    let worst = worst(&gateway, &body).await?;
    gateway.first.next([Act::Hang]);
    leave_after_the_first_piece(&gateway.customer, &body).await?;
    // The server waits as long as a provider may pause between events, and then closes
    // the stream.
    eventually("the provider's stream is closed", 5, async || Ok((gateway.first.left() == 1).then_some(()))).await?;
    let used = settled(&gateway, 1).await?;
    ensure!(used["total"]["charged_millipence"] == worst && used["total"]["requests_estimated"] == 1, "{used}");
    for (number, act) in [Act::Cut, Act::ErrorLate].into_iter().enumerate() {
        gateway.first.next([act]);
        let broken = gateway.customer.post(CHAT, &body).await?.must(200)?;
        ensure!(broken.text.contains("\"code\":\"E005\""), "{}", broken.text);
        let requests = i64::try_from(number)? + 2;
        let used = settled(&gateway, requests).await?;
        ensure!(used["total"]["charged_millipence"] == requests * worst, "{used}");
    }
    ensure!(gateway.charged()? == 3 * worst, "{}", gateway.charged()?);
    gateway.finish().await
}

/// A client that hangs up before the first byte pays, because the provider has
/// already begun.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_disconnects_before_the_answer_pays_for_it() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let acts = [Act::SlowHead(Duration::from_millis(600)), Act::SlowBody(Duration::from_millis(600))];
    let mut requests = 0;
    for body in [hello(), streamed()] {
        for act in acts.clone() {
            gateway.first.next([act]);
            let asked = gateway.customer.request(Method::POST, CHAT).json(&body).timeout(Duration::from_millis(300));
            let cut = asked.send().await;
            // If the first half of the stream arrived in time, the client already has the
            // headers and times out while it reads the body.
            if let Ok(response) = cut {
                ensure!(response.text().await.is_err(), "the answer arrived in time");
            }
            requests += 1;
            let used = settled(&gateway, requests).await?;
            ensure!(used["total"]["charged_millipence"] == requests * COST, "{body}: {used}");
            ensure!(used["total"]["requests_estimated"] == 0 && gateway.second.seen().is_empty(), "{body}: {used}");
        }
    }
    ensure!(gateway.charged()? == requests * COST && gateway.first.left() == 0, "{}", gateway.charged()?);
    // Once the client has disconnected, no other provider is called.
    gateway.first.next([Act::SlowHead(Duration::from_secs(3))]);
    let asked = gateway.customer.request(Method::POST, CHAT).json(&hello()).timeout(Duration::from_millis(300));
    ensure!(asked.send().await.is_err(), "the answer arrived in time");
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    ensure!(gateway.second.seen().is_empty(), "another provider was called without a client");
    ensure!(gateway.charged()? == requests * COST, "charged without an answer");
    gateway.finish().await
}

/// A server that is shutting down still reads open streams until the provider reports
/// usage.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_settles_what_is_read_on() -> Result<()> {
    let gateway = Gateway::start("").await?;
    gateway.first.next([Act::Think(Duration::from_millis(900), THOUGHT)]);
    leave_after_the_first_piece(&gateway.customer, &thoughtful(streamed())).await?;
    tokio::time::sleep(Duration::from_millis(200)).await;
    gateway.server.stop().await?;
    let export = gateway.folder.run(&["ledger", "export"])?;
    let charged = format!("{{\"account\":\"providers\",\"millipence\":{}}}", cost_of(THOUGHT)?);
    ensure!(export.contains(&charged), "{export}");
    gateway.folder.verify().map(drop)
}
