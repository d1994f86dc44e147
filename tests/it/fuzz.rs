//! Random requests to any route: every answer arrives soon and is documented, and the
//! server stays healthy.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::task::JoinSet;
use tollbridge_tests::{Folder, Server, guest, manifest};

const REQUESTS: usize = 4_000;
const LANES: usize = 8;
/// The random seed of the first lane. Every run sends the same requests, so a failing
/// request can be repeated.
const SEED: u64 = 0x7011_b21d_6e00_0000;
const ANSWER: Duration = Duration::from_secs(5);
/// Time after which an answer is too slow; `limits.rs` allows 15 seconds for headers and
/// 15 for bodies.
const SLOW: Duration = Duration::from_secs(40);
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW"];
const TYPES: [&str; 7] = [
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "application/vnd.x+json",
    ";;;=",
];
const PARTS: [&str; 14] = [
    "echo",
    "paid",
    "trap",
    "loop_in_handle",
    "%00",
    "..%2f..%2fetc",
    "%ff%fe",
    "%F0%9F%92%A9",
    "'%20or%201=1--",
    "-1",
    "0",
    "pi_x",
    "99999999999999999999",
    "%25",
];

/// Exceptions that no schema can express; `scripts/test-openapi.sh` uses the same file.
const SCHEMATHESIS: &str = include_str!("../openapi/schemathesis.toml");

/// The SplitMix64 generator: small, and with the same output on every machine.
pub struct Dice(pub u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound as u64) as usize
    }

    pub fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.roll() as u8).collect()
    }
}

/// An answer as received.
struct Answer {
    status: u16,
    body: Vec<u8>,
}

struct Target {
    address: String,
    key: String,
    paths: Vec<String>,
}

async fn exchange(address: &str, request: &[u8], within: Duration) -> Result<Option<Answer>> {
    let mut bytes = Vec::new();
    let talk = async {
        let mut stream = TcpStream::connect(address).await?;
        // The server may answer and close before it has read the whole request.
        let _ = stream.write_all(request).await;
        let mut chunk = [0; 16 << 10];
        loop {
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return anyhow::Ok(()),
                Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            }
        }
    };
    tokio::time::timeout(within, talk).await.context("time-out before the end of the answer")??;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Result<Option<Answer>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").context("headers without an end")?;
    let head = std::str::from_utf8(&bytes[..end])?;
    let status = head.split(' ').nth(1).context("no status")?.parse()?;
    Ok(Some(Answer { status, body: bytes[end + 4..].to_vec() }))
}

fn json_body(dice: &mut Dice) -> Vec<u8> {
    match dice.below(10) {
        0 => "[".repeat(20_000).into_bytes(),
        1 => format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100)).into_bytes(),
        2 => format!("{{\"email\":\"{}@example.com\"}}", dice.roll()).into_bytes(),
        3 => b"{\"email\":\"\\ud800\",\"label\":null}".to_vec(),
        4 => format!("{{\"n\":1e{}}}", dice.roll()).into_bytes(),
        5 => b"{\"split\":1,\"a\":1,\"a\":2}".to_vec(),
        6 => json!({ "resource_id": "x".repeat(dice.below(100_000)) }).to_string().into_bytes(),
        7 => dice.bytes(2_000),
        8 => vec![b' '; dice.below(1_200_000)],
        _ => b"{}".to_vec(),
    }
}

/// Returns a random request that is valid HTTP.
fn request(dice: &mut Dice, target: &Target) -> (String, Vec<u8>) {
    let method = *dice.one(&METHODS);
    let mut path = dice.one(&target.paths).clone();
    while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
        let part: &&str = dice.one(&PARTS);
        path.replace_range(start..=end, part);
    }
    match dice.below(8) {
        0 => path.push_str(&format!("?from={}&x={}", dice.one(&PARTS), "y".repeat(dice.below(3_000)))),
        1 => path.push('/'),
        2 => path = format!("/{}", dice.one(&PARTS)),
        _ => {}
    }
    let mut raw = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n").into_bytes();
    let mut header = |name: &str, value: &[u8]| {
        raw.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
    };
    match dice.below(5) {
        0 => header("Authorization", b"Bearer tb_live_wrong"),
        1 => header("Authorization", &[b"Basic ", &[0xe9; 30][..]].concat()),
        2 | 3 => header("Authorization", format!("Bearer {}", target.key).as_bytes()),
        _ => {}
    }
    match dice.below(6) {
        0 => header("X-Payment-Source", b"credit"),
        1 => header("X-Payment-Intent-Id", &vec![0xfe; dice.below(300)]),
        2 => header("Idempotency-Key", "k".repeat(dice.below(600)).as_bytes()),
        3 => header("X-Forwarded-For", b"::1, \xff"),
        4 => header("X-Long", &vec![b'a'; dice.below(9_000)]),
        _ => {}
    }
    let body = json_body(dice);
    header("Content-Type", dice.one(&TYPES).as_bytes());
    header("Content-Length", body.len().to_string().as_bytes());
    raw.extend_from_slice(b"\r\n");
    let shown = String::from_utf8_lossy(&raw).chars().take(600).collect();
    raw.extend_from_slice(&body);
    (shown, raw)
}

