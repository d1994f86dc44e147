//! Parses requests for speech, transcripts and images.
//!
//! Invariant: the billed quantity (characters to speak, seconds of a recording, or
//! images) is counted before anything is sent to a provider.

use bytes::Bytes;
use reqwest::multipart::Form;
use serde_json::{Map, Value};

use super::chat_facts::{Attachments, MAX_COST, prompt_bytes_of_members};
use super::error::GatewayError;
use super::invalid::invalid_member;
use super::json_body::{read_count, read_object};
use super::provider::ModelDeployment;
use super::recording::Recording;
use super::request::{InferenceEndpoint, ModelRequest};
use super::tokens::input_token_bound;
use crate::limits::INFERENCE_IMAGES_MAX;

/// Audio formats and their content types; the first is the default.
const SOUND_TYPES: [(&str, &str); 6] = [
    ("mp3", "audio/mpeg"),
    ("opus", "audio/ogg"),
    ("aac", "audio/aac"),
    ("flac", "audio/flac"),
    ("wav", "audio/wav"),
    ("pcm", "audio/pcm"),
];

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
/// Transcript formats and their content types; the first is the default.
const TRANSCRIPT_TYPES: [(&str, &str); 6] =
    [("json", JSON), ("verbose_json", JSON), ("diarized_json", JSON), ("text", TEXT), ("srt", TEXT), ("vtt", TEXT)];

impl ModelRequest {
    /// Parses a request to convert a text to speech.
    pub fn speech(body: &Bytes) -> Result<Self, GatewayError> {
        let members = read_object(body)?;
        let input = members.get("input").and_then(Value::as_str).filter(|input| !input.is_empty());
        let input = input.ok_or_else(|| invalid_member("input", "must be a string: the text to speak"))?;
        if members.get("stream_format").is_some_and(|format| format != "audio") {
            return Err(invalid_member("stream_format", "must be audio; streaming is not supported"));
        }
        format_type(&members, &SOUND_TYPES)?;
        let characters = u64::try_from(input.chars().count()).unwrap_or(u64::MAX);
        Self::without_chat(InferenceEndpoint::Speech, members, characters, body.len())
    }

    /// Parses a request to transcribe a recording; `body` has the fields of the form as
    /// JSON members.
    pub fn transcription(body: &Bytes, recording: Recording) -> Result<Self, GatewayError> {
        let mut members = read_object(body)?;
        members.remove("file");
        if members.remove("stream").is_some_and(|stream| stream != "false") {
            return Err(invalid_member("stream", "must be false; streaming is not supported"));
        }
        format_type(&members, &TRANSCRIPT_TYPES)?;
        let mut request =
            Self::without_chat(InferenceEndpoint::Transcription, members, recording.seconds(), body.len())?;
        request.recording = Some(recording);
        Ok(request)
    }

    /// Parses a request to generate images.
    pub fn images(body: &Bytes) -> Result<Self, GatewayError> {
        let mut members = read_object(body)?;
        let prompt = members.get("prompt").and_then(Value::as_str).filter(|prompt| !prompt.is_empty());
        prompt.ok_or_else(|| invalid_member("prompt", "must be a string that describes the image"))?;
        if members.remove("stream").is_some_and(|stream| ![Value::Null, false.into()].contains(&stream)) {
            return Err(invalid_member("stream", "must be false; streaming is not supported"));
        }
        let choices = read_count(members.get("n"), "n")?.unwrap_or(1);
        if choices > INFERENCE_IMAGES_MAX {
            return Err(invalid_member("n", &format!("must be from 1 to {INFERENCE_IMAGES_MAX}; send more requests")));
        }
        let tokens = input_token_bound(prompt_bytes_of_members(&members), 0, &Attachments::default());
        let mut request = Self::without_chat(InferenceEndpoint::Images, members, tokens, body.len())?;
        request.choices = choices;
        Ok(request)
    }

    /// Returns the content type of a complete answer.
    pub(crate) fn content_type(&self) -> &'static str {
        // The format was checked against this list when the request was parsed, so it is
        // found.
        let of = |types: &[(&str, &'static str)]| format_type(self.members.parsed(), types).unwrap_or(JSON);
        match self.endpoint {
            InferenceEndpoint::Speech => of(&SOUND_TYPES),
            InferenceEndpoint::Transcription => of(&TRANSCRIPT_TYPES),
            _ => JSON,
        }
    }

    /// Returns whether the requested transcript format is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.content_type() == JSON
    }

