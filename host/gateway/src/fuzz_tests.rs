//! What providers send, at random: streams, however they are cut, and answers.

use bytes::Bytes;
use tollbridge_core::fuzzing::{Dice, Fuzzer};
use tollbridge_core::limits::INFERENCE_EVENT_BYTES_MAX;

use super::request::InferenceEndpoint;
use super::sse::{EventSplitter, data};
use super::wire::{anthropic_answer, openai};

/// All events of a stream that comes in pieces of these sizes, and its rest.
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
        assert_eq!(whole.concat(), bytes, "bytes were lost or made");
        let mut dice = Dice(bytes.len() as u64);
        assert_eq!(events(bytes, || 1 + dice.below(7)), whole);
        whole.iter().for_each(|event| assert!(data(event).len() <= event.len()));
    });
}

#[test]
fn a_stream_of_any_provider_ends_as_an_answer_or_an_error() {
    Fuzzer::of("event-stream").run(|bytes| {
        for by_tool in [false, true] {
            let mut openai = openai::StreamParser::default();
            let mut anthropic = anthropic_answer::StreamParser::new(by_tool, 1);
            for event in events(bytes, || usize::MAX) {
                let _ = openai.event(event.clone(), by_tool);
                if let Ok(chunk) = anthropic.event(&event) {
                    assert!(chunk.bytes.len() < 1_024 + 7 * event.len(), "a piece grows without bound");
                }
            }
            assert!(openai.output_bytes <= bytes.len() && anthropic.output_bytes <= bytes.len());
            let _ = anthropic.usage().map(|usage| anthropic.usage_event(&usage));
        }
    });
}

#[test]
fn a_whole_answer_is_read_or_refused() {
    Fuzzer::of("model-answer").run(|bytes| {
        let body = Bytes::copy_from_slice(bytes);
        for endpoint in [InferenceEndpoint::Chat, InferenceEndpoint::Embeddings] {
            let _ = openai::whole(endpoint, body.clone());
        }
        if let Ok(answer) = anthropic_answer::whole(&body, false, 1) {
            assert!(serde_json::from_slice::<serde_json::Value>(&answer.body).is_ok());
        }
    });
}
