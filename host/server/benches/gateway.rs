//! The cost of the inference gateway: the same upstream called directly, through a bare
//! pass-through (the floor), through this server with keys, limits, routing and metering
//! on and billing off, and through TensorZero's gateway. Also measures this server's
//! memory after many requests and with many open streams, and its time to fail over.
//!
//! Everything runs on this machine, in alternation within one run; `wrk` is the client.
//! Compare only ratios within one run: the machine may be noisy.
//!
//! `cargo bench --bench gateway [-- REQUESTS]`; needs `wrk` in the path. Memory is
//! measured after REQUESTS requests, by default a million. TensorZero is included when
//! `TENSORZERO_PYTHON` names a Python that has the package `tensorzero`. When
//! `NGINX_BINARY` is set, the requests are also measured with a static nginx as the
//! upstream.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a failed measurement should stop the benchmark"
)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

#[path = "gateways.rs"]
mod gateways;

use gateways::{Gateway, QUESTION};

const ROUNDS: usize = 3;
const SECONDS: u32 = 3;
/// Number of open streams, all of one account; the server allows an account 512 open
/// requests.
const STREAMS: usize = 500;
/// Default number of requests before memory is measured.
const REQUESTS: u64 = 1_000_000;
/// Number of sequential requests in the failover measurement; the first provider fails
/// every sixth.
const FAILOVERS: usize = 6_000;

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let requests = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(REQUESTS);
    let dir = tempfile::tempdir()?;
    let direct = gateways::upstream().await?;
    let all = beside(&dir.path().join("axum"), Gateway::direct("direct", &direct)).await?;
    if let Some(nginx) = std::env::var_os("NGINX_BINARY") {
        let folder = dir.path().join("nginx");
        std::fs::create_dir_all(&folder)?;
        println!("\nThe upstream is nginx:");
        let all = beside(&folder, gateways::nginx(&folder, &nginx)?).await?;
        tokio::task::spawn_blocking(move || measure(&folder, &all)).await??;
        println!("\nThe upstream is axum:");
    }
    let folder = dir.path().join("axum");
    let all = tokio::task::spawn_blocking(move || -> Result<Vec<Gateway>> {
        measure(&folder, &all)?;
        many(&folder, &all[2], requests)?;
        Ok(all)
    });
    let all = all.await??;
    streams(&all[2]).await?;
    failover(&all[2]).await
}

/// Starts every gateway with `direct` as its upstream; returns them, preceded by the
/// upstream itself.
async fn beside(dir: &Path, direct: Gateway) -> Result<Vec<Gateway>> {
    std::fs::create_dir_all(dir)?;
    let url = direct.url.clone();
    let floor = gateways::pass_through(&url).await?;
    let mut all = vec![direct, Gateway::direct("pass-through", &floor), Gateway::ours(dir, &url)?];
    all.extend(Gateway::tensorzero(dir, &url)?);
    Ok(all)
}

/// Measures every gateway in alternation, with one caller and with many.
fn measure(dir: &Path, all: &[Gateway]) -> Result<()> {
    for callers in [1, 32] {
        let mut turns: Vec<Vec<Turn>> = all.iter().map(|_| Vec::new()).collect();
        for _ in 0..ROUNDS {
            for (gateway, own) in all.iter().zip(&mut turns) {
                own.push(turn(dir, gateway, callers)?);
            }
        }
        let middle: Vec<(f64, f64)> = turns
            .iter()
            .map(|own| {
                (
                    median(own.iter().map(|turn| turn.per_s).collect()),
                    median(own.iter().map(|turn| turn.p50_us).collect()),
                )
            })
            .collect();
        println!(
            "\n| {callers} callers | requests/s | median, µs | of pass-through | added to direct, µs |\n|---|---|---|---|---|"
        );
        for (gateway, (per_s, p50)) in all.iter().zip(&middle) {
            let (share, added) = (per_s / middle[1].0, p50 - middle[0].1);
            println!("| {} | {per_s:.0} | {p50:.0} | {share:.2} | {added:.0} |", gateway.name);
        }
        if let Some((rival, _)) = middle.get(3) {
            println!("\nrequests/s, tollbridge : TensorZero = {:.2}", middle[2].0 / rival);
        }
    }
    Ok(())
}

struct Turn {
    per_s: f64,
    p50_us: f64,
    requests: u64,
}

