//! OpenAI's legacy completions: a prompt, and a text that continues it.
//!
//! No provider gets requests in this format: the prompt becomes a user message. Members
//! that only non-chat models could support are refused by name.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::error::GatewayError;
use crate::invalid::invalid;
use crate::json_body::read_object;

/// Maximum number of tokens of an answer if the client sets no limit; OpenAI has the same
/// default.
const DEFAULT_MAX_TOKENS: u64 = 16;

/// Unsupported members, refused unless their value disables them.
const REFUSED: [(&str, &str); 4] = [
    ("suffix", "insertion is not supported; ask for it in the prompt"),
    ("echo", "the prompt is not repeated; put it before the answer yourself"),
    ("best_of", "`best_of` is not supported; use `n`"),
    ("logprobs", "log probabilities are supported for chats only"),
];

/// Returns the members of an equivalent chat request.
pub(crate) fn chat_members(body: &Bytes) -> Result<Map<String, Value>, GatewayError> {
    let mut members = read_object(body)?;
    for (name, why) in REFUSED {
        let value = members.remove(name).unwrap_or_default();
        let is_nothing = value.is_null() || value == json!(false) || value == json!(1) && name == "best_of";
        if !is_nothing {
            return Err(invalid(&format!("/{name}"), format!("{name}: {why}")));
        }
    }
    let prompt = match members.remove("prompt") {
        Some(Value::String(prompt)) => prompt,
        Some(Value::Array(mut prompts)) if prompts.len() == 1 && prompts.iter().all(Value::is_string) => {
            prompts.pop().and_then(|prompt| prompt.as_str().map(str::to_owned)).unwrap_or_default()
        }
        _ => return Err(invalid("/prompt", "prompt must be a single string; lists and tokens are not supported")),
    };
    members.insert("messages".to_owned(), json!([{ "role": "user", "content": prompt }]));
    if members.get("max_tokens").is_none_or(Value::is_null) {
        members.insert("max_tokens".to_owned(), DEFAULT_MAX_TOKENS.into());
    }
    Ok(members)
}

/// Converts a complete chat answer, or a chunk of one, to a legacy completion.
pub(crate) fn completion(chat: &Value) -> Value {
    let choices = chat.get("choices").and_then(Value::as_array).into_iter().flatten();
    let choices: Vec<Value> = choices.map(choice).collect();
    let mut completion = json!({ "object": "text_completion", "choices": choices });
    if let Some(members) = completion.as_object_mut() {
        for name in ["id", "created", "model", "usage"] {
            members.extend(chat.get(name).map(|value| (name.to_owned(), value.clone())));
        }
    }
    completion
}

fn choice(choice: &Value) -> Value {
    let said = choice.get("delta").or_else(|| choice.get("message"));
    let text = said.and_then(|said| said.get("content")).and_then(Value::as_str).unwrap_or_default();
    json!({
        "index": choice.get("index").and_then(Value::as_u64).unwrap_or(0),
        "text": text,
        "logprobs": null,
        "finish_reason": choice.get("finish_reason"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<Value, GatewayError> {
        chat_members(&Bytes::from(body.to_string())).map(Value::Object)
    }

    #[test]
    fn a_prompt_is_what_a_user_says() {
        let chat = json!({"model": "m", "max_tokens": 16, "messages": [{"role": "user", "content": "Once"}]});
        for prompt in [json!("Once"), json!(["Once"])] {
            let body = json!({"model": "m", "prompt": prompt, "echo": false, "suffix": null, "best_of": 1});
            assert_eq!(read(body).unwrap(), chat);
        }
        let body = json!({"model": "m", "prompt": "x", "max_tokens": 9, "stop": ["."], "seed": 1});
        let chat = read(body).unwrap();
        assert_eq!((&chat["max_tokens"], &chat["stop"], &chat["seed"]), (&json!(9), &json!(["."]), &json!(1)));
    }

    #[test]
    fn unsupported_parameters_are_refused_by_name() {
        for (member, value) in [
            ("prompt", json!(["a", "b"])),
            ("prompt", json!([1, 2])),
            ("prompt", json!(null)),
            ("echo", json!(true)),
            ("suffix", json!("end")),
            ("best_of", json!(3)),
            ("logprobs", json!(2)),
        ] {
            let mut body = json!({"model": "m", "prompt": "x"});
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
    fn answers_and_chunks_become_completions() {
        let whole = json!({"id": "c", "object": "chat.completion", "created": 7, "model": "m", "usage": {"total_tokens": 3},
            "choices": [{"index": 1, "message": {"role": "assistant", "content": "upon"}, "finish_reason": "length"}]});
        assert_eq!(
            completion(&whole),
            json!({"id": "c", "object": "text_completion", "created": 7, "model": "m", "usage": {"total_tokens": 3},
                "choices": [{"index": 1, "text": "upon", "logprobs": null, "finish_reason": "length"}]})
        );
        let chunk = json!({"id": "c", "choices": [{"delta": {"role": "assistant"}}]});
        assert_eq!(completion(&chunk)["choices"][0]["text"], "");
    }
}
