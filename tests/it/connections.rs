//! Connections that idle, exhaust resources or abuse the protocol: the server closes each
//! of them, and keeps serving other clients.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tollbridge_tests::http2::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, Http2, PING, PREFACE, RST_STREAM, SETTINGS, WINDOW_UPDATE,
    connect, frame, get, head, header,
};
use tollbridge_tests::{Folder, Server, eventually};

const LIVE: &str = "/health/live";
const GET_LIVE: &[u8] = b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n";
/// A response of more than half a megabyte, so that socket buffers hold only a few of
/// them.
const LARGE: &str = "/openapi.json";
/// The attacker's address; honest clients use 127.0.0.1. All of 127.0.0.0/8 belongs to
/// this machine.
const STRANGER: &str = "127.0.0.2";

/// Starts a server with settings of `[server]`.
async fn server_with(settings: &str) -> Result<(Folder, Server)> {
    let folder = Folder::new("")?;
    let text = std::fs::read_to_string(folder.config())?;
    std::fs::write(folder.config(), text.replace("[data]", &format!("{settings}\n[data]")))?;
    let server = folder.serve().await?;
    Ok((folder, server))
}

/// Checks that an honest client is answered immediately.
async fn serves(server: &Server) -> Result<()> {
    let began = Instant::now();
    server.client().get(LIVE).await?.must(200)?;
    ensure!(began.elapsed() < Duration::from_secs(2), "an honest client waited {:?}", began.elapsed());
    Ok(())
}

