//! The size of a chat, and the capabilities that its messages and tools require of a
//! deployment.

use serde_json::{Map, Value};

use super::error::GatewayError;
use super::invalid::invalid_member;
use super::json_text::{MEMBER_BYTES, prompt_bytes, text_bytes_in};

/// The request member that limits the cost of the request; it is not sent to the
/// provider.
pub(super) const MAX_COST: &str = "max_cost_gbp";

/// The non-text parts of a chat's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attachments {
    pub(super) parts: usize,
    /// Total bytes of pictures: their URLs, or the embedded pictures themselves.
    pub(super) picture_bytes: usize,
    /// Total bytes of sounds, files and parts of any other type.
    other_bytes: usize,
}

impl Attachments {
    fn of_messages(messages: &[Value]) -> Self {
        let parts = messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
        let mut attached = Self::default();
        for part in parts {
            let kind = part.get("type").and_then(Value::as_str);
            attached.add(kind.map(str::as_bytes), text_bytes_in(part));
        }
        attached
    }

    /// Counts a part of type `kind`, whose strings have `text_bytes` bytes.
    pub(super) fn add(&mut self, kind: Option<&[u8]>, text_bytes: usize) {
        let bytes = match kind {
            Some(b"text") => return,
            Some(b"image_url") => &mut self.picture_bytes,
            _ => &mut self.other_bytes,
        };
        *bytes += text_bytes;
        self.parts += 1;
    }

    /// Returns the bytes of all attachments, which are not part of the messages' text.
    pub(super) const fn bytes(&self) -> usize {
        self.picture_bytes.saturating_add(self.other_bytes)
    }
}

/// The properties of a chat that affect routing and cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChatFacts {
    pub(super) messages: usize,
    pub(super) attached: Attachments,
    pub(super) has_picture: bool,
    pub(super) has_tools: bool,
    /// Whether the answer must be JSON.
    pub(super) wants_json: bool,
    /// Bytes of all members whose content the model may read.
    pub(super) prompt_bytes: usize,
    /// Whether the client marked a part to be cached by the provider for an hour.
    pub(super) caches_for_an_hour: bool,
}

impl ChatFacts {
    /// Collects the facts from the parsed members of a chat.
    pub(super) fn of_members(members: &Map<String, Value>) -> Result<Self, GatewayError> {
        let messages = members.get("messages").and_then(Value::as_array).filter(|list| !list.is_empty());
        let messages =
            messages.ok_or_else(|| invalid_member("messages", "must be a list with at least one message"))?;
        let format = members.get("response_format").and_then(|format| format.get("type")).and_then(Value::as_str);
        let has_functions = members.get("functions").is_some_and(|functions| !functions.is_null());
        Ok(Self {
            messages: messages.len(),
            attached: Attachments::of_messages(messages),
            has_picture: messages.iter().any(has_picture),
            has_tools: members.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
                || has_functions,
            wants_json: format.is_some_and(|format| format != "text"),
            prompt_bytes: prompt_bytes_of_members(members),
            caches_for_an_hour: caches_for_an_hour(members),
        })
    }
}

/// Counts the bytes of the members in the form that a model may read.
pub(super) fn prompt_bytes_of_members(members: &Map<String, Value>) -> usize {
    let counted_members = members.iter().filter(|(name, _)| name.as_str() != MAX_COST);
    counted_members.map(|(name, value)| MEMBER_BYTES + name.len() + prompt_bytes(value)).sum()
}

/// Returns whether any of the members asks Anthropic to cache a part for an hour.
pub(crate) fn caches_for_an_hour(members: &Map<String, Value>) -> bool {
    fn within(value: &Value) -> bool {
        match value {
            Value::Array(items) => items.iter().any(within),
            Value::Object(members) => caches_for_an_hour(members),
            _ => false,
        }
    }
    members.iter().any(|(name, member)| {
        (name == "cache_control" && member.get("ttl").is_some_and(|ttl| ttl != "5m")) || within(member)
    })
}

fn has_picture(message: &Value) -> bool {
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    parts.filter_map(|part| part.get("type").and_then(Value::as_str)).any(|kind| kind == "image_url")
}
