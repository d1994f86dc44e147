//! Requests to Anthropic in its own format, and its answers.
//!
//! Invariants: the client's members are passed on unchanged, cache marks included; events
//! are passed on byte for byte, and the last event is sent after the charge is sealed.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::builder::usage_json;
use super::request::MessagesRequest;
use crate::pricing::TokenUsage;
use crate::provider_error::ProviderError;
use crate::sse;
use crate::wire::StreamChunk;
use crate::wire::anthropic_answer::ReportedUsage;

const BAD: ProviderError = ProviderError::Malformed("an invalid response");

/// Returns the members to send to Anthropic, without the model.
pub(crate) fn members(request: &MessagesRequest) -> Map<String, Value> {
    let mut members = request.members.clone();
    members.remove("max_cost_gbp");
    let messages = members.get_mut("messages").and_then(Value::as_array_mut);
    for message in messages.into_iter().flatten() {
        if let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) {
            // Anthropic refuses reasoning without a signature, and reasoning of other
            // providers' models has none.
            blocks.retain(|block| block.get("signature").is_none_or(|signature| signature != ""));
        }
    }
    members
}

/// Reads a complete answer; returns the message and its usage.
pub(crate) fn read_complete(body: &Bytes) -> Result<(Value, Option<TokenUsage>), ProviderError> {
    let message: Value = serde_json::from_slice(body).map_err(|_| BAD)?;
    if message.get("type").is_some_and(|kind| kind == "error") || message.get("error").is_some() {
        return Err(ProviderError::ErrorFrame);
    }
    if !message.get("content").is_some_and(Value::is_array) {
        return Err(ProviderError::Malformed("an empty response"));
    }
    let mut counted = ReportedUsage::default();
    counted.read(message.get("usage"));
    Ok((message, counted.usage()))
}

/// Adds the usage to an answer whose provider reported none.
pub(crate) fn fill_usage(message: &mut Value, usage: &TokenUsage) {
    if message.get("usage").is_none_or(Value::is_null)
        && let Some(members) = message.as_object_mut()
    {
        members.insert("usage".to_owned(), usage_json(usage));
    }
}

/// Parses a stream, one event at a time.
#[derive(Debug, Default)]
pub(crate) struct StreamParser {
    counted: ReportedUsage,
    /// Bytes of content so far, used to estimate the usage if none is reported.
    pub(crate) output_bytes: usize,
    pub(crate) finished: bool,
    pub(crate) done: bool,
}

impl StreamParser {
    pub(crate) fn usage(&self) -> Option<TokenUsage> {
        self.counted.usage()
    }

    /// Reads one event; `event` includes the empty line at its end.
    pub(crate) fn event(&mut self, event: Bytes) -> Result<StreamChunk, ProviderError> {
        let data = sse::data(&event);
        if data.is_empty() {
            return Ok(StreamChunk { bytes: event, content: false });
        }
        let value: Value = serde_json::from_slice(&data).map_err(|_| BAD)?;
        let content = match value.get("type").and_then(Value::as_str).unwrap_or_default() {
            "error" => return Err(ProviderError::ErrorFrame),
            "message_stop" => {
                self.done = true;
                return Ok(StreamChunk::default());
            }
            "message_start" => {
                self.counted.read(value.get("message").and_then(|message| message.get("usage")));
                false
            }
            "message_delta" => {
                self.counted.read(value.get("usage"));
                let stop = value.get("delta").and_then(|delta| delta.get("stop_reason"));
                self.finished |= stop.is_some_and(|stop| !stop.is_null());
                self.finished
            }
            "content_block_start" => {
                value.get("content_block").and_then(|block| block.get("type")).is_some_and(|kind| kind == "tool_use")
            }
            "content_block_delta" => {
                let delta = value.get("delta").and_then(Value::as_object).into_iter().flatten();
                let texts = delta.filter(|(name, _)| *name != "type").filter_map(|(_, text)| text.as_str());
                let bytes: usize = texts.map(str::len).sum();
                self.output_bytes = self.output_bytes.saturating_add(bytes);
                bytes > 0
            }
            _ => false,
        };
        Ok(StreamChunk { bytes: event, content })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_forwarded_unchanged() {
        let mark = json!({"type": "ephemeral", "ttl": "1h"});
        let body = json!({
            "model": "m", "max_tokens": 9, "max_cost_gbp": "1", "a_new_member": {"b": 1},
            "system": [{"type": "text", "text": "s", "cache_control": mark}],
            "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "ours", "signature": ""},
                {"type": "thinking", "thinking": "theirs", "signature": "sig"}, {"type": "text", "text": "y"}]}],
        });
        let request = MessagesRequest::read(&body.to_string().into()).unwrap();
        let mut expected = body;
        expected.as_object_mut().unwrap().remove("max_cost_gbp");
        expected["messages"][1]["content"].as_array_mut().unwrap().remove(0);
        assert_eq!(Value::Object(members(&request)), expected);
    }

    #[test]
    fn a_stream_is_passed_on_and_its_end_waits() {
        let event = |value: Value| Bytes::from(format!("event: x\ndata: {value}\n\n"));
        let mut parser = StreamParser::default();
        let usage = json!({"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 3, "cache_creation": {"ephemeral_1h_input_tokens": 2}});
        for (value, content) in [
            (json!({"type": "message_start", "message": {"usage": usage}}), false),
            (json!({"type": "ping"}), false),
            (json!({"type": "content_block_start", "content_block": {"type": "text", "text": ""}}), false),
            (json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hé"}}), true),
            (json!({"type": "a_new_event"}), false),
            (
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
                true,
            ),
        ] {
            let sent = event(value);
            let chunk = parser.event(sent.clone()).unwrap();
            assert!(chunk.bytes == sent && chunk.content == content, "{sent:?}");
        }
        assert!(parser.finished && !parser.done && parser.output_bytes == 3);
        assert!(parser.event(event(json!({"type": "message_stop"}))).unwrap().bytes.is_empty() && parser.done);
        let expected =
            TokenUsage { input: 16, output: 7, cached: 4, cache_write: 3, cache_write_hour: 2, estimated: false };
        assert_eq!(parser.usage(), Some(expected));
        assert!(StreamParser::default().event(event(json!({"type": "error", "error": {}}))).is_err());
    }
}
