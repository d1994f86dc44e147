//! Requests to providers that support the Responses API themselves, and their answers.
//!
//! Invariants: nothing is stored at the provider, and a response is continued without the
//! provider's response ids, by sending the earlier items again. Clients see this server's
//! ids for responses and the provider's ids for items. Events that do not contain a
//! response are passed on byte for byte.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::builder::{error_members, write_event};
use super::head::{ResponseHead, usage_json};
use super::items::kind;
use super::request::ResponsesRequest;
use crate::pricing::TokenUsage;
use crate::provider_error::ProviderError;
use crate::sse;
use crate::wire::StreamChunk;

const BAD: ProviderError = ProviderError::Malformed("an invalid response");
/// Members that are not sent to the provider: only this server uses them, or they have no
/// effect.
const NOT_SENT: [&str; 5] = ["max_cost_gbp", "previous_response_id", "store", "input", "background"];
/// Asks the provider to return reasoning in a form that can be sent again.
const ENCRYPTED: &str = "reasoning.encrypted_content";
/// Types of items that are sent without their ids, because a provider would look up the
/// ids.
const WITHOUT_ID: [&str; 6] =
    ["message", "function_call", "function_call_output", "reasoning", "custom_tool_call", "custom_tool_call_output"];

/// Returns the members to send, without the model; `items` contains the earlier
/// conversation and the request's own input.
pub(crate) fn members(request: &ResponsesRequest, items: &[Value]) -> Map<String, Value> {
    let sent = request.members.iter().filter(|(name, _)| !NOT_SENT.contains(&name.as_str()));
    let mut members: Map<String, Value> = sent.map(|(name, value)| (name.clone(), value.clone())).collect();
    members.insert("input".to_owned(), items.iter().filter_map(resent).collect());
    members.insert("store".to_owned(), false.into());
    let effort = request.members.get("reasoning").and_then(|reasoning| reasoning.get("effort"));
    if effort.is_some_and(|effort| !effort.is_null() && effort != "none") {
        let include = members.entry("include").or_insert_with(|| json!([]));
        if let Some(include) = include.as_array_mut()
            && !include.iter().any(|one| one == ENCRYPTED)
        {
            include.push(ENCRYPTED.into());
        }
    }
    members
}

/// Converts an item so that a provider that stores nothing accepts it; `None` for
/// reasoning that the provider cannot read.
fn resent(item: &Value) -> Option<Value> {
    let kind = kind(item);
    let is_readable = item.get("encrypted_content").is_some_and(|content| !content.is_null());
    if kind == "reasoning" && !is_readable {
        return None;
    }
    let mut item = item.clone();
    if WITHOUT_ID.contains(&kind)
        && let Some(members) = item.as_object_mut()
    {
        members.remove("id");
    }
    Some(item)
}

/// Tokens as the Responses API counts them.
#[derive(Clone, Copy, Deserialize)]
struct ReportedUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

fn usage_of(response: &Value) -> Option<TokenUsage> {
    let counted = serde_json::from_value::<ReportedUsage>(response.get("usage")?.clone()).ok()?;
    let details = counted.input_tokens_details.unwrap_or_default();
    let (input, output) = (counted.input_tokens.unwrap_or(0), counted.output_tokens.unwrap_or(0));
    let (cached, cache_write) = (details.cached_tokens.unwrap_or(0), details.cache_write_tokens.unwrap_or(0));
    (input > 0 || output > 0).then_some(TokenUsage { input, output, cached, cache_write, ..TokenUsage::default() })
}

/// Reads a complete answer; returns the response and its usage. A response with the
/// status `failed` is an error.
pub(crate) fn read_complete(body: &Bytes, head: &ResponseHead) -> Result<(Value, Option<TokenUsage>), ProviderError> {
    let mut response: Value = serde_json::from_slice(body).map_err(|_| BAD)?;
    let is_failed = response.get("error").is_some_and(|error| !error.is_null());
    match response.get("status").and_then(Value::as_str) {
        _ if is_failed => return Err(ProviderError::ErrorFrame),
        Some("failed" | "cancelled") => return Err(ProviderError::ErrorFrame),
        Some("completed" | "incomplete") | None => {}
        Some(_) => return Err(ProviderError::Malformed("an unfinished answer")),
    }
    if !response.get("output").is_some_and(Value::is_array) {
        return Err(ProviderError::Malformed("an empty response"));
    }
    head.claim(&mut response);
    let usage = usage_of(&response);
    Ok((response, usage))
}

