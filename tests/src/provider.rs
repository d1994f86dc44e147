//! A fake model provider that checks requests strictly and fails on demand.
//!
//! A request that a real provider would refuse is answered with 400, and the violation is
//! recorded for the test to inspect.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::provider_check;
use crate::provider_media::{self, TRANSCRIPTIONS};
use crate::provider_responses;

/// The API key that every fake provider requires.
pub const KEY: &str = "sk-fake-5f2b";
/// The environment variable in which the server finds that key.
pub const KEY_VARIABLE: &str = "TOLLBRIDGE_FAKE_KEY";
/// The text of every answer, with characters of two, three and four bytes.
pub const TEXT: &str = "Héllo wörld, das kostet 5 € und 𝄞!";
/// Token count that Anthropic's count endpoint returns for every request.
pub const COUNTED: u64 = 42;
/// Input and output tokens that every answer reports.
pub const USED: (u64, u64) = (11, 7);

/// The wire format that a fake provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Anthropic,
    /// Only OpenAI's Responses API.
    Responses,
}

/// The reaction to one request.
#[derive(Clone, Debug)]
pub enum Act {
    Answer,
    /// Answers with this text instead of the usual one.
    Say(String),
    Status(u16, Vec<(&'static str, String)>, String),
    /// Resets the connection before any answer.
    Reset,
    /// Delays the response headers.
    SlowHead(Duration),
    /// Delays the second half of the answer.
    SlowBody(Duration),
    /// Sends broken JSON as the body.
    Malformed,
    /// Sends a success status with an error in the body.
    ErrorInside,
    /// Sends a stream that begins but contains no content.
    Empty,
    /// Ends the stream in the middle.
    Cut,
    /// Sends an error event in the middle of the stream.
    ErrorLate,
    /// Stops the stream in the middle and keeps the connection open.
    Hang,
    /// Sends the answer byte by byte, so that multi-byte characters are split.
    Bytes,
    /// Reports no usage.
    NoUsage,
    /// Delays the second half and reports this number of output tokens, which is more
    /// than the client has seen.
    Think(Duration, u64),
}

/// A fake provider, serving until it is dropped.
pub struct FakeProvider {
    pub url: String,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

struct Shared {
    wire: Wire,
    acts: Mutex<VecDeque<Act>>,
    /// Reaction to requests for which no reaction is queued.
    usual: Mutex<Act>,
    seen: Mutex<Vec<Value>>,
    /// The header `traceparent` of each request that had one.
    traceparents: Mutex<Vec<String>>,
    /// Violations found in requests.
    wrong: Mutex<Vec<String>>,
    /// Number of connections that the client closed before the answer was complete.
    left: Mutex<usize>,
}

impl FakeProvider {
    pub async fn start(wire: Wire) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let shared = Arc::new(Shared {
            wire,
            acts: Mutex::default(),
            usual: Mutex::new(Act::Answer),
            seen: Mutex::default(),
            traceparents: Mutex::default(),
            wrong: Mutex::default(),
            left: Mutex::default(),
        });
        let server = shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = server.clone();
                tokio::spawn(async move {
                    let _ = stream.set_nodelay(true);
                    let _ = connection(stream, &shared).await;
                });
            }
        });
        Ok(Self { url, shared, task })
    }

    /// Returns an address on which no server listens.
    pub async fn nobody() -> Result<String> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Ok(format!("http://{}/v1", listener.local_addr()?))
    }

    /// Queues reactions for the next requests.
    pub fn next(&self, acts: impl IntoIterator<Item = Act>) {
        self.shared.acts.lock().unwrap().extend(acts);
    }

    /// Sets the reaction to every request for which none is queued.
    pub fn always(&self, act: Act) {
        *self.shared.usual.lock().unwrap() = act;
    }

    /// Returns the bodies of all requests so far.
    pub fn seen(&self) -> Vec<Value> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Returns the `traceparent` headers received so far.
    pub fn traceparents(&self) -> Vec<String> {
        self.shared.traceparents.lock().unwrap().clone()
    }

    /// Returns the violations found in requests so far.
    pub fn wrong(&self) -> Vec<String> {
        self.shared.wrong.lock().unwrap().clone()
    }

    /// Returns the number of answers whose connection the client closed early.
    pub fn left(&self) -> usize {
        *self.shared.left.lock().unwrap()
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) struct Request {
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

async fn connection(mut stream: TcpStream, shared: &Shared) -> Result<()> {
    let mut buffer = Vec::new();
    while let Some(request) = read(&mut stream, &mut buffer).await? {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        shared.seen.lock().unwrap().push(body.clone());
        shared.traceparents.lock().unwrap().extend(request.header("traceparent").map(str::to_owned));
        if let Some(wrong) = provider_check::wrong_with(shared.wire, &request, &body) {
            shared.wrong.lock().unwrap().push(format!("{}: {wrong}: {body}", request.path));
            let error = json!({ "error": { "message": wrong, "type": "invalid_request_error" } });
            send(&mut stream, 400, &[], error.to_string().as_bytes()).await?;
            continue;
        }
        let act = shared.acts.lock().unwrap().pop_front();
        let act = act.unwrap_or_else(|| shared.usual.lock().unwrap().clone());
        if !perform(&mut stream, shared, &request, &body, act).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// Answers one request; returns whether the connection can be reused.
async fn perform(stream: &mut TcpStream, shared: &Shared, request: &Request, body: &Value, act: Act) -> Result<bool> {
    match act {
        Act::Reset => {
            #[allow(deprecated)]
            stream.set_linger(Some(Duration::ZERO))?;
            return Ok(false);
        }
        Act::Status(status, headers, text) => send(stream, status, &headers, text.as_bytes()).await?,
        act => {
            if let Act::SlowHead(time) = &act {
                tokio::time::sleep(*time).await;
            }
            if body["stream"] == true {
                return stream_answer(stream, shared, body, act).await;
            }
            let text = match request.path.as_str() {
                TRANSCRIPTIONS => provider_media::transcript(&request.body),
                path => whole(shared.wire, path, body, &act),
            };
            if let Act::SlowBody(time) | Act::Think(time, _) = act {
                head(stream, 200, &[], Some(text.len())).await?;
                let (first, second) = text.as_bytes().split_at(text.len() / 2);
                stream.write_all(first).await?;
                tokio::time::sleep(time).await;
                stream.write_all(second).await?;
            } else {
                send(stream, 200, &[("x-upstream", "fake".to_owned())], text.as_bytes()).await?;
            }
        }
    }
    Ok(true)
}

fn text_of(act: &Act) -> &str {
    match act {
        Act::Say(text) => text,
        _ => TEXT,
    }
}

/// Returns the input and output tokens that the answer reports.
fn used(act: &Act) -> (u64, u64) {
    match act {
        Act::Think(_, output) => (USED.0, *output),
        _ => USED,
    }
}

fn whole(wire: Wire, path: &str, body: &Value, act: &Act) -> String {
    let usage = |usage: Value| if matches!(act, Act::NoUsage) { Value::Null } else { usage };
    let (input, output) = used(act);
    if path.ends_with("audio/speech") {
        return provider_media::SOUND.to_owned();
    }
    if path.ends_with("images/generations") {
        return provider_media::images(body);
    }
    let answer = match (wire, path.ends_with("embeddings")) {
        _ if matches!(act, Act::Malformed) => return "{\"choices\":[{\"message\":{\"content\":\"Hé".to_owned(),
        _ if matches!(act, Act::ErrorInside) => json!({ "error": { "message": "overloaded" } }),
        (_, true) => {
            let count = body["input"].as_array().map_or(1, Vec::len);
            let one = |index: usize| json!({ "object": "embedding", "index": index, "embedding": [0.5, 0.25, index] });
            let data: Vec<Value> = (0..count).rev().map(one).collect();
            let usage = usage(json!({ "prompt_tokens": input, "total_tokens": input }));
            json!({ "object": "list", "data": data, "model": body["model"], "usage": usage })
        }
        (Wire::OpenAi, false) => {
            let message = match body["tools"][0]["function"]["name"].as_str() {
                Some(name) => json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "call_1",
                    "type": "function", "function": { "name": name, "arguments": "{\"place\":\"Rome\"}" } }] }),
                None => json!({ "role": "assistant", "content": text_of(act) }),
            };
            let finish = if message["content"].is_null() { "tool_calls" } else { "stop" };
            let usage = usage(json!({ "prompt_tokens": input, "completion_tokens": output,
                "total_tokens": input + output, "prompt_tokens_details": { "cached_tokens": 0 } }));
            json!({ "id": "chatcmpl-fake", "object": "chat.completion", "created": 1_700_000_000, "model": body["model"],
                "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish }],
                "usage": usage, "a_new_member": true })
        }
        (Wire::Responses, false) => {
            provider_responses::whole(body, text_of(act), usage(provider_responses::usage(used(act))))
        }
        (Wire::Anthropic, false) if path.ends_with("count_tokens") => json!({ "input_tokens": COUNTED }),
        (Wire::Anthropic, false) => {
            let (content, stop) = match body["tools"][0]["name"].as_str() {
                Some(name) => (
                    json!([{ "type": "tool_use", "id": "toolu_1", "name": name,
                    "input": { "place": "Rome" } }]),
                    "tool_use",
                ),
                None => (json!([{ "type": "text", "text": text_of(act) }]), "end_turn"),
            };
            json!({ "id": "msg_fake", "type": "message", "role": "assistant", "model": body["model"], "content": content,
                "stop_reason": stop, "usage": usage(json!({ "input_tokens": input, "output_tokens": output })) })
        }
    };
    answer.to_string()
}