/// Returns the value of the connection counter `name` for a reason.
async fn counted(folder: &Folder, name: &str, reason: &str) -> Result<u64> {
    let line = format!("tollbridge_connections_{name}_total{{reason=\"{reason}\"}} ");
    let mut count = 0;
    // The counter rises shortly after the client sees the connection end, so wait until
    // its value is stable.
    for _ in 0..30 {
        let (metrics, before) = (folder.metrics().await?, count);
        count = metrics.lines().find_map(|text| text.strip_prefix(&line)).map_or(Ok(0), str::parse)?;
        if count > 0 && count == before {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(count)
}

/// Sends `first`, then `piece` every second (nothing if it is empty); returns the seconds
/// until the server closes the connection.
async fn seconds_open(mut stream: TcpStream, first: Vec<u8>, piece: Vec<u8>) -> Result<u64> {
    let began = Instant::now();
    stream.write_all(&first).await?;
    let (mut reading, mut writing) = stream.into_split();
    let sending = tokio::spawn(async move {
        while !piece.is_empty() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if writing.write_all(&piece).await.is_err() {
                break;
            }
        }
        // Keeps the writing half open as long as this task runs.
        std::future::pending::<()>().await;
        drop(writing);
    });
    let mut bytes = [0; 4096];
    let reading = async { while reading.read(&mut bytes).await.is_ok_and(|count| count > 0) {} };
    let ended = tokio::time::timeout(Duration::from_secs(90), reading).await;
    sending.abort();
    ended.context("open after 90 s")?;
    Ok(began.elapsed().as_secs())
}

#[tokio::test]
async fn silence_ends_in_whatever_form_it_comes() -> Result<()> {
    let (folder, server) = server_with("").await?;
    let settings = frame(SETTINGS, 0, 0, &[]);
    let open = [PREFACE, &settings].concat();
    let cut_head = frame(HEADERS, END_STREAM, 1, &head("GET", LIVE));
    let cases: [(&str, Vec<u8>, Vec<u8>); 9] = [
        ("nothing", vec![], vec![]),
        ("one byte", b"P".to_vec(), vec![]),
        ("half a preface", b"PRI * HTTP/2.0\r\n".to_vec(), vec![]),
        ("half a head", b"GET / HTTP/1.1\r\nhost: a\r\n".to_vec(), vec![]),
        ("a head that drips", b"GET / HTTP/1.1\r\n".to_vec(), b"a: b\r\n".to_vec()),
        ("only a preface", PREFACE.to_vec(), vec![]),
        ("settings and silence", open.clone(), vec![]),
        ("settings and pings", open.clone(), frame(PING, 0, 0, &[7; 8])),
        ("headers without an end", [open.clone(), cut_head].concat(), vec![]),
    ];
    let mut all = JoinSet::new();
    for (name, first, piece) in cases {
        let stream = connect(&server.url, STRANGER).await?;
        all.spawn(async move { (name, seconds_open(stream, first, piece).await) });
    }
    while let Some(ended) = all.join_next().await {
        let (name, seconds) = ended?;
        let seconds = seconds.with_context(|| name.to_owned())?;
        ensure!((14..20).contains(&seconds), "{name}: open for {seconds} s");
    }
    serves(&server).await?;
    ensure!(counted(&folder, "closed", "no_request").await? == 9, "{}", folder.metrics().await?);
    Ok(())
}

#[tokio::test]
async fn a_connection_is_idle_as_long_as_configured_and_a_later_request_is_no_slower() -> Result<()> {
    let (folder, server) = server_with("idle_timeout = \"16s\"").await?;
    let idle = connect(&server.url, STRANGER).await?;
    let idle = tokio::spawn(seconds_open(idle, GET_LIVE.to_vec(), vec![]));
    let mut second = connect(&server.url, STRANGER).await?;
    second.write_all(GET_LIVE).await?;
    second.read_exact(&mut [0; 15]).await?;
    let second = tokio::spawn(seconds_open(second, b"GET / HT".to_vec(), b"x".to_vec()));
    // An idle HTTP/2 connection ends with GOAWAY, however many pings the client sends.
    let mut http2 = Http2::start(&server.url, STRANGER, &[]).await?;
    http2.send(&get(1, LIVE)).await?;
    http2.until(DATA, 1, 5).await?;
    let began = Instant::now();
    ensure!(http2.ends(30).await?, "the connection ended without GOAWAY");
    ensure!((15..24).contains(&began.elapsed().as_secs()), "HTTP/2 was idle for {:?}", began.elapsed());
    let (idle, second) = (idle.await??, second.await??);
    ensure!((15..22).contains(&idle) && (14..20).contains(&second), "idle {idle} s, second head {second} s");
    ensure!(counted(&folder, "closed", "idle").await? == 2, "{}", folder.metrics().await?);
    ensure!(counted(&folder, "closed", "slow_head").await? == 1, "{}", folder.metrics().await?);
    Ok(())
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() -> Result<()> {
    let (folder, server) = server_with("write_timeout = \"5s\"").await?;
    // Request more than the buffers of both ends can hold.
    let request = format!("GET {LARGE} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut http1 = connect(&server.url, STRANGER).await?;
    http1.write_all(request.repeat(200).as_bytes()).await?;
    let mut http2 = Http2::start(&server.url, STRANGER, &[(4, 0x7fff_ffff)]).await?;
    http2.send(&frame(WINDOW_UPDATE, 0, 0, &0x7fff_0000_u32.to_be_bytes())).await?;
    for stream in 0..100 {
        http2.send(&get(2 * stream + 1, LARGE)).await?;
    }
    eventually("both are closed", 60, async || {
        let closed = counted(&folder, "closed", "unread").await?;
        Ok((closed == 2).then_some(()))
    })
    .await?;
    serves(&server).await?;
    drop((http1, http2));
    Ok(())
}

#[tokio::test]
async fn an_answer_without_a_window_is_taken_back_and_others_go_on() -> Result<()> {
    let (folder, server) = server_with("write_timeout = \"8s\"").await?;
    // A flow-control window of 0 blocks every stream until the client raises it.
    let mut client = Http2::start(&server.url, STRANGER, &[(4, 0)]).await?;
    let began = Instant::now();
    client.send(&get(1, LARGE)).await?;
    let (mut stream, mut read) = (3, 0);
    while began.elapsed() < Duration::from_secs(6) {
        client.send(&get(stream, LIVE)).await?;
        client.send(&frame(WINDOW_UPDATE, 0, stream, &1000_u32.to_be_bytes())).await?;
        read += client.until(DATA, stream, 5).await?.content.len();
        stream += 2;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    ensure!(read > 0, "no answer arrived");
    client.until(RST_STREAM, 1, 30).await?;
    ensure!((7..16).contains(&began.elapsed().as_secs()), "reset after {:?}", began.elapsed());
    client.send(&get(stream, LIVE)).await?;
    client.send(&frame(WINDOW_UPDATE, 0, stream, &1000_u32.to_be_bytes())).await?;
    client.until(DATA, stream, 5).await?;
    let metrics = folder.metrics().await?;
    ensure!(metrics.contains("tollbridge_http2_streams_unread_total 1"), "{metrics}");
    serves(&server).await
}

/// Repeats an attack until the server closes the connection.
async fn attack(server: &Server, what: &str, start: &[u8], again: impl Fn(u32) -> Vec<u8>) -> Result<Duration> {
    let client = Http2::start(&server.url, STRANGER, &[]).await?;
    let began = Instant::now();
    let (reading, mut writing) = client.stream.into_split();
    let reading = tokio::spawn(async move {
        let mut reading = reading;
        let mut bytes = [0; 16 << 10];
        while reading.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
    });
    writing.write_all(start).await?;
    let mut round = 0;
    while !reading.is_finished() {
        if writing.write_all(&again(round)).await.is_err() {
            break;
        }
        round += 1;
        tokio::task::yield_now().await;
        if began.elapsed() > Duration::from_secs(30) {
            bail!("{what}: still open after {round} rounds");
        }
    }
    let took = began.elapsed();
    serves(server).await.with_context(|| format!("after {what}"))?;
    Ok(took)
}

/// Returns the stream id for a round; clients use odd ids.
fn nth(round: u32) -> u32 {
    2 * round + 1
}

#[tokio::test]
async fn floods_of_frames_end_their_connection_and_nothing_else() -> Result<()> {
    let (folder, server) = server_with("").await?;
    let reset = |stream| frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes());
    // CVE-2023-44487: requests that the client resets immediately.
    attack(&server, "rapid reset", &[], |round| {
        (0..50).flat_map(|n| [get(nth(50 * round + n), LIVE), reset(nth(50 * round + n))].concat()).collect()
    })
    .await?;
    // CVE-2025-8671: invalid requests, which the server must reset.
    let post = |stream| frame(HEADERS, END_HEADERS, stream, &head("POST", "/v1/signup"));
    let overflow = |stream| frame(WINDOW_UPDATE, 0, stream, &0x7fff_ffff_u32.to_be_bytes());
    attack(&server, "made you reset", &[], |round| [post(nth(round)), overflow(nth(round))].concat()).await?;
    // CVE-2024-27316: headers that never end.
    let start = frame(HEADERS, END_STREAM, 1, &head("GET", LIVE));
    let more = frame(CONTINUATION, 0, 1, &header("x-filler", &"y".repeat(1000)));
    attack(&server, "continuation", &start, |_| more.clone()).await?;
    let empty = frame(CONTINUATION, 0, 1, &[]);
    attack(&server, "empty continuation", &start, |_| empty.repeat(100)).await?;
    for (what, one) in [
        ("pings", frame(PING, 0, 0, &[1; 8])),
        ("settings", frame(SETTINGS, 0, 0, &[])),
        ("priorities", frame(2, 0, 1, &[0, 0, 0, 0, 9])),
        ("windows", frame(WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes())),
        ("unknown frames", frame(0xaa, 0, 0, &[])),
    ] {
        attack(&server, what, &[], |_| one.repeat(100)).await?;
    }
    let data = frame(DATA, 0, 1, &[]);
    attack(&server, "empty data", &post(1), |_| data.repeat(10)).await?;
    ensure!(counted(&folder, "closed", "flood").await? >= 5, "{}", folder.metrics().await?);
    Ok(())
}

/// The client resets requests one at a time, after the server has started each.
#[tokio::test]
async fn a_slow_rapid_reset_has_a_budget_too() -> Result<()> {
    let (folder, server) = server_with("").await?;
    let mut client = Http2::start(&server.url, STRANGER, &[]).await?;
    let began = Instant::now();
    for round in 0..2_000 {
        let stream = nth(round);
        let open = frame(HEADERS, END_HEADERS, stream, &head("POST", "/v1/signup"));
        let sent = async {
            client.send(&open).await?;
            // A busy machine needs time to start the request; a reset before that would
            // count against a different limit.
            tokio::time::sleep(Duration::from_millis(6)).await;
            client.send(&frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes())).await
        };
        if sent.await.is_err() {
            break;
        }
    }
    client.ends(5).await?;
    ensure!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    ensure!(counted(&folder, "closed", "flood").await? == 1, "{}", folder.metrics().await?);
    serves(&server).await
}

#[tokio::test]
async fn headers_over_http2_have_a_size() -> Result<()> {
    let (_folder, server) = server_with("").await?;
    let mut client = Http2::start(&server.url, STRANGER, &[]).await?;
    let large = [head("GET", LIVE), header("x-filler", &"y".repeat(14 << 10))].concat();
    client.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, &large)).await?;
    client.until(DATA, 1, 5).await?;
    // Two such headers together exceed the limit. Headers that cannot be decoded are
    // refused with a response without a body.
    let first = frame(HEADERS, END_STREAM, 3, &large);
    let second = frame(CONTINUATION, END_HEADERS, 3, &header("x-filler", &"y".repeat(14 << 10)));
    client.send(&[first, second].concat()).await?;
    let refused = client.until(HEADERS, 3, 5).await?;
    ensure!(refused.flags & END_STREAM != 0, "{refused:?}");
    client.send(&get(5, LIVE)).await?;
    client.until(DATA, 5, 5).await?;
    Ok(())
}

