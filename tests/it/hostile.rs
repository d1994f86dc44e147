//! Publishes every hostile component of `tests/hostile` and calls it through a running
//! server. Its callers get an error in time, without internal details and free of charge;
//! other clients are unaffected; the operator can read the reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::task::JoinHandle;
use tollbridge_tests::guest::{self, Expect};
use tollbridge_tests::{Client, Folder, Reply, Server, eventually, manifest};

const DEADLINE: Duration = Duration::from_millis(300);
/// Maximum time past the deadline at which the fastest call of a component may end.
const SLACK: Duration = Duration::from_millis(100);
/// Maximum time past the deadline at which any call may end. It is generous because other
/// tests slow the machine down.
const STALL: Duration = Duration::from_secs(2);
/// Maximum growth of the server's resident memory after every component has failed.
const KEPT_KB_MAX: u64 = 64 << 10;
/// Words that only internal messages contain.
const INTERNALS: [&str; 12] =
    ["wasm", "trap", "culprit", "cheese", "memory", "backtrace", "stack", "0x", "panick", ".rs", "unreachable", "exit"];

/// Returns a hostile plugin's manifest, with the limits that `expect.toml` assumes.
fn hostile_manifest(name: &str, expect: &Expect) -> String {
    let memory_mib = expect.memory_bytes.unwrap_or(4 << 20) >> 20;
    manifest(name, "1.0.0", "0.01")
        .replace("[limits]", &format!("grants = {:?}\n[limits]", expect.grants))
        .replace("time_ms = 1000", &format!("time_ms = {}", DEADLINE.as_millis()))
        .replace("memory_mib = 8", &format!("memory_mib = {memory_mib}\noutput_bytes = 65536\nkv_bytes = 65536"))
}

/// A client of a well-behaved plugin, whose calls must succeed all the time.
struct OtherClient {
    stop: Arc<AtomicBool>,
    task: JoinHandle<Result<u64>>,
}

impl OtherClient {
    fn start(client: Client) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let mut calls = 0;
            while !stopped.load(Ordering::SeqCst) {
                let reply = client.call("neighbour", &json!({ "call": calls }), &[]).await?;
                ensure!(reply.status == 200, "a client of another plugin got {}: {}", reply.status, reply.text);
                calls += 1;
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Ok(calls)
        });
        Self { stop, task }
    }

    async fn end(self) -> Result<u64> {
        self.stop.store(true, Ordering::SeqCst);
        self.task.await?
    }
}

struct Attack<'t> {
    folder: &'t Folder,
    server: &'t Server,
    client: &'t Client,
    name: &'t str,
    expect: &'t Expect,
}