/// Returns the events of a stream in three parts: those before the first content, those
/// with content, those after it.
fn events(wire: Wire, body: &Value, act: &Act) -> [Vec<String>; 3] {
    let (input, output) = used(act);
    let words: Vec<String> = text_of(act).split_inclusive(' ').map(str::to_owned).collect();
    let data = |value: Value| format!("data: {value}\n\n");
    let typed = |value: Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default());
    match wire {
        Wire::OpenAi => {
            let chunk = |delta: Value, finish: Value| {
                data(json!({ "id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1_700_000_000,
                    "model": body["model"], "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
                    "usage": null }))
            };
            let mut end = vec![chunk(json!({}), "stop".into())];
            if !matches!(act, Act::NoUsage) {
                end.push(data(
                    json!({ "id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1_700_000_000,
                    "model": body["model"], "choices": [], "usage": { "prompt_tokens": input,
                    "completion_tokens": output, "total_tokens": input + output } }),
                ));
            }
            end.push("data: [DONE]\n\n".to_owned());
            let begin =
                vec![": keep-alive\n\n".to_owned(), chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
            let middle = words.iter().map(|word| chunk(json!({ "content": word }), Value::Null)).collect();
            [begin, middle, end]
        }
        Wire::Responses => provider_responses::events(body, text_of(act), provider_responses::usage(used(act))),
        Wire::Anthropic => {
            let begin = vec![
                typed(json!({ "type": "message_start", "message": { "id": "msg_fake", "type": "message",
                    "role": "assistant", "model": body["model"], "content": [],
                    "usage": { "input_tokens": input, "output_tokens": 1 } } })),
                typed(
                    json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                ),
                typed(json!({ "type": "ping" })),
            ];
            let delta = |word: &String| {
                typed(json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "text_delta", "text": word } }))
            };
            let end = vec![
                typed(json!({ "type": "content_block_stop", "index": 0 })),
                typed(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
                    "usage": { "output_tokens": output } })),
                typed(json!({ "type": "message_stop" })),
            ];
            [begin, words.iter().map(delta).collect(), end]
        }
    }
}

