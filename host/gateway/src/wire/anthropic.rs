//! Converts a request in OpenAI's format to Anthropic's Messages format.
//!
//! Invariant: members of OpenAI's format without a counterpart are left out
//! (`docs/inference.md` lists them); members that neither format defines are passed on.

use serde_json::{Map, Value, json};

use crate::provider::ModelDeployment;
use crate::provider_error::ProviderError;
use crate::request::ModelRequest;

/// Maximum tokens of an answer if the client sets no limit, because Anthropic's format
/// requires one.
const DEFAULT_MAX_TOKENS: u64 = 4_096;
/// Name of the tool by which an answer is forced to satisfy a schema.
pub(crate) const ANSWER_TOOL: &str = "answer_in_json";

/// Members of OpenAI's format that are converted below or have no counterpart.
const OPENAI_MEMBERS: [&str; 33] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "response_format",
    "user",
    "temperature",
    "n",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "store",
    "metadata",
    "modalities",
    "audio",
    "prediction",
    "reasoning_effort",
    "verbosity",
    "service_tier",
    "web_search_options",
    "prompt_cache_key",
    "max_cost_gbp",
];

/// The part of Anthropic's answer that contains the text for the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerSource {
    /// The model's text.
    #[default]
    Text,
    /// The arguments with which the model calls the answer tool. The model must call this
    /// tool, so the answer satisfies the schema.
    Tool,
    /// The first JSON object in the model's text.
    Object,
}

impl AnswerSource {
    /// Returns the part that will contain the answer to a request. The answer tool is
    /// used only if the request has a schema and no tools of the client. Without a
    /// schema, the model would call the tool with an empty object; beside tools of the
    /// client, it cannot be forced to call a specific tool.
    pub(crate) fn of(request: &ModelRequest) -> Self {
        match (request.needs.json, schema(request.members.parsed())) {
            (false, _) => Self::Text,
            (true, Some(_)) if !request.needs.tools => Self::Tool,
            (true, _) => Self::Object,
        }
    }
}

/// Returns the schema that an answer must satisfy, if the request has one.
fn schema(members: &Map<String, Value>) -> Option<&Value> {
    members.get("response_format")?.get("json_schema")?.get("schema")
}

/// Returns the instruction that asks the model for a JSON object, because Anthropic's
/// format lacks `response_format`.
fn object_instruction(members: &Map<String, Value>) -> String {
    let only = "Answer with one JSON object and nothing else: no words before or after it, no Markdown.";
    match schema(members) {
        Some(schema) => format!("{only} It must fit this JSON Schema: {schema}"),
        None => only.to_owned(),
    }
}

/// Builds the request body for Anthropic.
pub(crate) fn request(request: &ModelRequest, deployment: &ModelDeployment) -> Result<Vec<u8>, ProviderError> {
    let members = request.members.parsed();
    let mut body = Map::new();
    for (name, value) in members.iter().filter(|(name, _)| !OPENAI_MEMBERS.contains(&name.as_str())) {
        body.insert(name.clone(), value.clone());
    }
    let (mut system, messages) = messages(members)?;
    if AnswerSource::of(request) == AnswerSource::Object {
        system.push_str(if system.is_empty() { "" } else { "\n\n" });
        system.push_str(&object_instruction(members));
    }
    body.insert("model".to_owned(), deployment.upstream.clone().into());
    body.insert("messages".to_owned(), messages.into());
    body.insert("stream".to_owned(), request.stream.into());
    let max_output = request
        .max_output_tokens
        .unwrap_or(deployment.max_output.unwrap_or(DEFAULT_MAX_TOKENS).min(DEFAULT_MAX_TOKENS));
    body.insert("max_tokens".to_owned(), max_output.into());
    if !system.is_empty() {
        body.insert("system".to_owned(), system.into());
    }
    if let Some(temperature) = members.get("temperature").and_then(Value::as_f64) {
        // Anthropic's temperature ends at 1, OpenAI's at 2.
        body.insert("temperature".to_owned(), temperature.min(1.0).into());
    }
    match members.get("stop") {
        Some(Value::String(stop)) => drop(body.insert("stop_sequences".to_owned(), json!([stop]))),
        Some(Value::Array(stops)) => drop(body.insert("stop_sequences".to_owned(), stops.clone().into())),
        _ => {}
    }
    if let Some(user) = members.get("user").and_then(Value::as_str) {
        body.insert("metadata".to_owned(), json!({ "user_id": user }));
    }
    tools(request, &mut body);
    serde_json::to_vec(&body).map_err(|_| ProviderError::Malformed("nothing, because no request was sent"))
}

