//! What a caller may ask of a model.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tollbridge_sdk::{
    Call, Error,
    inference::{AUTO, Request, Role},
};

/// Bytes of all texts together.
const TEXT_MAX: usize = 256 << 10;
/// Turns of a conversation.
const MESSAGES_MAX: usize = 64;
/// Tokens of an answer, unless the caller says otherwise …
const TOKENS: u32 = 512;
/// … and at most.
const TOKENS_MAX: u32 = 4_096;
/// Length of a model's name.
const NAME_MAX: usize = 128;
/// Bytes of a JSON Schema.
const SCHEMA_MAX: usize = 32 << 10;

/// A question to a language model. Give `prompt`, `messages`, or `resource_id` of a stored text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("prompt | messages | resource_id | prompt + resource_id"))]
pub struct Input {
    /// Id of a stored resource (`res_…`) with UTF-8 text. This bridge has no other natural key; alone, its text is the
    /// prompt; with `prompt`, it is put before it.
    pub resource_id: Option<String>,
    /// The question; all texts together have at most 256 KiB. Give this, `messages` or `resource_id`.
    #[schemars(length(min = 1, max = 262_144))]
    pub prompt: Option<String>,
    /// A conversation of at most 64 turns, the last of which is the user's. Give this, `prompt` or `resource_id`.
    #[schemars(length(min = 1, max = 64))]
    pub messages: Option<Vec<Message>>,
    /// What the model shall keep to; goes before the conversation. Default: nothing.
    pub system: Option<String>,
    /// A model's id; default `auto`, the host's choice.
    #[schemars(length(min = 1, max = 128))]
    pub model: Option<String>,
    /// Where the answer is cut off, 1 to 4,096 tokens. Default: 512.
    #[schemars(range(min = 1, max = 4_096))]
    pub max_tokens: Option<u32>,
    /// 0 (likeliest answer) to 2. Default: the model's own.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// A JSON Schema, at most 32 KiB: the answer is JSON that fits it. An answer that is no JSON is an error and costs
    /// nothing. Default: plain text.
    pub json_schema: Option<Value>,
}

/// One turn.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who speaks.
    pub role: Speaker,
    /// What is said, as text.
    pub content: String,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Instructions that stand above the conversation.
    System,
    /// Whoever asks.
    User,
    /// The model, in an earlier answer.
    Assistant,
}

impl Input {
    /// The request to the host.
    pub fn request(&self, call: &Call) -> Result<Request, Error> {
        let stored = self.resource_id.as_ref().map(|_| call.stored()?.text()).transpose()?;
        let turns = self.turns(stored)?;
        if self.model.as_ref().is_some_and(|name| name.is_empty() || name.chars().count() > NAME_MAX) {
            return Err(Error::invalid("/model", format!("a name has 1 to {NAME_MAX} characters")));
        }
        let tokens = self.max_tokens.unwrap_or(TOKENS);
        if !(1..=TOKENS_MAX).contains(&tokens) {
            return Err(Error::invalid("/max_tokens", format!("give 1 to {TOKENS_MAX}")));
        }
        if self.temperature.is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            return Err(Error::invalid("/temperature", "give 0 to 2"));
        }
        let mut request = Request::new(tokens).model(self.model.as_deref().unwrap_or(AUTO));
        request.temperature = self.temperature;
        request.response_schema = self.json_schema.as_ref().map(schema).transpose()?;
        Ok(turns.into_iter().fold(request, |request, (role, text)| request.message(role, text)))
    }

    fn turns(&self, stored: Option<&str>) -> Result<Vec<(Role, String)>, Error> {
        let mut turns: Vec<(Role, String)> = self.system.iter().map(|text| (Role::System, text.clone())).collect();
        match (&self.messages, &self.prompt, stored) {
            (Some(_), Some(_), _) => return Err(Error::invalid("/prompt", "give `prompt` or `messages`, not both")),
            (Some(_), None, Some(_)) => {
                return Err(Error::invalid(
                    "/resource_id",
                    "a stored text goes alone or with `prompt`, not with `messages`",
                ));
            }
            (Some(messages), None, None) => {
                if messages.is_empty() || messages.len() > MESSAGES_MAX {
                    return Err(Error::invalid("/messages", format!("give 1 to {MESSAGES_MAX} messages")));
                }
                if messages.last().is_some_and(|last| last.role != Speaker::User) {
                    return Err(Error::invalid("/messages", "the last message must be the user's"));
                }
                turns.extend(messages.iter().map(|message| (message.role.into(), message.content.clone())));
            }
            (None, Some(prompt), Some(stored)) => turns.push((Role::User, format!("{stored}\n\n{prompt}"))),
            (None, Some(prompt), None) => turns.push((Role::User, prompt.clone())),
            (None, None, Some(stored)) => turns.push((Role::User, stored.to_owned())),
            (None, None, None) => return Err(Error::invalid("/prompt", "give a `prompt` or `messages`")),
        }
        let bytes = turns.iter().map(|(_, text)| text.len()).fold(0, usize::saturating_add);
        if bytes > TEXT_MAX {
            return Err(Error::invalid(
                "",
                format!("all texts together may have {TEXT_MAX} bytes, these have {bytes}"),
            ));
        }
        if turns.last().is_some_and(|(_, text)| text.trim().is_empty()) {
            let field = if self.messages.is_some() { "/messages" } else { "/prompt" };
            return Err(Error::invalid(field, "the question is empty"));
        }
        Ok(turns)
    }
}

fn schema(schema: &Value) -> Result<String, Error> {
    let text = schema.to_string();
    if !schema.is_object() || text.len() > SCHEMA_MAX {
        return Err(Error::invalid(
            "/json_schema",
            format!("give a JSON Schema as an object of at most {SCHEMA_MAX} bytes"),
        ));
    }
    Ok(text)
}

impl From<Speaker> for Role {
    fn from(speaker: Speaker) -> Self {
        match speaker {
            Speaker::System => Self::System,
            Speaker::User => Self::User,
            Speaker::Assistant => Self::Assistant,
        }
    }
}
