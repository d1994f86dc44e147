//! A Messages API request, and its conversion to a chat.
//!
//! Invariants: `docs/inference.md` names everything that is refused or left out here;
//! unknown members are passed on to the provider.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::content::{Conversation, conversation};
use super::tools::tools;
use crate::error::GatewayError;
use crate::invalid::invalid;
use crate::json_body::read_object;
use crate::json_text::text_bytes_in;

/// Unsupported members, and the reason why each is refused.
const REFUSED: [(&str, &str); 6] = [
    ("container", "provider-side containers are not offered; run tools yourself"),
    ("context_management", "provider-side context editing is not offered; shorten `messages` yourself"),
    ("fallbacks", "fallbacks are not offered, because the server chooses the provider; request another `model`"),
    ("inference_geo", "choosing a region is not offered, because regions have separate prices"),
    ("mcp_servers", "provider-side connectors are not offered; call the MCP server yourself and send its result"),
    ("speed", "choosing a speed is not offered, because speeds have separate prices"),
];

/// Members that a chat request names differently or does not have.
const NOT_IN_A_CHAT: [&str; 13] = [
    "cache_control",
    "max_tokens",
    "messages",
    "metadata",
    "output_config",
    "output_format",
    "service_tier",
    "stop_sequences",
    "system",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
];

/// The members that Anthropic accepts in a token-count request.
const COUNTED: [&str; 9] = [
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "output_format",
    "cache_control",
    "model",
];

/// A client's request to the Messages API.
#[derive(Debug)]
pub(crate) struct MessagesRequest {
    /// All members as the client sent them.
    pub(crate) members: Map<String, Value>,
}

/// A Messages API request converted to a chat request.
#[derive(Debug)]
pub(crate) struct ChatForm {
    /// Members of the chat request.
    pub(crate) members: Map<String, Value>,
    /// The reason why only Anthropic can answer the request; `None` if any provider can.
    pub(crate) native_only: Option<String>,
    /// Bytes of content that Anthropic reads but the chat format cannot express.
    pub(crate) unconverted_bytes: usize,
}

impl MessagesRequest {
    /// Reads a request for a message.
    pub(crate) fn read(body: &Bytes) -> Result<Self, GatewayError> {
        let request = Self::read_to_count(body)?;
        match request.members.get("max_tokens").and_then(Value::as_u64) {
            Some(1..) => Ok(request),
            _ => Err(invalid("/max_tokens", "max_tokens must be a whole number above 0; this API requires it")),
        }
    }

