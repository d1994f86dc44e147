//! The gateways under test between a client and the upstream: none, a bare pass-through, this
//! server, TensorZero's gateway; and the upstream itself.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::StreamExt;
use serde_json::Value;
use tokio::net::TcpListener;

pub(crate) const QUESTION: &str = r#"{"model":"bench","messages":[{"role":"user","content":"0123456789012345678901234567890123456789012345678901234567890123456789"}],"max_tokens":20}"#;
const ANSWER: &str = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"0123456789012345678901234567890123456789"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":30,"completion_tokens":20,"total_tokens":50}}"#;
const EVENT: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n";
/// Time between two events of a stream.
const EVENT_EVERY: Duration = Duration::from_millis(250);
/// The failing upstream fails one request in this many. The share must stay below the
/// share of requests that the gateway may retry.
const FAILS_ONE_OF: u64 = 6;

/// A route to the upstream. Its server process, if any, is stopped on drop.
pub(crate) struct Gateway {
    pub name: &'static str,
    pub url: String,
    pub key: Option<String>,
    process: Option<Running>,
}

/// A server process, killed on drop.
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Gateway {
    pub(crate) fn direct(name: &'static str, url: &str) -> Self {
        Self { name, url: url.to_owned(), key: None, process: None }
    }

    /// Starts this server, with billing off and a key of the highest tier.
    pub(crate) fn ours(dir: &Path, upstream: &str) -> Result<Self> {
        let config = dir.join("tollbridge.toml");
        let model = |id: &str, price: u32| {
            format!(
                "models = [{{ id = \"{id}\", input_usd_per_mtok = {price}, output_usd_per_mtok = 2, context = 128000 }}]\n"
            )
        };
        let flaky = upstream.replace("/v1", "/flaky");
        std::fs::write(
            &config,
            format!(
                "[server]\nlisten = \"127.0.0.1:0\"\n[data]\ndir = {:?}\n[registry]\ndir = {:?}\n\
                 [tiers.enterprise]\nper_minute = 1000000000\nper_hour = 1000000000\n[inference]\nbilling = \"off\"\n\
                 [inference.providers.bench]\nbase_url = \"{upstream}\"\n{}\
                 [inference.providers.flaky]\nbase_url = \"{flaky}\"\n{}\
                 [inference.providers.steady]\nbase_url = \"{upstream}\"\n{}",
                dir.join("data"),
                dir.join("registry"),
                model("bench", 1),
                model("flaky", 1),
                model("flaky", 2),
            ),
        )?;
        std::fs::create_dir_all(dir.join("registry"))?;
        let binary = env!("CARGO_BIN_EXE_tollbridge");
        let made = Command::new(binary)
            .arg("--config")
            .arg(&config)
            .args(["key", "create", "--tier", "enterprise"])
            .output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let key = String::from_utf8(made.stdout)?.trim().to_owned();
        let mut command = Command::new(binary);
        command.arg("--config").arg(&config).arg("serve").stderr(Stdio::null());
        let (process, url) = start(command, "ready ").context("this server does not start")?;
        Ok(Self { name: "tollbridge", url: format!("{url}/v1"), key: Some(key), process: Some(process) })
    }

    /// Starts TensorZero's gateway from its Python package, without a database.
    pub(crate) fn tensorzero(dir: &Path, upstream: &str) -> Result<Option<Self>> {
        let Some(python) = std::env::var_os("TENSORZERO_PYTHON") else { return Ok(None) };
        let config = dir.join("tensorzero.toml");
        std::fs::write(
            &config,
            format!(
                "[gateway]\nobservability.enabled = false\n[models.bench]\nrouting = [\"mock\"]\n\
                 [models.bench.providers.mock]\ntype = \"openai\"\nmodel_name = \"bench\"\napi_base = \"{upstream}/\"\n\
                 api_key_location = \"none\"\n"
            ),
        )?;
        let script = "import sys, time, tensorzero\n\
                      gateway = tensorzero._start_http_gateway(config_file=sys.argv[1], clickhouse_url=None, \
                      postgres_url=None, valkey_url=None, async_setup=False)\n\
                      print('ready', gateway.base_url, flush=True)\ntime.sleep(3600)\n";
        let mut command = Command::new(python);
        command.args(["-c", script]).arg(&config).stderr(Stdio::inherit());
        let (process, url) = start(command, "ready ").context("TensorZero does not start")?;
        let url = url.trim_end_matches('/').to_owned();
        Ok(Some(Self { name: "tensorzero", url, key: None, process: Some(process) }))
    }

    /// Returns the request, with the model name that this gateway uses.
    pub(crate) fn question(&self) -> String {
        match self.name {
            "tensorzero" => QUESTION.replace("\"bench\"", "\"tensorzero::model_name::bench\""),
            _ => QUESTION.to_owned(),
        }
    }

    pub(crate) fn resident_mb(&self) -> Result<f64> {
        let process = self.process.as_ref().context("this gateway runs in no separate process")?;
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        let kb: f64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
        Ok(kb / 1_024.0)
    }
}

