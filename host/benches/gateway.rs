//! What the inference gateway costs: the same upstream asked directly, through
//! a bare pass-through (the floor), through this server with keys, limits,
//! routing and metering on and billing off, and through TensorZero's gateway.
//!
//! All on this machine, taken in turns in one run; `wrk` is the client. Figures
//! are ratios within one run: the machine may be noisy.
//!
//! `cargo bench --bench gateway`; needs `wrk` in the path. TensorZero takes part
//! when `TENSORZERO_PYTHON` names a Python that has the package `tensorzero`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a measurement that cannot be made should stop"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::StreamExt;
use serde_json::Value;
use tokio::net::TcpListener;

const ROUNDS: usize = 3;
const SECONDS: u32 = 3;
const STREAMS: usize = 1_000;
const QUESTION: &str = r#"{"model":"bench","messages":[{"role":"user","content":"0123456789012345678901234567890123456789012345678901234567890123456789"}],"max_tokens":20}"#;
const ANSWER: &str = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"0123456789012345678901234567890123456789"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":30,"completion_tokens":20,"total_tokens":50}}"#;
const FIRST: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n";

/// A server that is stopped when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers at once; a stream gives one event and then waits.
async fn upstream(body: Bytes) -> Response {
    if body.windows(13).any(|bytes| bytes == b"\"stream\":true") {
        let first = futures_util::stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(FIRST.as_bytes())) });
        let events = Body::from_stream(first.chain(futures_util::stream::pending()));
        return ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response();
    }
    ([(header::CONTENT_TYPE, "application/json")], ANSWER).into_response()
}

/// The least that a gateway does: read what was asked and what was used.
async fn pass(State((client, url)): State<(reqwest::Client, String)>, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    assert!(asked["model"].is_string());
    let sent = client.post(&url).header(header::CONTENT_TYPE, "application/json").body(body).send().await.unwrap();
    let answer = sent.bytes().await.unwrap();
    let read: Value = serde_json::from_slice(&answer).unwrap();
    assert!(read["usage"]["total_tokens"].is_u64());
    ([(header::CONTENT_TYPE, "application/json")], answer).into_response()
}

async fn listen(router: Router) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    tokio::spawn(tollbridge::http::serve(listener, router, std::future::pending()));
    Ok(url)
}

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let dir = tempfile::tempdir()?;
    let direct = listen(Router::new().route("/v1/chat/completions", post(upstream))).await?;
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(256).build()?;
    let state = (client, format!("{direct}/chat/completions"));
    let floor = listen(Router::new().route("/v1/chat/completions", post(pass)).with_state(state)).await?;
    let (ours, url, key) = start_ours(dir.path(), &direct)?;
    let mut targets = vec![
        ("direct", direct.clone(), None),
        ("pass-through", floor, None),
        ("tollbridge", url.clone(), Some(key.clone())),
    ];
    let rival = start_tensorzero(dir.path(), &direct)?;
    targets.extend(rival.as_ref().map(|(_, url)| ("tensorzero", url.clone(), None)));
    let folder = dir.path().to_owned();
    tokio::task::spawn_blocking(move || measure(&folder, &targets)).await??;
    let before = resident_kb(&ours)?;
    println!("tollbridge after all requests: {} MB resident", before / 1_024);
    let open = open_streams(&url, &key).await?;
    let after = resident_kb(&ours)?;
    println!(
        "with {} open streams: {} MB, {} kB a stream",
        open.len(),
        after / 1_024,
        after.saturating_sub(before) / STREAMS as u64
    );
    Ok(())
}

fn start_ours(dir: &Path, upstream: &str) -> Result<(Running, String, String)> {
    let config = dir.join("tollbridge.toml");
    std::fs::write(
        &config,
        format!(
            "[server]\nlisten = \"127.0.0.1:0\"\n[data]\ndir = {:?}\n[registry]\ndir = {:?}\n\
             [tiers.enterprise]\nper_minute = 1000000000\nper_hour = 1000000000\n[inference]\nbilling = \"off\"\n\
             [inference.providers.bench]\nbase_url = \"{upstream}\"\n\
             models = [{{ id = \"bench\", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = 128000 }}]\n",
            dir.join("data"),
            dir.join("registry"),
        ),
    )?;
    let binary = env!("CARGO_BIN_EXE_tollbridge");
    let made =
        Command::new(binary).arg("--config").arg(&config).args(["key", "create", "--tier", "enterprise"]).output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let key = String::from_utf8(made.stdout)?.trim().to_owned();
    let mut child = Command::new(binary)
        .arg("--config")
        .arg(&config)
        .arg("serve")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let line = lines.find_map(|line| line.ok()?.strip_prefix("ready ").map(str::to_owned)).context("not ready")?;
    std::thread::spawn(move || lines.for_each(drop));
    Ok((Running(child), format!("{line}/v1"), key))
}

