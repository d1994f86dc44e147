//! Converts Anthropic's answers, complete and streamed, to OpenAI's format.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::anthropic::{ANSWER_TOOL, AnswerSource};
use super::json_object::JsonObject;
use super::{CompleteResponse, StreamChunk};
use crate::pricing::TokenUsage;
use crate::provider_error::ProviderError;
use crate::sse;

const BAD: ProviderError = ProviderError::Malformed("an invalid response");

/// Maximum length of a passed-on id or model name; longer ones are truncated.
const NAME_CHARS_MAX: usize = 128;

/// Token counts in Anthropic's format: cached input is counted separately from other
/// input.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct ReportedUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_creation: Option<CacheCreation>,
}

/// Input tokens written to the cache, by caching time.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct CacheCreation {
    ephemeral_1h_input_tokens: Option<u64>,
}

impl ReportedUsage {
    /// Reads the `usage` of an answer or an event; later counts replace earlier ones.
    pub(crate) fn read(&mut self, usage: Option<&Value>) {
        if let Some(Ok(newer)) = usage.cloned().map(serde_json::from_value::<Self>) {
            self.merge(newer);
        }
    }

    fn merge(&mut self, newer: Self) {
        self.input_tokens = newer.input_tokens.or(self.input_tokens);
        self.output_tokens = newer.output_tokens.or(self.output_tokens);
        self.cache_read_input_tokens = newer.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.cache_creation_input_tokens = newer.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_creation = newer.cache_creation.or(self.cache_creation);
    }

    /// Returns the usage; `None` if no tokens were counted.
    pub(crate) fn usage(self) -> Option<TokenUsage> {
        let cached = self.cache_read_input_tokens.unwrap_or(0);
        let cache_write = self.cache_creation_input_tokens.unwrap_or(0);
        let input = self.input_tokens.unwrap_or(0).saturating_add(cached).saturating_add(cache_write);
        let output = self.output_tokens.unwrap_or(0);
        let cache_write_hour = self.cache_creation.and_then(|created| created.ephemeral_1h_input_tokens).unwrap_or(0);
        let usage = TokenUsage { input, output, cached, cache_write, cache_write_hour, estimated: false };
        (input > 0 || output > 0).then_some(usage)
    }
}

/// Converts usage to OpenAI's format.
pub(crate) fn usage_json(usage: &TokenUsage) -> Value {
    let mut members = json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input.saturating_add(usage.output),
        "prompt_tokens_details": { "cached_tokens": usage.cached },
    });
    if usage.estimated
        && let Some(members) = members.as_object_mut()
    {
        members.insert("usage_estimated".to_owned(), true.into());
    }
    members
}

fn finish_reason(stop: Option<&str>, source: AnswerSource) -> &'static str {
    match stop {
        Some("max_tokens" | "model_context_window_exceeded") => "length",
        Some("tool_use") if source != AnswerSource::Tool => "tool_calls",
        Some("refusal") => "content_filter",
        _ => "stop",
    }
}

/// Reads a complete answer; `source` says which part contains its text. `created` is Unix
/// time in seconds.
pub(crate) fn read_complete(
    body: &Bytes,
    source: AnswerSource,
    created: u64,
) -> Result<CompleteResponse, ProviderError> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| BAD)?;
    if answer.get("type").and_then(Value::as_str) == Some("error") {
        return Err(ProviderError::ErrorFrame);
    }
    let blocks = answer.get("content").and_then(Value::as_array).ok_or(BAD)?;
    let (mut text, mut thoughts, mut calls) = (String::new(), String::new(), Vec::new());
    for block in blocks {
        let part = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        match part("type") {
            "text" => text.push_str(part("text")),
            "thinking" => thoughts.push_str(part("thinking")),
            "tool_use" => {
                let arguments = block.get("input").unwrap_or(&Value::Null).to_string();
                if source == AnswerSource::Tool && part("name") == ANSWER_TOOL {
                    text = arguments;
                } else {
                    let function = json!({ "name": part("name"), "arguments": arguments });
                    calls.push(json!({ "id": part("id"), "type": "function", "function": function }));
                }
            }
            _ => {}
        }
    }
    if source == AnswerSource::Object {
        let object = JsonObject::default().push(&text).to_owned();
        // If the text has no object, pass the text on, because it may explain why.
        text = if object.is_empty() { text } else { object };
    }
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() });
    message.insert("refusal".to_owned(), Value::Null);
    if !thoughts.is_empty() {
        message.insert("reasoning_content".to_owned(), thoughts.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    let mut counted = ReportedUsage::default();
    counted.read(answer.get("usage"));
    let usage = counted.usage();
    let stop = answer.get("stop_reason").and_then(Value::as_str);
    let body = json!({
        "id": format!("chatcmpl-{}", answer.get("id").and_then(Value::as_str).unwrap_or("unknown")),
        "object": "chat.completion",
        "created": created,
        "model": answer.get("model").cloned().unwrap_or_default(),
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(stop, source) }],
        "usage": usage.as_ref().map(usage_json),
    });
    Ok(CompleteResponse { body: body.to_string().into(), usage, is_native: false })
}

