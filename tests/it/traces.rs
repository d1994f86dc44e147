//! The data sent to a collector, parsed with OpenTelemetry's official messages in Python:
//! one trace contains a call and everything that it causes, with the same amounts as the
//! ledger.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, USED, Wire};
use tollbridge_tests::{Client, Folder, eventually, workspace};

use crate::a2a::message;
use crate::agents::Shop;

const AMOUNT: &str = "tollbridge.amount.millipence";
/// The caller's own trace and span.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// A collector, killed when dropped.
struct Collector {
    process: Child,
    reported: tempfile::TempDir,
    url: String,
}

impl Collector {
    fn start() -> Result<Self> {
        let reported = tempfile::tempdir()?;
        let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut process = Command::new(python)
            .arg(workspace().join("tests/telemetry/collector.py"))
            .arg(reported.path().join("spans.jsonl"))
            .stdout(Stdio::piped())
            .spawn()?;
        let mut port = String::new();
        let said = process.stdout.take().context("no output")?;
        std::io::BufRead::read_line(&mut std::io::BufReader::new(said), &mut port)?;
        ensure!(!port.is_empty(), "the collector did not start; is opentelemetry-proto installed?");
        Ok(Self { process, reported, url: format!("http://127.0.0.1:{}", port.trim()) })
    }

    fn config(&self) -> String {
        format!("[telemetry]\nendpoint = \"{}\"\nmetrics_every = \"1s\"\n", self.url)
    }

    fn lines(&self, signal: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.reported.path().join("spans.jsonl")).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["signal"] == signal).collect()
    }

    /// Returns the spans of a trace, once its root span has ended.
    async fn trace(&self, id: &str) -> Result<Vec<Value>> {
        let whole = || async {
            let spans: Vec<Value> = self.lines("span").into_iter().filter(|span| span["trace"] == id).collect();
            Ok(spans.iter().any(|span| span["kind"] == "SERVER").then_some(spans))
        };
        Ok(eventually("the trace is exported", 20, whole).await?.0)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the only span with this name.
fn named<'a>(spans: &'a [Value], name: &str) -> Result<&'a Value> {
    let mut found = spans.iter().filter(|span| span["name"] == name);
    let one = found.next().with_context(|| format!("no span {name}: {spans:#?}"))?;
    ensure!(found.next().is_none(), "several spans {name}");
    Ok(one)
}

/// Returns whether a span is a descendant of another span.
fn is_below(spans: &[Value], span: &Value, above: &Value) -> bool {
    let parent = spans.iter().find(|other| other["id"] == span["parent"]);
    parent.is_some_and(|parent| parent["id"] == above["id"] || is_below(spans, parent, above))
}

/// Checks the amounts in the spans against the ledger.
fn is_as_sealed(agent: &Value, model: &Value, folder: &Folder) -> Result<()> {
    let routes = folder.records_of("route")?;
    let record = routes.last().context("nothing was sealed")?;
    let said = &agent["attributes"];
    ensure!(said[AMOUNT] == record["body"]["gross_millipence"], "{agent:#} {record:#}");
    ensure!(said["tollbridge.record.seq"] == record["seq"], "{agent:#} {record:#}");
    ensure!(said["tollbridge.record.tx"] == record["tx"], "{agent:#} {record:#}");
    ensure!(model["attributes"][AMOUNT] == record["body"]["inference_millipence"], "{model:#} {record:#}");
    Ok(())
}

