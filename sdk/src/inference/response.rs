//! Answers of models: completions and embeddings.

use serde::{Deserialize, de::DeserializeOwned};

use super::error::Error;

/// A completion: the answer of a model to a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    /// The text of the answer.
    pub text: String,
    /// Whether the answer was cut off at `max_tokens`.
    pub truncated: bool,
    /// Id of the model that answered.
    pub model: String,
    /// The provider that runs the model.
    pub provider: String,
    /// Number of tokens of the request.
    pub input_tokens: u64,
    /// Number of tokens of the answer.
    pub output_tokens: u64,
    /// Cost of the request in thousandths of a penny.
    pub cost_millipence: u64,
}

/// Embeddings of texts, as vectors.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Embeddings {
    /// One vector for each text, in order. Only vectors of the same model can be compared.
    pub vectors: Vec<Vec<f32>>,
    /// Id of the model that made the vectors.
    pub model: String,
    /// The provider that runs the model.
    pub provider: String,
    /// Number of tokens of the texts.
    pub input_tokens: u64,
    /// Cost of the request in thousandths of a penny.
    pub cost_millipence: u64,
}

impl Response {
    /// Parses the answer as JSON. If the model ignored the schema and answered with
    /// something else, the error is [`Error::Failed`].
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(self.text.trim()).map_err(|error| {
            Error::Failed(format!("{} did not answer with the JSON that was requested: {error}", self.model))
        })
    }
}
