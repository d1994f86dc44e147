//! Tests against real sockets on the loopback interface.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

const BOUNDS: Bounds = Bounds { time: Duration::from_secs(2), response_bytes: 1_000 };

/// A look-up that returns the next of several lists of addresses at each call.
struct Changing {
    answers: Vec<Vec<&'static str>>,
    asked: AtomicUsize,
}

impl Lookup for Changing {
    fn lookup(&self, _: String) -> std::pin::Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let index = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let answer = self.answers[index].iter().map(|address| address.parse().unwrap()).collect();
        Box::pin(async move { Ok(answer) })
    }
}

fn named(allowed: &[&str], answers: &[&[&'static str]]) -> (Egress, Arc<Changing>) {
    let lookup =
        Arc::new(Changing { answers: answers.iter().map(|answer| answer.to_vec()).collect(), asked: 0.into() });
    let allowed = allowed.iter().map(|network| network.parse().unwrap()).collect();
    (Egress::with_lookup(allowed, lookup.clone()).unwrap(), lookup)
}

fn get(url: &str) -> Request {
    Request { method: Method::GET, url: url.parse().unwrap(), headers: HeaderMap::new(), body: Bytes::new() }
}

/// Serves one fixed answer to every connection; returns its port and the number
/// of connections.
async fn server(answer: &'static [u8]) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = socket.read(&mut request).await;
                let _ = socket.write_all(answer).await;
                // If the answer announces more bytes than it sends, keep the connection
                // open.
                if !answer.ends_with(b"\0") {
                    let _ = socket.shutdown().await;
                } else {
                    tokio::time::sleep(Duration::from_secs(30)).await;
                }
            });
        }
    });
    (port, connections)
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi";

#[tokio::test]
async fn an_allowed_address_answers() {
    let (port, _) = server(OK).await;
    let egress = Egress::new(vec!["127.0.0.0/8".parse().unwrap()]).unwrap();
    let response = egress.send(get(&format!("http://127.0.0.1:{port}/x")), BOUNDS).await.unwrap();
    assert_eq!((response.status, response.body.as_ref()), (StatusCode::OK, b"hi".as_slice()));
}

#[tokio::test]
async fn special_addresses_are_refused_in_every_notation() {
    let (port, connections) = server(OK).await;
    let egress = Egress::new(Vec::new()).unwrap();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0x7f000001",
        "017700000001",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "10.0.0.1",
    ] {
        let sent = egress.send(get(&format!("http://{host}:{port}/")), BOUNDS).await;
        assert!(matches!(sent, Err(EgressError::Prohibited { .. })), "{host}: {sent:?}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn names_of_special_addresses_are_refused() {
    let (port, connections) = server(OK).await;
    for answer in [&["127.0.0.1"][..], &["::1", "10.0.0.1"], &["::ffff:127.0.0.1"], &["169.254.169.254"]] {
        let (egress, _) = named(&[], &[answer]);
        let sent = egress.send(get(&format!("http://innocent.example:{port}/")), BOUNDS).await;
        assert!(matches!(sent, Err(EgressError::Prohibited { .. })), "{answer:?}: {sent:?}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_checked_address_is_used() {
    let (port, connections) = server(OK).await;
    // The first address is allowed; the second would be used by a DNS rebinding attack.
    let (egress, lookup) = named(&["127.0.0.1/32"], &[&["127.0.0.1"], &["10.0.0.1"]]);
    egress.send(get(&format!("http://rebinding.example:{port}/")), BOUNDS).await.unwrap();
    assert_eq!(lookup.asked.load(Ordering::SeqCst), 1);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    let again = egress.send(get(&format!("http://rebinding.example:{port}/")), BOUNDS).await;
    assert!(matches!(again, Err(EgressError::Prohibited { .. })), "{again:?}");
}

#[tokio::test]
async fn only_the_allowed_addresses_of_a_name_are_tried() {
    let (port, _) = server(OK).await;
    let (egress, _) = named(&["127.0.0.1/32"], &[&["10.0.0.1", "127.0.0.1", "192.168.0.1"]]);
    assert!(egress.send(get(&format!("http://mixed.example:{port}/")), BOUNDS).await.is_ok());
}

#[tokio::test]
async fn redirects_are_handed_back_not_followed() {
    let (inner, reached) = server(OK).await;
    let answer = format!("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{inner}/\r\ncontent-length: 0\r\n\r\n");
    let (port, _) = server(Box::leak(answer.into_boxed_str()).as_bytes()).await;
    let egress = Egress::new(vec!["127.0.0.0/8".parse().unwrap()]).unwrap();
    let response = egress.send(get(&format!("http://127.0.0.1:{port}/")), BOUNDS).await.unwrap();
    assert_eq!(response.status, StatusCode::FOUND);
    assert_eq!(reached.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_silent_server_is_given_up_at_the_deadline() {
    let (port, _) = server(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n\0").await;
    let egress = Egress::new(vec!["127.0.0.0/8".parse().unwrap()]).unwrap();
    let bounds = Bounds { time: Duration::from_millis(200), ..BOUNDS };
    let started = Instant::now();
    let sent = egress.send(get(&format!("http://127.0.0.1:{port}/")), bounds).await;
    assert!(matches!(sent, Err(EgressError::TimedOut { .. })), "{sent:?}");
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_large_answer_is_cut_off_whether_announced_or_not() {
    let egress = Egress::new(vec!["127.0.0.0/8".parse().unwrap()]).unwrap();
    let announced = b"HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n".to_vec();
    let mut chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..20 {
        chunked.extend_from_slice(b"64\r\n");
        chunked.extend_from_slice(&[b'x'; 100]);
        chunked.extend_from_slice(b"\r\n");
    }
    for answer in [announced, chunked] {
        let (port, _) = server(Box::leak(answer.into_boxed_slice())).await;
        let sent = egress.send(get(&format!("http://127.0.0.1:{port}/")), BOUNDS).await;
        assert!(matches!(sent, Err(EgressError::TooLarge { limit: 1_000, .. })), "{sent:?}");
    }
}

#[tokio::test]
async fn refuses_what_is_not_a_plain_web_address() {
    let egress = Egress::new(Vec::new()).unwrap();
    for url in ["ftp://example.com/", "file:///etc/passwd", "http://user:pass@example.com/", "data:,x"] {
        let sent = egress.send(get(url), BOUNDS).await;
        assert!(matches!(sent, Err(EgressError::BadUrl(_))), "{url}: {sent:?}");
    }
}

#[tokio::test]
async fn texts_do_not_leak_the_url() {
    let (egress, _) = named(&["127.0.0.1/32"], &[&["127.0.0.1"]]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = egress.send(get(&format!("http://gone.example:{port}/?token=hush")), BOUNDS).await.unwrap_err();
    assert!(matches!(error, EgressError::Unreachable { .. }), "{error:?}");
    assert!(!error.to_string().contains("hush"), "{error}");
}
