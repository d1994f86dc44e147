//! OpenAI's format, as written by OpenAI and compatible providers in practice.
//!
//! Invariant: answers are passed on byte for byte.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::delta::DeltaBytes;
use super::{CompleteResponse, StreamChunk, media, vectors};
use crate::pricing::TokenUsage;
use crate::provider::ModelDeployment;
use crate::provider_error::ProviderError;
use crate::request::{InferenceEndpoint, ModelRequest};
use crate::sse;

/// The members of an answer or an event that the gateway reads.
#[derive(Deserialize)]
struct ResponseBody {
    /// The choices; vLLM sends null if there are none.
    choices: Option<Vec<Choice>>,
    data: Option<Vec<IgnoredAny>>,
    usage: Option<ReportedUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<DeltaBytes>,
    finish_reason: Option<String>,
    message: Option<IgnoredAny>,
}

/// Token counts as reported by providers.
#[derive(Clone, Copy, Deserialize, Default)]
struct ReportedUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    /// DeepSeek's name for cached input tokens.
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Clone, Copy, Deserialize, Default)]
struct Details {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl ReportedUsage {
    /// Returns the usage; `None` if no tokens were counted. Some providers leave
    /// reasoning out of the completion tokens but never out of the total, so the greater
    /// count is used.
    fn usage(self) -> Option<TokenUsage> {
        let input = self.prompt_tokens.unwrap_or(0);
        let rest = self.total_tokens.unwrap_or(0).saturating_sub(input);
        let output = self.completion_tokens.unwrap_or(0).max(rest);
        let details = self.prompt_tokens_details.unwrap_or_default();
        let cached = details.cached_tokens.or(self.prompt_cache_hit_tokens).unwrap_or(0);
        let cache_write = details.cache_write_tokens.unwrap_or(0);
        let usage = TokenUsage { input, output, cached, cache_write, ..TokenUsage::default() };
        (input > 0 || output > 0).then_some(usage)
    }
}

/// Reads a complete answer to a request.
pub(crate) fn read_complete(
    request: &ModelRequest,
    deployment: &ModelDeployment,
    body: Bytes,
) -> Result<CompleteResponse, ProviderError> {
    match request.endpoint {
        InferenceEndpoint::Speech => media::sound(request, body),
        InferenceEndpoint::Transcription => media::transcript(request, deployment, body),
        InferenceEndpoint::Images => media::images(request, deployment, body),
        endpoint => {
            let mut response = text(endpoint, body)?;
            if request.wants_base64 {
                response.body = vectors::as_base64(response.body);
            }
            Ok(response)
        }
    }
}

/// Reads a complete answer in JSON.
pub(crate) fn text(endpoint: InferenceEndpoint, body: Bytes) -> Result<CompleteResponse, ProviderError> {
    let seen: ResponseBody =
        serde_json::from_slice(&body).map_err(|_| ProviderError::Malformed("an invalid response"))?;
    if seen.error.is_some_and(|error| !error.is_null()) {
        return Err(ProviderError::ErrorFrame);
    }
    let answered = if endpoint == InferenceEndpoint::Chat {
        seen.choices.is_some_and(|choices| choices.iter().any(|choice| choice.message.is_some()))
    } else {
        seen.data.is_some_and(|data| !data.is_empty())
    };
    if !answered {
        return Err(ProviderError::Malformed("an empty response"));
    }
    Ok(CompleteResponse { usage: seen.usage.and_then(ReportedUsage::usage), body, is_native: false })
}

/// Parses a stream, one event at a time.
#[derive(Debug, Default)]
pub(crate) struct StreamParser {
    pub usage: Option<TokenUsage>,
    /// Bytes of content so far, used to estimate the usage if none is reported.
    pub output_bytes: usize,
    pub finished: bool,
    pub done: bool,
}

impl StreamParser {
    /// Reads one event; `event` includes the empty line at its end.
    pub(crate) fn event(&mut self, event: Bytes, wants_usage: bool) -> Result<StreamChunk, ProviderError> {
        let data = sse::data(&event);
        if data.is_empty() {
            // The event is a comment, which keeps the connection open.
            return Ok(StreamChunk { bytes: event, content: false });
        }
        if *data == *b"[DONE]" {
            self.done = true;
            return Ok(StreamChunk::default());
        }
        let seen: ResponseBody =
            serde_json::from_slice(&data).map_err(|_| ProviderError::Malformed("an invalid response"))?;
        if seen.error.is_some_and(|error| !error.is_null()) {
            return Err(ProviderError::ErrorFrame);
        }
        let choices = seen.choices.unwrap_or_default();
        if let Some(usage) = seen.usage.and_then(ReportedUsage::usage) {
            self.usage = Some(usage);
            if choices.is_empty() && !wants_usage {
                // The event has only the usage, which the gateway requested, not the
                // client.
                return Ok(StreamChunk::default());
            }
        }
        let bytes: usize = choices.iter().filter_map(|choice| choice.delta).map(|DeltaBytes(bytes)| bytes).sum();
        let finished = choices.iter().any(|choice| choice.finish_reason.is_some());
        self.output_bytes = self.output_bytes.saturating_add(bytes);
        self.finished |= finished;
        Ok(StreamChunk { bytes: event, content: bytes > 0 || finished })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(body: &str) -> Option<TokenUsage> {
        text(InferenceEndpoint::Chat, Bytes::from(body.to_owned())).unwrap().usage
    }

    #[test]
    fn counts_as_the_providers_write_them() {
        let with = |usage: &str| format!("{{\"choices\":[{{\"message\":{{}}}}],\"usage\":{usage}}}");
        let plain = TokenUsage { input: 10, output: 5, ..TokenUsage::default() };
        assert_eq!(usage(&with(r#"{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}"#)), Some(plain));
        // Reasoning tokens are counted only in the total.
        assert_eq!(usage(&with(r#"{"prompt_tokens":10,"completion_tokens":2,"total_tokens":15}"#)), Some(plain));
        let cached = Some(TokenUsage { cached: 4, ..plain });
        let openai = r#"{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}"#;
        assert_eq!(usage(&with(openai)), cached);
        assert_eq!(usage(&with(r#"{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}"#)), cached);
        for nothing in ["null", "{}", r#"{"prompt_tokens":0,"completion_tokens":0}"#] {
            assert_eq!(usage(&with(nothing)), None, "{nothing}");
        }
    }

    #[test]
    fn a_malformed_answer_is_refused() {
        for (body, failure) in [
            ("", ProviderError::Malformed("an invalid response")),
            ("{\"choices\":[{\"mess", ProviderError::Malformed("an invalid response")),
            ("{}", ProviderError::Malformed("an empty response")),
            ("{\"choices\":[]}", ProviderError::Malformed("an empty response")),
            ("{\"error\":{\"message\":\"no\"}}", ProviderError::ErrorFrame),
        ] {
            assert_eq!(text(InferenceEndpoint::Chat, Bytes::from(body)).unwrap_err(), failure, "{body}");
        }
        assert!(text(InferenceEndpoint::Embeddings, Bytes::from_static(b"{\"data\":[]}")).is_err());
    }

    #[test]
    fn usage_that_only_we_asked_for_is_kept_back() {
        for choices in ["[]", "null"] {
            let event = format!(
                "data: {{\"choices\":{choices},\"usage\":{{\"prompt_tokens\":3,\"completion_tokens\":2}}}}\n\n"
            );
            let mut reader = StreamParser::default();
            assert!(reader.event(Bytes::from(event.clone()), false).unwrap().bytes.is_empty());
            assert_eq!(reader.usage.map(|usage| (usage.input, usage.output)), Some((3, 2)));
            assert_eq!(reader.event(Bytes::from(event.clone()), true).unwrap().bytes, event);
        }
        // If the last event has both a choice and the usage, it is passed on and its
        // usage is counted.
        let last =
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}\n\n";
        let mut reader = StreamParser::default();
        let piece = reader.event(Bytes::from_static(last.as_bytes()), false).unwrap();
        assert!(piece.bytes == last && reader.usage.is_some() && reader.finished);
    }

    #[test]
    fn content_is_more_than_a_role() {
        let delta = |delta: &str| {
            let event =
                format!("data: {{\"choices\":[{{\"delta\":{delta},\"finish_reason\":null}}],\"usage\":null}}\n\n");
            StreamParser::default().event(Bytes::from(event), false).unwrap().content
        };
        assert!(!delta(r#"{"role":"assistant","content":""}"#));
        assert!(!delta(r#"{"role":"assistant","content":null}"#));
        assert!(delta(r#"{"content":"a"}"#));
        assert!(delta(r#"{"reasoning_content":"a"}"#));
        assert!(delta(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}"#));
    }
}
