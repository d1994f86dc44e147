//! The Responses API of the fake provider: its answers, complete or streamed, and its
//! request validation.

use serde_json::{Value, json};

/// Members that OpenAI's API accepts; it refuses any other.
const KNOWN: [&str; 21] = [
    "model",
    "input",
    "instructions",
    "include",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "user",
];

fn response(body: &Value, status: &str, output: Value, usage: Value) -> Value {
    json!({ "id": "resp_theirs", "object": "response", "created_at": 1_700_000_000, "status": status, "error": null,
        "incomplete_details": null, "instructions": body["instructions"], "metadata": body["metadata"].as_object().cloned().unwrap_or_default(), "model": body["model"],
        "output": output, "parallel_tool_calls": true, "temperature": 1.0, "tool_choice": "auto",
        "tools": body["tools"].as_array().cloned().unwrap_or_default(), "top_p": 1.0, "store": false, "usage": usage,
        "previous_response_id": null, "a_new_member": true })
}

fn item(body: &Value, text: &str) -> Value {
    match body["tools"][0]["name"].as_str() {
        Some(name) => json!({ "type": "function_call", "id": "fc_theirs", "status": "completed", "call_id": "call_1",
            "name": name, "arguments": "{\"place\":\"Rome\"}" }),
        None => json!({ "type": "message", "id": "msg_theirs", "status": "completed", "role": "assistant",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }] }),
    }
}

fn thoughts() -> Value {
    json!({ "type": "reasoning", "id": "rs_theirs", "summary": [], "encrypted_content": "gAAAAB" })
}

fn output(body: &Value, text: &str) -> Value {
    let asked = body["include"].as_array().is_some_and(|all| all.contains(&json!("reasoning.encrypted_content")));
    if asked { json!([thoughts(), item(body, text)]) } else { json!([item(body, text)]) }
}

/// Builds the usage of an answer from its input and output tokens.
pub(crate) fn usage((input, output): (u64, u64)) -> Value {
    json!({ "input_tokens": input, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": input + output })
}

/// Builds a whole answer.
pub(crate) fn whole(body: &Value, text: &str, usage: Value) -> Value {
    response(body, "completed", output(body, text), usage)
}

/// Builds the events of a stream in three parts: those before the first content, those
/// with content, those after it.
pub(crate) fn events(body: &Value, text: &str, usage: Value) -> [Vec<String>; 3] {
    let mut number = 0;
    let mut event = |name: &str, mut members: Value| {
        members["type"] = name.into();
        members["sequence_number"] = number.into();
        number += 1;
        format!("event: {name}\ndata: {members}\n\n")
    };
    let started = response(body, "in_progress", json!([]), Value::Null);
    let place = json!({ "item_id": "msg_theirs", "output_index": 0, "content_index": 0 });
    let with = |name: &str, value: Value| {
        let mut members = place.clone();
        members[name] = value;
        members
    };
    let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
    let begin = vec![
        event("response.created", json!({ "response": started })),
        event("response.in_progress", json!({ "response": started })),
        event(
            "response.output_item.added",
            json!({ "output_index": 0, "item": { "type": "message", "id": "msg_theirs",
            "status": "in_progress", "role": "assistant", "content": [] } }),
        ),
        event("response.content_part.added", with("part", part(""))),
    ];
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let middle = words.iter().map(|word| event("response.output_text.delta", with("delta", (*word).into()))).collect();
    let end = vec![
        event("response.output_text.done", with("text", text.into())),
        event("response.content_part.done", with("part", part(text))),
        event("response.output_item.done", json!({ "output_index": 0, "item": item(&json!({}), text) })),
        event("response.completed", json!({ "response": whole(&json!({ "model": body["model"] }), text, usage) })),
    ];
    [begin, middle, end]
}

/// Returns the violation in a request, if any: either a real provider would refuse it, or
/// Tollbridge must never send it.
pub(crate) fn check(path: &str, body: &Value) -> Option<String> {
    if path != "/v1/responses" {
        return Some(format!("the request must use the Responses API, not POST {path}"));
    }
    if let Some(extra) = body.as_object()?.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Some(format!("Unknown parameter: '{extra}'."));
    }
    if body["store"] != false {
        return Some("`store` must be false in these tests".to_owned());
    }
    let Some(items) = body["input"].as_array() else { return Some("`input` must be a list of items".to_owned()) };
    let mut calls = Vec::new();
    for item in items {
        match item["type"].as_str().unwrap_or("message") {
            "item_reference" => return Some("Item not found: items are not persisted".to_owned()),
            "reasoning" if item["encrypted_content"].is_null() => return Some("Item 'rs' not found.".to_owned()),
            "function_call" => calls.push(item["call_id"].clone()),
            "function_call_output" if !calls.contains(&item["call_id"]) => {
                return Some("No tool call found for function call output".to_owned());
            }
            _ if item["id"].as_str().is_some_and(|id| id.starts_with("msg_")) => {
                return Some("messages must be sent without their ids".to_owned());
            }
            _ => {}
        }
    }
    None
}
