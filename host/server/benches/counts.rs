//! Counts the instructions per request of the hot paths with valgrind's callgrind, and
//! compares them with `tests/instruction-counts.toml`. Unlike times, the counts hardly
//! differ between runs.
//!
//! This process is the client, and also the model provider behind the gateway. The server
//! runs under valgrind in a child process that serves all requests in one thread. Its
//! plugins are compiled beforehand, for any processor: valgrind emulates a processor
//! older than this machine's, and cannot start the compiler. The counts cover all threads
//! of the server and the plugins' code, but not the kernel.
//!
//! `cargo bench --bench counts` fails if a path needs over 2 % more instructions than the
//! file states; with `RENEW_COUNTS=1` it writes the file instead. Needs `valgrind` in the
//! path.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    reason = "a failed measurement should stop the benchmark"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use bytes::Bytes;
use reqwest::{RequestBuilder, Response};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tollbridge::app::Running;
use tollbridge_core::config::Sources;
use tollbridge_core::egress::Egress;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_http::{AppState, router_with, serve};
use tollbridge_operator::{Actor, command};
use tollbridge_plugin::Services;
use tollbridge_registry::{TableFiles, publish};
use tollbridge_runtime::Compiler;
use tollbridge_webhooks::Webhooks;

#[allow(dead_code, reason = "only the upstream is used")]
#[path = "gateways.rs"]
mod gateways;
#[path = "guest.rs"]
mod guest;

/// Number of calls over which a count is averaged; half as many warm-up calls precede
/// them.
const CALLS: u32 = 500;
/// Largest accepted growth of a count over the file's value, in percent.
const GROWTH_MAX: f64 = 2.0;
/// The bridge that is called directly in the server's process, without HTTP, and its
/// input.
const BRIDGE: &str = "vat_number_check";
const VAT_NUMBER: &str = r#"{"vat_number":"GB980780684"}"#;
/// Address space limit for the compiled bridges. Valgrind leaves too little address space
/// for the usual layout of instance memories, so the bridges must be compiled for the
/// smaller layout.
const ADDRESS_SPACE: u64 = 512 << 30;
const ECHO: &str = r#"{"text":"0123456789012345678901234567890123456789012345678901234567890123"}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("serve"), Some(dir)) => Box::pin(serve_counted(Path::new(&dir))).await,
        _ => compare(&Counts::take().await?),
    }
}

/// The counts, and the versions of the tools on which they depend.
#[derive(Serialize, Deserialize)]
struct Counts {
    valgrind: String,
    rustc: String,
    /// Instructions per call.
    instructions: BTreeMap<String, u64>,
}

impl Counts {
    async fn take() -> Result<Self> {
        let valgrind = version("valgrind").context("install it (Debian: apt-get install valgrind)")?;
        // Both child processes (compiler and server) inherit the limit, so that the
        // server accepts the compiled code.
        let limit = Some(ADDRESS_SPACE);
        setrlimit(Resource::As, Rlimit { current: limit, maximum: limit })?;
        let dir = tempfile::tempdir()?;
        prepare(dir.path(), &gateways::upstream().await?)?;
        let mut command = Command::new("valgrind");
        command
            .args(["--quiet", "--tool=callgrind", "--dump-before=counts::mark*"])
            .arg(format!("--callgrind-out-file={}", dir.path().join("counts").display()))
            .arg(std::env::current_exe()?)
            .arg("serve")
            .arg(dir.path());
        let (_server, line) = gateways::start(command, "ready ").context("the server under valgrind does not start")?;
        let (url, key) = line.split_once(' ').context("no key")?;
        let compiled = std::fs::read_dir(dir.path().join("data/compiled"))?.count();
        ensure!(
            compiled == 0,
            "the server has not accepted the precompiled bridges; under valgrind they must belong to root"
        );
        Ok(Self { valgrind, rustc: version("rustc")?, instructions: count(dir.path(), url, key).await? })
    }
}