#[tokio::test]
async fn no_client_takes_the_places_of_others() -> Result<()> {
    let (folder, server) = server_with("connections = 60\nconnections_per_client = 20").await?;
    let mut held = Vec::new();
    for _ in 0..50 {
        held.push(connect(&server.url, STRANGER).await?);
    }
    // The server closes the oldest connections of this client to make room for its new
    // ones.
    eventually("thirty are closed", 10, async || {
        Ok((counted(&folder, "closed", "made_room").await? == 30).then_some(()))
    })
    .await?;
    for (number, stream) in held.iter_mut().enumerate() {
        let ended = tokio::time::timeout(Duration::from_millis(50), stream.read(&mut [0; 1])).await;
        ensure!(ended.is_ok() == (number < 30), "connection {number}: {ended:?}");
    }
    // With many idle connections of many clients, a new client is still served.
    for address in 3..60 {
        for _ in 0..3 {
            held.push(connect(&server.url, &format!("127.0.0.{address}")).await?);
        }
        serves(&server).await?;
    }
    let metrics = folder.metrics().await?;
    let open = metrics.lines().find_map(|line| line.strip_prefix("tollbridge_connections "));
    let open: f64 = open.context("not measured")?.parse()?;
    // At most 60 connections (the limit) are open, plus the one for the metrics, which
    // uses another listener.
    ensure!(open <= 62.0, "{open} connections");
    Ok(())
}

