//! A client's request: the values that the gateway needs are parsed, everything else is
//! passed on unchanged.
//!
//! Invariants: unknown members are passed on; the token counts here are never less than
//! the provider's (`count`).

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};
use tollbridge_core::client_json;
use tollbridge_core::limits::{INFERENCE_CHOICES_MAX, JSON_DEPTH_MAX};
use tollbridge_core::money::Millipence;

use super::chat_facts::{Attachments, ChatFacts, MAX_COST, members_read};
use super::chat_text::{ChatText, ReadChat};
use super::client_format::NativeForm;
use super::error::GatewayError;
use super::json_text::too_deep;
use super::pricing::TokenUsage;
use super::provider::{ModelDeployment, ModelKind};
use super::recording::Recording;
use super::request_members::RequestMembers;
use super::tokens::input_token_bound;

/// The model name with which a client lets the router choose a model.
pub(crate) const AUTO: &str = "auto";
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
    /// Parses a chat completion request.
    pub fn chat(body: &Bytes) -> Result<Self, GatewayError> {
        match ChatText::read(body) {
            Some(ReadChat { text, known, facts }) => {
                Self::of_chat(&known, &facts, body.len(), RequestMembers::Text(text))
            }
            // Unusual or invalid JSON: the full parser accepts it or reports the error.
            None => Self::from_chat(object(body)?, body.len()),
        }
    }

    /// Builds a request from the members of a chat; `body_bytes` is the size of the body.
    pub(crate) fn from_chat(members: Map<String, Value>, body_bytes: usize) -> Result<Self, GatewayError> {
        let messages = members.get("messages").and_then(Value::as_array).filter(|list| !list.is_empty());
        let messages = messages.ok_or_else(|| invalid("/messages", "must be a list with at least one message"))?;
        let facts = ChatFacts::of(&members, messages);
        let request = Self::of_chat(&members, &facts, body_bytes, RequestMembers::Parsed(Map::new()))?;
        Ok(Self { members: RequestMembers::Parsed(members), ..request })
    }

    /// Builds a chat request from its parsed values.
    fn of_chat(
        params: &Map<String, Value>,
        facts: &ChatFacts,
        body_bytes: usize,
        members: RequestMembers,
    ) -> Result<Self, GatewayError> {
        let stream = flag(params, "stream")?;
        let choices = count(params, "n")?.unwrap_or(1);
        if !(1..=INFERENCE_CHOICES_MAX).contains(&choices) {
            return Err(invalid("/n", &format!("must be from 1 to {INFERENCE_CHOICES_MAX}")));
        }
        let limit = match (count(params, "max_completion_tokens")?, count(params, "max_tokens")?) {
            (Some(new), Some(old)) => Some(new.max(old)),
            (new, old) => new.or(old),
        };
        let needs = Needs {
            tools: facts.has_tools,
            vision: facts.has_picture,
            json: facts.wants_json,
            openai_only: choices > 1 || params.get("logprobs") == Some(&Value::Bool(true)),
        };
        let usage = params.get("stream_options").and_then(|options| options.get("include_usage"));
        Ok(Self {
            endpoint: InferenceEndpoint::Chat,
            model: model(params)?,
            stream,
            wants_usage: usage == Some(&Value::Bool(true)),
            needs,
            max_input_tokens: input_token_bound(facts.read, facts.messages, &facts.attached),
            max_output_tokens: limit.map(|limit| limit.saturating_mul(choices)),
            choices,
            caches_for_an_hour: facts.caches_for_an_hour,
            wants_base64: false,
            text_bytes: body_bytes.saturating_sub(facts.attached.bytes()),
            max_cost: max_cost(params)?,
            members,
            native: None,
            recording: None,
        })
    }

    /// Parses a request for embedding vectors.
    pub fn embeddings(body: &Bytes) -> Result<Self, GatewayError> {
        let mut members = object(body)?;
        // Providers always return vectors as numbers; this server converts them to base64
        // on request.
        let wants_base64 = match members.remove("encoding_format").as_ref().map(Value::as_str) {
            None | Some(Some("float")) => false,
            Some(Some("base64")) => true,
            Some(_) => return Err(invalid("/encoding_format", "must be float or base64")),
        };
        if !members.get("input").is_some_and(is_text_or_tokens) {
            return Err(invalid("/input", "must be a text, a list of texts, or tokens"));
        }
        let max_input_tokens = input_token_bound(members_read(&members), 0, &Attachments::default());
        let request = Self::whole(InferenceEndpoint::Embeddings, members, max_input_tokens, body.len())?;
        Ok(Self { wants_base64, ..request })
    }

    /// Builds a request that is answered in one piece; `body_bytes` is the size of the
    /// body.
    pub(super) fn whole(
        endpoint: InferenceEndpoint,
        members: Map<String, Value>,
        max_input_tokens: u64,
        body_bytes: usize,
    ) -> Result<Self, GatewayError> {
        Ok(Self {
            endpoint,
            model: model(&members)?,
            stream: false,
            wants_usage: false,
            needs: Needs::default(),
            max_input_tokens,
            max_output_tokens: None,
            choices: 1,
            caches_for_an_hour: false,
            wants_base64: false,
            text_bytes: body_bytes,
            max_cost: max_cost(&members)?,
            members: RequestMembers::Parsed(members),
            native: None,
            recording: None,
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

pub(super) fn object(body: &Bytes) -> Result<Map<String, Value>, GatewayError> {
    let members: Map<String, Value> =
        client_json::read(body).map_err(|error| invalid("", &format!("the body is not a JSON object: {error}")))?;
    if members.values().any(|value| too_deep(value, JSON_DEPTH_MAX)) {
        return Err(invalid("", &format!("the body is nested deeper than {JSON_DEPTH_MAX}")));
    }
    Ok(members)
}

fn model(members: &Map<String, Value>) -> Result<String, GatewayError> {
    let model = members.get("model").and_then(Value::as_str);
    let model = model.filter(|model| (1..=MODEL_CHARS_MAX).contains(&model.chars().count()));
    model
        .map(str::to_owned)
        .ok_or_else(|| invalid("/model", "must be the id of a model, or \"auto\"; GET /api/v1/models lists them"))
}

fn flag(members: &Map<String, Value>, name: &str) -> Result<bool, GatewayError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(invalid(&format!("/{name}"), "must be true or false")),
    }
}

pub(super) fn count(members: &Map<String, Value>, name: &str) -> Result<Option<u64>, GatewayError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) if count > 0 => Ok(Some(count)),
            _ => Err(invalid(&format!("/{name}"), "must be a whole number above 0")),
        },
    }
}

/// Parses an amount in pounds, given as a string or number, from its decimal digits.
fn max_cost(members: &Map<String, Value>) -> Result<Option<Millipence>, GatewayError> {
    let text = match members.get(MAX_COST) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => String::new(),
    };
    let wrong = |_| invalid(&format!("/{MAX_COST}"), "must be an amount in pounds, like \"0.05\"");
    text.parse().map(Some).map_err(wrong)
}

pub(super) fn invalid(field: &str, message: &str) -> GatewayError {
    let message = if field.is_empty() { message.to_owned() } else { format!("{} {message}", &field.replace('/', "")) };
    GatewayError::Invalid { field: field.to_owned(), message }
}

#[cfg(test)]
mod tests {
    use super::super::provider::OutputLimitParam;
    use super::super::testing::{deployment, quirky};
    use super::*;
    use serde_json::json;
    use tollbridge_core::limits::INFERENCE_ATTACHMENT_TOKENS_MAX;

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
    fn what_is_wrong_is_named() {
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
