//! Implements the `inference` interface: requests to models through the host's router.
//!
//! Invariants:
//! 1. Every request to the router is within the bounds of `limits.rs`.
//! 2. If no provider could answer, the call records it: only then may the plugin report a missing
//!    provider, and the caller gets the host's text.

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::limits::SCHEMA_BYTES_MAX;
use tollbridge_plugin::{
    Completion, CompletionRequest, Embeddings as ModelEmbeddings, InferenceContext, InferenceError,
};
use tollbridge_registry::limits::{NAME_BYTES_MAX, OUTPUT_BYTES_MAX};
use wasmtime::Result;

use crate::bindings::inference::{Embeddings, Error, Host, Request, Response, Role};
use crate::calls::state::State;
use crate::limits::{INFERENCE_REQUESTS_MAX, INFERENCE_TOKENS_MAX};

/// Maximum number of messages in one request to a model, and of texts that are embedded
/// at once.
const INFERENCE_MESSAGES_MAX: usize = 256;
/// Maximum text of one request to a model, in total.
const INFERENCE_REQUEST_BYTES_MAX: usize = 1 << 20;

impl State {
    fn inference_context(&self) -> InferenceContext {
        InferenceContext {
            plugin: self.plugin.facts.name.clone(),
            agent: (self.plugin.facts.kind == PluginKind::Agent).then(|| self.plugin.facts.name.clone()),
            request_id: self.request_id.clone(),
            account: self.account.clone(),
            deadline: self.deadline,
            budget_millipence: None,
        }
    }

    /// Counts a request to a model against the call's limit, because each request may cost money.
    fn count_inference(&mut self) -> Result<(), InferenceError> {
        let refused = || InferenceError::Refused(format!("a call may send at most {INFERENCE_REQUESTS_MAX} requests"));
        self.inference_left = self.inference_left.checked_sub(1).ok_or_else(refused)?;
        Ok(())
    }

    fn inference_failed(&mut self, error: InferenceError) -> Error {
        match error {
            InferenceError::NoProvider(text) => {
                self.no_provider = Some(text.clone());
                Error::NoProvider(text)
            }
            InferenceError::Refused(text) => Error::Refused(text),
            InferenceError::Failed(text) => Error::Failed(text),
        }
    }
}

impl Host for State {
    async fn complete(&mut self, request: Request) -> Result<Result<Response, Error>> {
        self.limiter.count_host_call()?;
        let context = self.inference_context();
        let models = self.services.models.clone();
        let answer = match checked(request).and_then(|request| self.count_inference().map(|()| request)) {
            Ok(request) => models.complete(context, request).await.and_then(bounded),
            Err(error) => Err(error),
        };
        Ok(answer.map(response).map_err(|error| self.inference_failed(error)))
    }

    async fn embed(&mut self, model: String, texts: Vec<String>) -> Result<Result<Embeddings, Error>> {
        self.limiter.count_host_call()?;
        let context = self.inference_context();
        let models = self.services.models.clone();
        let count = texts.len();
        let checked = check_model(&model).and_then(|()| check_texts(count, texts.iter().map(String::len)));
        let answer = match checked.and_then(|()| self.count_inference()) {
            Ok(()) => models.embed(context, model, texts).await.and_then(|made| as_many(made, count)),
            Err(error) => Err(error),
        };
        Ok(answer.map(embeddings).map_err(|error| self.inference_failed(error)))
    }
}

fn checked(request: Request) -> Result<CompletionRequest, InferenceError> {
    let refused = |why: String| Err(InferenceError::Refused(why));
    check_model(&request.model)?;
    check_texts(request.messages.len(), request.messages.iter().map(|message| message.content.len()))?;
    if !(1..=INFERENCE_TOKENS_MAX).contains(&request.max_tokens) {
        return refused(format!("max-tokens must be from 1 to {INFERENCE_TOKENS_MAX}"));
    }
    if request.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
        return refused("temperature must be from 0 to 2".to_owned());
    }
    if let Some(schema) = &request.response_schema {
        let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(schema);
        if schema.len() > SCHEMA_BYTES_MAX || object.is_err() {
            return refused(format!("response-schema must be a JSON object of at most {SCHEMA_BYTES_MAX} bytes"));
        }
    }
    let role = |role| match role {
        Role::System => tollbridge_plugin::Role::System,
        Role::User => tollbridge_plugin::Role::User,
        Role::Assistant => tollbridge_plugin::Role::Assistant,
    };
    Ok(CompletionRequest {
        model: request.model,
        messages: request.messages.into_iter().map(|message| (role(message.role), message.content)).collect(),
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        response_schema: request.response_schema,
    })
}

fn check_model(model: &str) -> Result<(), InferenceError> {
    // Model ids may contain slashes and colons; twice the length of a name is enough.
    if model.is_empty() || model.len() > 2 * NAME_BYTES_MAX || !model.chars().all(|c| c.is_ascii_graphic()) {
        return Err(InferenceError::Refused("the model must be a model id or `auto`".to_owned()));
    }
    Ok(())
}

fn check_texts(count: usize, sizes: impl Iterator<Item = usize>) -> Result<(), InferenceError> {
    if !(1..=INFERENCE_MESSAGES_MAX).contains(&count) {
        return Err(InferenceError::Refused(format!("there must be 1 to {INFERENCE_MESSAGES_MAX} texts")));
    }
    if sizes.fold(0, usize::saturating_add) > INFERENCE_REQUEST_BYTES_MAX {
        let text = format!("the texts have more than {INFERENCE_REQUEST_BYTES_MAX} bytes together");
        return Err(InferenceError::Refused(text));
    }
    Ok(())
}

fn bounded(completion: Completion) -> Result<Completion, InferenceError> {
    match completion.text.len() {
        0..=OUTPUT_BYTES_MAX => Ok(completion),
        size => {
            Err(InferenceError::Failed(format!("the answer has {size} bytes; at most {OUTPUT_BYTES_MAX} are accepted")))
        }
    }
}

fn as_many(made: ModelEmbeddings, count: usize) -> Result<ModelEmbeddings, InferenceError> {
    let numbers = made.vectors.iter().map(Vec::len).fold(0, usize::saturating_add);
    if made.vectors.len() == count && numbers.saturating_mul(size_of::<f32>()) <= 4 * OUTPUT_BYTES_MAX {
        return Ok(made);
    }
    Err(InferenceError::Failed("the provider returned too few, too many or too long vectors".to_owned()))
}

fn response(completion: Completion) -> Response {
    Response {
        text: completion.text,
        truncated: completion.truncated,
        model: completion.model,
        provider: completion.provider,
        input_tokens: completion.input_tokens,
        output_tokens: completion.output_tokens,
        cost_millipence: completion.cost_millipence,
    }
}

fn embeddings(made: ModelEmbeddings) -> Embeddings {
    Embeddings {
        vectors: made.vectors,
        model: made.model,
        provider: made.provider,
        input_tokens: made.input_tokens,
        cost_millipence: made.cost_millipence,
    }
}
