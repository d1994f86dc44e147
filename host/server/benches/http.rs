//! The cost of a call over HTTP: a plugin compared with the same function linked into the server,
//! for free and paid calls and 1 to 256 callers.
//!
//! One server in this process, with the same admission (keys, limits, schema check) for both
//! routes; `wrk` is the client. Compare only ratios within one run, measured in alternation: the
//! machine may be noisy.
//!
//! The plugin does next to nothing, which is the hardest case. Free and paid calls are also
//! compared for bridges of this repository with their first example, if they are built.
//!
//! A paid call is also compared with itself while ten webhooks listen. *Invoke* is a paid agent
//! that returns its input, with its proof.
//!
//! For paid calls, the number of calls per commit (one commit is one sync) is also reported, beside
//! the disk's rate of separate writes and syncs.
//!
//! `cargo bench --bench http [-- CALLERS]`; needs `wrk` in the path. With `WASMTIME` set to a
//! `wasmtime` 48, the free call is also compared with `wasmtime serve`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a failed measurement should stop the benchmark"
)]

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde_json::{Value, json};
use tollbridge::app::Running;
use tollbridge_core::config::Sources;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_http::{AppState, router_with, serve};
use tollbridge_operator::{Actor, command};
use tollbridge_registry::{TableFiles, publish};
use tollbridge_runtime::Compiler;
use tollbridge_webhooks::Registration;

#[path = "guest.rs"]
mod guest;
#[path = "rival.rs"]
mod rival;

/// Number of measurements per route (`ROUNDS`), and seconds for each (`SECONDS`). Each
/// ratio compares two measurements made next to each other, and the median of these
/// ratios is reported, because a shared machine's speed changes within seconds.
const ROUNDS: usize = 9;
const SECONDS: u32 = 1;
/// Bridges of this repository.
const REAL: [&str; 4] = ["anomaly_detection", "security_scan", "tax_jar_lookup", "validation"];
/// Number of callers for these bridges.
const REAL_CALLERS: u32 = 256;
const BODY: &str = r#"{"text":"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"}"#;

/// Does the plugin's work in native code linked into the server: the same checks, then
/// the same answer.
async fn native(State(shared): State<Arc<AppState>>, body: Bytes) -> Response {
    let Ok(value) = serde_json::from_slice::<Value>(&body) else { return StatusCode::BAD_REQUEST.into_response() };
    let Ok(offer) = shared.catalog.offer(PluginKind::Bridge, "free") else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    if !matches!(offer.plugin.check_input(&Arc::new(value), body.len()).await, Ok(None)) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

#[tokio::main]
async fn main() -> Result<()> {
    let metrics = PrometheusBuilder::new().install_recorder()?;
    let dir = tempfile::tempdir()?;
    prepare(dir.path())?;
    let config = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[data]\ndir = {:?}\n[registry]\ndir = {:?}\n\
         [webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n[tiers.enterprise]\nper_minute = 1000000000\nper_hour = 1000000000\n",
        dir.path().join("data"),
        dir.path().join("registry"),
    );
    let sources = Sources { file: Some(("bench".to_owned(), config)), ..Sources::default() };
    let running = Running::start(sources.load()?.config, Compiler::InProcess).await?;
    running.reconciler.refresh().await;
    let operator = running.base.operator()?;
    let made = operator
        .execute(&Actor::of_command_line(), command::KeyCreate { tier: Some("enterprise".to_owned()), email: None })
        .await?;
    operator
        .execute(
            &Actor::of_command_line(),
            command::AccountCredit { id: made.account_id, amount_gbp: "1000000.00".to_owned() },
        )
        .await?;
    let url = format!("http://{}", running.address);
    let router = router_with(running.shared.clone(), Router::new().route("/native", post(native)));
    tokio::spawn(serve(running.listener, router, std::future::pending()));
    let listeners = Listeners::new(running.shared.clone())?;
    let key = made.api_key;
    tokio::task::spawn_blocking(move || measure(dir.path(), &url, &key, &metrics, &listeners)).await?
}

/// Ten webhooks of the bridges' owner, all at one receiver that accepts every event.
struct Listeners {
    shared: Arc<AppState>,
    url: String,
    runtime: tokio::runtime::Handle,
}

/// Receives webhooks at the lowest priority, because a real receiver would run on another machine.
fn receive(listener: std::net::TcpListener) -> Result<()> {
    rustix::process::nice(19)?;
    let receiver = Router::new().fallback(|_: Bytes| async { StatusCode::NO_CONTENT });
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        serve(tokio::net::TcpListener::from_std(listener)?, receiver, std::future::pending()).await;
        Ok(())
    })
}

