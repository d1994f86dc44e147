//! The endpoints that the lines of a batch may call.

use serde::{Deserialize, Serialize};
use tollbridge_gateway::{ClientFormat, InferenceEndpoint};

/// The endpoint of all lines of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BatchEndpoint {
    /// Chat completions.
    #[serde(rename = "/v1/chat/completions")]
    ChatCompletions,
    /// OpenAI's Responses API.
    #[serde(rename = "/v1/responses")]
    Responses,
    /// Embeddings.
    #[serde(rename = "/v1/embeddings")]
    Embeddings,
    /// Legacy completions of a prompt.
    #[serde(rename = "/v1/completions")]
    Completions,
    /// Anthropic's Messages API, only in batches created in Anthropic's API.
    #[serde(rename = "/v1/messages")]
    Messages,
}

impl BatchEndpoint {
    /// The endpoints that batches of OpenAI's API may call.
    pub const OPENAI: [Self; 4] = [Self::ChatCompletions, Self::Responses, Self::Embeddings, Self::Completions];

    /// Returns the path of the endpoint, as written in lines.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Embeddings => "/v1/embeddings",
            Self::Completions => "/v1/completions",
            Self::Messages => "/v1/messages",
        }
    }

    pub(super) const fn target(self) -> (ClientFormat, InferenceEndpoint) {
        match self {
            Self::ChatCompletions => (ClientFormat::Chat, InferenceEndpoint::Chat),
            Self::Responses => (ClientFormat::Responses, InferenceEndpoint::Chat),
            Self::Embeddings => (ClientFormat::Chat, InferenceEndpoint::Embeddings),
            Self::Completions => (ClientFormat::Completions, InferenceEndpoint::Chat),
            Self::Messages => (ClientFormat::Messages, InferenceEndpoint::Chat),
        }
    }
}
