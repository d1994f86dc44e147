//! Reads speech, transcripts and images from providers, and their usage.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::CompleteResponse;
use crate::pricing::TokenUsage;
use crate::provider::ModelDeployment;
use crate::provider_error::ProviderError;
use crate::request::ModelRequest;

const OTHER_FORMAT: ProviderError = ProviderError::Malformed("an invalid response");

#[derive(Deserialize)]
struct ImagesBody {
    data: Option<Vec<IgnoredAny>>,
    usage: Option<ImagesUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct ImagesUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct TranscriptBody {
    text: Option<IgnoredAny>,
    /// Length of the recording in seconds, as reported in the `verbose_json` format.
    duration: Option<Seconds>,
    usage: Option<TranscriptUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct TranscriptUsage {
    /// OpenAI's name for the billed seconds.
    seconds: Option<Seconds>,
    /// Mistral's name for the billed seconds.
    prompt_audio_seconds: Option<Seconds>,
}

/// A number of seconds; older servers send it as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

impl Seconds {
    fn rounded_up(&self) -> Option<u64> {
        let seconds = match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        };
        let in_range = seconds.filter(|seconds| (0.0..1e9).contains(seconds));
        // The number is whole, not negative and below 1e9, so the conversion is exact.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        in_range.map(|seconds| seconds.ceil() as u64)
    }
}

/// Reads an answer with speech.
pub(crate) fn sound(request: &ModelRequest, body: Bytes) -> Result<CompleteResponse, ProviderError> {
    if body.is_empty() {
        return Err(ProviderError::Malformed("no sound"));
    }
    Ok(complete(body, TokenUsage { input: request.max_input_tokens, ..TokenUsage::default() }))
}

/// Reads an answer with images. Images are billed by the token if the deployment has
/// `max_output`, otherwise per image.
pub(crate) fn images(
    request: &ModelRequest,
    deployment: &ModelDeployment,
    body: Bytes,
) -> Result<CompleteResponse, ProviderError> {
    let seen: ImagesBody = serde_json::from_slice(&body).map_err(|_| OTHER_FORMAT)?;
    if seen.error.is_some_and(|error| !error.is_null()) {
        return Err(ProviderError::ErrorFrame);
    }
    let images = seen.data.map_or(0, |data| u64::try_from(data.len()).unwrap_or(u64::MAX));
    if images == 0 {
        return Err(ProviderError::Malformed("an empty response"));
    }
    let (input, output) = request.worst_case_tokens(deployment);
    let reported = seen.usage.and_then(|usage| usage.input_tokens.zip(usage.output_tokens));
    let usage = match (deployment.max_output, reported) {
        (None, _) => TokenUsage { input, output: images.min(request.choices), ..TokenUsage::default() },
        (Some(_), Some((input, output))) => TokenUsage { input, output, ..TokenUsage::default() },
        (Some(_), None) => TokenUsage { input, output, estimated: true, ..TokenUsage::default() },
    };
    Ok(complete(body, usage))
}

/// Reads an answer with a transcript. The billed seconds are those reported by the
/// provider, or else the measured ones.
pub(crate) fn transcript(
    request: &ModelRequest,
    deployment: &ModelDeployment,
    body: Bytes,
) -> Result<CompleteResponse, ProviderError> {
    let mut seconds = None;
    if request.wants_json() {
        let seen: TranscriptBody = serde_json::from_slice(&body).map_err(|_| OTHER_FORMAT)?;
        if seen.error.is_some_and(|error| !error.is_null()) {
            return Err(ProviderError::ErrorFrame);
        }
        seen.text.ok_or(ProviderError::Malformed("an empty response"))?;
        let usage = seen.usage.and_then(|usage| usage.seconds.or(usage.prompt_audio_seconds));
        seconds = usage.or(seen.duration).and_then(|seconds| seconds.rounded_up());
    }
    let least = deployment.provider.quirks.billed_seconds_min;
    let input = seconds.unwrap_or(request.max_input_tokens).max(least);
    Ok(complete(body, TokenUsage { input, ..TokenUsage::default() }))
}

fn complete(body: Bytes, usage: TokenUsage) -> CompleteResponse {
    CompleteResponse { body, usage: Some(usage), is_native: false }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::deployment;

    fn asked(n: u64) -> ModelRequest {
        ModelRequest::images(&Bytes::from(json!({"model": "m", "prompt": "a cat", "n": n}).to_string())).unwrap()
    }

    #[test]
    fn images_are_counted_or_their_tokens_are() {
        let with = |usage: &str| Bytes::from(format!("{{\"data\":[{{}},{{}},{{}}],\"usage\":{usage}}}"));
        let mut each = deployment("a", "m", 0, 1);
        each.max_output = None;
        assert_eq!(images(&asked(2), &each, with("null")).unwrap().usage.unwrap().output, 2);
        let by_token = deployment("a", "m", 1, 1);
        let usage =
            images(&asked(3), &by_token, with("{\"input_tokens\":9,\"output_tokens\":500}")).unwrap().usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.estimated), (9, 500, false));
        let unsaid = images(&asked(3), &by_token, with("{}")).unwrap().usage.unwrap();
        assert!(unsaid.estimated && unsaid.output == 48_000);
        for nothing in ["{\"data\":[]}", "{}", "{\"error\":{\"message\":\"no\"}}", "<html>"] {
            assert!(images(&asked(1), &each, Bytes::from_static(nothing.as_bytes())).is_err(), "{nothing}");
        }
    }

    #[test]
    fn seconds_are_read_as_providers_write_them() {
        for (text, seconds) in [
            ("12", Some(12)),
            ("12.1", Some(13)),
            ("\"8.47\"", Some(9)),
            ("-1", None),
            ("\"x\"", None),
            ("1e300", None),
        ] {
            assert_eq!(serde_json::from_str::<Seconds>(text).unwrap().rounded_up(), seconds, "{text}");
        }
    }
}
