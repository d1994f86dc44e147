//! A client's request: the values that the gateway needs are parsed, everything else is
//! passed on unchanged.
//!
//! Invariants: unknown members are passed on; `ModelRequest::max_input_tokens` is never
//! less than the provider's count.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::money::Millipence;

use super::chat_facts::{Attachments, ChatFacts, MAX_COST, prompt_bytes_of_members};
use super::client_format::NativeForm;
use super::error::GatewayError;
use super::invalid::invalid_member;
use super::json_body::{read_count, read_flag, read_object};
use super::pricing::TokenUsage;
use super::provider::{ModelDeployment, ModelKind};
use super::recording::Recording;
use super::request_members::RequestMembers;
use super::tokens::{estimate_output, input_token_bound};

/// Maximum number of answers to one request (`n`).
const INFERENCE_CHOICES_MAX: u64 = 128;

/// The model name with which a client lets the router choose a model.
pub const AUTO: &str = "auto";
/// The maximum length of a model name.
const MODEL_CHARS_MAX: usize = 256;

/// The endpoint that was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InferenceEndpoint {
    /// `POST /v1/chat/completions`
    Chat,
    /// `POST /v1/embeddings`
    Embeddings,
    /// `POST /v1/audio/speech`
    Speech,
    /// `POST /v1/audio/transcriptions`
    Transcription,
    /// `POST /v1/images/generations`
    Images,
}

impl InferenceEndpoint {
    /// Returns the kind of model that answers requests to this endpoint.
    pub(crate) const fn kind(self) -> ModelKind {
        match self {
            Self::Chat => ModelKind::Chat,
            Self::Embeddings => ModelKind::Embedding,
            Self::Speech => ModelKind::Speech,
            Self::Transcription => ModelKind::Transcription,
            Self::Images => ModelKind::Image,
        }
    }
}

/// A request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The endpoint that was called.
    pub endpoint: InferenceEndpoint,
    /// The name of a model, or `auto`.
    pub model: String,
    /// Whether the response is streamed.
    pub stream: bool,
    /// Whether the client wants a stream to report its usage.
    pub wants_usage: bool,
    /// The capabilities that a deployment must have.
    pub needs: Needs,
    /// The upper bound of the input tokens that a provider counts; for speech, the
    /// characters of the text, and for transcription, the seconds of the recording.
    pub max_input_tokens: u64,
    /// The client's limit on output tokens, for all choices together.
    pub max_output_tokens: Option<u64>,
    /// The number of answers requested.
    pub choices: u64,
    /// Whether the client marked a part to be cached by the provider for an hour.
    pub(crate) caches_for_an_hour: bool,
    /// Whether the client requested embedding vectors as base64.
    pub(crate) wants_base64: bool,
    /// Bytes of the body, without embedded pictures and other attachments.
    text_bytes: usize,
    /// The maximum cost that the client accepts.
    pub max_cost: Option<Millipence>,
    /// All members as the client sent them.
    pub(crate) members: RequestMembers,
    /// The request in the client's own format, for providers that speak it.
    pub(crate) native: Option<Arc<NativeForm>>,
    /// The recording to transcribe.
    pub(crate) recording: Option<Recording>,
    /// The account that makes the request; the built-in provider serves accounts in turn.
    pub(crate) tenant: TenantName,
}

/// The capabilities that a deployment must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub tools: bool,
    pub vision: bool,
    pub json: bool,
    /// Whether the request asks for several choices or log probabilities, which only
    /// OpenAI's format supports.
    pub openai_only: bool,
}

impl ModelRequest {
    /// Parses the body of a chat completion request.
    pub fn chat(body: &Bytes) -> Result<Self, GatewayError> {
        let (members, facts) = RequestMembers::of_chat(body)?;
        Self::with_chat_members(members, &facts, body.len())
    }

    /// Builds the request for a chat that was converted from another format; `body_bytes`
    /// is the size of the original body.
    pub(crate) fn converted_chat(members: Map<String, Value>, body_bytes: usize) -> Result<Self, GatewayError> {
        let facts = ChatFacts::of_members(&members)?;
        Self::with_chat_members(RequestMembers::Parsed(members), &facts, body_bytes)
    }

