//! The body of a response while it is sent. Records which side delays it: the server or
//! the client.
//!
//! Over HTTP/2, a client can read from the connection and still stall a single response,
//! by granting that stream no flow-control window. Then only the task of that stream
//! waits (`stream_executor`); this module records which side the task waits for.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::activity::InFlight;

/// Maximum size of a chunk of an HTTP/2 response. For each stream of a connection, the
/// last chunk may stay in memory unread after its call has ended.
const HTTP2_PIECE_BYTES_MAX: usize = 8 << 10;

thread_local! {
    static PROGRESS: Cell<Progress> = const { Cell::new(Progress { waits_for_us: false, pieces: 0 }) };
}

/// Progress of a response since the last call of `take`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Whether the server causes the delay, because the call or the next piece of its
    /// response is not ready.
    pub waits_for_us: bool,
    /// Number of pieces of the body that the connection has accepted.
    pub pieces: u32,
}

impl Progress {
    /// Returns the progress that the polls on this thread have recorded, and resets it.
    pub(crate) fn take() -> Self {
        PROGRESS.take()
    }

    fn note(change: impl FnOnce(&mut Self)) {
        let mut progress = PROGRESS.get();
        change(&mut progress);
        PROGRESS.set(progress);
    }
}

/// The body of an answer; its request counts as in flight until the body is dropped.
#[derive(Debug)]
pub(crate) struct AnswerBody {
    body: Body,
    /// The unsent remainder of a piece that is larger than `piece_max`.
    rest: Bytes,
    piece_max: usize,
    _request: InFlight,
}

impl AnswerBody {
    /// Waits for a response, and counts its request as in flight until the response is
    /// sent.
    pub(crate) async fn of(answer: impl Future<Output = Response>, request: InFlight) -> http::Response<Self> {
        let mut answer = pin!(answer);
        let response = poll_fn(|context| {
            let polled = answer.as_mut().poll(context);
            if polled.is_pending() {
                Progress::note(|progress| progress.waits_for_us = true);
            }
            polled
        });
        let (head, body) = response.await.into_parts();
        let piece_max = if request.over_http2() { HTTP2_PIECE_BYTES_MAX } else { usize::MAX };
        http::Response::from_parts(head, Self { body, rest: Bytes::new(), piece_max, _request: request })
    }

    /// Returns the first `piece_max` bytes and keeps the remainder for the next call.
    fn piece(&mut self, mut bytes: Bytes) -> Frame<Bytes> {
        if bytes.len() > self.piece_max {
            self.rest = bytes.split_off(self.piece_max);
        }
        Frame::data(bytes)
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = if self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Pending => {
                    Progress::note(|progress| progress.waits_for_us = true);
                    return Poll::Pending;
                }
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) => self.piece(bytes),
                    Err(trailers) => trailers,
                },
                Poll::Ready(other) => return Poll::Ready(other),
            }
        } else {
            let rest = std::mem::take(&mut self.rest);
            self.piece(rest)
        };
        Progress::note(|progress| progress.pieces = progress.pieces.saturating_add(1));
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // The size hint is read only before the first piece.
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http_body_util::BodyExt;

    use super::super::activity::Activity;
    use super::*;

    #[tokio::test]
    async fn an_answer_comes_in_pieces_over_http2_and_whole_over_http1() {
        for (http2, pieces) in [(false, 1), (true, 4)] {
            let activity = Arc::new(Activity::default());
            if http2 {
                activity.set_http2();
            }
            let text = vec![7; 3 * HTTP2_PIECE_BYTES_MAX + 1];
            let answer = std::future::ready(Response::new(Body::from(text.clone())));
            let mut body = AnswerBody::of(answer, activity.begin()).await.into_body();
            assert_eq!(body.size_hint().exact(), Some(text.len() as u64));
            let mut read = Vec::new();
            let mut count = 0;
            while !body.is_end_stream() {
                assert!(activity.is_in_flight());
                read.extend(body.frame().await.unwrap().unwrap().into_data().unwrap());
                count += 1;
            }
            assert!(body.frame().await.is_none());
            assert_eq!((read, count), (text, pieces));
            assert_eq!(Progress::take(), Progress { waits_for_us: false, pieces });
            drop(body);
            assert!(!activity.is_in_flight());
        }
    }
}
