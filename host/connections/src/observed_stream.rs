//! A stream wrapper that records in [`Activity`] what is received, and whether the client
//! reads what is sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::activity::Activity;
use super::frame_meter::FrameMeter;

/// The HTTP/2 preface: the first bytes that an HTTP/2 client sends.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A stream that can discard its unsent bytes.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin {
    /// Configures the stream so that closing it discards written bytes that the client
    /// has not read.
    fn discard_unsent(&self);
}

impl Socket for TcpStream {
    fn discard_unsent(&self) {
        // Without this, the operating system keeps the unsent bytes for some minutes
        // after the close.
        let _ = self.set_zero_linger();
    }
}

/// The stream wrapper; see the module documentation.
#[derive(Debug)]
pub(crate) struct ObservedStream<S: Socket> {
    stream: S,
    activity: Arc<Activity>,
    protocol: Protocol,
    trusted: bool,
    /// Whether written bytes are stuck in a buffer above the socket, such as the TLS
    /// buffer.
    flush_waits: bool,
}

/// The protocol of the connection, as far as it is known.
#[derive(Debug)]
enum Protocol {
    /// Not known yet; contains the number of bytes received so far that match the HTTP/2
    /// preface.
    Unknown(usize),
    Http1,
    Http2(FrameMeter),
}

impl<S: Socket> ObservedStream<S> {
    /// Wraps a stream. `trusted` means that the client is one of the operator's proxies.
    pub(crate) fn new(stream: S, activity: Arc<Activity>, trusted: bool) -> Self {
        Self { stream, activity, protocol: Protocol::Unknown(0), trusted, flush_waits: false }
    }

    fn received(&mut self, mut bytes: &[u8]) {
        if let Protocol::Unknown(matched) = self.protocol {
            let expected = PREFACE.get(matched..).unwrap_or_default();
            let length = expected.len().min(bytes.len());
            if expected.get(..length) != bytes.get(..length) {
                self.protocol = Protocol::Http1;
            } else if length < expected.len() {
                self.protocol = Protocol::Unknown(matched.saturating_add(length));
            } else {
                self.protocol = Protocol::Http2(FrameMeter::new(self.trusted));
                self.activity.set_http2();
                bytes = bytes.get(length..).unwrap_or_default();
            }
        }
        match &mut self.protocol {
            Protocol::Unknown(_) => {}
            Protocol::Http1 => self.activity.received_http1(),
            Protocol::Http2(meter) => {
                let seen = meter.read(bytes);
                self.activity.received_frames(seen.complete, seen.begun);
                if seen.flood {
                    self.activity.set_flooded();
                }
            }
        }
    }

    fn wrote(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.wrote(written.is_pending());
        written
    }
}

impl<S: Socket> AsyncRead for ObservedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Some(bytes) = buffer.filled().get(before..).filter(|bytes| !bytes.is_empty()) {
            self.received(bytes);
        }
        if self.activity.is_flooded() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        read
    }
}

impl<S: Socket> AsyncWrite for ObservedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_pending() || self.flush_waits {
            self.flush_waits = flushed.is_pending();
            self.activity.wrote(self.flush_waits);
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: Socket> Drop for ObservedStream<S> {
    fn drop(&mut self) {
        if self.activity.is_blocked() {
            self.stream.discard_unsent();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// A stream that buffers writes, as TLS does, while its client reads nothing.
    struct Keeping(bool);

    impl Socket for Keeping {
        fn discard_unsent(&self) {}
    }

    impl AsyncRead for Keeping {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for Keeping {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            if self.0 { Poll::Pending } else { Poll::Ready(Ok(())) }
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn bytes_buffered_above_the_socket_count_as_unsent() {
        let activity = Arc::new(Activity::default());
        let mut stream = ObservedStream::new(Keeping(true), activity.clone(), false);
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut stream).poll_write(&mut context, b"answer").is_ready());
        assert!(!activity.is_blocked());
        let writes = activity.counts().writes;
        assert!(Pin::new(&mut stream).poll_flush(&mut context).is_pending());
        assert!(activity.is_blocked());
        stream.stream.0 = false;
        assert!(Pin::new(&mut stream).poll_flush(&mut context).is_ready());
        assert!(!activity.is_blocked() && activity.counts().writes != writes);
    }
}
