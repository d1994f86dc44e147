//! What a caller may send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollbridge_sdk::{Call, Error};

use crate::shorten::Level;

/// Longest prompt, and longest text of all values together, in bytes.
pub const TEXT_MAX: usize = 65_536;
/// Most messages.
const MESSAGES_MAX: usize = 50;
/// Most values in `variables`, counted through.
const VALUES_MAX: usize = 5_000;
/// Deepest nesting of values.
const DEPTH_MAX: usize = 8;

/// A prompt template: `template`, `messages`, or `resource_id` of a stored one. `{{name}}` stands for a value,
/// `{{name.member}}` for a member; `{{#if name}}…{{else}}…{{/if}}` and `{{#each name}}…{{this}}…{{/each}}` are blocks;
/// `\{{` are plain braces.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("template | messages | resource_id"))]
pub struct Input {
    /// Id of a stored template (`res_…`): text, or JSON of the shape of `messages`. Alone it is shortened and checked without rendering.
    pub resource_id: Option<String>,
    /// The template as one text, at most 65,536 bytes. Give this, `messages` or `resource_id`.
    #[schemars(length(min = 1, max = 65_536))]
    pub template: Option<String>,
    /// The template as messages, 1 to 50, together at most 65,536 bytes. Give this, `template` or `resource_id`.
    #[schemars(length(min = 1, max = 50))]
    pub messages: Option<Vec<Message>>,
    /// Values by name: texts, numbers, booleans, lists and objects, at most 65,536 bytes of text, eight levels deep. Every variable needs one. Absent: no rendering.
    pub variables: Option<Map<String, Value>>,
    /// How far to shorten: none, whitespace, or full (white space, repeated sentences, filler). Default: full.
    pub level: Option<Level>,
    /// Names of variables to put into tags (`<name>…</name>`), so that a model tells them from instructions. Default: none.
    #[schemars(length(max = 50))]
    pub delimit: Option<Vec<String>>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions that stand above the conversation.
    System,
    /// Instructions of the application, for models that tell them from `system`.
    Developer,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
    /// What a tool gave back.
    Tool,
}

/// The messages of the input, and the member that each comes from.
pub fn messages(call: &Call, input: &Input) -> Result<(Vec<Message>, Vec<String>), Error> {
    if let Some(values) = &input.variables {
        bounded(values)?;
    }
    let one = |text: &str, field: &str| {
        let message = Message { role: Role::User, content: unified(text) };
        (vec![message], vec![field.to_owned()])
    };
    let (messages, fields) = match (&input.template, &input.messages, &input.resource_id) {
        (Some(text), None, None) => one(text, "/template"),
        (None, Some(list), None) => many(list.clone(), "/messages"),
        (None, None, Some(_)) => {
            let text = call.stored()?.text()?;
            match serde_json::from_str::<Vec<Message>>(text) {
                Ok(list) => {
                    let (list, fields) = many(list, "/resource_id");
                    let whole = fields.iter().map(|_| "/resource_id".to_owned()).collect();
                    (list, whole)
                }
                Err(_) => one(text.trim_start_matches('\u{feff}'), "/resource_id"),
            }
        }
        (None, None, None) => return Err(Error::invalid("/template", "give `template`, `messages` or `resource_id`")),
        _ => return Err(Error::invalid("/template", "give only one of `template`, `messages` and `resource_id`")),
    };
    let field = fields.first().map_or("/messages", String::as_str).to_owned();
    if messages.is_empty() || messages.len() > MESSAGES_MAX {
        return Err(Error::invalid("/messages", format!("give 1 to {MESSAGES_MAX} messages")));
    }
    let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
    if bytes > TEXT_MAX || messages.iter().all(|message| message.content.trim().is_empty()) {
        return Err(Error::invalid(field, format!("give a text of 1 to {TEXT_MAX} bytes, not {bytes}")));
    }
    match messages.iter().zip(&fields).find(|(message, _)| message.content.contains(is_control)) {
        Some((_, field)) => Err(Error::invalid(field.clone(), "remove the control characters")),
        None => Ok((messages, fields)),
    }
}

fn many(list: Vec<Message>, base: &str) -> (Vec<Message>, Vec<String>) {
    let fields = (0..list.len()).map(|place| format!("{base}/{place}/content")).collect();
    (list.into_iter().map(|message| Message { content: unified(&message.content), ..message }).collect(), fields)
}

/// One kind of line end.
fn unified(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn is_control(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t' | '\r')
}

fn bounded(values: &Map<String, Value>) -> Result<(), Error> {
    let (mut count, mut bytes) = (0usize, 0usize);
    let mut waiting: Vec<(&Value, usize)> = values.values().map(|value| (value, 1)).collect();
    bytes += values.keys().map(String::len).sum::<usize>();
    while let Some((value, depth)) = waiting.pop() {
        count += 1;
        let fault = match value {
            Value::String(text) if text.contains(is_control) => Some("remove the control characters".to_owned()),
            _ if depth > DEPTH_MAX => Some(format!("nested more than {DEPTH_MAX} levels deep")),
            _ if count > VALUES_MAX => Some(format!("more than {VALUES_MAX} values")),
            _ => None,
        };
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                waiting.extend(members.values().map(|item| (item, depth + 1)));
            }
            _ => {}
        }
        let fault = fault.or_else(|| (bytes > TEXT_MAX).then(|| format!("more than {TEXT_MAX} bytes of text")));
        if let Some(fault) = fault {
            return Err(Error::invalid("/variables", fault));
        }
    }
    Ok(())
}