    /// Reads a request whose tokens are to be counted; unlike a request for a message, it
    /// needs no `max_tokens`.
    pub(crate) fn read_to_count(body: &Bytes) -> Result<Self, GatewayError> {
        let members = read_object(body)?;
        let request = Self { members };
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Result<(), GatewayError> {
        let set = |name: &str| self.members.get(name).filter(|value| !value.is_null());
        if let Some((name, why)) = REFUSED.iter().find(|(name, _)| set(name).is_some()) {
            return Err(invalid(&format!("/{name}"), format!("{name}: {why}")));
        }
        if set("service_tier").is_some_and(|tier| !["auto", "standard_only"].map(Value::from).contains(tier)) {
            return Err(invalid("/service_tier", "service_tier: only `auto` and `standard_only` are offered"));
        }
        if set("stream").is_some_and(|stream| !stream.is_boolean()) {
            return Err(invalid("/stream", "stream must be true or false"));
        }
        for name in ["metadata", "thinking", "output_config", "tool_choice"] {
            if set(name).is_some_and(|value| !value.is_object()) {
                return Err(invalid(&format!("/{name}"), format!("{name} must be an object")));
            }
        }
        let sequences =
            set("stop_sequences").map(|value| value.as_array().filter(|list| list.iter().all(Value::is_string)));
        if sequences.is_some_and(|list| list.is_none()) {
            return Err(invalid("/stop_sequences", "stop_sequences must be a list of strings"));
        }
        Ok(())
    }

    /// Converts the request to a chat.
    pub(crate) fn chat(&self) -> Result<ChatForm, GatewayError> {
        let Conversation { messages, native_only, unconverted_bytes } = conversation(&self.members)?;
        let set = |name: &str| self.members.get(name).filter(|value| !value.is_null());
        let passed = self.members.iter().filter(|(name, _)| !NOT_IN_A_CHAT.contains(&name.as_str()));
        let mut chat: Map<String, Value> = passed.map(|(name, value)| (name.clone(), value.clone())).collect();
        chat.insert("messages".to_owned(), messages.into());
        chat.extend(set("max_tokens").map(|limit| ("max_tokens".to_owned(), limit.clone())));
        chat.extend(set("stop_sequences").map(|stops| ("stop".to_owned(), stops.clone())));
        let user = set("metadata").and_then(|metadata| metadata.get("user_id")).filter(|user| user.is_string());
        chat.extend(user.map(|user| ("user".to_owned(), user.clone())));
        let tools = tools(&self.members)?;
        if !tools.list.is_empty() {
            chat.insert("tools".to_owned(), tools.list.into());
            chat.extend(tools.choice);
        }
        let config =
            |name: &str| set("output_config").and_then(|config| config.get(name)).filter(|value| !value.is_null());
        chat.extend(config("effort").map(|effort| ("reasoning_effort".to_owned(), effort.clone())));
        let schema = config("format").or_else(|| set("output_format")).and_then(|format| format.get("schema"));
        chat.extend(schema.map(|schema| {
            let schema = json!({ "name": "answer", "schema": schema, "strict": true });
            ("response_format".to_owned(), json!({ "type": "json_schema", "json_schema": schema }))
        }));
        if set("stream") == Some(&Value::Bool(true)) {
            // A message's last events report the usage, so the provider must report it,
            // too.
            chat.insert("stream_options".to_owned(), json!({ "include_usage": true }));
        }
        Ok(ChatForm { members: chat, native_only: native_only.or(tools.native_only), unconverted_bytes })
    }

    /// Returns the number of bytes of the request's texts, which is an upper bound of
    /// their tokens.
    pub(crate) fn text_bytes(&self) -> usize {
        self.members.values().map(text_bytes_in).fold(0, usize::saturating_add)
    }

    /// Returns the members that Anthropic accepts in a token-count request.
    pub(crate) fn counted(&self) -> Map<String, Value> {
        let counted = self.members.iter().filter(|(name, _)| COUNTED.contains(&name.as_str()));
        counted.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<MessagesRequest, GatewayError> {
        MessagesRequest::read(&Bytes::from(body.to_string()))
    }

    #[test]
    fn a_request_becomes_a_chat() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        let body = json!({
            "model": "m", "max_tokens": 20, "system": "be brief", "stream": true, "temperature": 0.5, "top_p": 0.9,
            "top_k": 3, "stop_sequences": ["END"], "metadata": {"user_id": "u"}, "service_tier": "auto",
            "thinking": {"type": "enabled", "budget_tokens": 1024}, "max_cost_gbp": "0.01", "a_new_member": 1,
            "messages": [{"role": "user", "content": "hello"}],
            "tools": [{"name": "get", "description": "d", "input_schema": {"type": "object"},
                "cache_control": {"type": "ephemeral"}}],
            "tool_choice": {"type": "any", "disable_parallel_tool_use": true},
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": schema}},
        });
        assert_eq!(
            Value::Object(read(body).unwrap().chat().unwrap().members),
            json!({
                "model": "m", "max_tokens": 20, "stream": true, "stream_options": {"include_usage": true},
                "temperature": 0.5, "top_p": 0.9, "stop": ["END"], "user": "u", "max_cost_gbp": "0.01",
                "a_new_member": 1, "reasoning_effort": "low",
                "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}],
                "tools": [{"type": "function", "function": {"name": "get", "description": "d",
                    "parameters": {"type": "object"}}}],
                "tool_choice": "required", "parallel_tool_calls": false,
                "response_format": {"type": "json_schema",
                    "json_schema": {"name": "answer", "schema": schema, "strict": true}},
            })
        );
    }

    #[test]
    fn unsupported_parameters_are_refused_by_name() {
        for (member, value) in [
            ("max_tokens", json!(0)),
            ("max_tokens", json!(null)),
            ("mcp_servers", json!([{"type": "url"}])),
            ("container", json!("c")),
            ("speed", json!("fast")),
            ("service_tier", json!("priority")),
            ("stream", json!(1)),
            ("stop_sequences", json!("END")),
            ("thinking", json!(true)),
        ] {
            let mut body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]});
            body[member] = value;
            match read(body) {
                Err(GatewayError::Invalid { field, message }) => {
                    assert_eq!(field, format!("/{member}"));
                    assert!(message.starts_with(member), "{message}");
                }
                other => panic!("{member}: {other:?}"),
            }
        }
    }

    #[test]
    fn tokens_are_counted_of_what_the_model_reads() {
        let body = json!({"model": "m", "max_tokens": 9, "temperature": 1, "stream": true, "system": "s",
            "messages": [{"role": "user", "content": "x"}]});
        assert_eq!(
            Value::Object(read(body).unwrap().counted()),
            json!({"model": "m", "system": "s", "messages": [{"role": "user", "content": "x"}]})
        );
    }
}
