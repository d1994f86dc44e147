//! Models: completions and embeddings.

use std::time::Instant;

use futures_util::future::BoxFuture;

/// Sends requests to models. Waits for their providers.
pub trait Models: Send + Sync {
    /// Lets a model write the next message.
    fn complete(
        &self,
        context: InferenceContext,
        request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>>;

    /// Converts texts to vectors, one for each.
    fn embed(
        &self,
        context: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>>;

    /// Returns the reason why no model can be asked, if it is likely to last. Must be fast: it is
    /// called before every call that needs a model.
    fn outage(&self) -> Option<ModelOutage> {
        None
    }
}

/// No model can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelOutage {
    /// A short sentence for lists.
    pub reason: String,
    /// The reason with the fix, for a refused caller.
    pub explanation: String,
    /// Whether one call may probe whether the outage is over.
    pub is_probe_due: bool,
}

/// The context of a request to a model: caller, deadline and budget.
#[derive(Clone, Debug)]
pub struct InferenceContext {
    /// Name of the plugin.
    pub plugin: String,
    /// Id of the request that the plugin serves.
    pub request_id: String,
    /// The calling account, if there is one.
    pub account: Option<String>,
    /// The latest time for an answer: the end of the plugin's call.
    pub deadline: Instant,
    /// The most that the request may cost; set by the seller of the call.
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
    /// The most that the model may write.
    pub max_tokens: u32,
    /// From 0 to 2.
    pub temperature: Option<f64>,
    /// JSON Schema of the answer: the text of a JSON object.
    pub response_schema: Option<String>,
}

/// The output of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The message.
    pub text: String,
    /// Whether the text was cut off at `max_tokens`.
    pub truncated: bool,
    /// Id of the model that answered.
    pub model: String,
    /// Name of its provider.
    pub provider: String,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// The cost.
    pub cost_millipence: u64,
}

/// Vectors of texts, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    /// One for each text.
    pub vectors: Vec<Vec<f32>>,
    /// Id of the model that answered.
    pub model: String,
    /// Name of its provider.
    pub provider: String,
    /// Input tokens.
    pub input_tokens: u64,
    /// The cost.
    pub cost_millipence: u64,
}

/// The reason why a model gave no answer. Guests and callers see the texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferenceError {
    /// No provider is configured or able to answer; the text names the fix.
    #[error("{0}")]
    NoProvider(String),
    /// The request was not sent.
    #[error("{0}")]
    Refused(String),
    /// The provider's answer was missing or invalid.
    #[error("{0}")]
    Failed(String),
}
