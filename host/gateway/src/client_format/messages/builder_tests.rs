//! Compares messages and their events with recorded ones: each file of `builder_cases`
//! has the expected events for the chunks in the folder of the same name in
//! `responses/builder_cases`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::builder::{MessageBuilder, MessageHead, message_from_chat};
use super::events::{error_event, stop_event};
use crate::pricing::TokenUsage;

const USED: TokenUsage =
    TokenUsage { input: 11, output: 7, cached: 3, cache_write: 0, cache_write_hour: 0, estimated: false };

/// Returns the data of each event of a stream.
fn data_of(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// Returns all events of a stream; the comment `: breaks` in `text` makes the stream
/// break off.
fn events(text: &str) -> (String, Option<Value>) {
    let mut builder = MessageBuilder::new(MessageHead::named("msg_0a0b"));
    data_of(text).iter().for_each(|chunk| builder.push(chunk));
    let text_of = |bytes: bytes::Bytes| String::from_utf8(bytes.to_vec()).unwrap();
    if text.contains(": breaks") {
        let error = error_event("the provider closed the connection; this answer is not whole", "E005");
        return (builder.take_events() + &text_of(error), None);
    }
    let message = builder.close(&USED);
    (builder.take_events() + &text_of(stop_event()), Some(message))
}

/// Returns the folders with chunks, and the paths of the files with the expected events.
fn cases() -> Vec<(PathBuf, PathBuf)> {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/client_format");
    let chats = std::fs::read_dir(formats.join("responses/builder_cases")).unwrap();
    let mut cases: Vec<(PathBuf, PathBuf)> = chats
        .map(|chat| {
            let chat = chat.unwrap();
            let events = formats.join("messages/builder_cases").join(chat.file_name()).with_extension("txt");
            (chat.path().join("chat.txt"), events)
        })
        .collect();
    cases.sort();
    assert!(cases.len() >= 8, "{cases:?}");
    cases
}

/// Set `RENEW_CASES=1` to write the actual events, and review the diff.
#[test]
fn recorded_streams_become_the_recorded_events() {
    for (chat, expected) in cases() {
        let (found, _) = events(&std::fs::read_to_string(chat).unwrap());
        if std::env::var_os("RENEW_CASES").is_some() {
            std::fs::create_dir_all(expected.parent().unwrap()).unwrap();
            std::fs::write(&expected, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(&expected).unwrap(), "{}", expected.display());
    }
}

/// Checks the guarantees that clients rely on for every stream.
#[test]
fn one_block_is_open_at_a_time() {
    for (chat, name) in cases() {
        let (text, message) = events(&std::fs::read_to_string(chat).unwrap());
        let (mut open, mut closed) = (None, 0);
        let sent = data_of(&text);
        assert_eq!(sent[0]["type"], "message_start", "{}", name.display());
        for event in &sent {
            match event["type"].as_str().unwrap() {
                "content_block_start" => {
                    assert!(open.is_none() && event["index"] == closed, "{}: {event}", name.display());
                    open = Some(closed);
                }
                "content_block_delta" => assert_eq!(event["index"].as_u64(), open, "{}: {event}", name.display()),
                "content_block_stop" => {
                    assert_eq!(event["index"].as_u64(), open.take(), "{}: {event}", name.display());
                    closed += 1;
                }
                _ => {}
            }
        }
        if message.is_some() {
            assert_eq!(sent.last().unwrap()["type"], "message_stop");
            assert!(open.is_none() && sent[sent.len() - 2]["delta"]["stop_reason"].is_string(), "{}", name.display());
        }
    }
}

#[test]
fn a_whole_answer_and_its_stream_are_the_same_message() {
    let completion = json!({"model": "up/small", "choices": [{"finish_reason": "tool_calls", "message": {
        "content": "Let me see.", "reasoning_content": "hm", "tool_calls": [
            {"id": "c1", "function": {"name": "get", "arguments": "{\"at\":\"Rome\"}"}},
            {"id": "c2", "function": {"name": "put", "arguments": ""}}]}}]});
    let message = message_from_chat(&completion, MessageHead::named("msg_0a0b"), &USED);
    assert_eq!(
        message,
        json!({"id": "msg_0a0b", "type": "message", "role": "assistant", "model": "up/small",
            "stop_reason": "tool_use", "stop_sequence": null, "content": [
                {"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "c1", "name": "get", "input": {"at": "Rome"}},
                {"type": "tool_use", "id": "c2", "name": "put", "input": {}}],
            "usage": {"input_tokens": 8, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 3,
                "output_tokens": 7}})
    );
    let chunk = |delta: Value, finish: Value| {
        format!("data: {}\n\n", json!({"model": "up/small", "choices": [{"delta": delta, "finish_reason": finish}]}))
    };
    let call = |index: u64, id: Value, name: Value, arguments: &str| {
        let call = json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
        chunk(json!({ "tool_calls": [call] }), Value::Null)
    };
    let stream = [
        chunk(json!({"reasoning_content": "h"}), Value::Null),
        chunk(json!({"reasoning_content": "m"}), Value::Null),
        chunk(json!({"content": "Let me"}), Value::Null),
        chunk(json!({"content": " see."}), Value::Null),
        call(0, "c1".into(), "get".into(), "{"),
        call(1, "c2".into(), "put".into(), ""),
        call(0, Value::Null, Value::Null, "\"at\":\"Rome\"}"),
        chunk(json!({}), "tool_calls".into()),
    ];
    assert_eq!(events(&stream.concat()).1.unwrap(), message);
}

#[test]
fn an_answer_says_why_it_stopped() {
    for (message, finish, reason) in [
        (json!({"content": "half"}), "length", "max_tokens"),
        (json!({"content": "no"}), "content_filter", "refusal"),
        (json!({"refusal": "no"}), "stop", "refusal"),
        (json!({"content": "yes"}), "stop", "end_turn"),
        (json!({"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}), "stop", "tool_use"),
    ] {
        let completion = json!({"choices": [{"message": message, "finish_reason": finish}]});
        let message = message_from_chat(&completion, MessageHead::named("msg_0"), &USED);
        assert_eq!(message["stop_reason"], reason, "{message}");
    }
    // Clients must not act on a call whose arguments were cut off.
    let cut = json!({"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{\"a\":"}}]});
    let completion = json!({"choices": [{"message": cut, "finish_reason": "length"}]});
    let message = message_from_chat(&completion, MessageHead::named("msg_0"), &USED);
    assert_eq!((&message["content"], &message["stop_reason"]), (&json!([]), &json!("max_tokens")));
}
