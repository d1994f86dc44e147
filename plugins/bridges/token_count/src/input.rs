//! What a caller may send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

/// Texts or messages in one call.
const TEXTS_MAX: usize = 1_000;
/// Bytes of all of them together.
const BYTES_MAX: usize = 1 << 20;
/// Models in one call.
const MODELS_MAX: usize = 20;
/// Length of a model's name.
const NAME_MAX: usize = 128;

/// Texts, and the models that shall read them. Give one of `text`, `texts`, `messages` and `resource_id`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | texts | messages | resource_id"))]
pub struct Input {
    /// Id of a stored resource (`res_…`) with UTF-8 text. This bridge has no other natural key; alone, it means: count
    /// this file in o200k_base.
    pub resource_id: Option<String>,
    /// A text, at most 1 MiB. Give one of `text`, `texts`, `messages` and `resource_id`.
    pub text: Option<String>,
    /// Texts, at most 1,000 and 1 MiB together; counted each. Give one of the four.
    #[schemars(length(min = 1, max = 1000))]
    pub texts: Option<Vec<String>>,
    /// A chat, at most 1,000 messages and 1 MiB together: with what OpenAI's chat format adds (3 tokens a message, 1 for
    /// a name, 3 for the answer to begin). Give one of the four.
    #[schemars(length(min = 1, max = 1000))]
    pub messages: Option<Vec<Message>>,
    /// The encoding to count in. Default: o200k_base.
    pub encoding: Option<Encoding>,
    /// Models to count for, at most 20 (`gpt-4o`, `claude-sonnet-4-5`): exact where the model's encoding is one of the
    /// two, else an estimate, flagged. Default: none.
    #[schemars(length(max = 20))]
    #[serde(default)]
    pub models: Vec<String>,
    /// Tokens that a model is expected to answer with, for the cost. Default: 0.
    #[schemars(range(max = 1_000_000_000))]
    #[serde(default)]
    pub output_tokens: u64,
    /// Also give the token ids of each text in `encoding`, the first 10,000 of all. Default: false.
    #[serde(default)]
    pub with_ids: bool,
}

/// One message of a chat.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who speaks: system, user, assistant, …
    pub role: String,
    /// What is said.
    pub content: String,
    /// Who of several with this role speaks. Default: nobody.
    pub name: Option<String>,
}

/// A set of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// GPT-4o and later, o-series.
    #[default]
    O200kBase,
    /// GPT-4, GPT-3.5, text-embedding-3.
    Cl100kBase,
}

impl Encoding {
    /// The name of its table.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}

/// What is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    pub texts: Vec<String>,
    /// Tokens beside those of the texts, that a chat adds.
    pub overhead: u64,
    pub chat: bool,
}

impl Subject {
    /// The texts of the input.
    pub fn read(call: &Call, input: &mut Input) -> Result<Self, Error> {
        let given =
            [input.text.is_some(), input.texts.is_some(), input.messages.is_some(), input.resource_id.is_some()];
        if given.into_iter().filter(|given| *given).count() != 1 {
            return Err(Error::invalid("/text", "give one of `text`, `texts`, `messages` and `resource_id`"));
        }
        let (subject, field) = if let Some(text) = input.text.take() {
            (Self { texts: vec![text], ..Self::default() }, "/text")
        } else if let Some(texts) = input.texts.take() {
            (Self { texts, ..Self::default() }, "/texts")
        } else if let Some(messages) = input.messages.take() {
            (Self::chat(messages), "/messages")
        } else {
            (Self { texts: vec![call.stored()?.text()?.to_owned()], ..Self::default() }, "/resource_id")
        };
        let bytes = subject.texts.iter().map(String::len).fold(0, usize::saturating_add);
        let limit = if subject.chat { TEXTS_MAX.saturating_mul(3) } else { TEXTS_MAX };
        if subject.texts.is_empty() || subject.texts.len() > limit || bytes > BYTES_MAX {
            return Err(Error::invalid(
                field,
                format!("give 1 to {TEXTS_MAX} of them, together at most {BYTES_MAX} bytes"),
            ));
        }
        Ok(subject)
    }

    /// The rule of OpenAI's cookbook for GPT-3.5 and later.
    fn chat(messages: Vec<Message>) -> Self {
        let mut subject = Self { texts: Vec::new(), overhead: 3, chat: true };
        for Message { role, content, name } in messages {
            subject.overhead = subject.overhead.saturating_add(3);
            subject.texts.extend([role, content]);
            if let Some(name) = name {
                subject.overhead = subject.overhead.saturating_add(1);
                subject.texts.push(name);
            }
        }
        subject
    }
}

/// Refuses lists of models that are too long.
pub fn check_models(models: &[String]) -> Result<(), Error> {
    if models.len() > MODELS_MAX {
        return Err(Error::invalid("/models", format!("at most {MODELS_MAX} models")));
    }
    match models.iter().position(|name| name.trim().is_empty() || name.chars().count() > NAME_MAX) {
        Some(place) => {
            Err(Error::invalid(format!("/models/{place}"), format!("a name has 1 to {NAME_MAX} characters")))
        }
        None => Ok(()),
    }
}
