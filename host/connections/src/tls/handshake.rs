//! A connection before its first request: its handshake, if it uses TLS.
//!
//! The connection already has its place, so a client has at most as many handshakes as connections,
//! and one that is idle in its handshake can be closed to make room.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tollbridge_core::limits::{REFUSED_BYTES_READ_MAX, TLS_HANDSHAKE_MS_MAX, TLS_MISTAKEN_MS_MAX};

use super::client_stream::ClientStream;
use super::listener::Tls;
use crate::close_reason::CloseReason;

/// Response to a client that uses plain HTTP, in the shape of every other error.
const SPEAKS_HTTPS: &str =
    r#"{"error":"this port speaks https; write https:// in place of http:// in the address","code":"E011"}"#;

/// Maximum of encrypted bytes that the socket has not accepted yet. Small, because until they are
/// flushed the client counts as having read nothing.
const UNSENT_BYTES_MAX: usize = 16 << 10;

/// Performs the handshake, if there is TLS; returns none if the connection is over. `stopping` ends
/// it, because there is no request yet.
pub(crate) async fn greet(
    tls: Option<Arc<Tls>>,
    stream: TcpStream,
    mut stopping: watch::Receiver<bool>,
) -> Option<ClientStream> {
    let Some(tls) = tls else { return Some(ClientStream::Plain(stream)) };
    let shaken = timeout(Duration::from_millis(TLS_HANDSHAKE_MS_MAX), shake_hands(&tls, stream));
    let shaken = tokio::select! {
        shaken = shaken => shaken,
        _ = stopping.wait_for(|stop| *stop) => return None,
    };
    match shaken {
        Ok(Ok(stream)) => return stream,
        Ok(Err(error)) => {
            tracing::debug!(%error, "no TLS handshake");
            // A client that leaves, or does not trust the certificate, closes the connection on its
            // own.
            if error.kind() == io::ErrorKind::InvalidData {
                CloseReason::BadHandshake.count();
            }
        }
        Err(_) => CloseReason::SlowHandshake.count(),
    }
    None
}

async fn shake_hands(tls: &Tls, stream: TcpStream) -> io::Result<Option<ClientStream>> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Ok(None);
    }
    // HTTP methods are capital letters; no TLS record starts with one.
    if first.iter().all(u8::is_ascii_uppercase) {
        CloseReason::BadHandshake.count();
        // The connection is over, whatever the client does next.
        let _ = timeout(Duration::from_millis(TLS_MISTAKEN_MS_MAX), tell_mistaken(stream)).await;
        return Ok(None);
    }
    let mut stream = tls.acceptor().accept(stream).await?;
    stream.get_mut().1.set_buffer_limit(Some(UNSENT_BYTES_MAX));
    Ok(Some(ClientStream::Tls(Box::new(stream))))
}

/// Answers that this port expects TLS.
async fn tell_mistaken(mut stream: TcpStream) -> io::Result<()> {
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{SPEAKS_HTTPS}",
        SPEAKS_HTTPS.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // Closing a socket with unread bytes would discard the answer.
    let most = u64::try_from(REFUSED_BYTES_READ_MAX).unwrap_or(u64::MAX);
    copy(&mut stream.take(most), &mut sink()).await?;
    Ok(())
}
