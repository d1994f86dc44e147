//! A stream to a client: plain TCP, or TLS over TCP.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::observed_stream::Socket;

/// A stream to a client.
#[derive(Debug)]
pub enum ClientStream {
    /// The plain TCP stream.
    Plain(TcpStream),
    /// The TLS stream, after its handshake.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Evaluates an expression with the inner stream, plain or TLS.
macro_rules! inside {
    ($stream:expr, $inside:ident => $done:expr) => {
        match $stream.get_mut() {
            Self::Plain($inside) => $done,
            Self::Tls($inside) => $done,
        }
    };
}

impl Socket for ClientStream {
    fn discard_unsent(&self) {
        match self {
            Self::Plain(stream) => stream.discard_unsent(),
            Self::Tls(stream) => stream.get_ref().0.discard_unsent(),
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        inside!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        inside!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        inside!(self, stream => Pin::new(stream).poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        inside!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        inside!(self, stream => Pin::new(stream).poll_shutdown(context))
    }
}
