//! Sockets: accepting, time-outs, and going away without hurting anybody.
//!
//! A connection has a bounded time to send its headers, the number of
//! connections is bounded, and on shutdown calls in flight are finished while
//! idle connections are closed at once.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service;

use crate::limits::{CONNECTIONS_MAX, DRAIN_MS, HEADERS_BYTES_MAX, HEADERS_MS_MAX, HTTP2_STREAMS_MAX};

/// Address of the other end of the connection, in every request's extensions.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Serves until `shutdown` resolves, then drains.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
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
            Ok((stream, peer)) => connection(&builder, &graceful, router.clone(), stream, Peer(peer), slot),
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
    router: Router,
    stream: TcpStream,
    peer: Peer,
    slot: OwnedSemaphorePermit,
) {
    // Answers are small and written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        let answer = router.clone().call(request);
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let serving = graceful.watch(builder.serve_connection(TokioIo::new(stream), service).into_owned());
    tokio::spawn(async move {
        // A client that breaks off is its own business.
        if let Err(error) = serving.await {
            tracing::debug!(%error, peer = %peer.0, "connection ended early");
        }
        drop(slot);
    });
}