impl Listeners {
    fn new(shared: Arc<AppState>) -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}/", listener.local_addr()?);
        std::thread::spawn(move || receive(listener));
        Ok(Self { shared, url, runtime: tokio::runtime::Handle::current() })
    }

    /// Runs `work` while the webhooks are registered.
    fn with_listeners<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let webhooks = &self.shared.webhooks;
        let mut ids = Vec::new();
        for _ in 0..10 {
            let events = vec!["billing.split".to_owned()];
            let wish = Registration { url: self.url.clone(), events, secret: None };
            ids.push(self.runtime.block_on(webhooks.register("acct_bench", wish))?.0.id);
        }
        let done = work();
        for id in ids {
            self.runtime.block_on(webhooks.delete("acct_bench", &id))?;
        }
        done
    }
}

/// Publishes a free and a paid bridge.
fn prepare(dir: &Path) -> Result<()> {
    let registry = dir.join("registry");
    let key = guest::publisher(&registry)?;
    for (name, price) in [("free", "0.00"), ("paid", "0.01")] {
        let manifest =
            format!("{}[limits]\nmemory_mib = 4\ntime_ms = 1000\nconcurrency = 256\n", guest::manifest(name, price));
        publish(&registry, &manifest, &guest::echo(), &TableFiles::new(), &key)?;
    }
    let manifest = "name = \"paid\"\nkind = \"agent\"\nversion = \"1.0.0\"\npublisher = \"bench\"\npurpose = \"echo\"\n\
                    price_gbp = \"0.01\"\n[limits]\nmemory_mib = 4\ntime_ms = 1000\nconcurrency = 256\n";
    publish(&registry, manifest, &guest::agent(), &TableFiles::new(), &key)?;
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    for name in REAL {
        let component = plugins.join(format!("target/components/{name}.wasm"));
        if component.exists() {
            let manifest = std::fs::read_to_string(plugins.join(format!("bridges/{name}/plugin.toml")))?;
            for (kind, price) in [("free", "0.00"), ("paid", "0.01")] {
                let manifest = with_price(&manifest, &format!("{name}_{kind}"), price);
                publish(&registry, &manifest, &std::fs::read(&component)?, &TableFiles::new(), &key)?;
            }
        }
    }
    Ok(())
}

