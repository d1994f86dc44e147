//! A webhook receiver that records requests and answers as scripted: with errors, late,
//! or not at all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// One received request.
#[derive(Clone, Debug)]
pub struct Hook {
    pub path: String,
    /// Headers by lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    pub at: Instant,
}

/// Maps the number of a request, counting from 0, to a reaction.
type Script = Arc<dyn Fn(usize) -> Reaction + Send + Sync>;

/// A receiver's reaction to one request.
#[derive(Clone, Debug)]
pub struct Reaction {
    pub after: Duration,
    pub status: u16,
    /// Additional header lines, each with its line ending.
    pub headers: &'static str,
}

/// A receiver that listens until it is dropped.
pub struct Receiver {
    pub url: String,
    hooks: Arc<Mutex<Vec<Hook>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Reaction {
    pub const fn status(status: u16) -> Self {
        Self { after: Duration::ZERO, status, headers: "" }
    }
}

impl Receiver {
    /// Starts a receiver that answers 204 to everything.
    pub async fn start() -> Result<Self> {
        Self::with(|_| Reaction::status(204)).await
    }

    pub async fn with(script: impl Fn(usize) -> Reaction + Send + Sync + 'static) -> Result<Self> {
        Self::at("127.0.0.1:0", script).await
    }

    /// Starts a receiver on a given address.
    pub async fn at(address: &str, script: impl Fn(usize) -> Reaction + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let hooks: Arc<Mutex<Vec<Hook>>> = Arc::default();
        let (heard, script): (_, Script) = (hooks.clone(), Arc::new(script));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (heard, script) = (heard.clone(), script.clone());
                tokio::spawn(async move {
                    let _ = converse(stream, &heard, &script).await;
                });
            }
        });
        Ok(Self { url, hooks, task })
    }

    /// Returns all requests received so far.
    pub fn hooks(&self) -> Vec<Hook> {
        self.hooks.lock().map(|hooks| hooks.clone()).unwrap_or_default()
    }

    /// Returns the number of requests received so far.
    pub fn count(&self) -> usize {
        self.hooks.lock().map(|hooks| hooks.len()).unwrap_or_default()
    }

    /// Waits until `count` requests of an event were received.
    pub async fn wait_for(&self, event: &str, count: usize, seconds: u64) -> Result<Vec<Hook>> {
        let what = format!("{count} times {event}");
        let (found, _) = crate::eventually(&what, seconds, async || {
            let found: Vec<Hook> = self.hooks().into_iter().filter(|hook| hook.json()["event"] == event).collect();
            Ok((found.len() >= count).then_some(found))
        })
        .await?;
        Ok(found)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Hook {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// Handles the requests of one connection, one after another.
async fn converse(stream: TcpStream, heard: &Mutex<Vec<Hook>>, script: &Script) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let number = {
            let Ok(mut hooks) = heard.lock() else { return Ok(()) };
            hooks.push(Hook { path, headers, body, at: Instant::now() });
            hooks.len() - 1
        };
        let Reaction { after, status, headers } = script(number);
        tokio::time::sleep(after).await;
        let answer = format!("HTTP/1.1 {status} X\r\n{headers}content-length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).await?;
    }
}
