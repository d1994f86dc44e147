//! TLS terminated by the server: calls, certificate renewal, and clients that never
//! finish a handshake.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::{Method, Version};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tollbridge_tests::http2::connect;
use tollbridge_tests::{Client, Folder, Server, eventually};

use crate::tls_kit::{Authority, HOST, address, configure, files, hang_up, serve};

const LIVE: &str = "/health/live";
/// A client address other than the default 127.0.0.1.
const STRANGER: &str = "127.0.0.2";

/// Returns the value of a metric, zero while it is missing.
async fn metric(folder: &Folder, name: &str) -> Result<f64> {
    let metrics = folder.metrics().await?;
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    Ok(value.unwrap_or_default())
}

fn closed(reason: &str) -> String {
    format!("tollbridge_connections_closed_total{{reason=\"{reason}\"}}")
}

#[tokio::test]
async fn a_call_is_bought_over_both_versions_of_http() -> Result<()> {
    let authority = Authority::new("first")?;
    let (folder, server) = serve(&authority, &format!("base_url = \"https://{HOST}\"")).await?;
    ensure!(server.url.starts_with("https://127.0.0.1:"), "{}", server.url);
    for (only_http1, version) in [(true, Version::HTTP_11), (false, Version::HTTP_2)] {
        let client = authority.client(&server.url, only_http1)?;
        let answered = client.request(Method::GET, LIVE).send().await?;
        ensure!(answered.version() == version, "the answer used {:?}", answered.version());
        let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
        ensure!(quote.text.contains(&format!("https://{HOST}/pay/")), "no payment link {}", quote.text);
        let intent = client.paid_intent("echo").await?;
        let answer = client.call_with("echo", &intent).await?.must(200)?;
        ensure!(answer.header("x-worm-seal").is_some(), "{answer:?}");
        // A connection to the host name works as well; browsers get a header that
        // enforces https.
        let named = authority.client(&server.url, only_http1)?;
        let port = address(&server.url)?.port();
        let page = named.at(&format!("https://{HOST}:{port}"));
        let page = page.send(page.request(Method::GET, "/").header("accept", "text/html")).await?.must(200)?;
        ensure!(page.header("strict-transport-security").is_some(), "{:?}", page.headers);
        ensure!(answer.header("strict-transport-security").is_none(), "a program got the header: {:?}", answer.headers);
    }
    // A client that does not trust the authority cannot connect.
    ensure!(Client::new(&server.url).get(LIVE).await.is_err(), "an untrusted certificate was accepted");
    let ends = metric(&folder, "tollbridge_tls_certificate_expires_seconds").await?;
    ensure!(ends > 2e9, "the certificate ends at {ends}");
    let checked = folder.run_json(&["config", "check"])?;
    ensure!(checked["ok"] == true, "{checked}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn plain_http_gets_the_reply_that_the_port_serves_https() -> Result<()> {
    let (folder, server) = serve(&Authority::new("first")?, "").await?;
    let plain = server.url.replace("https://", "http://");
    let refused = Client::new(&plain).get(LIVE).await?.must(400)?;
    ensure!(refused.code() == "E011" && refused.error().contains("https"), "{}", refused.text);
    // The client can read the answer although its long request body is not read.
    let body = json!({ "text": "x".repeat(100_000) });
    Client::new(&plain).post("/v1/signup", &body).await?.must(400)?;
    let mut garbage = connect(&server.url, STRANGER).await?;
    garbage.write_all(&[0x16, 0x40, 7, 7, 7, 7, 7, 7, 7]).await?;
    let ended = tokio::time::timeout(Duration::from_secs(5), garbage.read_to_end(&mut Vec::new())).await;
    ensure!(ended.is_ok(), "the server did not close a connection that sent garbage");
    eventually("all three are counted", 10, async || {
        Ok((metric(&folder, &closed("bad_handshake")).await? == 3.0).then_some(()))
    })
    .await?;
    server.stop().await
}

/// Returns whether a new connection gets a certificate of this authority.
async fn is_trusted(authority: &Authority, server: &Server) -> Result<Option<()>> {
    Ok(authority.connect(&server.url).await.ok().map(drop))
}

#[tokio::test]
async fn a_certificate_is_renewed_while_connections_go_on() -> Result<()> {
    let (first, second, third) = (Authority::new("first")?, Authority::new("second")?, Authority::new("third")?);
    let (folder, server) = serve(&first, "").await?;
    // One client has sent half of a request, another keeps its connection open.
    let body = r#"{"email":"ada@example.com"}"#;
    let mut long = first.connect(&server.url).await?;
    let head = format!(
        "POST /v1/signup HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    long.write_all(head.as_bytes()).await?;
    long.flush().await?;
    let kept = first.client(&server.url, false)?;
    kept.get(LIVE).await?.must(200)?;

    second.issue()?.write(folder.path())?;
    hang_up(&server)?;
    eventually("the second certificate serves", 10, || is_trusted(&second, &server)).await?;
    ensure!(is_trusted(&first, &server).await?.is_none(), "the first certificate is still served");
    long.write_all(body.as_bytes()).await?;
    let mut answer = [0; 12];
    tokio::time::timeout(Duration::from_secs(5), long.read_exact(&mut answer)).await??;
    ensure!(answer.as_slice() == b"HTTP/1.1 201", "{}", String::from_utf8_lossy(&answer));
    kept.get(LIVE).await?.must(200)?;

    // If the key does not match the certificate, the server keeps using the second
    // certificate and counts the failure.
    let [certificate, _] = files(&folder);
    let served = std::fs::read(&certificate)?;
    std::fs::write(&certificate, third.issue()?.certificate)?;
    hang_up(&server)?;
    eventually("the failure is counted", 20, async || {
        Ok((metric(&folder, "tollbridge_tls_reload_failures_total").await? >= 1.0).then_some(()))
    })
    .await?;
    ensure!(is_trusted(&second, &server).await?.is_some(), "the second certificate is not served");
    let log = server.log();
    ensure!(log.contains("c.pem") && log.contains("k.pem") && log.contains("remains in use"), "{log}");
    std::fs::write(&certificate, served)?;

    // Symbolic links are replaced by links to new files, and no signal is sent, as
    // certbot does it.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere)?;
    third.issue()?.write(&elsewhere)?;
    for link in files(&folder) {
        let name = link.file_name().context("no name")?;
        let draft = folder.path().join("link");
        std::os::unix::fs::symlink(elsewhere.join(name), &draft)?;
        std::fs::rename(&draft, &link)?;
    }
    eventually("the third certificate serves", 30, || is_trusted(&third, &server)).await?;

    kept.get(LIVE).await?.must(200)?;
    server.stop().await
}

#[tokio::test]
async fn a_pair_that_does_not_match_is_refused_at_the_start() -> Result<()> {
    let (authority, folder) = (Authority::new("first")?, Folder::new("")?);
    let (mut issued, other) = (authority.issue()?, authority.issue()?);
    issued.key = other.key;
    issued.write(folder.path())?;
    configure(&folder, "")?;
    for command in [&["serve"][..], &["config", "check"], &["doctor"]] {
        let refused = folder.try_run(command)?;
        let reported =
            format!("{}{}", String::from_utf8_lossy(&refused.stderr), String::from_utf8_lossy(&refused.stdout));
        ensure!(refused.status.code() == Some(1), "{command:?}: {refused:?}");
        for file in files(&folder) {
            ensure!(
                reported.contains(&file.display().to_string()),
                "{command:?} does not name {}: {reported}",
                file.display()
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn unfinished_handshakes_starve_no_other_client() -> Result<()> {
    let authority = Authority::new("first")?;
    let (folder, server) = serve(&authority, "connections = 60\nconnections_per_client = 20").await?;
    let client = authority.client(&server.url, true)?;
    client.get(LIVE).await?.must(200)?;
    let began = Instant::now();
    let mut held = Vec::new();
    for number in 0..50 {
        let mut stream = connect(&server.url, STRANGER).await?;
        if number % 2 == 0 {
            // Begins a handshake of 512 bytes, and never continues.
            stream.write_all(&[0x16, 3, 1, 2, 0, 1]).await?;
        }
        held.push(stream);
    }
    // The oldest connections of this client made room for its later ones.
    eventually("thirty are closed", 10, async || {
        Ok((metric(&folder, &closed("made_room")).await? == 30.0).then_some(()))
    })
    .await?;
    let asked = Instant::now();
    authority.client(&server.url, true)?.get(LIVE).await?.must(200)?;
    ensure!(asked.elapsed() < Duration::from_secs(2), "an honest client waited {:?}", asked.elapsed());
    let last = held.last_mut().context("none is held")?;
    let ended = tokio::time::timeout(Duration::from_secs(20), last.read(&mut [0; 1])).await;
    ensure!(ended.is_ok() && (8..15).contains(&began.elapsed().as_secs()), "open for {:?}", began.elapsed());
    eventually("twenty slow handshakes are counted", 10, async || {
        Ok((metric(&folder, &closed("slow_handshake")).await? == 20.0).then_some(()))
    })
    .await?;
    server.stop().await
}
