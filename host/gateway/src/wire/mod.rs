//! The formats that providers speak, turned into OpenAI's, which clients read.

pub mod anthropic;
pub mod anthropic_answer;
pub mod openai;
pub mod stream;

use bytes::Bytes;

use super::pricing::TokenUsage;

/// A whole answer as the client gets it.
#[derive(Debug)]
pub struct CompleteResponse {
    pub body: Bytes,
    /// What the provider says was used; `None` when it says nothing.
    pub usage: Option<TokenUsage>,
}

/// A piece of a stream as the client gets it.
#[derive(Debug, Default)]
pub struct StreamChunk {
    /// Empty when there is nothing to send.
    pub bytes: Bytes,
    /// Whether the client has got something of the answer with it.
    pub content: bool,
}
