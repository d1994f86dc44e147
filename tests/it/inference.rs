//! The inference gateway with fake providers that fail: which provider answers, what it
//! costs, and which error is returned if none answers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, TEXT, USED, Wire};
use tollbridge_tests::{Client, Folder, Reply, Server, eventually};

const CHAT: &str = "/v1/chat/completions";
/// Cost of the token usage `USED` at the prices of `small` and one dollar per pound, in
/// millipence: 11 input tokens at 1,000 dollars and 7 output tokens at 2,000 dollars per
/// million.
pub const COST: i64 = 1_100 + 1_400;
/// Cost of `USED` at the second provider.
pub const DEARER_COST: i64 = COST / 5 * 6;
const SMALL: &str =
    "{ id = \"small\", input_usd_per_mtok = 1000, output_usd_per_mtok = 2000, context = 1000, max_output = 40 }";

/// A server with two providers of the model `small`, of which the second is slightly more
/// expensive, and a customer with £10.
pub struct Gateway {
    pub folder: Folder,
    pub server: Server,
    pub customer: Client,
    pub first: FakeProvider,
    pub second: FakeProvider,
}

impl Gateway {
    pub async fn start(more: &str) -> Result<Self> {
        Self::with(Wire::OpenAi, Wire::OpenAi, more).await
    }

    pub async fn with(first: Wire, second: Wire, more: &str) -> Result<Self> {
        let (one, two) = (FakeProvider::start(first).await?, FakeProvider::start(second).await?);
        let dearer = SMALL.replace("= 1000, o", "= 1200, o").replace("2000", "2400");
        let embedder = "{ id = \"vectors\", input_usd_per_mtok = 1000, output_usd_per_mtok = 0, context = 1000, \
                        embedding = true }";
        let mut config = format!(
            "[inference]\nusd_gbp = 1\nattempt_timeout = \"1s\"\nfirst_content_timeout = \"1s\"\nidle_timeout = \"1s\"\n{more}\n"
        );
        for (name, wire, url, models) in
            [("one", first, &one.url, format!("{SMALL}, {embedder}")), ("two", second, &two.url, dearer)]
        {
            let kind = if wire == Wire::Anthropic { "anthropic" } else { "openai" };
            let responses = wire == Wire::Responses;
            config.push_str(&format!(
                "[inference.providers.{name}]\nkind = \"{kind}\"\nresponses = {responses}\nbase_url = \"{url}\"\napi_key_env = \"{KEY_VARIABLE}\"\n\
                 models = [{models}]\n"
            ));
        }
        let mut folder = Folder::new(&config)?;
        folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
        let server = folder.serve().await?;
        let customer = server.client().signed_up("ada@example.com").await?;
        Ok(Self { folder, server, customer, first: one, second: two })
    }

    async fn credit(&self) -> Result<i64> {
        let balance = self.customer.get("/v1/balance").await?.must(200)?.json;
        let pounds = balance["credit_gbp"].as_str().context("no credit")?.trim_start_matches('£').replace('.', "");
        Ok(pounds.parse()?)
    }

    /// Returns the total amount that the customer was charged according to the ledger, in
    /// millipence.
    pub fn charged(&self) -> Result<i64> {
        let export = self.folder.run(&["ledger", "export"])?;
        let mut sum = 0;
        for line in export.lines() {
            let line: Value = serde_json::from_str(line)?;
            if line["account"] == "providers" {
                sum = line["millipence"].as_i64().context("no amount")?;
            }
        }
        Ok(sum)
    }

    pub async fn finish(self) -> Result<()> {
        ensure!(self.first.wrong().is_empty(), "{:?}", self.first.wrong());
        ensure!(self.second.wrong().is_empty(), "{:?}", self.second.wrong());
        let health = self.server.client().get("/api/v1/health").await?.must(200)?.text;
        let models = self.server.client().get("/v1/models").await?.must(200)?.text;
        let metrics = self.folder.metrics().await?;
        ensure!(metrics.contains("tollbridge_inference_attempts_total"), "{metrics}");
        let places = [("log", self.server.log()), ("health", health), ("models", models), ("metrics", metrics)];
        for (place, text) in places {
            ensure!(!text.contains(KEY), "the key is in the {place}: {text}");
        }
        self.folder.verify()?;
        self.server.stop().await
    }
}

pub fn hello() -> Value {
    json!({ "model": "small", "messages": [{ "role": "user", "content": "hello" }], "max_tokens": 20 })
}

pub fn streamed() -> Value {
    let mut body = hello();
    body["stream"] = true.into();
    body
}

fn text_of(reply: &Reply) -> &str {
    reply.json["choices"][0]["message"]["content"].as_str().unwrap_or_default()
}

/// Returns the events of a stream: data and comments.
fn events(text: &str) -> Vec<&str> {
    text.split("\n\n").filter(|event| !event.is_empty()).collect()
}