    fn with_chat_members(members: RequestMembers, facts: &ChatFacts, body_bytes: usize) -> Result<Self, GatewayError> {
        let get = |name: &str| members.gateway_member(name);
        let count = |name: &str| read_count(get(name), name);
        let stream = read_flag(get("stream"), "stream")?.unwrap_or(false);
        let choices = count("n")?.unwrap_or(1);
        if !(1..=INFERENCE_CHOICES_MAX).contains(&choices) {
            return Err(invalid_member("n", &format!("must be from 1 to {INFERENCE_CHOICES_MAX}")));
        }
        let limit = match (count("max_completion_tokens")?, count("max_tokens")?) {
            (Some(new), Some(old)) => Some(new.max(old)),
            (new, old) => new.or(old),
        };
        let needs = Needs {
            tools: facts.has_tools,
            vision: facts.has_picture,
            json: facts.wants_json,
            openai_only: choices > 1 || get("logprobs") == Some(&Value::Bool(true)),
        };
        let usage = get("stream_options").and_then(|options| options.get("include_usage"));
        Ok(Self {
            endpoint: InferenceEndpoint::Chat,
            model: model(get("model"))?,
            stream,
            wants_usage: usage == Some(&Value::Bool(true)),
            needs,
            max_input_tokens: input_token_bound(facts.prompt_bytes, facts.messages, &facts.attached),
            max_output_tokens: limit.map(|limit| limit.saturating_mul(choices)),
            choices,
            caches_for_an_hour: facts.caches_for_an_hour,
            wants_base64: false,
            text_bytes: body_bytes.saturating_sub(facts.attached.bytes()),
            max_cost: max_cost(get(MAX_COST))?,
            members,
            native: None,
            recording: None,
            tenant: "".into(),
        })
    }

    /// Parses a request for embedding vectors.
    pub fn embeddings(body: &Bytes) -> Result<Self, GatewayError> {
        let mut members = read_object(body)?;
        // Providers always return vectors as numbers; this server converts them to base64
        // on request.
        let wants_base64 = match members.remove("encoding_format").as_ref().map(Value::as_str) {
            None | Some(Some("float")) => false,
            Some(Some("base64")) => true,
            Some(_) => return Err(invalid_member("encoding_format", "must be float or base64")),
        };
        if !members.get("input").is_some_and(is_text_or_tokens) {
            return Err(invalid_member("input", "must be a string, a list of strings, or tokens"));
        }
        let max_input_tokens = input_token_bound(prompt_bytes_of_members(&members), 0, &Attachments::default());
        let request = Self::without_chat(InferenceEndpoint::Embeddings, members, max_input_tokens, body.len())?;
        Ok(Self { wants_base64, ..request })
    }

    /// Builds a request to an endpoint other than chat; `body_bytes` is the size of the
    /// body.
    pub(super) fn without_chat(
        endpoint: InferenceEndpoint,
        members: Map<String, Value>,
        max_input_tokens: u64,
        body_bytes: usize,
    ) -> Result<Self, GatewayError> {
        Ok(Self {
            endpoint,
            model: model(members.get("model"))?,
            stream: false,
            wants_usage: false,
            needs: Needs::default(),
            max_input_tokens,
            max_output_tokens: None,
            choices: 1,
            caches_for_an_hour: false,
            wants_base64: false,
            text_bytes: body_bytes,
            max_cost: max_cost(members.get(MAX_COST))?,
            members: RequestMembers::Parsed(members),
            native: None,
            recording: None,
            tenant: "".into(),
        })
    }

    /// Returns the maximum numbers of input and output tokens that a deployment may use
    /// for the request.
    pub fn worst_case_tokens(&self, deployment: &ModelDeployment) -> (u64, u64) {
        let longest = deployment.max_output_tokens().saturating_mul(self.choices);
        let output = self.max_output_tokens.map_or(longest, |limit| limit.min(longest));
        let input = self.max_input_tokens.min(deployment.context);
        match self.endpoint {
            InferenceEndpoint::Chat => (input, output),
            InferenceEndpoint::Images => (input, longest),
            InferenceEndpoint::Transcription => (input.max(deployment.provider.quirks.billed_seconds_min), 0),
            InferenceEndpoint::Embeddings | InferenceEndpoint::Speech => (input, 0),
        }
    }

