//! A Responses API request, and its conversion to a chat.
//!
//! Invariants: `docs/inference.md` names everything that is refused or left out here;
//! unknown members are passed on to the provider.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::items::{Conversation, conversation};
use super::tools::{response_format, tools};
use crate::error::GatewayError;
use crate::invalid::invalid;
use crate::json_body::{read_flag, read_object};
use crate::json_text::text_bytes_in;
use crate::limits::{INFERENCE_BODY_BYTES_MAX, RESPONSE_ID_BYTES_MAX};

/// Unsupported members, and the reason why each is refused.
const REFUSED: [(&str, &str); 7] = [
    ("conversation", "conversations are not stored here; continue with `previous_response_id`"),
    ("prompt", "prompts stored at a provider are not offered; send `instructions` and `input`"),
    ("context_management", "provider-side compaction is not offered; shorten `input` yourself"),
    ("moderation", "moderation together with a response is not offered"),
    ("background_options", "background responses are not offered; wait for the answer, or stream it"),
    ("access_programs", "access programs of the provider are not offered"),
    ("image", "image options are not offered"),
];

/// Members that a chat request names differently or does not have.
const NOT_IN_A_CHAT: [&str; 25] = [
    "background",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream_options",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "truncation",
    "messages",
    "max_tokens",
    "max_completion_tokens",
];

/// A client's request to the Responses API.
#[derive(Debug)]
pub(crate) struct ResponsesRequest {
    /// All members as the client sent them.
    pub(crate) members: Map<String, Value>,
    /// The request's own input items; a plain text is converted to a message.
    pub(crate) input: Vec<Value>,
    /// The id of the response that the request continues.
    pub(crate) previous: Option<String>,
    /// The client's `store` member; `None` means true.
    pub(crate) store: Option<bool>,
}

/// A Responses API request converted to a chat request.
#[derive(Debug)]
pub(crate) struct ChatForm {
    /// Members of the chat request.
    pub(crate) members: Map<String, Value>,
    /// The reason why only a provider with the Responses API can answer the request;
    /// `None` if any provider can.
    pub(crate) native_only: Option<String>,
    /// Bytes of content that providers with the Responses API read but the chat format
    /// cannot express.
    pub(crate) unconverted_bytes: usize,
}

impl ResponsesRequest {
    /// Parses a request and refuses unsupported features.
    pub(crate) fn read(body: &Bytes) -> Result<Self, GatewayError> {
        let members = read_object(body)?;
        let request = Self {
            input: input_of(&members)?,
            previous: previous_of(&members)?,
            store: read_flag(members.get("store"), "store")?,
            members,
        };
        request.check()?;
        Ok(request)
    }

    /// Returns whether the client allows storing the answer.
    pub(crate) fn allows_storing(&self) -> bool {
        self.store != Some(false)
    }

    fn check(&self) -> Result<(), GatewayError> {
        let set = |name: &str| self.members.get(name).filter(|value| !value.is_null());
        if let Some((name, why)) = REFUSED.iter().find(|(name, _)| set(name).is_some()) {
            return Err(invalid(&format!("/{name}"), format!("{name}: {why}")));
        }
        if read_flag(self.members.get("background"), "background")? == Some(true) {
            let why = "background: background responses are not offered; wait for the answer, or stream it";
            return Err(invalid("/background", why));
        }
        read_flag(self.members.get("stream"), "stream")?;
        read_flag(self.members.get("parallel_tool_calls"), "parallel_tool_calls")?;
        if set("service_tier").is_some_and(|tier| !["auto", "default"].map(Value::from).contains(tier)) {
            let why = "service_tier: only `auto` and `default` are offered; the others have separate prices";
            return Err(invalid("/service_tier", why));
        }
        if set("n").is_some_and(|number| number != &json!(1)) {
            return Err(invalid("/n", "n: a response has exactly one answer; send several requests"));
        }
        if set("max_output_tokens").is_some_and(|limit| limit.as_u64().is_none_or(|limit| limit == 0)) {
            return Err(invalid("/max_output_tokens", "max_output_tokens must be a whole number above 0"));
        }
        for (name, what) in
            [("instructions", "a string"), ("metadata", "an object"), ("reasoning", "an object"), ("text", "an object")]
        {
            if set(name)
                .is_some_and(|value| if name == "instructions" { !value.is_string() } else { !value.is_object() })
            {
                return Err(invalid(&format!("/{name}"), format!("{name} must be {what}")));
            }
        }
        for (number, item) in self.input.iter().enumerate() {
            check_files(item, number)?;
        }
        Ok(())
    }

