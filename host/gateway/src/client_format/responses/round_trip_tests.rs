//! Checks that content that both formats can express survives a conversion to the other
//! format and back.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ResponseHead, ResponsesRequest, response_from_chat};
use crate::pricing::TokenUsage;

/// Generates a model's answer in a chat: text, a refusal, or function calls with or
/// without text.
fn answers() -> impl Strategy<Value = Value> {
    let text = "[ -~é€𝄞\n]{1,20}";
    let call = ("[a-z]{1,8}", "c_[a-z0-9]{4}", "[ -~é]{0,12}").prop_map(|(name, id, argument)| {
        let arguments = json!({ "a": argument }).to_string();
        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
    });
    prop_oneof![
        text.prop_map(|text| json!({ "role": "assistant", "content": text })),
        text.prop_map(|text| json!({ "role": "assistant", "content": "", "refusal": text })),
        (prop::option::of(text), prop::collection::vec(call, 1..4)).prop_map(|(text, mut calls)| {
            // Gives each call a different id.
            for (number, call) in calls.iter_mut().enumerate() {
                call["id"] = format!("{}{number}", call["id"].as_str().unwrap_or_default()).into();
            }
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }),
    ]
}

fn response_of(message: &Value) -> Value {
    let request = ResponsesRequest::read(&json!({"model": "m", "input": "x"}).to_string().into()).unwrap();
    let head = ResponseHead::new(&request, "resp_00".to_owned(), 1);
    response_from_chat(
        &json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}),
        head,
        &TokenUsage::default(),
    )
}

fn messages_of(input: Value) -> Vec<Value> {
    let request = ResponsesRequest::read(&json!({"model": "m", "input": input}).to_string().into()).unwrap();
    let chat = request.chat(&request.input, 0).unwrap();
    chat.members["messages"].as_array().unwrap().clone()
}

proptest! {
    /// A chat answer that is converted to a response and sent back as input gives the
    /// same answer.
    #[test]
    fn an_answer_that_is_sent_back_is_what_the_model_said(message in answers()) {
        let mut input = vec![json!({"role": "user", "content": "x"})];
        input.extend(response_of(&message)["output"].as_array().unwrap().clone());
        let messages = messages_of(input.into());
        prop_assert_eq!(&messages[1..], &[message]);
    }

    /// User and system messages keep their text and order.
    #[test]
    fn conversation_text_is_preserved(turns in prop::collection::vec((0_u8..3, "[ -~é€𝄞\n]{0,20}"), 1..6), picture: bool) {
        let role = |number: u8| ["user", "system", "assistant"][usize::from(number)];
        let mut items: Vec<Value> =
            turns.iter().map(|(number, text)| json!({"role": role(*number), "content": text})).collect();
        let mut expected = items.clone();
        let parts = |kind: &str, image: Value| {
            let mut parts = vec![json!({"type": if kind == "chat" { "text" } else { "input_text" }, "text": "what?"})];
            if picture {
                parts.push(image);
            }
            parts
        };
        let url = "data:image/png;base64,AAAA";
        let asked = parts("responses", json!({"type": "input_image", "image_url": url}));
        items.push(json!({"role": "user", "content": asked}));
        let said = parts("chat", json!({"type": "image_url", "image_url": {"url": url}}));
        expected.push(json!({"role": "user", "content": if picture { json!(said) } else { "what?".into() }}));
        prop_assert_eq!(messages_of(items.into()), expected);
    }
}
