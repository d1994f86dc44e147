//! Checks that content that both formats can express survives a conversion to the other
//! format and back.

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::builder::{MessageHead, message_from_chat};
use super::{MessagesRequest, native};
use crate::pricing::TokenUsage;
use crate::request::ModelRequest;
use crate::testing::claude;
use crate::wire::anthropic;

const TEXT: &str = "[ -~é€𝄞\n]{1,20}";

/// Generates a model's answer in a chat: text, or tool calls with or without text.
fn answers() -> impl Strategy<Value = Value> {
    let call = ("[a-z]{1,8}", "c_[a-z0-9]{4}", "[ -~é]{0,12}").prop_map(|(name, id, argument)| {
        let arguments = json!({ "a": argument }).to_string();
        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
    });
    prop_oneof![
        TEXT.prop_map(|text| json!({ "role": "assistant", "content": text })),
        (prop::option::of(TEXT), prop::collection::vec(call, 1..4)).prop_map(|(text, mut calls)| {
            // Gives each call a different id.
            for (number, call) in calls.iter_mut().enumerate() {
                call["id"] = format!("{}{number}", call["id"].as_str().unwrap_or_default()).into();
            }
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }),
    ]
}

/// Generates a block of a user message.
fn blocks() -> impl Strategy<Value = Value> {
    prop_oneof![
        TEXT.prop_map(|text| json!({ "type": "text", "text": text })),
        "[A-Za-z0-9+/]{4,16}".prop_map(|data| {
            json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": data } })
        }),
        ("t_[a-z]{3}", TEXT)
            .prop_map(|(id, text)| { json!({ "type": "tool_result", "tool_use_id": id, "content": text }) }),
    ]
}

fn read(messages: Value) -> MessagesRequest {
    let body = json!({ "model": "m", "max_tokens": 9, "messages": messages });
    MessagesRequest::read(&Bytes::from(body.to_string())).unwrap()
}

proptest! {
    /// A chat answer that is converted to a message and sent back gives the same answer.
    #[test]
    fn an_answer_that_is_sent_back_is_what_the_model_said(answer in answers()) {
        let completion = json!({ "choices": [{ "message": answer, "finish_reason": "stop" }] });
        let message = message_from_chat(&completion, MessageHead::named("msg_0"), &TokenUsage::default());
        let turn = json!({ "role": "assistant", "content": message["content"] });
        let chat = read(json!([{ "role": "user", "content": "x" }, turn])).chat().unwrap();
        prop_assert_eq!(&chat.members["messages"][1], &answer);
    }

    /// A user message that is converted to a chat and back is unchanged, except that tool
    /// results come first, as both formats require.
    #[test]
    fn conversation_text_is_preserved(said in prop::collection::vec(blocks(), 1..5)) {
        let request = read(json!([{ "role": "user", "content": said }]));
        let chat = ModelRequest::converted_chat(request.chat().unwrap().members, 0).unwrap();
        let sent: Value = serde_json::from_slice(&anthropic::request(&chat, &claude()).unwrap()).unwrap();
        let (results, others): (Vec<Value>, Vec<Value>) =
            said.into_iter().partition(|block| block["type"] == "tool_result");
        let expected: Vec<Value> = results.into_iter().chain(others).collect();
        prop_assert_eq!(&sent["messages"][0]["content"], &Value::from(expected));
        prop_assert_eq!(sent["messages"].as_array().unwrap().len(), 1);
        // Anthropic gets the client's blocks unchanged.
        prop_assert_eq!(&native::members(&request)["messages"], &request.members["messages"]);
    }
}
