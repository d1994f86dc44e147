//! The formats of providers, converted to OpenAI's, which clients read.

pub(crate) mod anthropic;
pub(crate) mod anthropic_answer;
mod delta;
mod json_object;
mod media;
pub(crate) mod openai;
pub(crate) mod stream;
mod vectors;

use bytes::Bytes;

use super::pricing::TokenUsage;

/// A whole answer in the client's format.
#[derive(Debug)]
pub(crate) struct CompleteResponse {
    pub body: Bytes,
    /// The usage that the provider reports, if any.
    pub usage: Option<TokenUsage>,
    /// Whether it is in the client's own format rather than a chat.
    pub is_native: bool,
}

/// A piece of a stream in the client's format.
#[derive(Debug, Default)]
pub(crate) struct StreamChunk {
    /// Empty if there is nothing to send.
    pub bytes: Bytes,
    /// Whether the piece contains content of the answer.
    pub content: bool,
}
