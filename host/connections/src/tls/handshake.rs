//! The TLS handshake of a connection, before its first request.
//!
//! The connection already occupies a slot. A client therefore has at most as many
//! handshakes as connections, and a connection that stalls in its handshake can be closed
//! to make room.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::client_stream::ClientStream;
use super::listener::Tls;
use crate::close_reason::CloseReason;
use crate::limits::REFUSED_BYTES_READ_MAX;

/// Maximum time of a TLS handshake, from accepting the connection. The time limit for the
/// first request starts afterwards.
const TLS_HANDSHAKE_MS_MAX: u64 = 10_000;
/// Maximum time for which a client that speaks plain HTTP to a TLS port may continue
/// sending after the refusal.
const TLS_MISTAKEN_MS_MAX: u64 = 1_000;

/// Response to a client that speaks plain HTTP to a TLS port, in this server's error
/// format.
const SPEAKS_HTTPS: &str =
    r#"{"error":"this port speaks https; write https:// in place of http:// in the address","code":"E011"}"#;

/// Maximum number of encrypted bytes that wait to be sent. Small, because a client counts
/// as not reading until these bytes are sent.
const UNSENT_BYTES_MAX: usize = 16 << 10;

/// Performs the TLS handshake, if the listener uses TLS; returns `None` if the connection
/// has ended. A shutdown (`stopping`) aborts the handshake, because no request has begun.
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
            // A client that disconnects or rejects the certificate ends the connection
            // itself, which is not counted.
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
    // HTTP methods start with a capital letter; no TLS record does.
    if first.iter().all(u8::is_ascii_uppercase) {
        CloseReason::BadHandshake.count();
        // The connection ends here, whether or not the client reads the response.
        let _ = timeout(Duration::from_millis(TLS_MISTAKEN_MS_MAX), reply_to_plain_http(stream)).await;
        return Ok(None);
    }
    let mut stream = tls.acceptor().accept(stream).await?;
    stream.get_mut().1.set_buffer_limit(Some(UNSENT_BYTES_MAX));
    Ok(Some(ClientStream::Tls(Box::new(stream))))
}

/// Responds in plain HTTP that this port requires TLS.
async fn reply_to_plain_http(mut stream: TcpStream) -> io::Result<()> {
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{SPEAKS_HTTPS}",
        SPEAKS_HTTPS.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // Read what the client still sends: closing a socket with unread bytes would discard
    // the response.
    let most = u64::try_from(REFUSED_BYTES_READ_MAX).unwrap_or(u64::MAX);
    copy(&mut stream.take(most), &mut sink()).await?;
    Ok(())
}