/// Starts a server and reads its address from the output line with this prefix.
pub(crate) fn start(mut command: Command, sign: &str) -> Result<(Running, String)> {
    let mut child = Running(command.stdout(Stdio::piped()).spawn()?);
    let mut lines = BufReader::new(child.0.stdout.take().context("no output")?).lines();
    let url = lines.find_map(|line| line.ok()?.strip_prefix(sign).map(str::to_owned)).context("it ended")?;
    // Drain the output, so that the process never blocks on a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    Ok((child, url))
}

/// Starts nginx with a fixed answer: the cheapest upstream, in its own process.
pub(crate) fn nginx(dir: &Path, binary: &OsStr) -> Result<Gateway> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let config = dir.join("nginx.conf");
    std::fs::write(
        &config,
        format!(
            "daemon off;\nworker_processes 1;\npid nginx.pid;\nerror_log nginx.log;\nevents {{ worker_connections 1024; }}\n\
             http {{ access_log off; keepalive_requests 1000000000; server {{ listen 127.0.0.1:{port};\n\
             location = /v1/chat/completions {{ default_type application/json; return 200 '{ANSWER}'; }} }} }}\n"
        ),
    )?;
    let mut command = Command::new(binary);
    command.arg("-p").arg(dir).arg("-c").arg(&config).stdout(Stdio::null());
    let process = Running(command.spawn().context("nginx does not start")?);
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(began.elapsed() < Duration::from_secs(5), "nginx does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(Gateway { name: "direct", url: format!("http://127.0.0.1:{port}/v1"), key: None, process: Some(process) })
}

/// Starts an upstream that answers at once; a stream sends events forever. Under `/flaky` every
/// sixth request fails.
pub(crate) async fn upstream() -> Result<String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let flaky = async |body: Bytes| {
        if COUNT.fetch_add(1, Ordering::Relaxed).is_multiple_of(FAILS_ONE_OF) {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        answer(body).await
    };
    listen(Router::new().route("/v1/chat/completions", post(answer)).route("/flaky/chat/completions", post(flaky)))
        .await
}

async fn answer(body: Bytes) -> Response {
    if body.windows(13).any(|bytes| bytes == b"\"stream\":true") {
        let events = futures_util::stream::unfold(false, async |again| {
            if again {
                tokio::time::sleep(EVENT_EVERY).await;
            }
            Some((Ok::<_, std::io::Error>(Bytes::from_static(EVENT.as_bytes())), true))
        });
        return ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events.boxed())).into_response();
    }
    ([(header::CONTENT_TYPE, "application/json")], ANSWER).into_response()
}

/// Starts the pass-through gateway, which only parses the request and the usage in the
/// answer.
pub(crate) async fn pass_through(upstream: &str) -> Result<String> {
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(256).build()?;
    let state = (client, format!("{upstream}/chat/completions"));
    listen(Router::new().route("/v1/chat/completions", post(pass)).with_state(state)).await
}

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
    tokio::spawn(tollbridge_http::serve(listener, router, std::future::pending()));
    Ok(url)
}
