//! The members of a response that are known from its request.

use serde_json::{Map, Value, json};

use super::request::ResponsesRequest;
use crate::error::GatewayError;
use crate::ordered_id::ordered_id;
use crate::pricing::TokenUsage;

const PREFIX: &str = "resp_";
/// Number of hexadecimal digits after an id's prefix, as in OpenAI's API.
const ID_DIGITS: usize = 48;

/// Creates the id of a new response.
pub(crate) fn new_response_id(now_ms: u64) -> Result<String, GatewayError> {
    ordered_id(PREFIX, ID_DIGITS, now_ms).ok_or(GatewayError::NoRandomness)
}

/// The members of a response that are known before its answer.
#[derive(Clone, Debug)]
pub(crate) struct ResponseHead {
    pub(crate) id: String,
    previous: Option<String>,
    model: String,
    known: Map<String, Value>,
}

impl ResponseHead {
    /// Builds the head; `now_ms` is the time of the request.
    pub(crate) fn new(request: &ResponsesRequest, id: String, now_ms: u64) -> Self {
        let sent = |name: &str, default: Value| match request.members.get(name) {
            None | Some(Value::Null) => default,
            Some(value) => value.clone(),
        };
        let mut text = sent("text", json!({}));
        if let Some(text) = text.as_object_mut()
            && text.get("format").is_none_or(Value::is_null)
        {
            text.insert("format".to_owned(), json!({ "type": "text" }));
        }
        let reasoning = sent("reasoning", json!({ "effort": null, "summary": null }));
        let known = json!({
            "id": id,
            "object": "response",
            "created_at": now_ms / 1_000,
            "background": false,
            "instructions": sent("instructions", Value::Null),
            "max_output_tokens": sent("max_output_tokens", Value::Null),
            "max_tool_calls": sent("max_tool_calls", Value::Null),
            "metadata": sent("metadata", json!({})),
            "parallel_tool_calls": sent("parallel_tool_calls", true.into()),
            "previous_response_id": request.previous,
            "prompt_cache_key": sent("prompt_cache_key", Value::Null),
            "reasoning": reasoning,
            "safety_identifier": sent("safety_identifier", Value::Null),
            "service_tier": sent("service_tier", "default".into()),
            "temperature": sent("temperature", 1.0.into()),
            "text": text,
            "tool_choice": sent("tool_choice", "auto".into()),
            "tools": echoed_tools(sent("tools", json!([]))),
            "top_logprobs": sent("top_logprobs", 0.into()),
            "top_p": sent("top_p", 1.0.into()),
            "truncation": sent("truncation", "disabled".into()),
            "user": sent("user", Value::Null),
        });
        let known = if let Value::Object(known) = known { known } else { Map::new() };
        let model = request.members.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { id, previous: request.previous.clone(), model, known }
    }

    /// Returns the id of an output item, which is the same in all events of a response.
    pub(crate) fn item_id(&self, prefix: &str, number: usize) -> String {
        format!("{prefix}_{}{number:04x}", self.id.trim_start_matches(PREFIX))
    }

    /// Returns the response with its output; `reason` explains why the response is
    /// incomplete.
    pub(crate) fn response(&self, status: &str, model: &str, output: Vec<Value>, reason: Option<&str>) -> Value {
        let mut response = self.known.clone();
        let model = if model.is_empty() { &self.model } else { model };
        for (name, value) in [
            ("status", status.into()),
            ("model", model.into()),
            ("output", output.into()),
            ("error", Value::Null),
            ("incomplete_details", reason.map_or(Value::Null, |reason| json!({ "reason": reason }))),
            ("usage", Value::Null),
        ] {
            response.insert(name.to_owned(), value);
        }
        Value::Object(response)
    }

    /// Replaces two ids in a provider's response: its id becomes the id under which this
    /// server stores it, and `previous_response_id` the id that the client sent.
    pub(crate) fn claim(&self, response: &mut Value) {
        if let Some(members) = response.as_object_mut() {
            members.insert("id".to_owned(), self.id.clone().into());
            members.insert("previous_response_id".to_owned(), self.previous.clone().into());
            // `store` is added later, once it is known whether the response is stored.
            members.remove("store");
        }
    }
}

/// Adds to every function the members that OpenAI's types require.
fn echoed_tools(mut tools: Value) -> Value {
    let functions = tools.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
    for tool in functions.filter(|tool| tool.get("type") == Some(&json!("function"))) {
        for (name, default) in [("description", Value::Null), ("parameters", Value::Null), ("strict", false.into())] {
            tool.entry(name).or_insert(default);
        }
    }
    tools
}

/// Converts usage to the format of the Responses API.
pub(crate) fn usage_json(usage: &TokenUsage, reasoning_tokens: u64) -> Value {
    let mut members = json!({
        "input_tokens": usage.input,
        "input_tokens_details": { "cached_tokens": usage.cached, "cache_write_tokens": usage.cache_write },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": reasoning_tokens.min(usage.output) },
        "total_tokens": usage.input.saturating_add(usage.output),
    });
    if usage.estimated
        && let Some(members) = members.as_object_mut()
    {
        members.insert("usage_estimated".to_owned(), true.into());
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_the_order_of_time_and_fit_those_of_openai() {
        let (first, second) =
            (new_response_id(1_780_000_000_000).unwrap(), new_response_id(1_780_000_000_001).unwrap());
        assert!(first < second && first.len() == PREFIX.len() + ID_DIGITS, "{first} {second}");
        assert_ne!(first, new_response_id(1_780_000_000_000).unwrap());
    }

    #[test]
    fn a_response_says_what_was_asked() {
        let body = json!({"model": "m", "input": "x", "tools": [{"type": "function", "name": "f"}], "top_p": 0.5});
        let request = ResponsesRequest::read(&body.to_string().into()).unwrap();
        let head = ResponseHead::new(&request, "resp_00".to_owned(), 7_000);
        let response = head.response("in_progress", "", Vec::new(), None);
        assert_eq!(
            (&response["created_at"], &response["model"], &response["top_p"]),
            (&json!(7), &json!("m"), &json!(0.5))
        );
        assert_eq!(
            response["tools"][0],
            json!({"type": "function", "name": "f", "description": null,
            "parameters": null, "strict": false})
        );
        assert_eq!(response["text"], json!({"format": {"type": "text"}}));
        assert_eq!(head.item_id("msg", 3), "msg_000003");
        let mut theirs = json!({"id": "resp_theirs", "store": false, "previous_response_id": "x"});
        head.claim(&mut theirs);
        assert_eq!(theirs, json!({"id": "resp_00", "previous_response_id": null}));
    }
}