/// Returns a bridge's manifest with another name and price, and enough concurrency for all callers.
fn with_price(manifest: &str, name: &str, price: &str) -> String {
    let lines = manifest.lines().map(|line| match line.split(" = ").next() {
        Some("name") => format!("name = \"{name}\"\n"),
        Some("publisher") => "publisher = \"bench\"\n".to_owned(),
        Some("price_gbp") => format!("price_gbp = \"{price}\"\n"),
        Some("concurrency") => format!("concurrency = {REAL_CALLERS}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// Writes the client's `wrk` script. Every call has its own idempotency key, so each paid call is a
/// new transaction. The request is assembled once, to keep the client cheap and the same for all
/// routes.
fn script(path: &Path, key: &str, body: &str, paid: bool) -> Result<String> {
    // Each thread of `wrk` runs this script: the address of a new Lua table makes its keys
    // differ from those of other threads.
    let request = "local head, tail, n\n\
         init = function()\n  wrk.headers[\"Idempotency-Key\"] = \"Kind\"\n  local whole = wrk.format()\n  \
         local at = whole:find(\"Kind\", 1, true)\n  \
         head = whole:sub(1, at - 1) .. tostring({}):sub(8) .. \"-\" .. os.time() .. \"-\"\n  \
         tail, n = whole:sub(at + 2), 0\nend\n\
         request = function()\n  n = n + 1\n  return head .. n .. tail\nend\n";
    let source = if paid { "wrk.headers[\"X-Payment-Source\"] = \"credit\"\n" } else { "" };
    let text = format!(
        "wrk.method = \"POST\"\nwrk.body = [==[{body}]==]\nwrk.headers[\"Content-Type\"] = \"application/json\"\n\
         wrk.headers[\"Authorization\"] = \"Bearer {key}\"\n{source}{request}"
    );
    std::fs::write(path, text)?;
    Ok(path.display().to_string())
}

/// Measures free and paid calls of real bridges.
fn real(url: &str, listeners: &Listeners, script: impl Fn(&str, &str, bool) -> Result<String>) -> Result<Value> {
    let mut rows = Vec::new();
    for name in REAL {
        let Ok(offer) = listeners.shared.catalog.offer(PluginKind::Bridge, &format!("{name}_free")) else { continue };
        let example = offer.plugin.description().examples.first().context("a bridge without an example")?;
        let body = example.input.to_string();
        let (plain, credit) = (script("plain.lua", &body, false)?, script("credit.lua", &body, true)?);
        let (mut free, mut paid) = (Turns::default(), Turns::default());
        for _ in 0..ROUNDS {
            free.take(&format!("{url}/v1/oracle/{name}_free"), &plain, REAL_CALLERS)?;
            paid.take(&format!("{url}/v1/oracle/{name}_paid"), &credit, REAL_CALLERS)?;
        }
        let per_s = |turns: &Turns| median(turns.per_s.clone()).round();
        rows.push(json!({
            "bridge": name, "callers": REAL_CALLERS, "free_per_s": per_s(&free), "paid_per_s": per_s(&paid),
            "paid_to_free": paid.to(&free),
        }));
    }
    Ok(rows.into())
}

fn measure(dir: &Path, url: &str, key: &str, metrics: &PrometheusHandle, listeners: &Listeners) -> Result<()> {
    let script = |name: &str, body: &str, paid: bool| script(&dir.join(name), key, body, paid);
    let (plain, credit) = (script("plain.lua", BODY, false)?, script("credit.lua", BODY, true)?);
    // The agent gets the same object as its input, and returns it.
    let task = script("task.lua", &format!("{{\"input\":{BODY}}}"), false)?;
    let (native, free, paid) =
        (format!("{url}/native"), format!("{url}/v1/oracle/free"), format!("{url}/v1/oracle/paid"));
    let invoke = format!("{url}/v1/agents/paid/invoke");
    let mut rows = Vec::new();
    let asked: Vec<u32> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for callers in if asked.is_empty() { vec![1, 32, 256] } else { asked } {
        // The routes: `a` native, `b` free, `c` paid, `d` the agent; `listened` is `c` while
        // webhooks listen.
        let (mut a, mut b, mut c, mut shared) = (Turns::default(), Turns::default(), Turns::default(), Vec::new());
        let (mut listened, mut delivered) = (Turns::default(), Vec::new());
        let mut d = Turns::default();
        for _ in 0..ROUNDS {
            a.take(&native, &plain, callers)?;
            b.take(&free, &plain, callers)?;
            let before = commits(metrics);
            c.take(&paid, &credit, callers)?;
            let after = commits(metrics);
            shared.push((after.1 - before.1) / (after.0 - before.0).max(1.0));
            let attempts = figure(metrics, "tollbridge_webhook_attempts_total");
            listeners.with_listeners(|| listened.take(&paid, &credit, callers))?;
            delivered.push((figure(metrics, "tollbridge_webhook_attempts_total") - attempts) / f64::from(SECONDS));
            d.take(&invoke, &task, callers)?;
        }
        let cpu_us = [&a, &b, &c, &d].map(|turns| ratio(median(turns.cpu_us.clone()), 1.0));
        let per_s = |turns: &Turns| median(turns.per_s.clone()).round();
        rows.push(json!({
            "callers": callers, "native_per_s": per_s(&a), "free_per_s": per_s(&b), "paid_per_s": per_s(&c),
            "free_to_native": b.to(&a), "paid_to_free": c.to(&b), "with_ten_webhooks_to_paid": listened.to(&c),
            "deliveries_per_s_meanwhile": median(delivered).round(),
            "paid_calls_per_commit": ratio(median(shared), 1.0), "server_cpu_us_native_free_paid_invoke": cpu_us,
            "invoke_per_s": per_s(&d), "invoke_to_paid": d.to(&c),
        }));
    }
    let rival = against_wasmtime(dir, &free, &plain)?;
    let real = real(url, listeners, script)?;
    let syncs = syncs_per_s(dir)?;
    let report = json!({ "raw_fdatasync_per_s": syncs.round(), "rows": rows, "wasmtime_serve": rival, "real": real });
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

/// Compares a free call with the same work under `wasmtime serve`.
fn against_wasmtime(dir: &Path, free: &str, script: &str) -> Result<Value> {
    let Some([plain, tuned]) = rival::Rival::both(dir)? else { return Ok(Value::Null) };
    let mut rows = Vec::new();
    for callers in [32, 256] {
        let (mut ours, mut as_it_comes, mut like_ours) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(wrk(free, script, callers)?);
            as_it_comes.push(wrk(&plain.url, script, callers)?);
            like_ours.push(wrk(&tuned.url, script, callers)?);
        }
        let (ours, as_it_comes, like_ours) = (median(ours), median(as_it_comes), median(like_ours));
        rows.push(json!({
            "callers": callers, "free_per_s": ours.round(),
            "serve_per_s": as_it_comes.round(), "tuned_serve_per_s": like_ours.round(),
            "free_to_serve": ratio(ours, as_it_comes), "free_to_tuned_serve": ratio(ours, like_ours),
        }));
    }
    Ok(rows.into())
}

/// The measurements of one route.
#[derive(Default)]
struct Turns {
    per_s: Vec<f64>,
    /// Processor time of this process per call, which a slow disk or a busy machine affects less
    /// than the rate.
    cpu_us: Vec<f64>,
}

impl Turns {
    fn take(&mut self, url: &str, script: &str, callers: u32) -> Result<()> {
        let before = cpu_s()?;
        let per_s = wrk(url, script, callers)?;
        self.cpu_us.push((cpu_s()? - before) * 1e6 / (per_s * f64::from(SECONDS)));
        self.per_s.push(per_s);
        Ok(())
    }

    /// Returns the median ratio between the two routes, over pairs of measurements made
    /// next to each other.
    fn to(&self, other: &Self) -> f64 {
        median(self.per_s.iter().zip(&other.per_s).map(|(own, other)| ratio(*own, *other)).collect())
    }
}

/// Returns the processor time that this process, the server, has used so far, in seconds.
/// The client runs in another process and is not included.
fn cpu_s() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, rest) = stat.rsplit_once(')').context("unexpected format of /proc/self/stat")?;
    let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>();
    Ok(ticks / 100.0)
}

/// Returns the numbers of commits and changes so far.
fn commits(metrics: &PrometheusHandle) -> (f64, f64) {
    (figure(metrics, "tollbridge_commits_total"), figure(metrics, "tollbridge_changes_total"))
}

/// Returns the value of a counter, summed over all labels.
fn figure(metrics: &PrometheusHandle, name: &str) -> f64 {
    let text = metrics.render();
    let lines = text.lines().filter(|line| line.starts_with(name));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

/// Measures the disk's rate of 4 KiB writes, each with a sync.
fn syncs_per_s(dir: &Path) -> Result<f64> {
    let mut file = std::fs::File::create(dir.join("syncs"))?;
    let (began, count) = (Instant::now(), 200_u32);
    for _ in 0..count {
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
    }
    Ok(f64::from(count) / began.elapsed().as_secs_f64())
}

/// Returns requests per second; any status other than 2xx is an error.
fn wrk(url: &str, script: &str, callers: u32) -> Result<f64> {
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{callers}"), &format!("-d{SECONDS}s"), "-s", script, url])
        .output()
        .context("cannot run wrk; install it (Debian: apt-get install wrk)")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success() && !text.contains("Non-2xx"), "wrk against {url}: {text}");
    let line = text.lines().find_map(|line| line.strip_prefix("Requests/sec:")).context("no figure from wrk")?;
    Ok(line.trim().parse()?)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

fn ratio(a: f64, b: f64) -> f64 {
    ((a / b) * 1000.0).round() / 1000.0
}