    /// Returns the most expensive usage that the request can have at a deployment.
    pub fn worst_usage(&self, deployment: &ModelDeployment) -> TokenUsage {
        let (input, output) = self.worst_case_tokens(deployment);
        deployment.prices.worst_usage(input, output, self.caches_for_an_hour)
    }

    /// Estimates the input tokens as a quarter of the text's bytes. For speech and
    /// transcription, the exact number of characters or seconds is known.
    pub fn estimated_input(&self) -> u64 {
        match self.endpoint {
            InferenceEndpoint::Speech | InferenceEndpoint::Transcription => self.max_input_tokens,
            _ => u64::try_from(self.text_bytes.div_ceil(4)).unwrap_or(u64::MAX),
        }
    }

    /// Estimates the usage of a complete answer whose provider reported none.
    pub(crate) fn estimated_usage(&self, body: &[u8]) -> TokenUsage {
        let output = if self.endpoint == InferenceEndpoint::Chat { estimate_output(body) } else { 0 };
        TokenUsage { input: self.estimated_input(), output, estimated: true, ..TokenUsage::default() }
    }

    /// Returns the request in the client's own format, if the deployment's provider
    /// supports that format.
    pub(crate) fn native_at(&self, deployment: &ModelDeployment) -> Option<&NativeForm> {
        self.native.as_deref().filter(|native| native.address(&deployment.provider).is_some())
    }

    /// Builds the request body for a provider that uses OpenAI's format.
    pub fn for_openai(&self, deployment: &ModelDeployment) -> Result<Vec<u8>, serde_json::Error> {
        self.members.for_openai(deployment, self.stream)
    }
}

/// Returns whether an `input` member is a text, tokens, or a list of either.
fn is_text_or_tokens(input: &Value) -> bool {
    let is_token = |item: &Value| item.as_u64().is_some_and(|token| u32::try_from(token).is_ok());
    let are_tokens = |item: &Value| item.as_array().is_some_and(|items| items.iter().all(is_token));
    let all = |is: &dyn Fn(&Value) -> bool| input.as_array().is_some_and(|items| items.iter().all(is));
    input.is_string() || all(&Value::is_string) || all(&is_token) || all(&are_tokens)
}

fn model(member: Option<&Value>) -> Result<String, GatewayError> {
    let model = member.and_then(Value::as_str);
    let model = model.filter(|model| (1..=MODEL_CHARS_MAX).contains(&model.chars().count()));
    model
        .map(str::to_owned)
        .ok_or_else(|| invalid_member("model", "must be the id of a model, or \"auto\"; GET /api/v1/models lists them"))
}

/// Parses an amount in pounds, given as a string or number, from its decimal digits.
fn max_cost(member: Option<&Value>) -> Result<Option<Millipence>, GatewayError> {
    let text = match member {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => String::new(),
    };
    let error = |_| invalid_member(MAX_COST, "must be an amount in pounds, like \"0.05\"");
    text.parse().map(Some).map_err(error)
}

#[cfg(test)]
mod tests {
    use super::super::provider::OutputLimitParam;
    use super::super::testing::{deployment, quirky};
    use super::*;
    use crate::limits::INFERENCE_ATTACHMENT_TOKENS_MAX;
    use serde_json::json;

    fn read(body: Value) -> Result<ModelRequest, GatewayError> {
        ModelRequest::chat(&Bytes::from(body.to_string()))
    }

    fn sent(request: &ModelRequest, deployment: &ModelDeployment) -> Value {
        serde_json::from_slice(&request.for_openai(deployment).unwrap()).unwrap()
    }

    const HELLO: &str = r#"[{"role":"user","content":"hello"}]"#;

    fn hello() -> Value {
        serde_json::from_str(HELLO).unwrap()
    }

    #[test]
    fn passes_on_what_it_does_not_know() {
        let body = json!({
            "model": "m", "messages": hello(), "seed": 7, "logit_bias": {"1": -100}, "a_new_member": [1, {"b": null}],
            "temperature": 0.7, "tools": [{"type": "function", "function": {"name": "f"}}],
        });
        let request = read(body.clone()).unwrap();
        assert!(request.needs.tools && !request.needs.vision && !request.needs.json);
        let mut expected = body;
        expected["model"] = "up/m".into();
        assert_eq!(sent(&request, &deployment("a", "m", 1, 1)), expected);
    }