/// Returns the instructions per call of each path.
async fn count(dir: &Path, url: &str, key: &str) -> Result<BTreeMap<String, u64>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let post = |path: &str, body: &'static str| {
        client.post(format!("{url}{path}")).header("content-type", "application/json").body(body)
    };
    let paid = || post("/v1/oracle/paid", ECHO).bearer_auth(key).header("x-payment-source", "credit");
    let seal = send(&paid(), 200).await?.headers().get("x-worm-seal").context("no seal")?.to_str()?.to_owned();
    let paths = [
        ("answer_402", post("/v1/oracle/paid", ECHO), 402, CALLS),
        ("free_call", post("/v1/oracle/free", ECHO).bearer_auth(key), 200, CALLS),
        ("paid_call", paid(), 200, CALLS),
        ("gateway_chat", post("/v1/chat/completions", gateways::QUESTION).bearer_auth(key), 200, CALLS),
        ("proof", client.get(format!("{url}/v1/ledger/proof/{seal}")), 200, CALLS),
        // One request makes all calls.
        ("bridge_instance", post("/instances", ""), 200, 1),
    ];
    let (mark, mut marks) = (post("/mark", ""), 0);
    let mut counts = BTreeMap::new();
    for (name, request, status, requests) in &paths {
        for requests in [requests.div_ceil(2), *requests] {
            for _ in 0..requests {
                send(request, *status).await.context(*name)?.bytes().await?;
            }
            send(&mark, 200).await?.bytes().await?;
            marks += 1;
        }
        counts.insert((*name).to_owned(), total(&dir.join(format!("counts.{marks}")))? / u64::from(CALLS));
    }
    Ok(counts)
}

async fn send(request: &RequestBuilder, status: u16) -> Result<Response> {
    let response = request.try_clone().context("a stream as the body")?.send().await?;
    if response.status().as_u16() == status {
        return Ok(response);
    }
    bail!("status {}: {}", response.status(), response.text().await?)
}

/// Returns the total count in a file that callgrind wrote.
fn total(path: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
    Ok(line.context("no total")?.trim().parse()?)
}

/// Publishes the bridges, compiles them, and writes the server's configuration.
fn prepare(dir: &Path, upstream: &str) -> Result<()> {
    let (registry, config, code) = (dir.join("registry"), dir.join("tollbridge.toml"), dir.join("code"));
    let key = guest::publisher(&registry)?;
    // The published component, because tests compile the plugins again, less optimized.
    let published = root().join("plugin-registry/bridges").join(BRIDGE);
    let versions =
        std::fs::read_dir(&published).with_context(|| format!("{}; run `make plugins` first", published.display()))?;
    let newest =
        versions.flatten().filter_map(|version| version.file_name().to_str()?.parse::<semver::Version>().ok()).max();
    let newest = newest.context("no version is published; run `make plugins` first")?;
    let component = std::fs::read(published.join(newest.to_string()).join("plugin.wasm"))?;
    for (name, price, wasm) in
        [("free", "0.00", guest::echo()), ("paid", "0.01", guest::echo()), (BRIDGE, "0.00", component)]
    {
        publish(&registry, &guest::manifest(name, price), &wasm, &TableFiles::new(), &key)?;
    }
    let limits = "per_minute = 1000000000\nper_hour = 1000000000\n";
    let model = r#"{ id = "bench", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = 128000 }"#;
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[data]\ndir = {:?}\n[registry]\ndir = {registry:?}\n\
         [plugins]\nprecompiled = {code:?}\n[tiers.free]\n{limits}[tiers.enterprise]\n{limits}\
         [inference.providers.bench]\nbase_url = \"{upstream}\"\nmodels = [{model}]\n",
        dir.join("data"),
    );
    std::fs::write(&config, text)?;
    let mut precompile = Command::new(env!("CARGO_BIN_EXE_tollbridge"));
    let done = precompile.args(["-q", "precompile", "--config"]).arg(&config).arg("--to").arg(&code).status()?;
    ensure!(done.success(), "the bridges cannot be compiled");
    Ok(())
}

