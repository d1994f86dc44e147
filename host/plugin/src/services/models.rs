//! Requests to models: completions and embeddings.

use futures_util::future::BoxFuture;
use tokio::time::Instant;
use tollbridge_registry::NeededModels;

/// Sends requests to models. Its futures wait for the models' providers.
pub trait Models: Send + Sync {
    /// Requests the next message of a conversation from a model.
    fn complete(
        &self,
        context: InferenceContext,
        request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>>;

    /// Converts each text to a vector.
    fn embed(
        &self,
        context: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>>;

    /// Returns the reason why no model of a kind is available, to an agent if one is given, if this
    /// is likely to last. Must be fast: it is called before every call that needs a model.
    fn outage(&self, _agent: Option<&str>, _: NeededModels) -> Option<ModelOutage> {
        None
    }
}

/// An outage: no model is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelOutage {
    /// The reason as a short sentence, for lists.
    pub reason: String,
    /// The reason and how to fix it, for a caller whose request is refused.
    pub explanation: String,
    /// Whether one call may be let through to probe whether the outage has ended.
    pub is_probe_due: bool,
}

/// The context of a request to a model: caller, deadline and budget.
#[derive(Clone, Debug)]
pub struct InferenceContext {
    /// Name of the plugin.
    pub plugin: String,
    /// Name of the agent that makes the request, directly or through a bridge; `None` for a
    /// bridge that is called directly.
    pub agent: Option<String>,
    /// Id of the request that the plugin serves.
    pub request_id: String,
    /// The calling account, if there is one.
    pub account: Option<String>,
    /// The time by which the answer must arrive: the end of the plugin's call.
    pub deadline: Instant,
    /// The highest cost of the request, in millipence; set by the seller of the call.
    pub budget_millipence: Option<u64>,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions that frame the conversation.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// A request for a completion, within the bounds of `limits.rs`.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionRequest {
    /// A model's id, or `auto`.
    pub model: String,
    /// The conversation so far.
    pub messages: Vec<(Role, String)>,
    /// The maximum length of the answer in tokens.
    pub max_tokens: u32,
    /// Sampling temperature, from 0 to 2.
    pub temperature: Option<f64>,
    /// JSON Schema of the answer, as the text of a JSON object.
    pub response_schema: Option<String>,
}

/// The answer of a model to a completion request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text of the model's message.
    pub text: String,
    /// Whether the text was cut off at `max_tokens`.
    pub truncated: bool,
    /// Id of the model that answered.
    pub model: String,
    /// Name of the model's provider.
    pub provider: String,
    /// Number of input tokens.
    pub input_tokens: u64,
    /// Number of output tokens.
    pub output_tokens: u64,
    /// Cost of the request, in millipence.
    pub cost_millipence: u64,
}

/// The answer to an embedding request: vectors in the order of the texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    /// One vector for each text.
    pub vectors: Vec<Vec<f32>>,
    /// Id of the model that answered.
    pub model: String,
    /// Name of the model's provider.
    pub provider: String,
    /// Number of input tokens.
    pub input_tokens: u64,
    /// Cost of the request, in millipence.
    pub cost_millipence: u64,
}

/// The reason why a model gave no answer. Guests and callers see the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferenceError {
    /// No provider is configured or able to answer; the text says how to fix that.
    #[error("{0}")]
    NoProvider(String),
    /// The request was invalid and was not sent.
    #[error("{0}")]
    Refused(String),
    /// The provider's answer was missing or invalid.
    #[error("{0}")]
    Failed(String),
}
