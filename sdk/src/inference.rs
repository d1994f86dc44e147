//! Language models, through the host's router: the grant `inference`.
//!
//! What a completion costs is paid out of the price of the call. Without a
//! provider the host says how to configure one, and `?` passes that on:
//! 503 E005, not charged.
//!
//! ```
//! use tollbridge_sdk::{Error, inference::Request, testing::Doubles};
//!
//! let ask = || Ok::<_, Error>(Request::new(100).user("What is 6 times 7?").complete()?.text);
//! assert_eq!(Doubles::new().completion("42").run(ask).0, Ok("42".into()));
//! assert_eq!(Doubles::new().run(ask).0.map_err(|error| error.kind()), Err("no-provider"));
//! ```

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{host, schema};

/// The router's choice among the models.
pub const AUTO: &str = "auto";

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Whoever set the task.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// A model's id, or [`AUTO`].
    pub model: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Where the answer is cut off.
    pub max_tokens: u32,
    /// The model's own unless given.
    pub temperature: Option<f64>,
    /// JSON Schema that the text of the answer must fit.
    pub response_schema: Option<String>,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    /// The answer.
    pub text: String,
    /// Whether it was cut off at `max_tokens`.
    pub truncated: bool,
    /// The model that answered.
    pub model: String,
    /// Who runs it.
    pub provider: String,
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// In thousandths of a penny.
    pub cost_millipence: u64,
}

/// Vectors of texts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Embeddings {
    /// One for each text, in their order. Only those of one model compare.
    pub vectors: Vec<Vec<f32>>,
    /// The model that made them.
    pub model: String,
    /// Who runs it.
    pub provider: String,
    /// Tokens of the texts.
    pub input_tokens: u64,
    /// In thousandths of a penny.
    pub cost_millipence: u64,
}

/// Why there is no answer. `?` makes it the plugin's error: `no-provider`, or
/// `upstream` for the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Nobody is configured or able to answer; the text names the fix.
    NoProvider(String),
    /// Too large, too dear, or refused by the model's provider.
    Refused(String),
    /// A provider failed, and so did those tried after it.
    Failed(String),
}

impl Request {
    /// An empty conversation with the router's choice of model.
    pub fn new(max_tokens: u32) -> Self {
        Self { model: AUTO.into(), messages: Vec::new(), max_tokens, temperature: None, response_schema: None }
    }

    /// Names the model.
    #[must_use]
    pub fn model(mut self, id: impl Into<String>) -> Self {
        self.model = id.into();
        self
    }

    /// Adds a turn.
    #[must_use]
    pub fn message(mut self, role: Role, content: impl Into<String>) -> Self {
        self.messages.push(Message { role, content: content.into() });
        self
    }

    /// Adds what the model shall do.
    #[must_use]
    pub fn system(self, content: impl Into<String>) -> Self {
        self.message(Role::System, content)
    }

    /// Adds what the model is asked.
    #[must_use]
    pub fn user(self, content: impl Into<String>) -> Self {
        self.message(Role::User, content)
    }

    /// 0 for the answer that is likeliest.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Asks for JSON that reads as a `T`; see [`Response::json`].
    #[must_use]
    pub fn json<T: JsonSchema>(mut self) -> Self {
        self.response_schema = Some(schema::text(&schema::of_output::<T>()));
        self
    }

    /// Asks the host.
    pub fn complete(&self) -> Result<Response, Error> {
        host::complete(self)
    }
}

impl Response {
    /// The answer read as JSON. A model may answer with something else, however
    /// it was asked: that is its failure.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(self.text.trim()).map_err(|error| {
            Error::Failed(format!("{} did not answer with the JSON it was asked for: {error}", self.model))
        })
    }
}

/// Vectors of `texts`, by the router's choice of model.
pub fn embed<T: AsRef<str>>(texts: &[T]) -> Result<Embeddings, Error> {
    embed_with(AUTO, texts)
}

/// Vectors of `texts`, by this model.
pub fn embed_with<T: AsRef<str>>(model: &str, texts: &[T]) -> Result<Embeddings, Error> {
    let texts: Vec<String> = texts.iter().map(|text| text.as_ref().to_owned()).collect();
    host::embed(model, &texts)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProvider(text) => f.write_str(text),
            Self::Refused(text) => write!(f, "inference was refused: {text}"),
            Self::Failed(text) => write!(f, "inference failed: {text}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::NoProvider(text) => Self::NoProvider(text),
            other => Self::Upstream(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Doubles;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Sum {
        sum: u32,
    }

    #[test]
    fn completions_come_in_order_and_requests_are_recorded() {
        let doubles = Doubles::new().completion(r#" {"sum": 3} "#).completion("no JSON");
        let (answers, recorded) = doubles.run(|| {
            let request = Request::new(9).system("add").user("1 2").temperature(0.0).json::<Sum>();
            let mut answers = Vec::new();
            for _ in 0..3 {
                answers.push(request.complete().and_then(|answer| answer.json::<Sum>()));
            }
            answers
        });
        assert_eq!(answers[0], Ok(Sum { sum: 3 }));
        assert!(answers[1..].iter().all(|answer| matches!(answer, Err(Error::Failed(_)))), "{answers:?}");
        let asked = &recorded.prompts[0];
        assert_eq!((asked.model.as_str(), asked.max_tokens, asked.messages.len()), (AUTO, 9, 2));
        assert!(asked.response_schema.as_ref().is_some_and(|schema| schema.contains("\"sum\"")));
    }

    #[test]
    fn vectors_are_one_per_text() {
        let embeddings = Embeddings { vectors: vec![vec![1.0, 0.0]], ..Embeddings::default() };
        let (made, _) = Doubles::new().embedding(embeddings.clone()).run(|| embed(&["a"]));
        assert_eq!(made, Ok(embeddings));
        let error: crate::Error = embed(&["a"]).expect_err("no provider").into();
        assert_eq!(error.kind(), "no-provider");
    }
}