    /// Converts the request to a chat. `items` contains the earlier conversation and,
    /// from index `own` on, the request's own input.
    pub(crate) fn chat(&self, items: &[Value], own: usize) -> Result<ChatForm, GatewayError> {
        let instructions = self.members.get("instructions").and_then(Value::as_str);
        let Conversation { messages, mut native_only, unconverted_bytes } = conversation(instructions, items, own)?;
        if messages.iter().all(|message| message.get("role") == Some(&json!("system"))) && native_only.is_none() {
            return Err(invalid(
                "/input",
                "input must be a string, or a list with at least one item besides instructions",
            ));
        }
        let passed = self.members.iter().filter(|(name, _)| !NOT_IN_A_CHAT.contains(&name.as_str()));
        let mut chat: Map<String, Value> = passed.map(|(name, value)| (name.clone(), value.clone())).collect();
        chat.insert("messages".to_owned(), messages.into());
        let tools = tools(&self.members)?;
        native_only = native_only.or(tools.native_only);
        if !tools.list.is_empty() {
            chat.insert("tools".to_owned(), tools.list.into());
            chat.extend(tools.choice.map(|choice| ("tool_choice".to_owned(), choice)));
            let parallel = self.members.get("parallel_tool_calls").filter(|flag| !flag.is_null());
            chat.extend(parallel.map(|flag| ("parallel_tool_calls".to_owned(), flag.clone())));
        }
        chat.extend(response_format(&self.members)?.map(|format| ("response_format".to_owned(), format)));
        let limit = self.members.get("max_output_tokens").filter(|limit| !limit.is_null());
        chat.extend(limit.map(|limit| ("max_tokens".to_owned(), limit.clone())));
        let effort = self.members.get("reasoning").and_then(|reasoning| reasoning.get("effort"));
        chat.extend(
            effort.filter(|effort| effort.is_string()).map(|effort| ("reasoning_effort".to_owned(), effort.clone())),
        );
        self.log_probabilities(&mut chat);
        if self.members.get("stream") == Some(&Value::Bool(true)) {
            // A response's last event reports the usage, so the provider must report it,
            // too.
            chat.insert("stream_options".to_owned(), json!({ "include_usage": true }));
        }
        Ok(ChatForm { members: chat, native_only, unconverted_bytes })
    }

    fn log_probabilities(&self, chat: &mut Map<String, Value>) {
        let wanted = self.members.get("include").and_then(Value::as_array).into_iter().flatten();
        if wanted.filter_map(Value::as_str).any(|one| one == "message.output_text.logprobs") {
            chat.insert("logprobs".to_owned(), true.into());
            let top = self.members.get("top_logprobs").filter(|top| !top.is_null());
            chat.extend(top.map(|top| ("top_logprobs".to_owned(), top.clone())));
        }
    }
}

/// Returns the input as a list of items.
fn input_of(members: &Map<String, Value>) -> Result<Vec<Value>, GatewayError> {
    match members.get("input") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => {
            let part = json!({ "type": "input_text", "text": text });
            Ok(vec![json!({ "type": "message", "role": "user", "content": [part] })])
        }
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(_) => Err(invalid("/input", "input must be a string or a list of items")),
    }
}

fn previous_of(members: &Map<String, Value>) -> Result<Option<String>, GatewayError> {
    match members.get("previous_response_id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) if (1..=RESPONSE_ID_BYTES_MAX).contains(&id.len()) => Ok(Some(id.clone())),
        Some(_) => Err(invalid("/previous_response_id", "previous_response_id must be the id of a response")),
    }
}