fn tools(request: &ModelRequest, body: &mut Map<String, Value>) {
    let members = request.members.parsed();
    if let (AnswerSource::Tool, Some(schema)) = (AnswerSource::of(request), schema(members)) {
        body.insert(
            "tools".to_owned(),
            json!([{ "name": ANSWER_TOOL, "description": "Gives the answer.", "input_schema": schema }]),
        );
        body.insert("tool_choice".to_owned(), json!({ "type": "tool", "name": ANSWER_TOOL }));
        return;
    }
    let Some(list) = members.get("tools").and_then(Value::as_array).filter(|list| !list.is_empty()) else { return };
    let translated = list.iter().map(|tool| match tool.get("function") {
        Some(function) => {
            let mut made = Map::new();
            for name in ["name", "description"] {
                made.extend(function.get(name).map(|value| (name.to_owned(), value.clone())));
            }
            let schema = function.get("parameters").cloned();
            made.insert("input_schema".to_owned(), schema.unwrap_or_else(|| json!({ "type": "object" })));
            Value::Object(made)
        }
        // The tool is already in Anthropic's format, for example one that Anthropic runs.
        None => tool.clone(),
    });
    body.insert("tools".to_owned(), translated.collect());
    let named = |choice: &Value| Some(json!({ "type": "tool", "name": choice.get("function")?.get("name")? }));
    let mut choice = match members.get("tool_choice") {
        Some(Value::String(word)) if word == "required" => json!({ "type": "any" }),
        Some(Value::String(word)) if word == "none" => json!({ "type": "none" }),
        Some(choice @ Value::Object(_)) => named(choice).unwrap_or_else(|| json!({ "type": "auto" })),
        _ => json!({ "type": "auto" }),
    };
    if members.get("parallel_tool_calls") == Some(&Value::Bool(false))
        && choice.get("type") != Some(&json!("none"))
        && let Some(choice) = choice.as_object_mut()
    {
        choice.insert("disable_parallel_tool_use".to_owned(), true.into());
    }
    body.insert("tool_choice".to_owned(), choice);
}

/// Returns the system prompt, and the messages, with consecutive messages of one role
/// joined.
fn messages(members: &Map<String, Value>) -> Result<(String, Vec<Value>), ProviderError> {
    let mut system: Vec<String> = Vec::new();
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in members.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let (role, blocks) = match message.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => {
                system.push(plain_text(message.get("content")));
                continue;
            }
            Some("assistant") => ("assistant", assistant(message)?),
            Some("tool" | "function") => ("user", vec![tool_result(message)?]),
            Some("user") => ("user", content(message.get("content"))?),
            _ => {
                return Err(invalid_request(
                    "the role of a message must be system, developer, user, assistant or tool",
                ));
            }
        };
        match turns.last_mut() {
            // Anthropic's format requires alternating roles, so several tool results are
            // joined in one message.
            Some((last, joined)) if *last == role => joined.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let turns = turns.into_iter().map(|(role, blocks)| json!({ "role": role, "content": blocks }));
    Ok((system.join("\n\n"), turns.collect()))
}

fn assistant(message: &Value) -> Result<Vec<Value>, ProviderError> {
    let mut blocks = content(message.get("content"))?;
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let function = call.get("function");
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let name = text(function.and_then(|function| function.get("name")));
        let arguments = text(function.and_then(|function| function.get("arguments"))).unwrap_or_default();
        let arguments = if arguments.trim().is_empty() { "{}" } else { &arguments };
        let input: Value = serde_json::from_str(arguments)
            .map_err(|_| invalid_request("the arguments of a tool call are not JSON"))?;
        let (Some(id), Some(name)) = (text(call.get("id")), name) else {
            return Err(invalid_request("a tool call needs an id and the name of a function"));
        };
        blocks.push(json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
    }
    Ok(blocks)
}

fn tool_result(message: &Value) -> Result<Value, ProviderError> {
    let id = message.get("tool_call_id").and_then(Value::as_str);
    let id = id.ok_or_else(|| invalid_request("a message of role tool needs a tool_call_id"))?;
    Ok(json!({ "type": "tool_result", "tool_use_id": id, "content": plain_text(message.get("content")) }))
}

fn content(content: Option<&Value>) -> Result<Vec<Value>, ProviderError> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![json!({ "type": "text", "text": text })]),
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        Some(_) => Err(invalid_request("the content of a message must be a string or a list of parts")),
    }
}

fn part(part: &Value) -> Result<Value, ProviderError> {
    match part.get("type").and_then(Value::as_str) {
        Some("text" | "refusal") => {
            let mut block = part.as_object().cloned().unwrap_or_default();
            let text = block.remove("refusal").or_else(|| block.remove("text")).unwrap_or_default();
            block.insert("type".to_owned(), "text".into());
            block.insert("text".to_owned(), text);
            Ok(Value::Object(block))
        }
        Some("image_url") => {
            let url = part.get("image_url").and_then(|image| image.get("url").or(Some(image))).and_then(Value::as_str);
            let url = url.ok_or_else(|| invalid_request("an image_url needs a url"))?;
            let source = match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
                Some((kind, data)) => json!({ "type": "base64", "media_type": kind, "data": data }),
                None => json!({ "type": "url", "url": url }),
            };
            Ok(json!({ "type": "image", "source": source }))
        }
        Some("input_audio") => Err(invalid_request("this model does not accept audio")),
        // The part is already in Anthropic's format, for example a document.
        Some(_) => Ok(part.clone()),
        None => Err(invalid_request("a part of a message needs a type")),
    }
}