    /// Builds the form for a provider; `None` if the request has no recording.
    pub(crate) fn form(&self, deployment: &ModelDeployment) -> Option<Result<Form, reqwest::Error>> {
        let part = self.recording.as_ref()?.part();
        let mut form = Form::new().text("model", deployment.upstream.clone());
        for (name, value) in
            self.members.parsed().iter().filter(|(name, _)| !["model", MAX_COST].contains(&name.as_str()))
        {
            for text in texts(value) {
                form = form.text(name.clone(), text);
            }
        }
        Some(part.map(|part| form.part("file", part)))
    }
}

/// Returns the values of a form field; a repeated field has several.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        other => vec![other.to_string()],
    }
}

/// Returns the content type of the requested format; the error lists the supported
/// formats.
fn format_type(members: &Map<String, Value>, types: &[(&str, &'static str)]) -> Result<&'static str, GatewayError> {
    let wanted = members.get("response_format").filter(|format| !format.is_null());
    let mut known = types.iter().filter(|(name, _)| wanted.is_none_or(|format| format == name));
    known.next().map(|(_, content_type)| *content_type).ok_or_else(|| {
        let names: Vec<&str> = types.iter().map(|(name, _)| *name).collect();
        invalid_member("response_format", &format!("must be one of {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::deployment;
    use super::*;

    fn bytes(body: Value) -> Bytes {
        body.to_string().into()
    }

    fn recording(seconds: u64) -> Recording {
        Recording::of("a.mp3".to_owned(), None, Bytes::from_static(b"x"), seconds)
    }

    #[test]
    fn speech_counts_characters() {
        let read = ModelRequest::speech(&bytes(json!({"model": "m", "input": "héllo", "response_format": "wav"})));
        let request = read.unwrap();
        assert_eq!((request.max_input_tokens, request.content_type()), (5, "audio/wav"));
        assert_eq!(request.worst_case_tokens(&deployment("a", "m", 1, 0)), (5, 0));
        for wrong in [json!({"input": ""}), json!({"input": "x", "response_format": "midi"})] {
            assert!(ModelRequest::speech(&bytes(wrong)).is_err());
        }
    }

    #[test]
    fn images_cost_their_number() {
        let request = ModelRequest::images(&bytes(json!({"model": "m", "prompt": "a cat", "n": 3}))).unwrap();
        let mut by_image = deployment("a", "m", 0, 1);
        by_image.max_output = None;
        by_image.kind = super::super::provider::ModelKind::Image;
        assert_eq!(request.worst_case_tokens(&by_image).1, 3);
        let by_token = deployment("a", "m", 1, 1);
        assert_eq!(request.worst_case_tokens(&by_token).1, 3 * 16_000);
        for (wrong, field) in [
            (json!({"model": "m"}), "/prompt"),
            (json!({"model": "m", "prompt": "x", "n": 5}), "/n"),
            (json!({"model": "m", "prompt": "x", "stream": true}), "/stream"),
        ] {
            match ModelRequest::images(&bytes(wrong)) {
                Err(GatewayError::Invalid { field: named, .. }) => assert_eq!(named, field),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn transcripts_cost_seconds_and_no_less_than_the_provider_takes() {
        let body =
            bytes(json!({"model": "m", "file": {}, "response_format": "srt", "timestamp_granularities[]": ["word"]}));
        let request = ModelRequest::transcription(&body, recording(7)).unwrap();
        assert_eq!(request.content_type(), TEXT);
        let mut of = deployment("a", "m", 1, 0);
        assert_eq!(request.worst_case_tokens(&of), (7, 0));
        std::sync::Arc::get_mut(&mut of.provider).unwrap().quirks.billed_seconds_min = 10;
        assert_eq!(request.worst_case_tokens(&of), (10, 0));
        assert!(!request.members.parsed().contains_key("file") && request.form(&of).unwrap().is_ok());
        assert!(ModelRequest::transcription(&bytes(json!({"model": "m", "stream": "true"})), recording(7)).is_err());
    }
}
