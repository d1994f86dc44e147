//! Answers of models: completions and vectors.

use serde::{Deserialize, de::DeserializeOwned};

use super::error::Error;

/// A completion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    /// The answer.
    pub text: String,
    /// Whether it was cut off at `max_tokens`.
    pub truncated: bool,
    /// The model that answered.
    pub model: String,
    /// The provider that runs the model.
    pub provider: String,
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Cost in thousandths of a penny.
    pub cost_millipence: u64,
}

/// Vectors of texts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Embeddings {
    /// One vector for each text, in order. Only vectors of one model are comparable.
    pub vectors: Vec<Vec<f32>>,
    /// The model that made the vectors.
    pub model: String,
    /// The provider that runs the model.
    pub provider: String,
    /// Tokens of the texts.
    pub input_tokens: u64,
    /// Cost in thousandths of a penny.
    pub cost_millipence: u64,
}

impl Response {
    /// Parses the answer as JSON. A model may answer with something else despite the schema, which
    /// counts as its failure.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(self.text.trim()).map_err(|error| {
            Error::Failed(format!("{} did not answer with the JSON it was asked for: {error}", self.model))
        })
    }
}