async fn stream_answer(stream: &mut TcpStream, shared: &Shared, body: &Value, act: Act) -> Result<bool> {
    head(stream, 200, &[("content-type", "text/event-stream".to_owned())], None).await?;
    let [begin, middle, end] = events(shared.wire, body, &act);
    let error = match shared.wire {
        Wire::Responses => "event: error\ndata: {\"type\":\"error\",\"message\":\"Overloaded\"}\n\n".to_owned(),
        Wire::OpenAi => "data: {\"error\":{\"message\":\"the server had an error\",\"code\":500}}\n\n".to_owned(),
        Wire::Anthropic => {
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
                .to_owned()
        }
    };
    let (half, rest) = middle.split_at(middle.len() / 2);
    let sent: Vec<String> = match &act {
        Act::Malformed => vec!["data: {\"choices\":[{\"delta\n\n".to_owned()],
        Act::ErrorInside => [begin, vec![error]].concat(),
        Act::Empty => {
            [begin, if shared.wire == Wire::OpenAi { vec!["data: [DONE]\n\n".to_owned()] } else { Vec::new() }].concat()
        }
        Act::Cut | Act::Hang => [begin, half.to_vec()].concat(),
        Act::ErrorLate => [begin, half.to_vec(), vec![error]].concat(),
        Act::SlowBody(_) | Act::Think(..) => [begin, half.to_vec()].concat(),
        _ => [begin, middle.clone(), end.clone()].concat(),
    };
    for event in &sent {
        let size = if let Act::Bytes = act { 1 } else { event.len() };
        for piece in event.as_bytes().chunks(size) {
            if chunk(stream, piece).await.is_err() {
                *shared.left.lock().unwrap() += 1;
                return Ok(false);
            }
        }
        // The pause makes each piece arrive separately.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    match act {
        Act::Cut => return Ok(false),
        Act::Hang => {
            // Waits until the client disconnects, for at most a minute.
            let mut byte = [0];
            let gone = tokio::time::timeout(Duration::from_secs(60), stream.read(&mut byte)).await;
            if matches!(gone, Ok(Ok(0) | Err(_))) {
                *shared.left.lock().unwrap() += 1;
            }
            return Ok(false);
        }
        Act::SlowBody(time) | Act::Think(time, _) => {
            tokio::time::sleep(time).await;
            for event in [rest.to_vec(), end].concat() {
                if chunk(stream, event.as_bytes()).await.is_err() {
                    *shared.left.lock().unwrap() += 1;
                    return Ok(false);
                }
            }
        }
        _ => {}
    }
    stream.write_all(b"0\r\n\r\n").await?;
    Ok(true)
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<Option<Request>> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let text = String::from_utf8(buffer[..end].to_vec())?;
    let mut lines = text.split("\r\n");
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).context("no path")?.to_owned();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let headers: Vec<(String, String)> = lines.filter_map(header).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let length: usize = length.unwrap_or(0);
    while buffer.len() < end + length {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    Ok(Some(Request { path, headers, body }))
}

async fn head(stream: &mut TcpStream, status: u16, headers: &[(&str, String)], length: Option<usize>) -> Result<()> {
    let mut text = format!("HTTP/1.1 {status} Whatever\r\n");
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        text.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match length {
        Some(length) => text.push_str(&format!("content-length: {length}\r\n\r\n")),
        None => text.push_str("transfer-encoding: chunked\r\n\r\n"),
    }
    Ok(stream.write_all(text.as_bytes()).await?)
}

async fn send(stream: &mut TcpStream, status: u16, headers: &[(&str, String)], body: &[u8]) -> Result<()> {
    head(stream, status, headers, Some(body.len())).await?;
    Ok(stream.write_all(body).await?)
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> Result<()> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    Ok(stream.write_all(&framed).await?)
}