    #[test]
    fn asks_for_usage_and_keeps_other_stream_options() {
        let body = json!({"model": "m", "messages": hello(), "stream": true, "stream_options": {"x": 1}});
        let request = read(body).unwrap();
        assert!(!request.wants_usage);
        let sent = sent(&request, &deployment("a", "m", 1, 1));
        assert_eq!(sent["stream_options"], json!({"x": 1, "include_usage": true}));
        let body =
            json!({"model": "m", "messages": hello(), "stream": true, "stream_options": {"include_usage": true}});
        assert!(read(body).unwrap().wants_usage);
    }

    #[test]
    fn the_limit_gets_the_name_that_the_provider_knows() {
        let body = |name: &str| read(json!({"model": "m", "messages": hello(), name: 9})).unwrap();
        for (limit, name) in [
            (OutputLimitParam::MaxTokens, "max_tokens"),
            (OutputLimitParam::MaxCompletionTokens, "max_completion_tokens"),
        ] {
            for sent_as in ["max_tokens", "max_completion_tokens"] {
                let sent = sent(&body(sent_as), &quirky(limit));
                assert_eq!(sent[name], 9, "{sent}");
                assert_eq!(sent.as_object().unwrap().len(), 3, "{sent}");
            }
            let both = read(json!({"model": "m", "messages": hello(), "max_tokens": 8, "max_completion_tokens": 9}));
            let bytes = both.unwrap().for_openai(&quirky(limit)).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(text.matches("max_").count(), 1, "{text}");
        }
        assert_eq!(body("max_tokens").max_output_tokens, Some(9));
    }

    #[test]
    fn the_worst_case_is_counted_from_bytes() {
        let request = read(json!({"model": "m", "messages": hello()})).unwrap();
        let big = deployment("a", "m", 1, 1);
        let (input, output) = request.worst_case_tokens(&big);
        assert!(input >= u64::try_from(HELLO.len()).unwrap() && output == big.max_output_tokens());
        let picture = json!([{"role": "user", "content": [{"type": "text", "text": "?"},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]}]);
        let request = read(json!({"model": "m", "messages": picture, "n": 3, "max_tokens": 10})).unwrap();
        assert!(request.needs.vision && request.needs.openai_only);
        assert!(request.max_input_tokens >= INFERENCE_ATTACHMENT_TOKENS_MAX);
        assert_eq!(request.worst_case_tokens(&big).1, 30);
    }

    #[test]
    fn errors_name_the_problem() {
        for (body, field) in [
            (json!([]), ""),
            (json!({"messages": hello()}), "/model"),
            (json!({"model": "", "messages": hello()}), "/model"),
            (json!({"model": "m"}), "/messages"),
            (json!({"model": "m", "messages": []}), "/messages"),
            (json!({"model": "m", "messages": "x"}), "/messages"),
            (json!({"model": "m", "messages": hello(), "stream": "yes"}), "/stream"),
            (json!({"model": "m", "messages": hello(), "n": 0}), "/n"),
            (json!({"model": "m", "messages": hello(), "n": 1e9}), "/n"),
            (json!({"model": "m", "messages": hello(), "max_tokens": -1}), "/max_tokens"),
            (json!({"model": "m", "messages": hello(), "max_cost_gbp": "free"}), "/max_cost_gbp"),
        ] {
            match read(body.clone()) {
                Err(GatewayError::Invalid { field: found, .. }) => assert_eq!(found, field, "{body}"),
                other => panic!("{body}: {other:?}"),
            }
        }
        let deep = format!("{{\"model\":\"m\",\"messages\":[{}1{}]}}", "[".repeat(100), "]".repeat(100));
        assert!(matches!(ModelRequest::chat(&Bytes::from(deep)), Err(GatewayError::Invalid { .. })));
    }

    #[test]
    fn max_cost_is_ours_and_exact() {
        let request = read(json!({"model": "m", "messages": hello(), "max_cost_gbp": 0.05})).unwrap();
        assert_eq!(request.max_cost, Some(Millipence::new(5_000)));
        assert!(sent(&request, &deployment("a", "m", 1, 1)).get("max_cost_gbp").is_none());
    }
}
