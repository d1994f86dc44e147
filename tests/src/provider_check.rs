//! Detects requests that a real provider would refuse.

use serde_json::Value;

use crate::provider::{KEY, Request, Wire};
use crate::provider_media::{self, TRANSCRIPTIONS};
use crate::provider_responses;

/// Returns the reason for which a real provider would refuse a request; `None` if it
/// would not.
pub(crate) fn wrong_with(wire: Wire, request: &Request, body: &Value) -> Option<String> {
    if request.path == TRANSCRIPTIONS && wire == Wire::OpenAi {
        return provider_media::check_form(request.header("content-type"), &request.body);
    }
    if request.header("content-type") != Some("application/json") {
        return Some("the content type is not JSON".to_owned());
    }
    let Some(members) = body.as_object() else { return Some("the body is not an object".to_owned()) };
    if members.contains_key("max_cost_gbp") {
        return Some("Unrecognized request argument supplied: max_cost_gbp".to_owned());
    }
    match wire {
        Wire::Responses if request.header("authorization") == Some(&format!("Bearer {KEY}")) => {
            provider_responses::check(&request.path, body)
        }
        Wire::OpenAi | Wire::Responses => {
            if request.header("authorization") != Some(&format!("Bearer {KEY}")) {
                return Some("Incorrect API key provided".to_owned());
            }
            if body["stream"] == true && body["stream_options"]["include_usage"] != true {
                return Some("the test requires that streams request their usage".to_owned());
            }
            if request.path == "/v1/embeddings" && members.contains_key("encoding_format") {
                return Some("encoding_format: only numbers are known here".to_owned());
            }
            let known = ["chat/completions", "embeddings", "audio/speech", "images/generations"];
            let known = known.iter().any(|path| request.path == format!("/v1/{path}"));
            (!known).then(|| format!("Invalid URL (POST {})", request.path))
        }
        Wire::Anthropic => {
            if request.header("x-api-key") != Some(KEY) || request.header("anthropic-version") != Some("2023-06-01") {
                return Some("invalid x-api-key or anthropic-version".to_owned());
            }
            let known = [
                "model",
                "messages",
                "max_tokens",
                "system",
                "stream",
                "temperature",
                "top_p",
                "top_k",
                "tools",
                "tool_choice",
                "stop_sequences",
                "metadata",
                "thinking",
            ];
            if request.path == "/v1/messages/count_tokens" {
                let counted = ["model", "messages", "system", "tools", "tool_choice", "thinking"];
                let extra = members.keys().find(|name| !counted.contains(&name.as_str()));
                return extra.map(|extra| format!("{extra}: Extra inputs are not permitted"));
            }
            if let Some(extra) = members.keys().find(|name| !known.contains(&name.as_str())) {
                return Some(format!("{extra}: Extra inputs are not permitted"));
            }
            if body["max_tokens"].as_u64().is_none() {
                return Some("max_tokens: Field required".to_owned());
            }
            let roles: Vec<&str> = body["messages"].as_array()?.iter().filter_map(|one| one["role"].as_str()).collect();
            let turns = roles.windows(2).all(|pair| pair[0] != pair[1]);
            if !turns || roles.iter().any(|role| !["user", "assistant"].contains(role)) {
                return Some("messages: roles must alternate between user and assistant".to_owned());
            }
            (request.path != "/v1/messages").then(|| format!("not found: {}", request.path))
        }
    }
}
