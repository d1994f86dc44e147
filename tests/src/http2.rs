//! Handwritten HTTP/2 over a plain socket, for traffic that no well-behaved client
//! sends.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;
/// Flag of HEADERS and DATA frames. The same bit means `ACK` in SETTINGS and PING frames.
pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// The connection preface, which a client sends before its first frame.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Connects from a given local address.
pub async fn connect(url: &str, from: &str) -> Result<TcpStream> {
    let address = url.split_once("://").context("no address")?.1.parse()?;
    let socket = TcpSocket::new_v4()?;
    socket.bind(format!("{from}:0").parse()?)?;
    // A small buffer fills quickly, so the server soon notices that the client does
    // not read.
    socket.set_recv_buffer_size(8 << 10)?;
    Ok(socket.connect(address).await?)
}

/// Encodes a frame.
pub fn frame(kind: u8, flags: u8, stream: u32, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes();
    let mut bytes = length.get(1..).unwrap_or_default().to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(content);
    bytes
}

/// Encodes a header as an HPACK literal that uses no table.
pub fn header(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    for text in [name, value] {
        let length = text.len();
        match u8::try_from(length) {
            Ok(short) if short < 127 => bytes.push(short),
            _ => {
                bytes.push(127);
                let mut rest = length.saturating_sub(127);
                while rest >= 128 {
                    bytes.push(u8::try_from(rest % 128 + 128).unwrap_or_default());
                    rest /= 128;
                }
                bytes.push(u8::try_from(rest).unwrap_or_default());
            }
        }
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// Encodes the header block of a request.
pub fn head(method: &str, path: &str) -> Vec<u8> {
    let all = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost")];
    all.iter().flat_map(|(name, value)| header(name, value)).collect()
}

/// Encodes a whole request without a body.
pub fn get(stream: u32, path: &str) -> Vec<u8> {
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &head("GET", path))
}

/// A received frame.
#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub content: Vec<u8>,
}

/// The client's end of a connection.
pub struct Http2 {
    pub stream: TcpStream,
}

impl Http2 {
    /// Connects and sends the preface and the settings, given as pairs of identifier and
    /// value.
    pub async fn start(url: &str, from: &str, settings: &[(u16, u32)]) -> Result<Self> {
        let mut stream = connect(url, from).await?;
        let mut content = Vec::new();
        for (id, value) in settings {
            content.extend(id.to_be_bytes());
            content.extend(value.to_be_bytes());
        }
        stream.write_all(&[PREFACE, &frame(SETTINGS, 0, 0, &content)].concat()).await?;
        Ok(Self { stream })
    }

    pub async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Acknowledges settings and pings, and returns the next frame of any other kind;
    /// `None` once the connection has ended in any way.
    pub async fn next(&mut self) -> Result<Option<Frame>> {
        loop {
            let mut head = [0; 9];
            if self.stream.read_exact(&mut head).await.is_err() {
                return Ok(None);
            }
            let [high, middle, low, kind, flags, a, b, c, d] = head;
            let length = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
            ensure!(length <= 1 << 14, "a frame of {length} bytes");
            let mut content = vec![0; length];
            if self.stream.read_exact(&mut content).await.is_err() {
                return Ok(None);
            }
            let answer = match (kind, flags & END_STREAM) {
                (SETTINGS, 0) => frame(SETTINGS, END_STREAM, 0, &[]),
                (PING, 0) => frame(PING, END_STREAM, 0, &content),
                _ => return Ok(Some(Frame { kind, flags, stream: u32::from_be_bytes([a, b, c, d]), content })),
            };
            // If the connection has ended in the meantime, the next read reports that.
            let _ = self.stream.write_all(&answer).await;
        }
    }

    /// Reads up to the first frame of a kind for a stream; fails if the connection
    /// ends first, or after some seconds.
    pub async fn until(&mut self, kind: u8, stream: u32, seconds: u64) -> Result<Frame> {
        let reading = async {
            while let Some(frame) = self.next().await? {
                if frame.kind == kind && frame.stream == stream {
                    return Ok(frame);
                }
            }
            bail!("the connection ended")
        };
        tokio::time::timeout(Duration::from_secs(seconds), reading).await.context("the frame did not arrive")?
    }

    /// Reads to the end of the connection; returns whether the server sent GOAWAY.
    pub async fn ends(&mut self, seconds: u64) -> Result<bool> {
        let reading = async {
            let mut goodbye = false;
            while let Some(frame) = self.next().await? {
                goodbye |= frame.kind == GOAWAY;
            }
            Ok(goodbye)
        };
        tokio::time::timeout(Duration::from_secs(seconds), reading).await.context("the connection is still open")?
    }
}
