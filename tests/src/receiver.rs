//! A receiver of notifications that answers as scripted and records its requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A receiver; stops listening when dropped.
pub struct Receiver {
    pub url: String,
    state: Arc<Mutex<State>>,
    serving: tokio::task::JoinHandle<()>,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    /// Request line and headers, unchanged.
    pub head: String,
    pub body: Value,
}

/// A receiver's reaction to a request.
#[derive(Clone, Copy, Debug)]
pub enum Behaviour {
    Answer(u16),
    /// Reads the request and never answers.
    Silence,
    /// Reads the request and closes the connection.
    HangUp,
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    /// Reactions to the first requests; every later one is answered with 200.
    first: VecDeque<Behaviour>,
}

impl Receiver {
    pub async fn start(first: &[Behaviour]) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let state = Arc::new(Mutex::new(State { first: first.iter().copied().collect(), ..State::default() }));
        let shared = state.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Ok(Self { url, state, serving })
    }

    /// Returns all requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).received.clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let Some(received) = read(&mut stream).await else { return };
    let behaviour = {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.received.push(received);
        state.first.pop_front().unwrap_or(Behaviour::Answer(200))
    };
    match behaviour {
        Behaviour::Answer(status) => {
            let answer = format!("HTTP/1.1 {status} So\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
        Behaviour::Silence => tokio::time::sleep(Duration::from_secs(600)).await,
        Behaviour::HangUp => {}
    }
}

async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(chunk.get(..count)?);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= length? {
            return Some(Received { head: head.to_owned(), body: serde_json::from_str(body).ok()? });
        }
    }
}