fn turn(dir: &Path, gateway: &Gateway, callers: u32) -> Result<Turn> {
    let script = dir.join(format!("{}.lua", gateway.name));
    let auth = gateway
        .key
        .iter()
        .map(|key| format!("wrk.headers[\"Authorization\"] = \"Bearer {key}\"\n"))
        .collect::<String>();
    std::fs::write(
        &script,
        format!(
            "wrk.method = \"POST\"\nwrk.body = '{}'\nwrk.headers[\"Content-Type\"] = \"application/json\"\n{auth}\
             done = function(s, l) io.write(string.format(\"@ %f %f %d %d\\n\", s.requests / s.duration * 1e6, \
             l:percentile(50), s.requests, s.errors.status + s.errors.connect + s.errors.read + s.errors.timeout)) end\n",
            gateway.question()
        ),
    )?;
    let ran = Command::new("wrk")
        .args(["-t1", &format!("-c{callers}"), &format!("-d{SECONDS}s"), "-s"])
        .arg(&script)
        .arg(format!("{}/chat/completions", gateway.url))
        .output()
        .context("wrk is missing")?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("@ ")).with_context(|| format!("wrk: {text}"))?;
    let numbers: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    ensure!(numbers.len() == 4 && numbers[3] < 1.0, "{}: {text}", gateway.name);
    Ok(Turn { per_s: numbers[0], p50_us: numbers[1], requests: numbers[2] as u64 })
}

/// Measures memory as the number of requests grows.
fn many(dir: &Path, ours: &Gateway, requests: u64) -> Result<()> {
    println!("\n| requests of 32 callers | resident, MB |\n|---|---|");
    println!("| before | {:.1} |", ours.resident_mb()?);
    let (mut sent, mut reported) = (0, 0);
    while sent < requests {
        sent += turn(dir, ours, 32)?.requests;
        if sent >= requests || sent - reported > requests / 10 {
            reported = sent;
            println!("| {sent} | {:.1} |", ours.resident_mb()?);
        }
    }
    Ok(())
}

/// Measures memory while streams are open and events flow through them.
async fn streams(ours: &Gateway) -> Result<()> {
    let before = ours.resident_mb()?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let events = Arc::new(AtomicU64::new(0));
    let mut readers = Vec::new();
    for _ in 0..STREAMS {
        let mut response = ask(&client, ours, &QUESTION.replacen('{', "{\"stream\":true,", 1)).await?;
        ensure!(response.status().is_success(), "a stream was refused: {}", response.status());
        response.chunk().await?.context("an empty stream")?;
        let events = events.clone();
        readers.push(tokio::spawn(async move {
            while let Ok(Some(_)) = response.chunk().await {
                events.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    println!("\n| {STREAMS} open streams | events in all | resident, MB |\n|---|---|---|");
    println!("| before | | {before:.1} |");
    for seconds in 0..=2 {
        tokio::time::sleep(Duration::from_secs(if seconds == 0 { 1 } else { 10 })).await;
        println!("| after {} s | {} | {:.1} |", 1 + 10 * seconds, events.load(Ordering::Relaxed), ours.resident_mb()?);
        ensure!(readers.iter().all(|reader| !reader.is_finished()), "a stream ended");
    }
    readers.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(())
}

/// Measures the latency that a failure of the first provider adds.
async fn failover(ours: &Gateway) -> Result<()> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let question = QUESTION.replace("\"bench\"", "\"flaky\"");
    let (mut at_once, mut second) = (Vec::new(), Vec::new());
    for number in 0..FAILOVERS + 200 {
        let began = Instant::now();
        let response = ask(&client, ours, &question).await?;
        let (status, attempts) = (response.status(), response.headers().get("x-attempts").cloned());
        response.bytes().await?;
        let took = began.elapsed().as_secs_f64() * 1e6;
        ensure!(status.is_success(), "{status} in request {number}");
        match attempts.as_ref().and_then(|text| text.to_str().ok()) {
            // The first requests warm up the connections.
            _ if number < 200 => {}
            Some("1") => at_once.push(took),
            Some("2") => second.push(took),
            other => anyhow::bail!("{other:?} attempts"),
        }
    }
    ensure!(second.len() > FAILOVERS / 10, "only {} of {FAILOVERS} failed over", second.len());
    let failed = second.len();
    let (plain, over) = (median(at_once), median(second));
    println!(
        "\nfailover from a 500, {failed} times: median {over:.0} µs beside {plain:.0} µs: {:.0} µs more",
        over - plain
    );
    Ok(())
}

async fn ask(client: &reqwest::Client, ours: &Gateway, body: &str) -> Result<reqwest::Response> {
    let asked =
        client.post(format!("{}/chat/completions", ours.url)).bearer_auth(ours.key.as_deref().unwrap_or_default());
    Ok(asked.header("content-type", "application/json").body(body.to_owned()).send().await?)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