/// Refuses files given by id or URL. File ids belong to the operator's account at the
/// provider, where another customer's files may be stored; the cost of a file behind a
/// URL is not known in advance.
fn check_files(item: &Value, number: usize) -> Result<(), GatewayError> {
    let part_kinds = ["input_image", "input_file", "computer_screenshot"];
    let is_file = item.get("type").and_then(Value::as_str).is_some_and(|kind| part_kinds.contains(&kind));
    for (name, why) in [
        ("file_id", "files are not stored here; send the file itself, as a data: URL"),
        ("file_url", "the cost of a file behind a URL cannot be known in advance; send it in `file_data`"),
    ] {
        if is_file && item.get(name).is_some_and(|value| !value.is_null()) {
            return Err(invalid(&format!("/input/{number}"), format!("input[{number}]: {name}: {why}")));
        }
    }
    match item {
        Value::Array(items) => items.iter().try_for_each(|item| check_files(item, number)),
        Value::Object(members) => members.values().try_for_each(|member| check_files(member, number)),
        _ => Ok(()),
    }
}

/// Returns whether a request, including the responses that it continues, exceeds the
/// maximum size.
pub(crate) fn is_too_long(items: &[Value]) -> bool {
    items.iter().map(text_bytes_in).sum::<usize>() > INFERENCE_BODY_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<ResponsesRequest, GatewayError> {
        ResponsesRequest::read(&Bytes::from(body.to_string()))
    }

    fn chat(body: Value) -> Result<Value, GatewayError> {
        let request = read(body)?;
        Ok(request.chat(&request.input, 0)?.members.into())
    }

    #[test]
    fn a_request_becomes_a_chat() {
        let tool = json!({"type": "function", "name": "get", "parameters": {"type": "object"}, "strict": false});
        let body = json!({
            "model": "m", "instructions": "be brief", "input": "hello", "stream": true, "max_output_tokens": 20,
            "temperature": 0.5, "top_p": 0.9, "user": "u", "metadata": {"a": "b"}, "store": false,
            "reasoning": {"effort": "low", "summary": "auto"}, "tools": [tool], "tool_choice": "auto",
            "parallel_tool_calls": false, "truncation": "disabled", "top_k": 3, "max_cost_gbp": "0.01",
            "include": ["message.output_text.logprobs"], "top_logprobs": 2, "service_tier": "auto",
            "text": {"format": {"type": "json_object"}, "verbosity": "low"},
        });
        let nested = json!({"type": "function",
            "function": {"name": "get", "parameters": {"type": "object"}, "strict": false}});
        assert_eq!(
            chat(body).unwrap(),
            json!({
                "model": "m", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 20,
                "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}],
                "temperature": 0.5, "top_p": 0.9, "user": "u", "reasoning_effort": "low", "tools": [nested],
                "tool_choice": "auto", "parallel_tool_calls": false, "top_k": 3, "max_cost_gbp": "0.01",
                "logprobs": true, "top_logprobs": 2, "response_format": {"type": "json_object"},
            })
        );
    }

    #[test]
    fn unsupported_parameters_are_refused_by_name() {
        for (member, value) in [
            ("background", json!(true)),
            ("conversation", json!("conv_1")),
            ("prompt", json!({"id": "p"})),
            ("context_management", json!([{"type": "compaction"}])),
            ("service_tier", json!("priority")),
            ("n", json!(2)),
            ("max_output_tokens", json!(0)),
            ("store", json!("yes")),
            ("stream", json!(1)),
            ("instructions", json!([])),
            ("previous_response_id", json!("")),
            ("input", json!(7)),
        ] {
            let mut body = json!({"model": "m", "input": "x"});
            body[member] = value;
            match read(body) {
                Err(GatewayError::Invalid { field, message }) => {
                    assert_eq!(field, format!("/{member}"));
                    assert!(message.starts_with(member), "{message}");
                }
                other => panic!("{member}: {other:?}"),
            }
        }
        for input in [json!([]), json!(null), json!([{"role": "developer", "content": "x"}])] {
            assert!(matches!(chat(json!({"model": "m", "input": input})),
                Err(GatewayError::Invalid { field, .. }) if field == "/input"));
        }
    }

    #[test]
    fn files_of_others_are_out_of_reach() {
        for part in [
            json!({"type": "input_file", "file_id": "file_1"}),
            json!({"type": "input_image", "file_id": "file_1"}),
            json!({"type": "input_file", "file_url": "https://example.com/a.pdf"}),
        ] {
            for item in [
                json!({"role": "user", "content": [part.clone()]}),
                json!({"type": "function_call_output", "call_id": "c", "output": [part.clone()]}),
            ] {
                assert!(matches!(read(json!({"model": "m", "input": [item]})),
                    Err(GatewayError::Invalid { field, .. }) if field == "/input/0"));
            }
        }
    }
}