/// TensorZero's gateway out of its Python package, without a database.
fn start_tensorzero(dir: &Path, upstream: &str) -> Result<Option<(Running, String)>> {
    let Some(python) = std::env::var_os("TENSORZERO_PYTHON") else { return Ok(None) };
    let config = dir.join("tensorzero.toml");
    std::fs::write(
        &config,
        format!(
            "[gateway]\nobservability.enabled = false\n[models.bench]\nrouting = [\"mock\"]\n[models.bench.providers.mock]\n\
             type = \"openai\"\nmodel_name = \"bench\"\napi_base = \"{upstream}/\"\napi_key_location = \"none\"\n"
        ),
    )?;
    let script = "import sys, time, tensorzero\n\
                  gateway = tensorzero._start_http_gateway(config_file=sys.argv[1], clickhouse_url=None, \
                  postgres_url=None, valkey_url=None, async_setup=False)\n\
                  print(gateway.base_url, flush=True)\ntime.sleep(3600)\n";
    let mut child = Command::new(python)
        .args(["-c", script])
        .arg(&config)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let url = lines
        .find_map(|line| line.ok().filter(|line| line.starts_with("http")))
        .context("TensorZero does not start")?;
    Ok(Some((Running(child), url)))
}

fn measure(dir: &Path, targets: &[(&str, String, Option<String>)]) -> Result<()> {
    for callers in [1, 32] {
        let mut best: Vec<Vec<(f64, f64)>> = vec![Vec::new(); targets.len()];
        for _ in 0..ROUNDS {
            for (number, (name, url, key)) in targets.iter().enumerate() {
                best[number].push(turn(dir, name, url, key.as_deref(), callers)?);
            }
        }
        println!("\n| {callers} callers | requests/s | median, microseconds |\n|---|---|---|");
        for ((name, ..), turns) in targets.iter().zip(&mut best) {
            turns.sort_by(|one, other| one.0.total_cmp(&other.0));
            let (rate, median) = turns[turns.len() / 2];
            println!("| {name} | {rate:.0} | {median:.0} |");
        }
    }
    Ok(())
}

/// Requests a second, and the median in microseconds.
fn turn(dir: &Path, name: &str, url: &str, key: Option<&str>, callers: usize) -> Result<(f64, f64)> {
    let script = dir.join(format!("{name}.lua"));
    let auth = key.map(|key| format!("wrk.headers[\"Authorization\"] = \"Bearer {key}\"\n")).unwrap_or_default();
    let question = if name == "tensorzero" {
        QUESTION.replace("\"bench\"", "\"tensorzero::model_name::bench\"")
    } else {
        QUESTION.to_owned()
    };
    std::fs::write(
        &script,
        format!(
            "wrk.method = \"POST\"\nwrk.body = '{question}'\nwrk.headers[\"Content-Type\"] = \"application/json\"\n{auth}\
             done = function(s, l) io.write(string.format(\"@ %f %f %d\\n\", s.requests / s.duration * 1e6, \
             l:percentile(50), s.errors.status + s.errors.connect + s.errors.read + s.errors.timeout)) end\n"
        ),
    )?;
    let ran = Command::new("wrk")
        .args(["-t1", &format!("-c{callers}"), &format!("-d{SECONDS}s"), "-s"])
        .arg(&script)
        .arg(format!("{url}/chat/completions"))
        .output()
        .context("wrk is missing")?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("@ ")).with_context(|| format!("wrk: {text}"))?;
    let numbers: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    ensure!(numbers.len() == 3 && numbers[2] < 1.0, "{name}: {text}");
    Ok((numbers[0], numbers[1]))
}

/// Streams with their first event read.
async fn open_streams(url: &str, key: &str) -> Result<Vec<reqwest::Response>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut open = Vec::new();
    for _ in 0..STREAMS {
        let body = QUESTION.replacen('{', "{\"stream\":true,", 1);
        let asked = client
            .post(format!("{url}/chat/completions"))
            .bearer_auth(key)
            .header(header::CONTENT_TYPE, "application/json");
        let mut response = asked.body(body).send().await?;
        ensure!(response.status().is_success(), "a stream was refused: {}", response.status());
        response.chunk().await?.context("an empty stream")?;
        open.push(response);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok(open)
}

fn resident_kb(server: &Running) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.0.id()))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    Ok(line.split_whitespace().nth(1).context("no number")?.parse()?)
}
