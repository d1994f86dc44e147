//! Accepts and serves connections, and shuts down gracefully.
//!
//! `connection_table` limits the number of connections, and `deadlines` their lifetime.
//! On shutdown, calls in flight are finished, and idle connections are closed at once.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::future::{BoxFuture, FutureExt};
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::Service;

use crate::answer_body::AnswerBody;
use crate::connection_table::{ConnectionLimits, ConnectionTable, Place};
use crate::eager::Eager;
use crate::limits::HEADERS_BYTES_MAX;
use crate::observed_stream::ObservedStream;
use crate::refusal_stream::RefusalStream;
use crate::stream_executor::StreamExecutor;
use crate::supervision::supervise;
use crate::tls::{Listener, Tls, greet};
use crate::unread_body::read_to_its_end;

/// Maximum size of the decoded headers of one HTTP/2 request. Lower than for HTTP/1,
/// because each stream of a connection may hold as many.
const HTTP2_HEADERS_BYTES_MAX: u32 = 16 << 10;
/// Maximum number of concurrent requests on one HTTP/2 connection: the minimum that RFC
/// 9113 recommends.
const HTTP2_STREAMS_MAX: u32 = 100;
/// Interval between HTTP/2 keep-alive pings, and the time-out for their answer.
const HTTP2_PING_MS: u64 = 15_000;
/// Maximum number of streams that a client may reset before they are processed
/// (CVE-2023-44487).
const HTTP2_EARLY_RESETS_MAX: usize = 20;
/// Maximum number of streams of one connection that a client may make the server reset
/// (CVE-2025-8671). A well-behaved client causes none.
const HTTP2_CAUSED_RESETS_MAX: usize = 32;
/// Maximum time for which calls in flight may continue after the server was asked to
/// stop. Longer than the longest call, so that no call is cut off.
const DRAIN_MS: u64 = 65_000;

/// Address of the other end of the connection, in the extensions of every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// A handler of requests. Used as a trait object, so that the code that serves
/// connections is compiled once, in this crate.
pub trait RequestHandler: Send + Sync + 'static {
    /// Returns the response to a request.
    fn answer(self: Arc<Self>, request: axum::extract::Request) -> BoxFuture<'static, Response>;

    /// Returns the limits on connections.
    fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits::default()
    }

    /// Returns the headers and body of the response to a malformed request; `None` leaves
    /// the response empty.
    fn refusal(&self, _status: StatusCode, _peer: IpAddr) -> Option<(HeaderMap, Bytes)> {
        None
    }
}

impl RequestHandler for Router {
    fn answer(self: Arc<Self>, request: axum::extract::Request) -> BoxFuture<'static, Response> {
        let response = Self::clone(&self).call(request);
        response.map(|response| response.unwrap_or_else(|never| match never {})).boxed()
    }
}

/// Serves until `shutdown` resolves, then waits for calls in flight.
pub async fn serve(listener: impl Into<Listener>, answers: impl RequestHandler, shutdown: impl Future<Output = ()>) {
    let (listener, answers): (Listener, Arc<dyn RequestHandler>) = (listener.into(), Arc::new(answers));
    let limits = answers.connection_limits();
    let builder = builder(limits.unread);
    let table = Arc::new(ConnectionTable::new(limits));
    let (stop, stopping) = watch::channel(false);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, peer)) => match table.take(peer.ip()) {
                Ok(place) => {
                    let (builder, answers, tls) = (builder.clone(), answers.clone(), listener.tls());
                    connection(builder, answers, (stream, tls), Peer(peer), place, stopping.clone());
                }
                Err(reason) => reason.count(),
            },
            Err(error) => {
                // The process is most likely out of file descriptors: close an idle
                // connection, or wait until others close.
                tracing::warn!(%error, "cannot accept a connection");
                table.make_room();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop((listener, stopping));
    stop.send_replace(true);
    if tokio::time::timeout(Duration::from_millis(DRAIN_MS), stop.closed()).await.is_err() {
        tracing::warn!("some calls did not end in time; their connections are closed");
    }
}

fn builder(unread: Duration) -> auto::Builder<StreamExecutor> {
    let mut builder = auto::Builder::new(StreamExecutor { unread });
    builder
        .http1()
        // Disabled, because `Deadlines` limits this time with one timer for all requests
        // of a connection.
        .header_read_timeout(None)
        .max_buf_size(HEADERS_BYTES_MAX)
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        .max_header_list_size(HTTP2_HEADERS_BYTES_MAX)
        .max_pending_accept_reset_streams(HTTP2_EARLY_RESETS_MAX)
        .max_local_error_reset_streams(HTTP2_CAUSED_RESETS_MAX)
        .keep_alive_interval(Duration::from_millis(HTTP2_PING_MS))
        .keep_alive_timeout(Duration::from_millis(HTTP2_PING_MS));
    builder
}

fn connection(
    builder: auto::Builder<StreamExecutor>,
    answers: Arc<dyn RequestHandler>,
    (stream, tls): (TcpStream, Option<Arc<Tls>>),
    peer: Peer,
    place: Place,
    stopping: watch::Receiver<bool>,
) {
    // Answers are small and written whole; Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    let activity = place.activity.clone();
    let task = tokio::spawn(Eager::new(async move {
        let Some(stream) = greet(tls, stream, stopping.clone()).await else { return };
        let (requests, refusing) = (place.activity.clone(), answers.clone());
        let stream = ObservedStream::new(stream, requests.clone(), place.trusted);
        let stream = RefusalStream::new(stream, Box::new(move |status| refusing.refusal(status, peer.0.ip())));
        let service = service_fn(move |request: Request<Incoming>| {
            let in_flight = requests.begin();
            let (mut head, body) = request.into_parts();
            let body = read_to_its_end(&head, body);
            detach(&mut head);
            head.extensions.insert(peer);
            let answer = answers.clone().answer(Request::from_parts(head, body));
            async move { Ok::<_, Infallible>(AnswerBody::of(answer, in_flight).await) }
        });
        let serving = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        supervise(serving, auto::Connection::graceful_shutdown, place, stopping).await;
    }));
    activity.served_by(task.abort_handle());
}

/// Copies the parts of the head that share the connection's read buffer. hyper cannot
/// reuse a shared buffer, and would allocate a new one whenever it checks whether the
/// client of a waiting call is still connected.
fn detach(head: &mut Parts) {
    let length = head.headers.values().map(HeaderValue::len).sum();
    let mut copy = BytesMut::with_capacity(length);
    for value in head.headers.values_mut() {
        copy.extend_from_slice(value.as_bytes());
        // The bytes come from a valid header value, so this never fails.
        if let Ok(mut copied) = HeaderValue::from_maybe_shared(copy.split().freeze()) {
            copied.set_sensitive(value.is_sensitive());
            *value = copied;
        }
    }
    // An absolute URI, which only proxies send, is rare enough to keep sharing the
    // buffer.
    if head.uri.authority().is_none()
        && let Some(path) = head.uri.path_and_query()
        && let Ok(uri) = Uri::from_maybe_shared(Bytes::copy_from_slice(path.as_str().as_bytes()))
    {
        head.uri = uri;
    }
}
