//! The formats that clients speak.

/// The format of a client's requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientFormat {
    /// OpenAI's chat completions, and its embeddings.
    Chat,
    /// OpenAI's completions of a prompt.
    Completions,
    /// OpenAI's Responses API.
    Responses,
    /// Anthropic's Messages API.
    Messages,
}