/// Adds the usage to an answer whose provider reported none.
pub(crate) fn fill_usage(response: &mut Value, usage: &TokenUsage) {
    if response.get("usage").is_none_or(Value::is_null)
        && let Some(members) = response.as_object_mut()
    {
        members.insert("usage".to_owned(), usage_json(usage, 0));
    }
}

/// Parses a stream, one event at a time.
#[derive(Debug)]
pub(crate) struct StreamParser {
    head: ResponseHead,
    pub(crate) usage: Option<TokenUsage>,
    /// Bytes of content so far, used to estimate the usage if none is reported.
    pub(crate) output_bytes: usize,
    pub(crate) done: bool,
    /// The finished response, which is sent after its charge is settled.
    response: Option<Value>,
    /// The sequence number of the next event.
    sequence: u64,
}

impl StreamParser {
    pub(crate) const fn new(head: ResponseHead) -> Self {
        Self { head, usage: None, output_bytes: 0, done: false, response: None, sequence: 0 }
    }

    /// Reads one event; `event` includes the empty line at its end.
    pub(crate) fn event(&mut self, event: Bytes) -> Result<StreamChunk, ProviderError> {
        let data = sse::data(&event);
        if data.is_empty() {
            return Ok(StreamChunk { bytes: event, content: false });
        }
        if *data == *b"[DONE]" {
            self.done = self.response.is_some();
            return Ok(StreamChunk::default());
        }
        let value: Value = serde_json::from_slice(&data).map_err(|_| BAD)?;
        let name = value.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(sequence) = value.get("sequence_number").and_then(Value::as_u64) {
            self.sequence = sequence.saturating_add(1);
        }
        match name {
            "error" | "response.failed" => Err(ProviderError::ErrorFrame),
            "response.completed" | "response.incomplete" => {
                let mut response = value.get("response").filter(|response| response.is_object()).cloned().ok_or(BAD)?;
                self.head.claim(&mut response);
                self.usage = usage_of(&response).or(self.usage);
                self.sequence = self.sequence.saturating_sub(1);
                self.response = Some(response);
                self.done = true;
                Ok(StreamChunk { bytes: Bytes::new(), content: true })
            }
            "response.created" | "response.in_progress" | "response.queued" => Ok(self.claimed(name, &value)),
            _ => {
                let added = ["delta", "partial_image_b64"].iter().filter_map(|name| value.get(*name)?.as_str());
                let bytes: usize = added.map(str::len).sum();
                self.output_bytes = self.output_bytes.saturating_add(bytes);
                Ok(StreamChunk { bytes: event, content: bytes > 0 || name == "response.output_item.done" })
            }
        }
    }

    fn claimed(&self, name: &str, value: &Value) -> StreamChunk {
        let mut members = value.as_object().cloned().unwrap_or_default();
        if let Some(response) = members.get_mut("response") {
            self.head.claim(response);
        }
        let mut event = String::new();
        write_event(&mut event, name, Value::Object(members), self.sequence.saturating_sub(1));
        StreamChunk { bytes: event.into(), content: false }
    }

    /// Returns the finished response.
    pub(crate) fn close(&mut self, usage: &TokenUsage) -> Option<Value> {
        let mut response = self.response.take()?;
        fill_usage(&mut response, usage);
        Some(response)
    }

    /// Builds the last event, which contains the finished response.
    pub(crate) fn completed(&self, response: &Value) -> String {
        let is_whole = response.get("status").and_then(Value::as_str) != Some("incomplete");
        let name = if is_whole { "response.completed" } else { "response.incomplete" };
        let mut event = String::new();
        write_event(&mut event, name, json!({ "response": response }), self.sequence);
        event
    }

    /// Builds the last events of a stream that broke off.
    pub(crate) fn fail(&self, message: &str, code: &str) -> String {
        let mut response = self.head.response("failed", "", Vec::new(), None);
        if let Some(members) = response.as_object_mut() {
            members.insert("error".to_owned(), json!({ "code": "server_error", "message": message }));
        }
        let mut events = String::new();
        write_event(&mut events, "error", error_members(message, code), self.sequence);
        write_event(&mut events, "response.failed", json!({ "response": response }), self.sequence.saturating_add(1));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Value) -> ResponsesRequest {
        ResponsesRequest::read(&body.to_string().into()).unwrap()
    }

