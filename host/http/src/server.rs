//! Sockets: accepting, time-outs and graceful shutdown.
//!
//! A connection has a bounded time to send its headers, the number of
//! connections is bounded, and on shutdown calls in flight are finished while
//! idle connections are closed at once.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Uri};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tollbridge_core::limits::{CONNECTIONS_MAX, DRAIN_MS, HEADERS_BYTES_MAX, HEADERS_MS_MAX, HTTP2_STREAMS_MAX};
use tower::Service;

use crate::eager::Eager;

/// Address of the other end of the connection, in every request's extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub SocketAddr);

/// Answers requests. It is cloned for each, so clones are cheap.
pub trait RequestHandler: Clone + Send + 'static {
    /// The response to a request.
    fn answer(self, request: axum::extract::Request) -> impl Future<Output = Response> + Send;
}

impl RequestHandler for Router {
    async fn answer(mut self, request: axum::extract::Request) -> Response {
        self.call(request).await.unwrap_or_else(|never| match never {})
    }
}

/// Serves until `shutdown` resolves, then drains.
pub async fn serve(listener: TcpListener, answers: impl RequestHandler, shutdown: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let builder = builder();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, peer)) => connection(&builder, &graceful, answers.clone(), stream, Peer(peer), slot),
            Err(error) => {
                // Out of file descriptors, most likely: wait for some to return.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(Duration::from_millis(DRAIN_MS), graceful.shutdown()).await.is_err() {
        tracing::warn!("some calls did not end in time; their connections are closed");
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(HEADERS_MS_MAX))
        .max_buf_size(HEADERS_BYTES_MAX)
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        .keep_alive_interval(Duration::from_millis(HEADERS_MS_MAX));
    builder
}

fn connection(
    builder: &auto::Builder<TokioExecutor>,
    graceful: &GracefulShutdown,
    answers: impl RequestHandler,
    stream: TcpStream,
    peer: Peer,
    slot: OwnedSemaphorePermit,
) {
    // Answers are small and written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let (mut head, body) = request.into_parts();
        detach(&mut head);
        head.extensions.insert(peer);
        let answer = answers.clone().answer(Request::from_parts(head, Body::new(body)));
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let serving = graceful.watch(builder.serve_connection(TokioIo::new(stream), service).into_owned());
    tokio::spawn(async move {
        // A client that disconnects is no error of the server.
        if let Err(error) = Eager::new(serving).await {
            tracing::debug!(%error, peer = %peer.0, "connection ended early");
        }
        drop(slot);
    });
}

/// Copies what the head shares with the connection's read buffer. As long as
/// anything shares it hyper cannot use it again, and takes a new one when it
/// looks whether the client is still there: for every call that waits.
fn detach(head: &mut Parts) {
    let length = head.headers.values().map(HeaderValue::len).sum();
    let mut copy = BytesMut::with_capacity(length);
    for value in head.headers.values_mut() {
        copy.extend_from_slice(value.as_bytes());
        // The bytes were a value before, so they are one now.
        if let Ok(mut copied) = HeaderValue::from_maybe_shared(copy.split().freeze()) {
            copied.set_sensitive(value.is_sensitive());
            *value = copied;
        }
    }
    // A proxy's absolute form is rare enough to keep the buffer.
    if head.uri.authority().is_none()
        && let Some(path) = head.uri.path_and_query()
        && let Ok(uri) = Uri::from_maybe_shared(Bytes::copy_from_slice(path.as_str().as_bytes()))
    {
        head.uri = uri;
    }
}