#[tokio::test]
async fn a_call_in_flight_keeps_its_place() -> Result<()> {
    let (folder, server) = server_with("connections = 60\nconnections_per_client = 2").await?;
    let begun = b"POST /v1/signup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n";
    let mut calls = Vec::new();
    for _ in 0..2 {
        let mut call = connect(&server.url, STRANGER).await?;
        call.write_all(begun).await?;
        calls.push(call);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut third = connect(&server.url, STRANGER).await?;
    let refused = tokio::time::timeout(Duration::from_secs(5), third.read(&mut [0; 1])).await?;
    ensure!(!refused.is_ok_and(|count| count > 0), "a request over the limit was answered");
    ensure!(counted(&folder, "refused", "client_full").await? == 1, "{}", folder.metrics().await?);
    serves(&server).await?;
    for call in &mut calls {
        call.write_all(b"{}").await?;
        let mut answer = [0; 12];
        call.read_exact(&mut answer).await?;
        ensure!(answer.as_slice() == b"HTTP/1.1 400", "{}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

#[tokio::test]
async fn a_malformed_request_is_refused_like_any_other() -> Result<()> {
    let (_folder, server) = server_with("").await?;
    let many: String = (0..120).map(|number| format!("x-{number}: y\r\n")).collect();
    let cases = [
        ("no request", "GARBAGE\r\n\r\n".to_owned(), 400),
        ("a wrong version", "GET / HTTP/3.7\r\n\r\n".to_owned(), 400),
        ("a wrong header", "GET / HTTP/1.1\r\nhost: a\r\n(): x\r\n\r\n".to_owned(), 400),
        ("two lengths", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n".to_owned(), 400),
        ("too many headers", format!("GET / HTTP/1.1\r\nhost: a\r\n{many}\r\n"), 431),
        ("too large headers", format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(200 << 10)), 431),
        // A valid request followed by garbage.
        ("garbage after a valid request", format!("{}GARBAGE\r\n\r\n", String::from_utf8_lossy(GET_LIVE)), 400),
    ];
    for (what, request, status) in cases {
        let mut stream = connect(&server.url, STRANGER).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        let reading = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
        reading.with_context(|| format!("{what}: still open"))?.with_context(|| what.to_owned())?;
        let answer = String::from_utf8(answer)?;
        let last = answer.rfind("HTTP/1.1 ").with_context(|| format!("{what}: {answer}"))?;
        let (head, body) =
            answer.split_at(last).1.split_once("\r\n\r\n").context("the headers of the response do not end")?;
        ensure!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{what}: {answer}");
        for header in ["x-request-id: req_", "x-ratelimit-limit-minute: ", "x-ratelimit-remaining-minute: "] {
            ensure!(head.contains(header), "{what}: no {header}in {head}");
        }
        ensure!(head.contains("\r\nconnection: close") && head.contains("application/json"), "{what}: {head}");
        let body: Value = serde_json::from_str(body).with_context(|| format!("{what}: {body}"))?;
        ensure!(body["code"] == "E011" && body["error"].as_str().is_some_and(|text| text.len() > 20), "{what}: {body}");
    }
    Ok(())
}

#[tokio::test]
async fn a_stop_ends_what_rests_and_finishes_what_does_not() -> Result<()> {
    let (_folder, server) = server_with("").await?;
    let silent = connect(&server.url, STRANGER).await?;
    let mut idle = connect(&server.url, STRANGER).await?;
    idle.write_all(GET_LIVE).await?;
    idle.read_exact(&mut [0; 15]).await?;
    let mut http2 = Http2::start(&server.url, STRANGER, &[]).await?;
    http2.send(&get(1, LIVE)).await?;
    http2.until(DATA, 1, 5).await?;
    let mut call = connect(&server.url, STRANGER).await?;
    call.write_all(
        b"POST /v1/signup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{",
    )
    .await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = Instant::now();
    let stopping = tokio::spawn(server.stop());
    ensure!(http2.ends(5).await?, "no GOAWAY");
    call.write_all(b"}").await?;
    let mut answer = [0; 12];
    call.read_exact(&mut answer).await?;
    ensure!(answer.as_slice() == b"HTTP/1.1 400", "{}", String::from_utf8_lossy(&answer));
    stopping.await??;
    ensure!(began.elapsed() < Duration::from_secs(10), "stopping took {:?}", began.elapsed());
    drop((silent, idle));
    Ok(())
}

/// A client that sends its whole body before it reads must still get the refusal instead
/// of a broken connection.
#[tokio::test]
async fn a_refusal_reaches_a_client_that_sends_a_large_body() -> Result<()> {
    let (_folder, server) = server_with("").await?;
    let body = vec![b' '; 12 << 20];
    for (path, status) in [("/v1/chat/completions", " 401 "), ("/v1/no-such-path", " 401 ")] {
        let address = server.url.strip_prefix("http://").context("no address")?;
        let mut stream = TcpStream::connect(address).await?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer tb_test_wrong\r\n\
             content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await.context("the connection broke while the body was sent")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.context("the connection broke before the response")?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        ensure!(answer.lines().next().is_some_and(|line| line.contains(status)), "{path}: {answer}");
        // With `Expect: 100-continue` the server refuses before the client sends the
        // body.
        let mut stream = TcpStream::connect(address).await?;
        let head = head.replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
        stream.write_all(head.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        ensure!(answer.lines().next().is_some_and(|line| line.contains(status)), "{path}: {answer}");
    }
    serves(&server).await
}

/// A client that sends head and body in separate packets can get the refusal in between;
/// the connection must stay open for the body and for the next request.
#[tokio::test]
async fn a_refusal_leaves_the_connection_open_for_a_small_body_that_is_late() -> Result<()> {
    let (_folder, server) = server_with("").await?;
    let address = server.url.strip_prefix("http://").context("no address")?;
    for path in ["/mcp", "/v1/chat/completions", "/v1/no-such-path"] {
        let mut stream = TcpStream::connect(address).await?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer tb_test_wrong\r\n\
             content-type: application/json\r\ncontent-length: 2\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        let mut answer = vec![0; 12];
        stream.read_exact(&mut answer).await?;
        ensure!(answer == b"HTTP/1.1 401", "{path}: {}", String::from_utf8_lossy(&answer));
        tokio::time::sleep(Duration::from_millis(50)).await;
        stream.write_all(b"{}").await?;
        stream.write_all(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.with_context(|| format!("{path}: the connection broke"))?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        ensure!(answer.contains("HTTP/1.1 200 OK"), "{path}: {answer}");
    }
    Ok(())
}
