//! Providers, and the models that they offer.
//!
//! Invariant: nothing here displays a key; `Debug` masks it.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use tokio::time::Instant;
use tollbridge_core::config::{ProviderKind, Secret};

use super::breaker::DeploymentHealth;
use super::builtin::BuiltinProvider;
use super::counters::DeploymentCounters;
use super::local_engine::LocalEngine;
use super::pricing::TokenPrices;

/// The version of Anthropic's API that requests use, sent in the header `VERSION`.
const ANTHROPIC_VERSION: &str = "2023-06-01";
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// The parameter in which a provider expects the maximum length of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputLimitParam {
    AsSent,
    MaxTokens,
    MaxCompletionTokens,
}

/// The differences between a provider's API and its standard format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    pub limit: OutputLimitParam,
    /// Whether the provider reports a stream's usage only on request.
    pub needs_usage_option: bool,
    /// The minimum number of seconds that the provider bills for a recording.
    pub billed_seconds_min: u64,
    /// The members of the Responses API that the provider does not support; `None` if it
    /// does not support this API at all.
    pub responses: Option<&'static [&'static str]>,
}

/// A provider that requests can be sent to.
#[derive(Debug)]
pub struct ProviderEndpoint {
    /// The name of the provider in the configuration.
    pub name: String,
    pub kind: ProviderKind,
    /// The address for chats and other main requests.
    pub chat: Uri,
    pub embeddings: Uri,
    pub speech: Uri,
    pub transcriptions: Uri,
    pub images: Uri,
    /// The address of the provider's Responses API, if it has one.
    pub responses: Option<Uri>,
    /// The address of the provider's token count for Messages API requests, if it has
    /// one.
    pub count_tokens: Option<Uri>,
    pub key: Option<Secret>,
    /// The headers of every request to the provider, including its key.
    pub headers: HeaderMap,
    pub quirks: Quirks,
    /// The provider's engine, if this server starts it.
    pub engine: Option<Arc<LocalEngine>>,
    /// The provider in this process; `None` for all others, which have addresses.
    pub(crate) builtin: Option<BuiltinProvider>,
}

/// The kind of output that a model produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// Answers in a conversation.
    Chat,
    /// Embedding vectors of texts.
    Embedding,
    /// Speech generated from a text. The billed tokens are characters.
    Speech,
    /// A transcript of a recording. The billed tokens are seconds.
    Transcription,
    /// Images generated from a text prompt. The billed tokens are images, unless
    /// `max_output` is set.
    Image,
}

impl ModelKind {
    /// Returns the name of the kind in the list of models.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embedding => "embedding",
            Self::Speech => "speech",
            Self::Transcription => "transcription",
            Self::Image => "image",
        }
    }

    /// Returns the unit in which the model's context is counted.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::Speech => "characters",
            Self::Transcription => "seconds",
            _ => "tokens",
        }
    }
}

/// One model at one provider.
#[derive(Debug)]
pub struct ModelDeployment {
    /// The provider that requests are sent to.
    pub provider: Arc<ProviderEndpoint>,
    /// The name by which clients request the model; the same at every provider of the model.
    pub name: String,
    /// The provider's name for the model.
    pub upstream: String,
    /// The prices of the model's tokens.
    pub prices: TokenPrices,
    /// The context size of the model in tokens, for input and output together.
    pub context: u64,
    /// The maximum length of an answer in tokens, if the model has a separate limit.
    pub max_output: Option<u64>,
    /// Whether the model can call tools.
    pub tools: bool,
    /// Whether the model accepts pictures.
    pub vision: bool,
    /// Whether the model supports `response_format`.
    pub json: bool,
    /// The kind of output that the model produces.
    pub kind: ModelKind,
    /// Circuit breaker and latency of the deployment.
    pub health: DeploymentHealth,
    /// Metrics of the deployment.
    pub counters: DeploymentCounters,
}

/// Whether a built-in or configured provider can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderStatus {
    /// The name of the provider in the configuration.
    pub name: String,
    /// The base URL; empty if none is configured.
    pub base_url: String,
    /// The number of models; otherwise the reason why the provider is not used, and the
    /// remedy.
    pub state: Result<usize, String>,
}

impl ModelDeployment {
    /// Returns whether requests can be sent to the deployment now.
    pub fn is_up(&self) -> bool {
        self.health.paused_until(Instant::now()).is_none()
    }

    /// Returns the maximum length of an answer in tokens; 1 for images that are billed
    /// per image.
    pub fn max_output_tokens(&self) -> u64 {
        if self.kind == ModelKind::Image {
            return self.max_output.unwrap_or(1);
        }
        self.max_output.unwrap_or(self.context).min(self.context)
    }

    /// Returns the names of provider and model, for logs.
    pub fn label(&self) -> String {
        format!("{}/{}", self.provider.name, self.upstream)
    }
}

/// Returns the headers of every request to a provider. The key is marked as sensitive, so
/// that libraries do not log it.
pub(super) fn headers(kind: ProviderKind, key: Option<&Secret>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
    let (name, key) = match kind {
        ProviderKind::OpenAi => (header::AUTHORIZATION, key.map(|key| format!("Bearer {}", key.expose()))),
        ProviderKind::Anthropic => {
            headers.insert(VERSION, HeaderValue::from_static(ANTHROPIC_VERSION));
            (HeaderName::from_static("x-api-key"), key.map(|key| key.expose().to_owned()))
        }
    };
    // Cannot fail: `read_key` accepts only valid header values.
    if let Some(Ok(mut value)) = key.map(|key| HeaderValue::from_str(&key)) {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    headers
}
