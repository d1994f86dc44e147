//! Tests of plugins' HTTP requests against a real server on the loopback interface.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tollbridge_core::config::{Grant, Secret};
use tollbridge_plugin::Plugin;

use super::fixture::*;

/// Path of a plugin that sends a GET with a given `authorization` header and answers with the
/// response.
const ASKS: &str = "host/runtime/src/tests/http_asks.wat";

struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

/// Starts a server that answers every request with `answer(request)`.
async fn server(answer: fn(&str) -> String) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let seen = seen.clone();
            tokio::spawn(async move {
                let mut buffer = vec![0; 8192];
                let length = socket.read(&mut buffer).await.unwrap();
                let request = String::from_utf8_lossy(&buffer[..length]).into_owned();
                let response = answer(&request);
                seen.lock().push(request);
                if response.is_empty() {
                    tokio::time::sleep(Duration::from_secs(30)).await;
                }
                socket.write_all(response.as_bytes()).await.unwrap();
            });
        }
    });
    Server { port, requests }
}

fn answer(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

async fn asks(server: &Server, granted: &[&str], time: Duration) -> Arc<Plugin> {
    let text = std::fs::read_to_string(project(ASKS)).unwrap().replace("{{PORT}}", &format!("{:05}", server.port));
    let mut spec = spec("asks", component(&text), &[Grant::Http]);
    spec.allow_hosts =
        granted.iter().map(|host| host.replace("PORT", &server.port.to_string()).parse().unwrap()).collect();
    spec.secrets.insert("key".to_owned(), Secret::new("hush-hush"));
    spec.limits.time = time;
    runtime().load(spec).await.unwrap_or_else(|error| panic!("{error}"))
}

const TIME: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_granted_host_is_asked_with_the_secret_and_its_echo_is_hidden() {
    let server = server(|request| {
        let echoed = request.lines().find(|line| line.to_lowercase().starts_with("authorization")).unwrap();
        answer(&format!("{{\"heard\":\"{echoed}\"}}"))
    })
    .await;
    let plugin = asks(&server, &["127.0.0.1:PORT"], TIME).await;
    let output = call(&plugin, "{}").await.unwrap_or_else(|failure| panic!("{failure:?} {:?}", plugin.logs()));
    let body = String::from_utf8(output.body).unwrap();
    assert_eq!(body, "{\"heard\":\"authorization: Bearer {{secret:key}}\"}");
    assert!(server.requests.lock()[0].contains("authorization: Bearer hush-hush"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_was_not_granted_is_never_asked() {
    let server = server(|_| answer("{}")).await;
    for granted in [&[][..], &["127.0.0.1:1"], &["localhost:PORT"], &["127.0.0.2:PORT"]] {
        let plugin = asks(&server, granted, TIME).await;
        let failure = call(&plugin, "{}").await.unwrap_err();
        assert_eq!(failure.kind(), "trapped", "{failure:?}");
        let logs = format!("{:?}", plugin.logs());
        assert!(logs.contains("are not granted") && logs.contains("plugins.allow_hosts"), "{logs}");
    }
    assert!(server.requests.lock().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_costs_no_more_than_the_deadline() {
    let server = server(|_| String::new()).await;
    let plugin = asks(&server, &["127.0.0.1:PORT"], Duration::from_millis(300)).await;
    let started = tokio::time::Instant::now();
    let failure = plugin.call(context(), Bytes::from_static(b"{}")).await.unwrap_err();
    assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
    assert!(matches!(failure.kind(), "timed_out" | "trapped"), "{failure:?}");
    assert_eq!(plugin.available_permits(), PLACES as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redirects_are_not_followed() {
    let server = server(|_| "HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 2\r\n\r\n{}".to_owned()).await;
    let plugin = asks(&server, &["127.0.0.1:PORT"], TIME).await;
    assert_eq!(call(&plugin, "{}").await.unwrap().body, b"{}");
    assert_eq!(server.requests.lock().len(), 1);
}
