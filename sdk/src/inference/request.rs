//! A request for a completion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema;

/// Model name that lets the router choose the model.
pub const AUTO: &str = "auto";

/// Author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions to the model.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Author of the message.
    pub role: Role,
    /// Text of the message.
    pub content: String,
}

/// A request for a completion.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The id of a model, or [`AUTO`].
    pub model: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Maximum length of the answer in tokens; a longer answer is cut off.
    pub max_tokens: u32,
    /// Sampling temperature; the model's default if `None`.
    pub temperature: Option<f64>,
    /// JSON Schema that the text of the answer should match.
    pub response_schema: Option<String>,
}

impl Request {
    /// Creates an empty conversation with the model [`AUTO`] and an answer of at most
    /// `max_tokens` tokens.
    pub fn new(max_tokens: u32) -> Self {
        Self { model: AUTO.into(), messages: Vec::new(), max_tokens, temperature: None, response_schema: None }
    }

    /// Sets the model.
    #[must_use]
    pub fn model(mut self, id: impl Into<String>) -> Self {
        self.model = id.into();
        self
    }

    /// Adds a message.
    #[must_use]
    pub fn message(mut self, role: Role, content: impl Into<String>) -> Self {
        self.messages.push(Message { role, content: content.into() });
        self
    }

    /// Adds a message with instructions.
    #[must_use]
    pub fn system(self, content: impl Into<String>) -> Self {
        self.message(Role::System, content)
    }

    /// Adds a message of the user.
    #[must_use]
    pub fn user(self, content: impl Into<String>) -> Self {
        self.message(Role::User, content)
    }

    /// Sets the sampling temperature; 0 gives the most likely answer.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Requests a JSON answer that can be deserialized as `T`; read it with
    /// [`Response::json`].
    #[must_use]
    pub fn json<T: JsonSchema>(mut self) -> Self {
        self.response_schema = Some(schema::text(&schema::of_output::<T>()));
        self
    }
}