/// Serves the folder that `prepare` has filled.
async fn serve_counted(dir: &Path) -> Result<()> {
    let text = std::fs::read_to_string(dir.join("tollbridge.toml"))?;
    let sources = Sources { file: Some(("counts".to_owned(), text)), ..Sources::default() };
    let mut running = Running::start(sources.load()?.config, Compiler::InProcess).await?;
    running.reconciler.refresh().await;
    let (operator, actor) = (running.base.operator()?, Actor::of_command_line());
    let key = operator.execute(&actor, command::KeyCreate { tier: Some("enterprise".to_owned()), email: None }).await?;
    let credit = command::AccountCredit { id: key.account_id, amount_gbp: "1000.00".to_owned() };
    operator.execute(&actor, credit).await?;
    let marked = async || mark();
    let more = Router::new().route("/mark", post(marked)).route("/instances", post(call_instances));
    // The threads that deliver webhooks poll every 100 ms; replacing their service ends them.
    let base = &running.base;
    let (db, rows, index) = (base.db.clone(), base.endpoint_rows.clone(), base.listeners.clone());
    let egress = Egress::new(Vec::new())?;
    let webhooks = Webhooks::idle(db, rows, index, &base.config.webhooks, now_ms, Handle::current(), egress);
    Arc::get_mut(&mut running.shared).context("something else uses the state")?.webhooks = Arc::new(webhooks);
    // No timer may expire. A paused clock still advances when the runtime is idle, so a
    // parked blocking thread keeps it from being idle.
    tokio::time::pause();
    // Parking may end spuriously.
    tokio::task::spawn_blocking(|| {
        loop {
            std::thread::park();
        }
    });
    let router = router_with(running.shared.clone(), more);
    println!("ready http://{} {}", running.address, key.api_key);
    serve(running.listener, router, std::future::pending()).await;
    Ok(())
}

/// Does nothing. Before each call, callgrind writes the instructions counted since the
/// previous one (`--dump-before`).
#[inline(never)]
fn mark() {
    std::hint::black_box(());
}

async fn call_instances(State(app): State<Arc<AppState>>) -> StatusCode {
    let Ok(offer) = app.catalog.offer(PluginKind::Bridge, BRIDGE) else { return StatusCode::NOT_FOUND };
    for _ in 0..CALLS {
        guest::call(&offer.plugin, &Services::none(), &Bytes::from_static(VAT_NUMBER.as_bytes())).await;
    }
    StatusCode::OK
}

/// Compares the counts with those of the file, or writes the file.
fn compare(counts: &Counts) -> Result<()> {
    let path = root().join("tests/instruction-counts.toml");
    if std::env::var_os("RENEW_COUNTS").is_some() {
        std::fs::write(&path, toml::to_string(counts)?)?;
    }
    let before: Counts = toml::from_str(&std::fs::read_to_string(&path)?)?;
    println!("{:<16} {:>12} {:>12} {:>8}", "instructions", "before", "now", "%");
    let mut grown = Vec::new();
    for (name, now) in &counts.instructions {
        let was = before.instructions.get(name).with_context(|| format!("{name} has no count; renew them"))?;
        let percent = (*now as f64 / *was as f64 - 1.0) * 100.0;
        println!("{name:<16} {was:>12} {now:>12} {percent:>+8.2}");
        if percent > GROWTH_MAX {
            grown.push(name.as_str());
        }
    }
    let tools = [&before.valgrind, &before.rustc] == [&counts.valgrind, &counts.rustc];
    let other = if tools { "" } else { "; those in the file were counted with other versions of valgrind or rustc" };
    ensure!(
        grown.is_empty(),
        "more than {GROWTH_MAX} % more instructions: {}{other}. If that is intended: RENEW_COUNTS=1 make counts",
        grown.join(", ")
    );
    Ok(())
}

fn version(program: &str) -> Result<String> {
    let said = Command::new(program).arg("--version").output().with_context(|| format!("cannot run {program}"))?;
    Ok(String::from_utf8(said.stdout)?.trim().to_owned())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
