//! What an answer says of the completions behind it.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::inference::Response;

/// The model that answered, and what all completions used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Completion {
    /// The model that answered.
    pub model: String,
    /// Who runs it.
    pub provider: String,
    /// Tokens of all requests, as the provider counts them.
    pub input_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// What the provider took, in thousandths of a penny; paid out of the price of this call.
    pub cost_millipence: u64,
}

impl Completion {
    /// Adds the tokens and the cost of another completion.
    #[must_use]
    pub fn with_usage_of(mut self, other: &Response) -> Self {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_millipence = self.cost_millipence.saturating_add(other.cost_millipence);
        self
    }
}

impl From<&Response> for Completion {
    fn from(response: &Response) -> Self {
        Self {
            model: response.model.clone(),
            provider: response.provider.clone(),
            input_tokens: response.input_tokens,
            output_tokens: response.output_tokens,
            cost_millipence: response.cost_millipence,
        }
    }
}