fn plain_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn invalid_request(message: &str) -> ProviderError {
    ProviderError::InvalidRequest { status: 400, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::super::testing::claude;
    use super::*;

    fn translated(body: Value) -> Value {
        let read = ModelRequest::chat(&Bytes::from(body.to_string())).unwrap();
        serde_json::from_slice(&request(&read, &claude()).unwrap()).unwrap()
    }

    #[test]
    fn a_conversation_with_tools() {
        let body = translated(json!({
            "model": "m", "max_tokens": 50, "temperature": 1.5, "stop": "END", "user": "u1", "top_k": 4, "seed": 1,
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "developer", "content": [{"type": "text", "text": "and kind"}]},
                {"role": "user", "content": [{"type": "text", "text": "weather?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{\"at\":\"Rome\"}"}},
                    {"id": "c2", "type": "function", "function": {"name": "get", "arguments": ""}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
                {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "rain"}]},
                {"role": "user", "content": "thanks"}
            ],
            "tools": [{"type": "function", "function": {"name": "get", "description": "d",
                "parameters": {"type": "object", "properties": {}}}}],
            "tool_choice": {"type": "function", "function": {"name": "get"}}, "parallel_tool_calls": false
        }));
        assert_eq!(body["system"], "be brief\n\nand kind");
        assert_eq!(body["max_tokens"], 50);
        assert_eq!((&body["temperature"], &body["top_k"]), (&json!(1.0), &json!(4)));
        assert_eq!(body["stop_sequences"], json!(["END"]));
        assert_eq!(body["metadata"], json!({"user_id": "u1"}));
        assert!(body.get("seed").is_none() && body.get("user").is_none());
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 3, "{body}");
        assert_eq!(
            messages[0]["content"][1]["source"],
            json!({"type": "base64", "media_type": "image/png", "data": "AAAA"})
        );
        assert_eq!(messages[0]["content"][2]["source"]["type"], "url");
        assert_eq!(
            messages[1]["content"][0],
            json!({"type": "tool_use", "id": "c1", "name": "get", "input": {"at": "Rome"}})
        );
        assert_eq!(messages[1]["content"][1]["input"], json!({}));
        let results = messages[2]["content"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        assert_eq!(results[1], json!({"type": "tool_result", "tool_use_id": "c2", "content": "rain"}));
        assert_eq!(body["tools"][0]["input_schema"], json!({"type": "object", "properties": {}}));
        assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "get", "disable_parallel_tool_use": true}));
    }

    #[test]
    fn json_mode_is_a_tool_and_the_limit_has_a_default() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let body = translated(json!({
            "model": "m", "messages": [{"role": "user", "content": "x"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
        }));
        assert_eq!(body["tools"][0]["input_schema"], schema);
        assert_eq!(body["tool_choice"]["name"], ANSWER_TOOL);
        assert_eq!(body["max_tokens"], DEFAULT_MAX_TOKENS);
        assert!(body.get("response_format").is_none() && body.get("system").is_none());
    }

    #[test]
    fn an_object_without_a_schema_is_asked_for_in_words() {
        let ask = |more: Value| {
            let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "x"}],
                "response_format": {"type": "json_object"}});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            translated(body)
        };
        let body = ask(json!({}));
        assert!(body["system"].as_str().unwrap().contains("one JSON object"), "{body}");
        assert!(body.get("tools").is_none() && body.get("tool_choice").is_none(), "{body}");
        // Because the client has tools, the answer tool cannot be forced.
        let body = ask(json!({
            "tools": [{"type": "function", "function": {"name": "get"}}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"required": ["a"]}}},
        }));
        assert!(body["system"].as_str().unwrap().ends_with("{\"required\":[\"a\"]}"), "{body}");
        assert_eq!((&body["tools"][0]["name"], &body["tool_choice"]["type"]), (&json!("get"), &json!("auto")));
    }

    #[test]
    fn untranslatable_requests_are_client_errors() {
        for message in [
            json!({"role": "tool", "content": "x"}),
            json!({"role": "alien", "content": "x"}),
            json!({"role": "user", "content": 7}),
            json!({"role": "user", "content": [{"text": "x"}]}),
            json!({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{"}}]}),
        ] {
            let body = json!({"model": "m", "messages": [message]}).to_string();
            let read = ModelRequest::chat(&Bytes::from(body.clone())).unwrap();
            assert!(request(&read, &claude()).unwrap_err().is_final(), "{body}");
        }
    }
}