/// Checks an answer to a well-formed request.
fn judge(answer: Option<Answer>, is_head: bool) -> Result<()> {
    let answer = answer.context("closed without an answer")?;
    let documented = [502, 503, 504].contains(&answer.status);
    ensure!(answer.status < 500 || documented, "status {}", answer.status);
    // HTML pages report errors as HTML.
    if answer.status >= 400 && !is_head && !answer.body.starts_with(b"<!doctype html>") {
        let json: Value = serde_json::from_slice(&answer.body)
            .with_context(|| format!("{} without JSON: {:?}", answer.status, String::from_utf8_lossy(&answer.body)))?;
        let text = json["error"].is_string() || json["error"]["message"].is_string();
        // A2A over HTTP+JSON reports errors as `google.rpc.Status`.
        let code = json["code"].is_string() || json["error"]["status"].is_string();
        ensure!(text && code, "{}: {json}", answer.status);
    }
    Ok(())
}

async fn lane(target: Arc<Target>, number: usize) -> Result<()> {
    let mut dice = Dice(SEED + number as u64);
    for count in 0..REQUESTS / LANES {
        let (shown, raw) = request(&mut dice, &target);
        let answer = exchange(&target.address, &raw, ANSWER).await;
        let outcome = answer.and_then(|answer| judge(answer, shown.starts_with("HEAD")));
        outcome.with_context(|| format!("lane {number}, request {count}: {shown}"))?;
    }
    Ok(())
}

/// Sends input that is not HTTP: the server must soon answer with an error or close the
/// connection.
async fn garbage(target: &Target) -> Result<()> {
    let mut dice = Dice(SEED - 1);
    let long = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "a".repeat(1 << 20)).into_bytes();
    let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "a: b\r\n".repeat(5_000)).into_bytes();
    let chunked = |rest: &str| {
        let head = "POST /v1/signup HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
        format!("{head}Transfer-Encoding: chunked\r\n\r\n{rest}").into_bytes()
    };
    let mut all = vec![
        long,
        many,
        chunked("ZZZ\r\n{}\r\n0\r\n\r\n"),
        chunked("ffffffffffffffffff\r\n{}\r\n"),
        chunked("-1\r\n{}\r\n0\r\n\r\n"),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET  /\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!".to_vec(),
        b"GET /\xff\x00 HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
    ];
    all.extend((0..200).map(|_| [dice.bytes(300), b"\r\n\r\n".to_vec()].concat()));
    for raw in all {
        let shown = String::from_utf8_lossy(&raw).chars().take(200).collect::<String>();
        let answer = finished(&target.address, &raw).await.with_context(|| shown.clone())?;
        ensure!(answer.is_none_or(|answer| (300..500).contains(&answer.status)), "{shown}");
    }
    Ok(())
}

/// Sends a request and half-closes the connection.
async fn finished(address: &str, request: &[u8]) -> Result<Option<Answer>> {
    let mut bytes = Vec::new();
    let talk = async {
        let mut stream = TcpStream::connect(address).await?;
        let _ = stream.write_all(request).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut bytes).await;
        anyhow::Ok(())
    };
    tokio::time::timeout(ANSWER, talk).await.context("time-out")??;
    if bytes.starts_with(b"HTTP/1") { parse(&bytes) } else { Ok(None) }
}

/// Sends a byte from time to time, or nothing at all.
async fn slow(target: &Target) -> Result<()> {
    let head = "POST /v1/signup HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
    let body = format!("{head}Content-Length: 100\r\n\r\n{{");
    let began = Instant::now();
    let (headers, body) =
        tokio::join!(drip(&target.address, b"GET / HTTP/1.1\r\nX: "), drip(&target.address, body.as_bytes()));
    headers.context("slow headers")?;
    let body = body.context("a slow body")?;
    ensure!(body.is_none_or(|answer| answer.status == 408), "a slow body does not get 408");
    println!("slow connections were closed after at most {:?}", began.elapsed());
    Ok(())
}

