//! Rewrites the error responses that hyper makes for malformed requests into the shape of every
//! other error.
//!
//! Over HTTP/1 hyper writes a bare head of status 400, 414 or 431 and closes the connection; this
//! stream replaces the head on its way out. Over HTTP/2 nothing can be replaced: malformed frames
//! and headers are answered with frames (`GOAWAY`, `RST_STREAM`), headers that are too large with a
//! bare 431.

use std::fmt::Write as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tollbridge_core::limits::REFUSED_BYTES_READ_MAX;

/// Maximum length of a head written by hyper.
const BARE_BYTES_MAX: usize = 200;

/// Returns the headers and body to replace a bare status; none leaves it bare.
pub(crate) type RefusalOf = Box<dyn Fn(StatusCode) -> Option<(HeaderMap, Bytes)> + Send>;

/// The stream wrapper; see the module.
pub(crate) struct RefusalStream<S> {
    stream: S,
    refusal_of: RefusalOf,
    /// The replacement of a bare head, and the number of its bytes already written.
    refusal: Option<(Bytes, usize)>,
    /// Number of bytes that may still be read and discarded.
    left: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> RefusalStream<S> {
    /// Wraps a stream.
    pub(crate) fn new(stream: S, refusal_of: RefusalOf) -> Self {
        Self { stream, refusal_of, refusal: None, left: REFUSED_BYTES_READ_MAX }
    }

    /// Writes the replacement; the bare head counts as written once that is done.
    fn poll_refuse(&mut self, context: &mut Context<'_>, bare: usize) -> Poll<io::Result<usize>> {
        let Self { stream, refusal: Some((refusal, written)), .. } = self else { return Poll::Ready(Ok(bare)) };
        while let Some(rest) = refusal.get(*written..).filter(|rest| !rest.is_empty()) {
            let count = ready!(Pin::new(&mut *stream).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *written = written.saturating_add(count);
        }
        Poll::Ready(Ok(bare))
    }

    /// Returns whether bytes are exactly a bare head; if so, starts its replacement.
    fn replaces(&mut self, bytes: &[u8]) -> bool {
        // Most answers end with their body, which needs no check.
        if bytes.len() > BARE_BYTES_MAX || !bytes.ends_with(b"\r\n\r\n") {
            return false;
        }
        if self.refusal.is_none() {
            self.refusal = bare_head(bytes).and_then(|head| {
                let (headers, body) = (self.refusal_of)(head.status)?;
                Some((shaped(&head, &headers, &body), 0))
            });
        }
        self.refusal.is_some()
    }
}

/// A head made by hyper: it has none of this server's headers.
struct BareHead<'a> {
    status: StatusCode,
    status_line: &'a str,
    date: Option<&'a str>,
}

fn bare_head(bytes: &[u8]) -> Option<BareHead<'_>> {
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = text.split("\r\n");
    let status_line = lines.next()?;
    let (_, rest) = status_line.strip_prefix("HTTP/1.")?.split_once(' ')?;
    let status = StatusCode::from_bytes(rest.get(..3)?.as_bytes()).ok()?;
    if !matches!(status.as_u16(), 400 | 414 | 431) {
        return None;
    }
    let mut date = None;
    for line in lines {
        match line.split_once(':')? {
            ("content-length", length) if length.trim() == "0" => {}
            ("connection", _) => {}
            ("date", _) => date = Some(line),
            _ => return None,
        }
    }
    Some(BareHead { status, status_line, date })
}

fn shaped(head: &BareHead<'_>, headers: &HeaderMap, body: &Bytes) -> Bytes {
    let mut text = format!("{}\r\nconnection: close\r\ncontent-length: {}\r\n", head.status_line, body.len());
    for (name, value) in headers {
        // This server's headers are text; writing to a string never fails.
        let _ = write!(text, "{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    if let Some(date) = head.date {
        text.push_str(date);
        text.push_str("\r\n");
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes.into()
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for RefusalStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for RefusalStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.replaces(bytes) {
            return self.poll_refuse(context, bytes.len());
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // A bare head is the last write of a connection, in a separate slice.
        let last = slices.iter().rposition(|slice| !slice.is_empty());
        if let Some(last) = last
            && let Some(head) = slices.get(last)
            && self.replaces(head)
        {
            let before = slices.get(..last).unwrap_or_default();
            return match before.iter().all(|slice| slice.is_empty()) {
                true => self.poll_refuse(context, head.len()),
                false => Pin::new(&mut self.stream).poll_write_vectored(context, before),
            };
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, refusal, left, .. } = &mut *self;
        ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        // Closing a socket with unread bytes would discard the answer.
        let mut thrown_away = [0; 4096];
        while refusal.is_some() && *left > 0 {
            let mut buffer = ReadBuf::new(&mut thrown_away);
            match ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => *left = left.saturating_sub(buffer.filled().len()),
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const BARE: &[u8] =
        b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\ndate: now\r\n\r\n";

    fn refusals() -> RefusalOf {
        Box::new(|status| {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
            Some((headers, Bytes::from(format!("{{\"status\":{}}}", status.as_u16()))))
        })
    }

    #[tokio::test]
    async fn a_bare_head_gets_a_body_and_all_else_passes() {
        // A pipe of few bytes, so that everything is written in parts.
        let (client, server) = tokio::io::duplex(7);
        let writing = tokio::spawn(async move {
            let mut server = RefusalStream::new(server, refusals());
            server
                .write_all(b"HTTP/1.1 400 Bad Request\r\nx-request-id: req_1\r\ncontent-length: 0\r\n\r\n")
                .await
                .unwrap();
            server.write_all(b"not \r\n\r\n").await.unwrap();
            server.write_all(BARE).await.unwrap();
            server.shutdown().await.unwrap();
        });
        let (mut reading, mut sending) = tokio::io::split(client);
        let text = tokio::spawn(async move {
            let mut text = String::new();
            reading.read_to_string(&mut text).await.unwrap();
            text
        });
        // Bytes that the client still sends are read, so that it sees the answer.
        sending.write_all(&[0; 100]).await.unwrap();
        sending.shutdown().await.unwrap();
        writing.await.unwrap();
        assert_eq!(
            text.await.unwrap(),
            "HTTP/1.1 400 Bad Request\r\nx-request-id: req_1\r\ncontent-length: 0\r\n\r\nnot \r\n\r\n\
             HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 14\r\n\
             content-type: application/json\r\ndate: now\r\n\r\n{\"status\":431}"
        );
    }
}
