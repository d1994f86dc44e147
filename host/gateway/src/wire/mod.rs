//! Reads the formats of providers and converts them to OpenAI's format, which clients
//! read.

pub(crate) mod anthropic;
pub(crate) mod anthropic_answer;
mod delta;
mod json_object;
mod media;
pub(crate) mod openai;
mod vectors;

use bytes::Bytes;

use super::pricing::TokenUsage;

/// A complete answer in the client's format.
#[derive(Debug)]
pub(crate) struct CompleteResponse {
    pub body: Bytes,
    /// The usage that the provider reports, if any.
    pub usage: Option<TokenUsage>,
    /// Whether the body is in the client's own format rather than the chat format.
    pub is_native: bool,
}

/// A piece of a stream in the client's format.
#[derive(Debug, Default)]
pub(crate) struct StreamChunk {
    /// The bytes to send; empty if there are none.
    pub bytes: Bytes,
    /// Whether the piece contains content of the answer.
    pub content: bool,
}