async fn drip(address: &str, beginning: &[u8]) -> Result<Option<Answer>> {
    let stream = TcpStream::connect(address).await?;
    let (mut reading, mut writing) = stream.into_split();
    writing.write_all(beginning).await?;
    let dripping = tokio::spawn(async move {
        while writing.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(SLOW, reading.read_to_end(&mut bytes)).await;
    dripping.abort();
    ensure!(read.is_ok(), "the connection is still open after {SLOW:?}");
    parse(&bytes)
}

/// Starts a server with a free and a paid bridge, and the given hostile ones.
async fn started(hostile: &[&str]) -> Result<(Folder, Server)> {
    let folder = Folder::new("[tiers.enterprise]\nper_minute = 1000000\nper_hour = 100000000\n")?;
    folder.publish(&manifest("echo", "1.0.0", "0.00"), &guest::echo("1.0.0")?)?;
    folder.publish(&manifest("paid", "1.0.0", "0.01"), &guest::echo("1.0.0")?)?;
    for name in hostile {
        let manifest = manifest(name, "1.0.0", "0.00").replace("time_ms = 1000", "time_ms = 100");
        folder.publish(&manifest, &guest::component(name)?)?;
    }
    let server = folder.serve().await?;
    Ok((folder, server))
}

fn new_key(folder: &Folder) -> Result<String> {
    Ok(folder.run(&["key", "create", "--tier", "enterprise"])?.trim().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_bytes_on_any_route_harm_the_server() -> Result<()> {
    let (folder, server) = started(&["trap", "loop_in_handle"]).await?;
    let document = server.client().get("/openapi.json").await?.json;
    let paths: Vec<String> = document["paths"].as_object().context("no paths")?.keys().cloned().collect();
    ensure!(paths.len() > 15, "only {} paths", paths.len());
    let address = server.url.strip_prefix("http://").context("not http")?.to_owned();
    let target = Arc::new(Target { address, key: new_key(&folder)?, paths });
    let began = Instant::now();
    let mut lanes = JoinSet::new();
    for number in 0..LANES {
        lanes.spawn(lane(target.clone(), number));
    }
    let fuzzing = async {
        while let Some(ended) = lanes.join_next().await {
            ended??;
        }
        println!("{REQUESTS} requests in {:?}", began.elapsed());
        garbage(&target).await
    };
    let (fuzzed, slowed) = tokio::join!(fuzzing, slow(&target));
    fuzzed?;
    slowed?;
    let reply = server.client().call("echo", &json!({ "still": "there" }), &[]).await?;
    ensure!(reply.status == 200, "afterwards {}: {}", reply.status, reply.text);
    ensure!(!server.log().contains("panicked"), "the log contains a panic:\n{}", server.log());
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}

/// The first half of the paths of the OpenAPI document.
const FIRST_PATHS: &str = "^/(api|v1/[a-m])";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_half_of_the_openapi_document_is_true() -> Result<()> {
    openapi_is_true("--include-path-regex").await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_the_openapi_document_is_true() -> Result<()> {
    openapi_is_true("--exclude-path-regex").await
}

/// Checks that the server matches its OpenAPI document, against which clients are written.
async fn openapi_is_true(filter: &str) -> Result<()> {
    let (folder, server) = started(&[]).await?;
    std::fs::write(folder.path().join("schemathesis.toml"), SCHEMATHESIS)?;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let run = Command::new(&python)
        .args(["-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"])
        .arg(format!("{}/openapi.json", server.url))
        .args([
            filter,
            FIRST_PATHS,
            "--checks",
            "all",
            "--max-examples",
            "10",
            "--seed",
            "1",
            "--workers",
            "1",
            "--warnings",
            "off",
        ])
        .args(["--header", &format!("Authorization: Bearer {}", new_key(&folder)?)])
        .args(["--request-timeout", "10", "--suppress-health-check", "all"])
        .current_dir(folder.path())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(Duration::from_secs(300), run).await.context("schemathesis does not exit")??;
    if !output.status.success() {
        let (reported, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("schemathesis (is it installed? see tests/requirements.txt) found:\n{reported}\n{errors}");
    }
    ensure!(server.client().get("/health/live").await?.status == 200, "the server has exited");
    server.stop().await
}
