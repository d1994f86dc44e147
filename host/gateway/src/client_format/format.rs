//! The request and answer formats that clients use.

/// The format of a client's requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientFormat {
    /// OpenAI's chat completions, and its other endpoints, such as embeddings.
    Chat,
    /// OpenAI's legacy completions of a prompt.
    Completions,
    /// OpenAI's Responses API.
    Responses,
    /// Anthropic's Messages API.
    Messages,
}
