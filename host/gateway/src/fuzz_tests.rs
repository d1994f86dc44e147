//! Fuzz tests of provider responses: streams that are split at arbitrary points, and
//! complete answers.

use bytes::Bytes;
use tollbridge_core::fuzzing::{Dice, Fuzzer};

use super::client_format::messages::{self, MessageBuilder, MessageHead, MessagesRequest};
use super::client_format::responses::{self, ResponseBuilder, ResponseHead, ResponsesRequest, native};
use super::pricing::TokenUsage;
use super::request::InferenceEndpoint;
use super::sse::{EventSplitter, data};
use super::wire::anthropic::AnswerSource;
use super::wire::{anthropic_answer, openai};
use crate::limits::INFERENCE_EVENT_BYTES_MAX;

/// Returns all events of a stream that arrives in pieces of the given sizes, and the
/// remaining bytes.
fn events(bytes: &[u8], mut size: impl FnMut() -> usize) -> Vec<Bytes> {
    let (mut splitter, mut events, mut left) = (EventSplitter::default(), Vec::new(), bytes);
    while !left.is_empty() {
        let (piece, rest) = left.split_at(size().clamp(1, left.len()));
        left = rest;
        splitter.push(piece);
        loop {
            match splitter.next() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(_) => panic!("an input of {} bytes is too long", bytes.len()),
            }
        }
    }
    events.extend(splitter.rest());
    assert!(splitter.is_empty());
    events
}

#[test]
fn a_stream_is_the_same_however_it_is_cut() {
    Fuzzer::of("event-stream").run(|bytes| {
        assert!(bytes.len() < INFERENCE_EVENT_BYTES_MAX);
        let whole = events(bytes, || usize::MAX);
        assert_eq!(whole.concat(), bytes, "bytes were lost or added");
        let mut dice = Dice(bytes.len() as u64);
        assert_eq!(events(bytes, || 1 + dice.below(7)), whole);
        whole.iter().for_each(|event| assert!(data(event).len() <= event.len()));
    });
}

#[test]
fn a_stream_of_any_provider_ends_as_an_answer_or_an_error() {
    Fuzzer::of("event-stream").run(|bytes| {
        for source in [AnswerSource::Text, AnswerSource::Tool, AnswerSource::Object] {
            let mut openai = openai::StreamParser::default();
            let mut anthropic = anthropic_answer::StreamParser::new(source, 1);
            for event in events(bytes, || usize::MAX) {
                let _ = openai.event(event.clone(), source == AnswerSource::Tool);
                if let Ok(chunk) = anthropic.event(&event) {
                    assert!(chunk.bytes.len() < 2_048 + 7 * event.len(), "a piece grows without bound");
                }
            }
            assert!(openai.output_bytes <= bytes.len() && anthropic.output_bytes <= bytes.len());
            let _ = anthropic.usage().map(|usage| anthropic.usage_event(&usage));
        }
    });
}

fn head() -> ResponseHead {
    let request = ResponsesRequest::read(&Bytes::from_static(br#"{"model":"m","input":"x"}"#)).unwrap();
    ResponseHead::new(&request, "resp_0".to_owned(), 1)
}

#[test]
fn a_stream_becomes_a_response_or_an_error() {
    Fuzzer::of("event-stream").run(|bytes| {
        let mut parser = native::StreamParser::new(head());
        let mut builder = ResponseBuilder::new(head());
        for event in events(bytes, || usize::MAX) {
            let read = parser.event(event.clone());
            assert!(read.is_err() || parser.output_bytes <= bytes.len());
            if let Ok(chunk) = serde_json::from_slice(&data(&event)) {
                builder.push(&chunk);
                assert!(builder.take_events().len() < 16_384 + 16 * event.len(), "events grow without bound");
            }
        }
        let usage = TokenUsage::default();
        if let Some(response) = parser.close(&usage) {
            assert_eq!(response["id"], "resp_0", "{response}");
        }
        let response = builder.close(&usage);
        assert!(response["output"].as_array().unwrap().iter().all(serde_json::Value::is_object), "{response}");
        builder.fail("the stream broke", "E005");
    });
}

#[test]
fn a_request_of_the_responses_api_is_read_or_refused() {
    Fuzzer::of("responses-request").run(|bytes| {
        let Ok(request) = ResponsesRequest::read(&Bytes::copy_from_slice(bytes)) else { return };
        let Ok(chat) = request.chat(&request.input, 0) else { return };
        assert!(chat.members["messages"].is_array() && chat.members.get("input").is_none());
        let members = native::members(&request, &request.input);
        assert!(members["store"] == false && members["input"].is_array());
        let kept = responses::stored_input(&request.input, &head());
        assert_eq!(kept.len(), request.input.len());
    });
}

#[test]
fn a_stream_becomes_a_message_or_an_error() {
    Fuzzer::of("event-stream").run(|bytes| {
        let mut parser = messages::native::StreamParser::default();
        let mut builder = MessageBuilder::new(MessageHead::new("m").unwrap());
        for event in events(bytes, || usize::MAX) {
            let read = parser.event(event.clone());
            assert!(read.is_err() || parser.output_bytes <= bytes.len());
            if let Ok(chunk) = serde_json::from_slice(&data(&event)) {
                builder.push(&chunk);
                assert!(builder.take_events().len() < 16_384 + 16 * event.len(), "events grow without bound");
            }
        }
        let _ = parser.usage();
        let message = builder.close(&TokenUsage::default());
        assert!(message["content"].as_array().unwrap().iter().all(serde_json::Value::is_object), "{message}");
    });
}

#[test]
fn a_request_of_the_messages_api_is_read_or_refused() {
    Fuzzer::of("messages-request").run(|bytes| {
        let Ok(request) = MessagesRequest::read(&Bytes::copy_from_slice(bytes)) else { return };
        let Ok(chat) = request.chat() else { return };
        assert!(chat.members["messages"].is_array() && chat.members.get("system").is_none());
        assert!(messages::native::members(&request).contains_key("messages"));
        assert!(!request.counted().contains_key("max_tokens"));
    });
}

#[test]
fn a_whole_answer_is_read_or_refused() {
    Fuzzer::of("model-answer").run(|bytes| {
        let body = Bytes::copy_from_slice(bytes);
        for endpoint in [InferenceEndpoint::Chat, InferenceEndpoint::Embeddings] {
            let _ = openai::text(endpoint, body.clone());
        }
        if let Ok((response, _)) = native::read_complete(&body, &head()) {
            assert_eq!(response["id"], "resp_0");
        }
        if let Ok(answer) = anthropic_answer::read_complete(&body, AnswerSource::Text, 1) {
            assert!(serde_json::from_slice::<serde_json::Value>(&answer.body).is_ok());
        }
    });
}