/// Returns the concatenated content of a stream.
fn spoken(text: &str) -> String {
    let data = events(text).into_iter().filter_map(|event| event.strip_prefix("data: "));
    let chunks = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    chunks.filter_map(|chunk| Some(chunk["choices"][0]["delta"]["content"].as_str()?.to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_names_who_gave_it_and_costs_what_it_took() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let mut body = hello();
    body["a_new_member"] = json!({ "kept": [1, null] });
    for path in [CHAT, "/api/v1/chat/completions"] {
        let reply = gateway.customer.post(path, &body).await?.must(200)?;
        ensure!(text_of(&reply) == TEXT && reply.json["a_new_member"] == true, "{}", reply.text);
        ensure!(reply.header("x-provider") == Some("one") && reply.header("x-attempts") == Some("1"), "{reply:?}");
        ensure!(reply.header("x-cost-gbp") == Some("0.02500"), "{reply:?}");
        ensure!(reply.header("x-worm-seal").is_some(), "{reply:?}");
    }
    let seen = gateway.first.seen();
    ensure!(seen[0]["a_new_member"] == body["a_new_member"] && seen[0]["max_tokens"] == 20, "{}", seen[0]);
    ensure!(gateway.credit().await? == 1_000 - 5, "{}", gateway.credit().await?);
    ensure!(gateway.charged()? == 2 * COST, "{}", gateway.charged()?);
    // A stream costs the same as an unstreamed answer. The client gets its usage event
    // only if requested.
    let reply = gateway.customer.post(CHAT, &streamed()).await?.must(200)?;
    ensure!(spoken(&reply.text) == TEXT && reply.text.ends_with("data: [DONE]\n\n"), "{}", reply.text);
    ensure!(!reply.text.contains("prompt_tokens") && reply.text.contains("charged_millipence=2500"), "{}", reply.text);
    let mut asked = streamed();
    asked["stream_options"] = json!({ "include_usage": true });
    let reply = gateway.customer.post(CHAT, &asked).await?.must(200)?;
    ensure!(reply.text.contains("\"prompt_tokens\":11"), "{}", reply.text);
    ensure!(gateway.charged()? == 4 * COST, "{}", gateway.charged()?);

    let vectors = json!({ "model": "vectors", "input": ["a", "b"] });
    let reply = gateway.customer.post("/v1/embeddings", &vectors).await?.must(200)?;
    ensure!(reply.json["data"].as_array().is_some_and(|data| data.len() == 2), "{}", reply.text);
    usage(&gateway).await?;
    gateway.finish().await
}

async fn usage(gateway: &Gateway) -> Result<()> {
    let used = gateway.customer.get("/v1/usage").await?.must(200)?.json;
    let total = &used["total"];
    ensure!(total["requests"] == 5 && total["input_tokens"] == 5 * USED.0, "{used}");
    ensure!(total["charged_millipence"] == 4 * COST + 1_100 && total["charged_gbp"] == "0.11100", "{used}");
    ensure!(used["by_provider"][0]["provider"] == "one" && used["by_key"][0]["requests"] == 5, "{used}");
    gateway.customer.get("/v1/usage?days=0").await?.must_be(400, "E011")?;
    gateway.server.client().get("/v1/usage").await?.must_be(401, "E001")?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_before_the_first_content_fails_over() -> Result<()> {
    faults_fail_over(Wire::OpenAi).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_the_other_format_fails_over() -> Result<()> {
    faults_fail_over(Wire::Anthropic).await
}

/// If the first provider, with the format `wire`, fails, the second provider, with
/// OpenAI's format, answers.
async fn faults_fail_over(wire: Wire) -> Result<()> {
    let gateway = Gateway::with(wire, Wire::OpenAi, "").await?;
    let status = |status: u16| Act::Status(status, Vec::new(), json!({ "error": { "message": "no" } }).to_string());
    let late = Duration::from_secs(3);
    for (stream, act) in [
        (false, Act::Reset),
        (false, status(500)),
        (false, status(529)),
        (false, Act::Malformed),
        (false, Act::ErrorInside),
        (false, Act::SlowHead(late)),
        (false, Act::SlowBody(late)),
        (true, Act::Reset),
        (true, status(503)),
        (true, Act::Malformed),
        (true, Act::ErrorInside),
        (true, Act::Empty),
        (true, Act::SlowHead(late)),
    ] {
        let what = format!("{act:?}, stream {stream}");
        gateway.first.next([act]);
        let began = Instant::now();
        let body = if stream { streamed() } else { hello() };
        let reply = gateway.customer.post(CHAT, &body).await?.must(200).context(what.clone())?;
        let text = if stream { spoken(&reply.text) } else { text_of(&reply).to_owned() };
        ensure!(text == TEXT, "{what}: {}", reply.text);
        ensure!(
            reply.header("x-provider") == Some("two") && reply.header("x-attempts") == Some("2"),
            "{what}: {reply:?}"
        );
        ensure!(began.elapsed() < Duration::from_millis(2_900), "{what} took {:?}", began.elapsed());
        // Successful requests between the failures keep the breaker closed.
        for _ in 0..2 {
            let well = gateway.customer.post(CHAT, &hello()).await?.must(200)?;
            ensure!(well.header("x-provider") == Some("one"), "{what}: {well:?}");
        }
    }
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_refuses_connections_is_passed_over_and_then_left_alone() -> Result<()> {
    let gone = format!(
        "[inference.providers.gone]\nbase_url = \"{}\"\nmodels = [{}]\n",
        FakeProvider::nobody().await?,
        SMALL.replace("= 1000, o", "= 500, o").replace("2000", "1000")
    );
    let gateway = Gateway::start(&gone).await?;
    // Three failures in a row open the breaker of the first provider.
    for (number, attempts) in ["2", "2", "2", "1", "1"].into_iter().enumerate() {
        let body = if number % 2 == 0 { hello() } else { streamed() };
        let reply = gateway.customer.post(CHAT, &body).await?.must(200)?;
        ensure!(reply.header("x-provider") == Some("one"), "{number}: {reply:?}");
        ensure!(reply.header("x-attempts") == Some(attempts), "{number}: {reply:?}");
    }
    let mut only = hello();
    only["model"] = "gone/small".into();
    let reply = gateway.customer.post(CHAT, &only).await?.must_be(503, "E005")?;
    ensure!(reply.json["attempts"][0]["trouble"] == "cannot be reached", "{}", reply.text);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_first_content_there_is_no_other_provider() -> Result<()> {
    broken_streams_end_as_errors(Wire::OpenAi).await
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_first_content_of_the_other_format_there_is_no_other_provider() -> Result<()> {
    broken_streams_end_as_errors(Wire::Anthropic).await
}

async fn broken_streams_end_as_errors(wire: Wire) -> Result<()> {
    let gateway = Gateway::with(wire, Wire::OpenAi, "").await?;
    for act in [Act::Cut, Act::ErrorLate, Act::SlowBody(Duration::from_secs(4)), Act::Hang] {
        let (what, before) = (format!("{act:?}"), gateway.second.seen().len());
        gateway.first.next([act]);
        let reply = gateway.customer.post(CHAT, &streamed()).await?.must(200)?;
        ensure!(reply.header("x-provider") == Some("one"), "{what}: {reply:?}");
        let spoken = spoken(&reply.text);
        ensure!(!spoken.is_empty() && TEXT.starts_with(&spoken) && spoken != TEXT, "{what}: {}", reply.text);
        ensure!(!reply.text.contains("[DONE]"), "{what} looks complete: {}", reply.text);
        let last = events(&reply.text).pop().unwrap_or_default().to_owned();
        let last: Value = serde_json::from_str(last.trim_start_matches("data: "))?;
        ensure!(last["error"]["message"].is_string() && last["error"]["code"] == "E005", "{what}: {last}");
        ensure!(gateway.second.seen().len() == before, "{what}: another provider was called");
    }
    // The provider may bill output that it has sent, so the client is charged an
    // estimate.
    let ask = || async {
        let used = gateway.customer.get("/v1/usage").await?.json;
        Ok((used["total"]["requests_estimated"] == 4).then_some(used))
    };
    let (used, _) = eventually("four broken streams are billed", 10, ask).await?;
    let charged = used["total"]["charged_millipence"].as_i64().context("nothing charged")?;
    ensure!(charged > 0 && charged == gateway.charged()?, "{used}");
    // Multi-byte characters stay intact, however the stream is split.
    gateway.first.next([Act::Bytes]);
    let reply = gateway.customer.post(CHAT, &streamed()).await?.must(200)?;
    ensure!(spoken(&reply.text) == TEXT && reply.text.ends_with("data: [DONE]\n\n"), "{}", reply.text);
    if wire == Wire::Anthropic {
        // Anthropic's format always reports usage, so the following case does not apply.
        return gateway.finish().await;
    }
    // If the provider reports no usage, the gateway estimates tokens, and the answer says
    // so.
    gateway.first.next([Act::NoUsage, Act::NoUsage]);
    let mut asked = streamed();
    asked["stream_options"] = json!({ "include_usage": true });
    let reply = gateway.customer.post(CHAT, &asked).await?.must(200)?;
    ensure!(reply.text.contains("\"usage_estimated\":true"), "{}", reply.text);
    gateway.customer.post(CHAT, &hello()).await?.must(200)?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn all_attempts_share_one_deadline() -> Result<()> {
    let gateway = Gateway::start("timeout = \"1200ms\"").await?;
    for provider in [&gateway.first, &gateway.second] {
        provider.next([Act::SlowHead(Duration::from_secs(3))]);
    }
    let reply = gateway.customer.post(CHAT, &hello()).await?.must_be(503, "E005")?;
    let ms = |number: usize| reply.json["attempts"][number]["ms"].as_u64().unwrap_or(u64::MAX);
    // The first attempt may take a second; the second attempt gets the rest of the total
    // time.
    ensure!((1_000..3_000).contains(&ms(0)) && ms(1) < 900, "{}", reply.text);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_the_clients_only_when_they_are() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let client = &gateway.customer;
    let refusal =
        |status: u16, text: &str| Act::Status(status, Vec::new(), json!({ "error": { "message": text } }).to_string());
    // A request that is invalid through the client's fault is not sent to another
    // provider, and the provider's key never appears in an answer.
    for (status, seen_as) in [(400, 400), (413, 413), (422, 422), (418, 400)] {
        gateway.first.next([refusal(status, &format!("bad temperature, key {KEY}"))]);
        let reply = client.post(CHAT, &hello()).await?.must_be(seen_as, "E011")?;
        ensure!(reply.text.contains("bad temperature") && !reply.text.contains(KEY), "{}", reply.text);
    }
    ensure!(gateway.second.seen().is_empty(), "another provider was called");
    for (body, status, code) in [
        (json!({ "model": "smal", "messages": [{ "role": "user", "content": "x" }] }), 404, "E004"),
        (json!({ "model": "small", "messages": [] }), 400, "E011"),
        (json!({ "model": "vectors", "messages": [{ "role": "user", "content": "x" }] }), 404, "E004"),
        (json!([1]), 400, "E011"),
    ] {
        client.post(CHAT, &body).await?.must_be(status, code).context(body)?;
    }
    gateway.server.client().post(CHAT, &hello()).await?.must_be(401, "E001")?;
    // If both providers reject the operator's accounts, the client does not get their 4xx
    // status.
    for status in [401, 402, 403] {
        gateway.first.next([refusal(status, "your key")]);
        gateway.second.next([refusal(status, "your key")]);
        let reply = client.post(CHAT, &hello()).await?.must_be(503, "E005")?;
        ensure!(reply.header("x-should-retry") == Some("false"), "{reply:?}");
        ensure!(reply.header("retry-after").is_some() && !reply.text.contains("your key"), "{reply:?}");
    }
    let health = gateway.server.client().get("/api/v1/health").await?.must(200)?;
    ensure!(health.json["status"] == "degraded" || health.json["status"] == "down", "{}", health.text);
    ensure!(health.json["provider_count"] == 2 && !health.text.contains(KEY), "{}", health.text);
    ensure!(gateway.charged()? == 0 && gateway.credit().await? == 1_000, "a failed request was charged");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_providers_are_respected_and_breakers_close_again() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let limited = Act::Status(429, vec![("retry-after", "2".to_owned())], "{}".to_owned());
    gateway.first.next([limited]);
    for _ in 0..3 {
        let reply = gateway.customer.post(CHAT, &hello()).await?.must(200)?;
        ensure!(reply.header("x-provider") == Some("two"), "{reply:?}");
    }
    ensure!(gateway.first.seen().len() == 1, "the provider was called during its pause");
    let ask = || async {
        let reply = gateway.customer.post(CHAT, &hello()).await?.must(200)?;
        Ok((reply.header("x-provider") == Some("one")).then_some(()))
    };
    let (_, took) = eventually("the provider is called again", 10, ask).await?;
    ensure!(took > Duration::from_secs(1), "the provider was called after {took:?}");
    // Without a Retry-After, the provider is paused for five seconds.
    gateway.first.next([Act::Status(429, Vec::new(), "{}".to_owned())]);
    let seen = gateway.first.seen().len();
    let reply = gateway.customer.post(CHAT, &hello()).await?.must(200)?;
    ensure!(reply.header("x-provider") == Some("two") && reply.header("x-attempts") == Some("2"), "{reply:?}");
    let (_, took) = eventually("the provider is called again", 10, ask).await?;
    ensure!(took > Duration::from_secs(4), "the provider was called after {took:?}");
    ensure!(gateway.first.seen().len() == seen + 2, "the provider was called too early");
    // Three failures open the breaker; the fourth request skips the provider.
    let broken = Act::Status(500, Vec::new(), "{}".to_owned());
    gateway.first.next([broken.clone(), broken.clone(), broken]);
    let before = gateway.first.seen().len();
    for _ in 0..6 {
        gateway.customer.post(CHAT, &hello()).await?.must(200)?;
    }
    ensure!(gateway.first.seen().len() == before + 3, "{} requests", gateway.first.seen().len() - before);
    eventually("the breaker closes", 15, ask).await?;
    gateway.finish().await
}