impl Attack<'_> {
    async fn check(&self) -> Result<()> {
        match self.expect.at.as_str() {
            "load" => self.does_not_load().await,
            "call" => self.fails_when_called().await,
            _ => self.answers().await,
        }
    }

    async fn answers(&self) -> Result<()> {
        let reply = self.client.call(self.name, &json!({}), &[("X-Payment-Source", "credit")]).await?;
        ensure!(reply.status == 200, "got {}: {}", reply.status, reply.text);
        Ok(())
    }

    async fn does_not_load(&self) -> Result<()> {
        let reply = self.client.call(self.name, &json!({}), &[]).await?;
        self.says_nothing(&reply, 503, "E016")?;
        // A component that hangs in `describe` is tried several times before the server
        // gives up.
        let judged = || async {
            let report = self.folder.run_json(&["plugin", "inspect", self.name])?;
            Ok(report["held"][0]["reason"].is_string().then_some(report))
        };
        let (report, _) = eventually("the reason is reported", 60, judged).await?;
        let reason = report["held"][0]["reason"].as_str().context("no reason")?;
        ensure!(report["serving"].is_null() && reason.contains(&self.expect.report), "reported: {report}");
        Ok(())
    }

    async fn fails_when_called(&self) -> Result<()> {
        let intent = self.client.paid_intent(self.name).await?;
        let payment = format!("/v1/payments/{intent}");
        let (credit, paid) = (self.credit().await?, self.client.get(&payment).await?.json);
        let mut took = Vec::new();
        for header in [("X-Payment-Intent-Id", intent.as_str()), ("X-Payment-Source", "credit")] {
            // Call twice, because the payment must remain usable after a failure.
            for _ in 0..2 {
                took.push(self.fails_once(header).await?);
            }
        }
        let (fastest, slowest) = (took.iter().min(), took.iter().max());
        let in_time = fastest < Some(&(DEADLINE + SLACK)) && slowest < Some(&(DEADLINE + STALL));
        ensure!(in_time, "answered after {took:?}");
        ensure!(self.credit().await? == credit, "credit was charged");
        let left = self.client.get(&payment).await?.json;
        ensure!(left == paid && left["remaining_pence"] == 1, "the intent was {paid} and is {left}");
        let logs = self.folder.run_json(&["plugin", "logs", self.name])?["lines"].to_string();
        let words = [self.name, "1.0.0", &self.expect.report.replace('"', "\\\"")];
        ensure!(words.iter().all(|word| logs.contains(word)), "the owner's log: {logs}");
        let log = self.server.log();
        ensure!(log.contains(&format!("{} 1.0.0 (request", self.name)), "the server's log does not name the plugin");
        Ok(())
    }

    async fn fails_once(&self, header: (&str, &str)) -> Result<Duration> {
        let began = Instant::now();
        let reply = self.client.call(self.name, &json!({}), &[header]).await?;
        let took = began.elapsed();
        match self.expect.failure.as_str() {
            "timed_out" => self.says_nothing(&reply, 504, "E018")?,
            _ => self.says_nothing(&reply, 502, "E017")?,
        }
        Ok(took)
    }

    fn says_nothing(&self, reply: &Reply, status: u16, code: &str) -> Result<()> {
        ensure!(
            reply.status == status && reply.code() == code,
            "expected {code}, got {}: {}",
            reply.status,
            reply.text
        );
        // The error may repeat the plugin's name, because the caller sent it in the path.
        let said = reply.text.replace(self.name, "").to_lowercase();
        let internal = INTERNALS.iter().find(|word| said.contains(**word));
        ensure!(internal.is_none(), "the caller reads `{}`: {said}", internal.unwrap_or(&""));
        ensure!(reply.header("x-worm-seal").is_none() && reply.header("x-transaction-id").is_none(), "sealed: {said}");
        Ok(())
    }

    async fn credit(&self) -> Result<String> {
        Ok(self.client.get("/v1/balance").await?.json["credit_gbp"].to_string())
    }
}

/// Publishes the hostile components that `selected` returns true for.
fn publish(folder: &Folder, selected: impl Fn(&Expect) -> bool) -> Result<Vec<(String, Expect)>> {
    let mut published = Vec::new();
    let all = guest::expectations()?;
    ensure!(all.len() > 50, "only {} hostile components", all.len());
    for (name, expect) in all.into_iter().filter(|(_, expect)| selected(expect)) {
        let (manifest, component) = (hostile_manifest(&name, &expect), guest::component(&name)?);
        let output = folder.try_publish("tester", &folder.registry(), &manifest, &component)?;
        let said = String::from_utf8_lossy(&output.stderr);
        // A bare core module is already refused by `plugin publish`.
        let refused = name == "core_module";
        ensure!(output.status.success() != refused, "publishing {name}: {said}");
        if !refused {
            published.push((name, expect));
        }
    }
    Ok(published)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_plugin_that_loads_harms_its_caller_its_neighbour_or_its_host() -> Result<()> {
    harms_nothing(|expect| expect.at != "load").await
}

#[tokio::test(flavor = "multi_thread")]
async fn no_plugin_that_does_not_load_harms_its_neighbour_or_its_host() -> Result<()> {
    harms_nothing(|expect| expect.at == "load").await
}

async fn harms_nothing(selected: impl Fn(&Expect) -> bool) -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("neighbour", "1.0.0", "0.00"), &guest::echo("1.0.0")?)?;
    let hostile = publish(&folder, selected)?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "victim@example.com", "10.00").await?;
    let neighbour = OtherClient::start(server.client());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let resident = server.resident_kb()?;
    let mut wrong = Vec::new();
    for (name, expect) in &hostile {
        let attack = Attack { folder: &folder, server: &server, client: &client, name, expect };
        if let Err(error) = attack.check().await {
            wrong.push(format!("{name}: {error:#}"));
        }
    }
    let calls = neighbour.end().await?;
    ensure!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), hostile.len(), wrong.join("\n"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = server.resident_kb()?;
    println!("{} hostile plugins beside {calls} calls; {resident} kB before, {after} kB after", hostile.len());
    ensure!(calls > 500, "the clients of other plugins got only {calls} answers");
    ensure!(after < resident + KEPT_KB_MAX, "{resident} kB resident before, {after} kB after");
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}
