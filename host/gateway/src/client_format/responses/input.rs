//! Converts input items to the form in which they are stored and listed: complete, and
//! with an id.

use serde_json::{Value, json};

use super::head::ResponseHead;
use super::items::kind;

/// Number from which a request's input items are numbered in their ids; high enough that
/// no output item gets the same id.
const FIRST: usize = 0x8000;

/// Completes the items with the members that clients may omit: types, ids and parts.
pub(crate) fn stored_input(items: &[Value], head: &ResponseHead) -> Vec<Value> {
    items.iter().enumerate().map(|(number, item)| kept(item, number, head)).collect()
}

fn kept(item: &Value, number: usize, head: &ResponseHead) -> Value {
    let mut item = item.clone();
    let kind = kind(&item).to_owned();
    let prefix = match kind.as_str() {
        "message" => "msg",
        "reasoning" => "rs",
        "function_call" => "fc",
        "function_call_output" => "fco",
        _ => "item",
    };
    let Some(members) = item.as_object_mut() else { return item };
    let has_id = members.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
    if !has_id {
        members.insert("id".to_owned(), head.item_id(prefix, FIRST.saturating_add(number)).into());
    }
    members.entry("status").or_insert_with(|| "completed".into());
    if kind == "message" {
        members.insert("type".to_owned(), kind.into());
        let is_model = members.get("role").and_then(Value::as_str) == Some("assistant");
        if let Some(text) = members.get("content").and_then(Value::as_str) {
            let part = match is_model {
                true => json!({ "type": "output_text", "text": text, "annotations": [] }),
                false => json!({ "type": "input_text", "text": text }),
            };
            members.insert("content".to_owned(), json!([part]));
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::super::request::ResponsesRequest;
    use super::*;

    #[test]
    fn short_forms_are_kept_whole() {
        let body = json!({"model": "m", "input": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hi"},
            {"type": "function_call_output", "call_id": "c", "output": "1"},
            {"type": "message", "id": "msg_own", "role": "user", "status": "incomplete",
                "content": [{"type": "input_text", "text": "x"}]},
        ]});
        let request = ResponsesRequest::read(&body.to_string().into()).unwrap();
        let head = ResponseHead::new(&request, "resp_aa".to_owned(), 1);
        let kept = stored_input(&request.input, &head);
        assert_eq!(
            json!(kept),
            json!([
                {"type": "message", "id": "msg_aa8000", "status": "completed", "role": "user",
                    "content": [{"type": "input_text", "text": "hello"}]},
                {"type": "message", "id": "msg_aa8001", "status": "completed", "role": "assistant",
                    "content": [{"type": "output_text", "text": "hi", "annotations": []}]},
                {"type": "function_call_output", "id": "fco_aa8002", "status": "completed", "call_id": "c", "output": "1"},
                {"type": "message", "id": "msg_own", "status": "incomplete", "role": "user",
                    "content": [{"type": "input_text", "text": "x"}]},
            ])
        );
    }
}
