//! Randomly mutated protocol messages (MCP, A2A and Stripe's signed events), sent to a
//! real server. Unit tests with the same corpus fuzz only the parsers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::stripe::{EVENT_SECRET, now_s, signature};
use tollbridge_tests::{Client, Server, workspace};

use crate::fuzz::Dice;
use crate::stripe::with_stripe;

const ANSWER: Duration = Duration::from_secs(5);
/// Maximum memory growth of the server.
const GROWTH_KB_MAX: u64 = 200 << 10;
const TOKENS: [&str; 16] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "\\ud800",
    "\\u0000",
    "[]",
    "{}",
    "\n",
];

/// Returns the number of mutated bodies to send per target.
fn bodies() -> u64 {
    if std::env::var("TOLLBRIDGE_LONG").is_ok_and(|value| value == "1") { 6_000 } else { 400 }
}

/// Returns the corpus of a fuzz target in `tests/fuzz`.
fn corpus(target: &str) -> Result<Vec<Vec<u8>>> {
    let mut files: Vec<_> =
        std::fs::read_dir(workspace().join("tests/fuzz").join(target))?.collect::<std::io::Result<_>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    ensure!(!files.is_empty(), "tests/fuzz/{target} is empty");
    files.iter().map(|file| Ok(std::fs::read(file.path())?)).collect()
}

fn changed(dice: &mut Dice, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = dice.one(corpus).clone();
    for _ in 0..dice.below(5) {
        let (from, cut) = (dice.below(bytes.len().max(1)), dice.below(9));
        let to = (from + cut).min(bytes.len());
        let token: &&str = dice.one(&TOKENS);
        let count = dice.below(300);
        let piece = match dice.below(4) {
            0 => token.as_bytes().to_vec(),
            1 => token.repeat(count).into_bytes(),
            2 => dice.one(corpus).iter().copied().take(200).collect(),
            _ => dice.bytes(8),
        };
        bytes.splice(from.min(to)..to, piece);
    }
    bytes
}

async fn send(client: &Client, path: &str, headers: &[(&str, String)], body: Vec<u8>) -> Result<(u16, Value)> {
    let mut request = client.request(Method::POST, path).body(body).header("Content-Type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let reply = tokio::time::timeout(ANSWER, client.send(request)).await.context("no answer in time")??;
    Ok((reply.status, reply.json))
}

/// Sends mutated bodies; each must be answered soon, and none with an internal error.
async fn try_all(server: &Server, client: &Client, target: &str, path: &str, signed: bool) -> Result<()> {
    let (corpus, began) = (corpus(target)?, Instant::now());
    for number in 0..bodies() {
        let mut body = changed(&mut Dice(number), &corpus);
        let headers = if signed {
            // Only valid UTF-8 can be signed.
            let text = String::from_utf8_lossy(&body).into_owned();
            body = text.clone().into_bytes();
            vec![("Stripe-Signature", signature(EVENT_SECRET, &text, now_s()))]
        } else {
            vec![("Accept", "application/json, text/event-stream".to_owned())]
        };
        let shown = String::from_utf8_lossy(&body).chars().take(400).collect::<String>();
        let (status, _) =
            send(client, path, &headers, body).await.with_context(|| format!("{target} {number}: {shown}"))?;
        // Statuses 502 to 504 are documented: a service that the server depends on did
        // not answer.
        let documented = matches!(status, 502..=504);
        ensure!(status < 500 || documented, "{target} {number}: status {status} for {shown}");
    }
    ensure!(!server.log().contains("panicked"), "{target}: the log contains a panic:\n{}", server.log());
    println!("{target}: {} bodies in {:?}", bodies(), began.elapsed());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_body_of_a_protocol_harms_the_server() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let before = server.resident_kb()?;
    try_all(&server, &client, "mcp", "/mcp", false).await?;
    try_all(&server, &client, "a2a", "/v1/a2a/execute", false).await?;
    try_all(&server, &client, "stripe-event", "/v1/payments/stripe/events", true).await?;
    let grown = server.resident_kb()?.saturating_sub(before);
    ensure!(grown < GROWTH_KB_MAX, "{grown} kB more than before");
    let reply = client.call("echo", &json!({}), &[]).await?;
    ensure!(reply.status == 402, "afterwards {}: {}", reply.status, reply.text);
    drop(stripe);
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}