/// Checks that the spans follow OpenTelemetry's GenAI conventions.
fn is_by_the_conventions(agent: &Value, model: &Value) -> Result<()> {
    let said = &model["attributes"];
    ensure!(model["kind"] == "CLIENT" && said["gen_ai.operation.name"] == "chat", "{model:#}");
    ensure!(said["gen_ai.provider.name"] == "mistral_ai" && said["gen_ai.system"].is_null(), "{model:#}");
    ensure!(said["gen_ai.usage.input_tokens"] == USED.0 && said["gen_ai.usage.output_tokens"] == USED.1, "{model:#}");
    ensure!(said["gen_ai.request.model"] == "auto" && said["gen_ai.response.model"] == "writer", "{model:#}");
    ensure!(agent["attributes"]["gen_ai.agent.name"] == "translation", "{agent:#}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_between_agents_is_one_trace_with_the_amounts_of_the_ledger() -> Result<()> {
    let (collector, provider) = (Collector::start()?, FakeProvider::start(Wire::OpenAi).await?);
    let models = "[{ id = \"writer\", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = 100000 }]";
    let config = format!(
        "{}[inference]\nusd_gbp = 1\nrequire_qualification = false\n[inference.providers.mistral]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\nmodels = {models}\n",
        collector.config(),
        provider.url
    );
    let mut folder = Folder::new(&config)?;
    folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
    let server = folder.serve_published().await?;
    let client = folder.funded(&server, "buyer@example.com", "100.00").await?;
    provider.next([Act::Say("Die Brücke über den Fluss ist wegen des Sturms gesperrt.".to_owned())]);
    let task = "Translate to German: The bridge over the river is closed because of the storm.";
    let params = message("m1", task, json!({ "metadata": { "capability": "translation" } }));
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "message/send", "params": params });
    let request = client.request(Method::POST, crate::a2a::EXECUTE).json(&body);
    let reply = client.send(request.header("traceparent", format!("00-{TRACE}-{SPAN}-01"))).await?.must(200)?;
    ensure!(reply.json["result"]["status"]["state"] == "completed", "{}", reply.text);

    let spans = collector.trace(TRACE).await?;
    let root = named(&spans, &format!("POST {}", crate::a2a::EXECUTE))?;
    ensure!(root["parent"] == SPAN && root["attributes"]["http.response.status_code"] == 200, "{root:#}");
    ensure!(
        root["attributes"]["tollbridge.request.id"] == reply.header("x-request-id").unwrap_or_default(),
        "{root:#}"
    );
    let agent = named(&spans, "invoke_agent translation")?;
    let bridge = named(&spans, "execute_tool translation")?;
    let model = named(&spans, "chat auto")?;
    let attempt = named(&spans, "POST")?;
    for (span, above) in [(agent, root), (bridge, agent), (model, bridge), (attempt, model)] {
        ensure!(is_below(&spans, span, above), "{} is not below {}: {spans:#?}", span["name"], above["name"]);
    }
    let detections = spans.iter().filter(|span| span["name"] == "execute_tool language_detection").count();
    ensure!(detections >= 1, "{spans:#?}");

    is_as_sealed(agent, model, &folder)?;
    is_by_the_conventions(agent, model)?;
    // The provider's span belongs to the same trace, with the attempt's span as parent.
    let asked = format!("00-{TRACE}-{}-01", attempt["id"].as_str().unwrap_or_default());
    ensure!(provider.traceparents() == [asked], "{:?}", provider.traceparents());
    // The counters of `/metrics` are exported, too; nothing confidential is.
    let counted = || async {
        Ok(collector
            .lines("point")
            .into_iter()
            .find(|p| p["name"] == "tollbridge_calls_total" && p["value"].as_u64() > Some(0)))
    };
    let (point, _) = eventually("metrics are exported", 20, counted).await?;
    ensure!(point["kind"] == "sum" && point["description"] != "", "{point}");
    let all = std::fs::read_to_string(collector.reported.path().join("spans.jsonl"))?;
    for secret in ["buyer@example.com", KEY, "river", "Sturm"] {
        ensure!(!all.contains(secret), "`{secret}` was sent to the collector");
    }
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn nested_calls_show_what_others_were_paid() -> Result<()> {
    let collector = Collector::start()?;
    let shop = Shop::with("10.00", 1_000, &collector.config()).await?;
    let caller = shop.caller("a").await?;
    let ask = |trace: &str, task: &str| {
        let request = caller.request(Method::POST, "/v1/agents/worker/invoke").json(&json!({ "task": task }));
        caller.send(request.header("traceparent", format!("00-{trace}-{SPAN}-01")))
    };
    let other = TRACE.replace("4bf9", "ffff");
    ask(TRACE, "nest").await?.must(200)?;
    ask(&other, "m").await?.must_be(502, "E017")?;
    let answered = collector.trace(TRACE).await?;
    let (agent, bridge) = (named(&answered, "invoke_agent worker")?, named(&answered, "execute_tool echo")?);
    ensure!(is_below(&answered, bridge, agent), "{answered:#?}");
    let routes = shop.folder.records_of("route")?;
    let body = &routes.last().context("nothing was sealed")?["body"];
    ensure!(agent["attributes"][AMOUNT] == body["gross_millipence"], "{agent:#}");
    ensure!(bridge["attributes"][AMOUNT] == body["nested"][0]["gross_millipence"], "{bridge:#} {body:#}");
    ensure!(named(&answered, "seal")?["parent"] == agent["id"], "{answered:#?}");
    // The trace of an agent that fails after its bridge has answered.
    let failed = collector.trace(&other).await?;
    let (agent, bridge) = (named(&failed, "invoke_agent worker")?, named(&failed, "execute_tool echo")?);
    ensure!(agent["status"] == "ERROR" && agent["attributes"]["error.type"] == "trapped", "{agent:#}");
    ensure!(bridge["attributes"][AMOUNT] == 5_000 && bridge["status"] == "UNSET", "{bridge:#}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_does_not_trace_is_not_traced_and_a_second_has_its_share() -> Result<()> {
    let collector = Collector::start()?;
    let folder = Folder::new(&format!("{}traces_per_second = 3\n", collector.config()))?;
    let server = folder.serve().await?;
    let client: Client = server.client();
    let ask = |trace: String, flag: &str| {
        let request = client.request(Method::GET, "/api/v1/bridges");
        client.send(request.header("traceparent", format!("00-{trace}-{SPAN}-{flag}")))
    };
    for number in 0..20_u128 {
        ask(format!("{number:032x}").replace('0', "a"), "00").await?.must(200)?;
    }
    let began = std::time::Instant::now();
    for number in 0..200_u128 {
        ask(format!("{number:032x}").replace('0', "b"), "01").await?.must(200)?;
    }
    let seconds = usize::try_from(began.elapsed().as_secs())?.saturating_add(2);
    server.stop().await?;
    let reported = collector.lines("span");
    let roots = reported.iter().filter(|span| span["kind"] == "SERVER");
    let (mut of_traced, mut of_untraced) = (0, 0);
    for root in roots {
        let is_traced = root["trace"].as_str().is_some_and(|trace| trace.starts_with('b'));
        *if is_traced { &mut of_traced } else { &mut of_untraced } += 1;
    }
    ensure!(of_untraced == 0 && (1..=3 * seconds).contains(&of_traced), "{of_untraced} {of_traced} in {seconds} s");
    Ok(())
}

/// A collector that is down or refuses data has no effect on calls.
#[tokio::test(flavor = "multi_thread")]
async fn without_its_collector_a_server_serves_and_stops() -> Result<()> {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let folder = Folder::new(&format!("[telemetry]\nendpoint = \"http://{closed}\"\nmetrics_every = \"1s\"\n"))?;
    let server = folder.serve().await?;
    for _ in 0..50 {
        server.client().get("/api/v1/bridges").await?.must(200)?;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let log = server.log();
    ensure!(log.lines().filter(|line| line.contains("panic")).count() == 0, "{log}");
    server.stop().await
}