/// Parses a stream, one event at a time.
#[derive(Debug, Default)]
pub(crate) struct StreamParser {
    source: AnswerSource,
    pub created: u64,
    pub output_bytes: usize,
    pub finished: bool,
    pub done: bool,
    id: String,
    model: String,
    counted: ReportedUsage,
    /// Number of tool calls begun, except for the answer tool.
    calls: u64,
    /// Whether the current block is a call of the answer tool.
    in_answer: bool,
    object: JsonObject,
}

/// Truncates an id or model name, because every piece of a stream repeats it.
fn short_name(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).take(NAME_CHARS_MAX).collect()
}

impl StreamParser {
    /// Creates a parser for an answer; `source` says which part contains its text.
    pub(crate) fn new(source: AnswerSource, created: u64) -> Self {
        Self { source, created, ..Self::default() }
    }

    pub(crate) fn usage(&self) -> Option<TokenUsage> {
        self.counted.usage()
    }

    /// Reads one event; `event` includes the empty line at its end.
    pub(crate) fn event(&mut self, event: &Bytes) -> Result<StreamChunk, ProviderError> {
        let data = sse::data(event);
        if data.is_empty() {
            return Ok(StreamChunk::default());
        }
        let value: Value = serde_json::from_slice(&data).map_err(|_| BAD)?;
        match value.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = value.get("message").ok_or(BAD)?;
                let text = |name: &str| short_name(message.get(name).and_then(Value::as_str).unwrap_or_default());
                (self.id, self.model) = (format!("chatcmpl-{}", text("id")), text("model"));
                self.counted.read(message.get("usage"));
                Ok(self.piece(&json!({ "role": "assistant", "content": "" }), None, false))
            }
            "content_block_start" => Ok(self.block(value.get("content_block").ok_or(BAD)?)),
            "content_block_delta" => Ok(self.delta(value.get("delta").ok_or(BAD)?)),
            "message_delta" => {
                self.counted.read(value.get("usage"));
                let stop = value.get("delta").and_then(|delta| delta.get("stop_reason")).and_then(Value::as_str);
                if stop.is_none() {
                    return Ok(StreamChunk::default());
                }
                self.finished = true;
                Ok(self.piece(&json!({}), Some(finish_reason(stop, self.source)), true))
            }
            "message_stop" => {
                self.done = true;
                Ok(StreamChunk::default())
            }
            "error" => Err(ProviderError::ErrorFrame),
            _ => Ok(StreamChunk::default()),
        }
    }

    fn block(&mut self, block: &Value) -> StreamChunk {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        self.in_answer = self.source == AnswerSource::Tool && text("name") == ANSWER_TOOL;
        if text("type") != "tool_use" || self.in_answer {
            return StreamChunk::default();
        }
        let function = json!({ "name": text("name"), "arguments": "" });
        let call = json!({ "index": self.calls, "id": text("id"), "type": "function", "function": function });
        self.calls += 1;
        self.piece(&json!({ "tool_calls": [call] }), None, true)
    }

    fn delta(&mut self, delta: &Value) -> StreamChunk {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        let made = match text("type") {
            "text_delta" if self.source == AnswerSource::Object => ("content", self.object.push(text("text"))),
            "text_delta" => ("content", text("text")),
            "thinking_delta" => ("reasoning_content", text("thinking")),
            "input_json_delta" if self.in_answer => ("content", text("partial_json")),
            "input_json_delta" => ("tool_calls", text("partial_json")),
            _ => return StreamChunk::default(),
        };
        let (name, added) = made;
        if added.is_empty() {
            return StreamChunk::default();
        }
        self.output_bytes = self.output_bytes.saturating_add(added.len());
        let index = self.calls.saturating_sub(1);
        let delta = match name {
            "tool_calls" => json!({ "tool_calls": [{ "index": index, "function": { "arguments": added } }] }),
            name => json!({ name: added }),
        };
        self.piece(&delta, None, true)
    }

    fn piece(&self, delta: &Value, finish: Option<&str>, content: bool) -> StreamChunk {
        let chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": [{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }],
        });
        StreamChunk { bytes: format!("data: {chunk}\n\n").into(), content }
    }

    /// Builds the event that reports the usage to a client.
    pub(crate) fn usage_event(&self, usage: &TokenUsage) -> Bytes {
        let chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": [], "usage": usage_json(usage),
        });
        format!("data: {chunk}\n\n").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_of(bytes: &[u8]) -> Value {
        serde_json::from_slice(&sse::data(bytes)).unwrap()
    }

    #[test]
    fn a_whole_answer_with_text_and_tools() {
        let body = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "tool_use",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "t1", "name": "get", "input": {"at": "Rome"}}],
            "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2}
        });
        let whole = read_complete(&Bytes::from(body.to_string()), AnswerSource::Text, 7).unwrap();
        let answer: Value = serde_json::from_slice(&whole.body).unwrap();
        assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
        let message = &answer["choices"][0]["message"];
        assert_eq!((&message["content"], &message["reasoning_content"]), (&json!("Let me see."), &json!("hm")));
        assert_eq!(message["tool_calls"][0]["function"], json!({"name": "get", "arguments": "{\"at\":\"Rome\"}"}));
        assert_eq!(
            whole.usage,
            Some(TokenUsage { input: 16, output: 5, cached: 4, cache_write: 2, ..TokenUsage::default() })
        );
        assert_eq!(answer["usage"]["total_tokens"], 21);
    }

    #[test]
    fn json_mode_comes_back_as_text() {
        let body = json!({"id": "m", "model": "c", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "t", "name": ANSWER_TOOL, "input": {"a": 1}}]});
        let whole = read_complete(&Bytes::from(body.to_string()), AnswerSource::Tool, 7).unwrap();
        let answer: Value = serde_json::from_slice(&whole.body).unwrap();
        assert_eq!(answer["choices"][0]["message"]["content"], "{\"a\":1}");
        assert_eq!(answer["choices"][0]["finish_reason"], "stop");
        assert!(whole.usage.is_none() && answer["usage"].is_null());
    }

    #[test]
    fn an_object_comes_back_without_the_words_around_it() {
        let said = "Here it is:\n```json\n{\"a\": 1}\n```";
        let body =
            json!({"id": "m", "model": "c", "stop_reason": "end_turn", "content": [{"type": "text", "text": said}]});
        let whole = read_complete(&Bytes::from(body.to_string()), AnswerSource::Object, 7).unwrap();
        let answer: Value = serde_json::from_slice(&whole.body).unwrap();
        assert_eq!(answer["choices"][0]["message"]["content"], "{\"a\": 1}");
        let mut reader = StreamParser::new(AnswerSource::Object, 7);
        let mut text = String::new();
        for piece in said.split_inclusive(' ') {
            let delta = json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}});
            let chunk = reader.event(&Bytes::from(format!("data: {delta}\n\n"))).unwrap();
            if !chunk.bytes.is_empty() {
                text += json_of(&chunk.bytes)["choices"][0]["delta"]["content"].as_str().unwrap();
            }
        }
        assert_eq!(text, "{\"a\": 1}");
    }

    #[test]
    fn a_stream_becomes_chunks() {
        let events = [
            json!({"type": "message_start", "message": {"id": "m1", "model": "c", "usage": {"input_tokens": 9, "output_tokens": 1}}}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hé"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t1", "name": "get"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"a\""}}),
            json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t2", "name": "put"}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 12}}),
            json!({"type": "message_stop"}),
        ];
        let mut reader = StreamParser { created: 7, ..StreamParser::default() };
        let mut out = Vec::new();
        for (number, event) in events.iter().enumerate() {
            let piece = reader.event(&Bytes::from(format!("event: x\ndata: {event}\n\n"))).unwrap();
            assert!(number > 2 || !piece.content, "an event before the first text must not count as content");
            if !piece.bytes.is_empty() {
                out.push(json_of(&piece.bytes));
            }
        }
        let delta = |number: usize| out[number]["choices"][0]["delta"].clone();
        assert_eq!(delta(0), json!({"role": "assistant", "content": ""}));
        assert_eq!(delta(1), json!({"content": "Hé"}));
        assert_eq!(delta(2)["tool_calls"][0]["id"], "t1");
        assert_eq!(delta(3)["tool_calls"][0], json!({"index": 0, "function": {"arguments": "{\"a\""}}));
        assert_eq!(delta(5)["tool_calls"][0]["index"], 1);
        assert_eq!(out[6]["choices"][0]["finish_reason"], "tool_calls");
        assert!(reader.done && reader.finished);
        assert_eq!(reader.usage(), Some(TokenUsage { input: 9, output: 12, ..TokenUsage::default() }));
        assert!(reader.event(&Bytes::from_static(b"data: {\"type\":\"error\",\"error\":{}}\n\n")).is_err());
    }
}
