//! Compares responses and their events with recorded ones: each folder of `builder_cases`
//! has the chunks of a chat answer and the expected events.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{ResponseBuilder, ResponseHead, ResponsesRequest, response_from_chat};
use crate::pricing::TokenUsage;

const USED: TokenUsage =
    TokenUsage { input: 11, output: 7, cached: 3, cache_write: 0, cache_write_hour: 0, estimated: false };

fn head() -> ResponseHead {
    let body = json!({"model": "small", "input": "hello"}).to_string();
    let request = ResponsesRequest::read(&body.into()).unwrap();
    ResponseHead::new(&request, "resp_0a0b".to_owned(), 1_780_000_000_000)
}

/// Returns the chunks of a stream, which are separated by empty lines.
fn chunks(text: &str) -> Vec<Value> {
    let data = text.split("\n\n").filter_map(|event| event.trim().strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// Returns all events of a stream; the comment `: breaks` in `text` makes the stream
/// break off.
fn events(text: &str) -> (String, Option<Value>) {
    let mut builder = ResponseBuilder::new(head());
    for chunk in chunks(text) {
        builder.push(&chunk);
    }
    if text.contains(": breaks") {
        builder.fail("the provider closed the connection; this answer is not whole", "E005");
        return (builder.take_events(), None);
    }
    let response = builder.close(&USED);
    builder.completed(&response);
    (builder.take_events(), Some(response))
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/client_format/responses/builder_cases");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 8, "{cases:?}");
    cases
}

/// Set `RENEW_CASES=1` to write the actual events, and review the diff.
#[test]
fn recorded_streams_become_the_recorded_events() {
    for case in cases() {
        let (found, _) = events(&std::fs::read_to_string(case.join("chat.txt")).unwrap());
        let expected = case.join("events.txt");
        if std::env::var_os("RENEW_CASES").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(&expected).unwrap(), "{}", case.display());
    }
}

/// Checks the guarantees that clients rely on for every stream.
#[test]
fn events_are_in_order_and_items_are_opened_and_closed_once() {
    for case in cases() {
        let (text, _) = events(&std::fs::read_to_string(case.join("chat.txt")).unwrap());
        let events = chunks(&text.replace("event: ", ": ").lines().fold(String::new(), |all, line| match line {
            line if line.starts_with("data: ") => format!("{all}{line}\n\n"),
            _ => all,
        }));
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], number, "{}", case.display());
            match event["type"].as_str().unwrap() {
                "response.output_item.added" => open.push(event["item"]["id"].clone()),
                "response.output_item.done" => closed.push(event["item"]["id"].clone()),
                _ => {}
            }
            if let Some(item) = event.get("item_id") {
                assert!(open.contains(item) && !closed.contains(item), "{}: {event}", case.display());
            }
        }
        closed.sort_by_key(|id| open.iter().position(|one| one == id));
        let name = case.file_name().unwrap().to_string_lossy();
        assert!(open == closed || name.starts_with("breaks"), "{name}: {closed:?}");
        let last = events.last().unwrap();
        assert!(last["response"]["output"].as_array().unwrap().iter().all(Value::is_object), "{last}");
    }
}

#[test]
fn a_whole_answer_and_its_stream_are_the_same_response() {
    let message = json!({"role": "assistant", "content": "Let me see.", "reasoning_content": "hm",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{\"at\":\"Rome\"}"}},
            {"id": "c2", "type": "function", "function": {"name": "put", "arguments": "{}"}}]});
    let completion = json!({"id": "chatcmpl-1", "model": "up/small",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"completion_tokens_details": {"reasoning_tokens": 2}}});
    let response = response_from_chat(&completion, head(), &USED);
    let kinds: Vec<&Value> = response["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call", "function_call"]);
    assert_eq!(response["usage"]["output_tokens_details"]["reasoning_tokens"], 2);
    assert_eq!(response["usage"]["input_tokens_details"]["cached_tokens"], 3);
    let delta = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"model": "up/small", "choices": [choice]}))
    };
    let call = |index: u64, id: Value, name: Value, arguments: &str| {
        delta(
            json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}),
            Value::Null,
        )
    };
    let mut stream = delta(json!({"role": "assistant", "reasoning_content": "h"}), Value::Null);
    stream += &delta(json!({"reasoning_content": "m"}), Value::Null);
    stream += &delta(json!({"content": "Let me"}), Value::Null);
    stream += &delta(json!({"content": " see."}), Value::Null);
    stream += &call(0, "c1".into(), "get".into(), "");
    stream += &call(1, "c2".into(), "put".into(), "{");
    stream += &call(0, Value::Null, Value::Null, "{\"at\":\"Rome\"}");
    stream += &call(1, Value::Null, Value::Null, "}");
    stream += &delta(json!({}), "tool_calls".into());
    stream += "data: {\"choices\":[],\"usage\":{\"completion_tokens_details\":{\"reasoning_tokens\":2}}}\n\n";
    assert_eq!(events(&stream).1.unwrap(), response);
}

#[test]
fn a_cut_answer_says_why_and_where() {
    for (finish, reason) in [("length", "max_output_tokens"), ("content_filter", "content_filter")] {
        let completion = json!({"model": "m", "choices": [{"message": {"content": "half"}, "finish_reason": finish}]});
        let response = response_from_chat(&completion, head(), &USED);
        assert_eq!(
            (&response["status"], &response["incomplete_details"]["reason"]),
            (&json!("incomplete"), &json!(reason))
        );
        assert_eq!(response["output"][0]["status"], "incomplete");
    }
}

#[test]
fn calls_that_are_all_numbered_zero_stay_apart() {
    let call = |id: &str| json!({"index": 0, "id": id, "function": {"name": "f", "arguments": "{}"}});
    let chunk =
        |calls: Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}));
    let response = events(&(chunk(json!([call("a")])) + &chunk(json!([call("b")])))).1.unwrap();
    let ids: Vec<&Value> = response["output"].as_array().unwrap().iter().map(|item| &item["call_id"]).collect();
    assert_eq!(ids, ["a", "b"]);
}
