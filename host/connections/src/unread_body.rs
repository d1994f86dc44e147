//! Request bodies that a handler does not read to their end.
//!
//! Most clients send the whole body before they read the response, often in a separate
//! packet. If the connection ended right after the response, these clients would see a
//! broken pipe instead of the error. The unread part of a body is therefore read and
//! discarded for a while, concurrently with the response.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Version, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, timeout_at};

/// Maximum number of bytes of a body that are read after its request was refused,
/// so that the client receives the refusal. Equals the size of the largest body.
const UNREAD_BODY_BYTES_MAX: usize = 32 << 20;
/// Maximum time for reading the unread part of a refused body.
const UNREAD_BODY_MS_MAX: u64 = 5_000;

/// A body whose unread part is read and discarded when the body is dropped.
struct UnreadBody(Option<Incoming>);

/// Wraps the body of a request so that its unread part is read and discarded. Three cases
/// need no wrapper: an empty body has no unread part, over HTTP/2 only the stream is
/// reset, and a client that waits for `100 Continue` does not send a refused body.
pub(crate) fn read_to_its_end(head: &Parts, body: Incoming) -> Body {
    let is_empty = hyper::body::Body::is_end_stream(&body);
    if is_empty || head.version == Version::HTTP_2 || head.headers.contains_key(header::EXPECT) {
        return Body::new(body);
    }
    Body::new(UnreadBody(Some(body)))
}

async fn discard(mut body: Incoming) {
    let until = Instant::now() + Duration::from_millis(UNREAD_BODY_MS_MAX);
    let mut left = UNREAD_BODY_BYTES_MAX;
    while let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

impl hyper::body::Body for UnreadBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(hyper::body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map(hyper::body::Body::size_hint).unwrap_or_default()
    }
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        if let Some(body) = self.0.take().filter(|body| !hyper::body::Body::is_end_stream(body)) {
            tokio::spawn(discard(body));
        }
    }
}