    fn head() -> ResponseHead {
        let request = request(json!({"model": "m", "input": "x", "previous_response_id": "resp_before"}));
        ResponseHead::new(&request, "resp_ours".to_owned(), 7_000)
    }

    fn event(name: &str, members: Value) -> Bytes {
        let mut event = String::new();
        write_event(&mut event, name, members, 5);
        event.into()
    }

    #[test]
    fn a_provider_gets_all_that_was_said_and_stores_nothing() {
        let request = request(json!({
            "model": "m", "input": "x", "previous_response_id": "resp_1", "max_cost_gbp": 1, "a_new_member": [1],
            "reasoning": {"effort": "low"}, "metadata": {"a": "b"},
        }));
        let before = [
            json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []}),
            json!({"type": "reasoning", "id": "rs_1", "summary": []}),
            json!({"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAA"}),
            json!({"type": "computer_call", "id": "cc_1", "call_id": "c"}),
        ];
        assert_eq!(
            json!(members(&request, &before)),
            json!({
                "model": "m", "store": false, "a_new_member": [1], "metadata": {"a": "b"},
                "reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"],
                "input": [
                    {"type": "message", "role": "assistant", "status": "completed", "content": []},
                    {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
                    {"type": "computer_call", "id": "cc_1", "call_id": "c"},
                ],
            })
        );
    }

    #[test]
    fn a_whole_answer_becomes_ours_and_is_counted() {
        let answer = json!({"id": "resp_theirs", "object": "response", "status": "completed", "error": null,
            "output": [{"type": "message", "id": "msg_theirs"}], "store": false, "a_new_member": 1,
            "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 2}}});
        let (response, usage) = read_complete(&answer.to_string().into(), &head()).unwrap();
        assert_eq!((&response["id"], &response["previous_response_id"]), (&json!("resp_ours"), &json!("resp_before")));
        assert_eq!((&response["output"], &response["a_new_member"]), (&answer["output"], &json!(1)));
        assert_eq!(usage, Some(TokenUsage { input: 9, output: 4, cached: 2, ..TokenUsage::default() }));
        for (body, failure) in [
            (json!({"status": "failed", "error": {"message": "no"}, "output": []}), ProviderError::ErrorFrame),
            (json!({"error": {"message": "no"}}), ProviderError::ErrorFrame),
            (json!({"status": "queued", "output": []}), ProviderError::Malformed("an unfinished answer")),
            (json!({"status": "completed"}), ProviderError::Malformed("an empty response")),
        ] {
            assert_eq!(read_complete(&body.to_string().into(), &head()).unwrap_err(), failure, "{body}");
        }
    }

    #[test]
    fn a_stream_is_passed_on_and_its_end_waits() {
        let mut parser = StreamParser::new(head());
        let created = parser.event(event("response.created", json!({"response": {"id": "resp_theirs"}}))).unwrap();
        let text = String::from_utf8(created.bytes.to_vec()).unwrap();
        assert!(text.contains("resp_ours") && !text.contains("theirs") && !created.content, "{text}");
        assert!(text.contains("\"sequence_number\":5"), "{text}");
        let delta = event("response.output_text.delta", json!({"delta": "hé", "item_id": "msg_theirs"}));
        let passed = parser.event(delta.clone()).unwrap();
        assert!(passed.bytes == delta && passed.content && parser.output_bytes == 3);
        let end = json!({"response": {"id": "resp_theirs", "status": "completed", "output": [],
            "usage": {"input_tokens": 3, "output_tokens": 2}}});
        assert!(parser.event(event("response.completed", end)).unwrap().bytes.is_empty() && parser.done);
        assert_eq!(parser.usage.map(|usage| (usage.input, usage.output)), Some((3, 2)));
        let response = parser.close(&TokenUsage::default()).unwrap();
        let last = parser.completed(&response);
        assert!(last.starts_with("event: response.completed\n") && last.contains("\"sequence_number\":5"), "{last}");
        for name in ["error", "response.failed"] {
            assert!(StreamParser::new(head()).event(event(name, json!({}))).is_err(), "{name}");
        }
    }
}
