//! Output items of a response while they are being built.

use serde_json::{Map, Value, json};

use crate::client_format::chat_reader::TextKind;

impl TextKind {
    /// Returns the prefix of the ids of items with this kind of text.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Text | Self::Refusal => "msg",
            Self::Reasoning => "rs",
        }
    }

    pub(super) const fn delta_event(self) -> &'static str {
        match self {
            Self::Text => "response.output_text.delta",
            Self::Refusal => "response.refusal.delta",
            Self::Reasoning => "response.reasoning_text.delta",
        }
    }

    pub(super) const fn done_event(self) -> &'static str {
        match self {
            Self::Text => "response.output_text.done",
            Self::Refusal => "response.refusal.done",
            Self::Reasoning => "response.reasoning_text.done",
        }
    }
}

/// A message or reasoning item with its single part.
#[derive(Debug)]
pub(super) struct TextItem {
    pub(super) kind: TextKind,
    id: String,
    /// The item's position in the output.
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) logprobs: Vec<Value>,
}

impl TextItem {
    pub(super) const fn new(kind: TextKind, id: String, number: usize) -> Self {
        Self { kind, id, number, text: String::new(), logprobs: Vec::new() }
    }

    /// Returns the item as it is when it is opened, without content.
    pub(super) fn opened(&self) -> Value {
        self.item("in_progress", Vec::new())
    }

    /// Returns the closed item; unless `is_complete`, it was cut off.
    pub(super) fn closed(&self, part: Value, is_complete: bool) -> Value {
        self.item(if is_complete { "completed" } else { "incomplete" }, vec![part])
    }

    fn item(&self, status: &str, content: Vec<Value>) -> Value {
        match self.kind {
            TextKind::Reasoning => {
                json!({ "id": self.id, "type": "reasoning", "status": status, "summary": [], "content": content })
            }
            TextKind::Text | TextKind::Refusal => {
                json!({ "id": self.id, "type": "message", "status": status, "role": "assistant", "content": content })
            }
        }
    }

    /// Returns the item's part, with the given text.
    pub(super) fn part(&self, text: &str, logprobs: &[Value]) -> Value {
        match self.kind {
            TextKind::Text => json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": logprobs }),
            TextKind::Refusal => json!({ "type": "refusal", "refusal": text }),
            TextKind::Reasoning => json!({ "type": "reasoning_text", "text": text }),
        }
    }

    /// Returns the members of the event that ends the item's text.
    pub(super) fn end_members(&self) -> Value {
        match self.kind {
            TextKind::Text => json!({ "text": self.text, "logprobs": self.logprobs }),
            TextKind::Refusal => json!({ "refusal": self.text }),
            TextKind::Reasoning => json!({ "text": self.text }),
        }
    }

    /// Adds to an event the members that identify the item's part.
    pub(super) fn about(&self, members: Value) -> Value {
        let mut members = if let Value::Object(members) = members { members } else { Map::new() };
        members.insert("item_id".to_owned(), self.id.clone().into());
        members.insert("output_index".to_owned(), self.number.into());
        members.insert("content_index".to_owned(), 0.into());
        Value::Object(members)
    }
}

/// A function call item.
#[derive(Debug)]
pub(super) struct ToolCall {
    /// The item's id.
    pub(super) id: String,
    /// The item's position in the output.
    pub(super) number: usize,
    /// The id by which the function's result refers to the call.
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl ToolCall {
    /// Returns the item with the given status and arguments.
    pub(super) fn item(&self, status: &str, arguments: &str) -> Value {
        json!({ "id": self.id, "type": "function_call", "status": status, "call_id": self.call_id,
            "name": self.name, "arguments": arguments })
    }
}
