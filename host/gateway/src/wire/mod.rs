//! The formats that providers speak, turned into OpenAI's, which clients read.

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

/// A whole answer as the client gets it.
#[derive(Debug)]
pub(crate) struct CompleteResponse {
    pub body: Bytes,
    /// What the provider says was used; `None` when it says nothing.
    pub usage: Option<TokenUsage>,
    /// Whether it is in the client's own format, and not a chat.
    pub is_native: bool,
}

/// A piece of a stream as the client gets it.
#[derive(Debug, Default)]
pub(crate) struct StreamChunk {
    /// Empty when there is nothing to send.
    pub bytes: Bytes,
    /// Whether the client has got something of the answer with it.
    pub content: bool,
}
