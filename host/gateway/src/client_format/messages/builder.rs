//! Builds a message of the Messages API, and its stream events, from a chat answer.
//!
//! Invariants: one block is open at a time, and each block is opened and closed once,
//! except for a block that was open when the stream broke off, which clients must not act
//! on; a streamed message equals the message built from the whole answer.

use serde_json::{Map, Value, json};
use tollbridge_ledger::random_tx;

use super::events::write_event;
use crate::client_format::chat_reader::{ChatReader, ChatStep, TextKind};
use crate::error::GatewayError;
use crate::pricing::TokenUsage;

/// Number of hexadecimal digits after an id's prefix.
const ID_DIGITS: usize = 24;

/// The members of a message that are known before its answer.
#[derive(Clone, Debug)]
pub(crate) struct MessageHead {
    id: String,
    model: String,
}

impl MessageHead {
    /// Creates the head of a message from the given model.
    pub(crate) fn new(model: &str) -> Result<Self, GatewayError> {
        let random = hex::encode(random_tx().map_err(|_| GatewayError::NoRandomness)?);
        let random: String = random.chars().take(ID_DIGITS).collect();
        Ok(Self { id: format!("msg_{random}"), model: model.to_owned() })
    }

    /// Creates a head with an id chosen by a test.
    #[cfg(test)]
    pub(crate) fn named(id: &str) -> Self {
        Self { id: id.to_owned(), model: "small".to_owned() }
    }
}

/// The content block that is open.
#[derive(Debug)]
struct OpenBlock {
    kind: BlockKind,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
enum BlockKind {
    Text,
    Thinking,
    ToolUse { id: String, name: String },
}

/// Builds a message and its events from the chunks of a chat answer.
#[derive(Debug)]
pub(crate) struct MessageBuilder {
    head: MessageHead,
    chat: ChatReader,
    begun: bool,
    /// Closed blocks; `null` for a block that clients must not act on.
    content: Vec<Value>,
    open: Option<OpenBlock>,
    /// Text that arrived while a tool call was open; it is written after the call.
    waiting: Vec<(TextKind, String)>,
    has_refused: bool,
    events: String,
}

impl MessageBuilder {
    pub(crate) fn new(head: MessageHead) -> Self {
        Self {
            head,
            chat: ChatReader::default(),
            begun: false,
            content: Vec::new(),
            open: None,
            waiting: Vec::new(),
            has_refused: false,
            events: String::new(),
        }
    }

    /// Takes the events that were written since the previous call of this function.
    pub(crate) fn take_events(&mut self) -> String {
        std::mem::take(&mut self.events)
    }

    /// Returns the bytes of all text so far.
    pub(crate) const fn text_bytes(&self) -> usize {
        self.chat.text_bytes()
    }

    /// Reads one chunk of the chat answer.
    pub(crate) fn push(&mut self, chunk: &Value) {
        self.chat.push(chunk);
        self.begin();
        self.write_steps();
    }

    fn begin(&mut self) {
        if self.begun {
            return;
        }
        self.begun = true;
        // The event reports zero usage, because the usage is known only at the end.
        let nothing = usage_json(&TokenUsage::default());
        let message = self.message(Vec::new(), Value::Null, nothing);
        write_event(&mut self.events, "message_start", json!({ "message": message }));
    }

    fn message(&self, content: Vec<Value>, stop_reason: Value, usage: Value) -> Value {
        let model = if self.chat.model().is_empty() { &self.head.model } else { self.chat.model() };
        json!({ "id": self.head.id, "type": "message", "role": "assistant", "model": model, "content": content,
            "stop_reason": stop_reason, "stop_sequence": null, "usage": usage })
    }

    fn write_steps(&mut self) {
        for step in self.chat.take_steps() {
            match step {
                ChatStep::Text { kind, text, .. } if self.is_in_call() => self.waiting.push((kind, text)),
                ChatStep::Text { kind, text, .. } => self.add_text(kind, &text),
                ChatStep::CallOpened { number, id, name } => self.open_call(number, id, name),
                ChatStep::CallArguments(arguments) => self.call_delta(&arguments),
                ChatStep::CallClosed { .. } => {
                    self.close_block();
                    for (kind, text) in std::mem::take(&mut self.waiting) {
                        self.add_text(kind, &text);
                    }
                }
            }
        }
    }

    fn is_in_call(&self) -> bool {
        self.open.as_ref().is_some_and(|block| matches!(block.kind, BlockKind::ToolUse { .. }))
    }

    fn add_text(&mut self, text_kind: TextKind, text: &str) {
        self.has_refused |= text_kind == TextKind::Refusal;
        let (kind, delta, member) = match text_kind {
            TextKind::Reasoning => (BlockKind::Thinking, "thinking_delta", "thinking"),
            TextKind::Text | TextKind::Refusal => (BlockKind::Text, "text_delta", "text"),
        };
        if self.open.as_ref().is_none_or(|block| block.kind != kind) {
            self.open_block(kind);
        }
        if let Some(block) = self.open.as_mut() {
            block.text.push_str(text);
        }
        self.delta(json!({ "type": delta, member: text }));
    }

    fn open_call(&mut self, number: usize, id: Option<String>, name: String) {
        let id = id.unwrap_or_else(|| format!("toolu_{}_{number}", self.head.id.trim_start_matches("msg_")));
        self.open_block(BlockKind::ToolUse { id, name });
    }

    fn call_delta(&mut self, arguments: &str) {
        if let Some(block) = self.open.as_mut() {
            block.text.push_str(arguments);
        }
        self.delta(json!({ "type": "input_json_delta", "partial_json": arguments }));
    }

    fn open_block(&mut self, kind: BlockKind) {
        self.close_block();
        let block = match &kind {
            BlockKind::Text => json!({ "type": "text", "text": "" }),
            BlockKind::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
            BlockKind::ToolUse { id, name } => json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
        };
        let data = json!({ "index": self.content.len(), "content_block": block });
        write_event(&mut self.events, "content_block_start", data);
        self.open = Some(OpenBlock { kind, text: String::new() });
    }

    fn delta(&mut self, delta: Value) {
        let data = json!({ "index": self.content.len(), "delta": delta });
        write_event(&mut self.events, "content_block_delta", data);
    }

    fn close_block(&mut self) {
        let Some(OpenBlock { kind, text }) = self.open.take() else { return };
        write_event(&mut self.events, "content_block_stop", json!({ "index": self.content.len() }));
        self.content.push(match kind {
            BlockKind::Text => json!({ "type": "text", "text": text }),
            BlockKind::Thinking => json!({ "type": "thinking", "thinking": text, "signature": "" }),
            BlockKind::ToolUse { id, name } => input_of(&text)
                .map_or(Value::Null, |input| json!({ "type": "tool_use", "id": id, "name": name, "input": input })),
        });
    }

    /// Returns the message after a regular end, and writes all events except the last.
    pub(crate) fn close(&mut self, usage: &TokenUsage) -> Value {
        self.begin();
        if !self.is_in_call() {
            self.close_block();
        }
        self.chat.close(true);
        self.write_steps();
        self.close_block();
        let stop_reason = self.stop_reason();
        let delta = json!({ "stop_reason": stop_reason, "stop_sequence": null });
        let usage = usage_json(usage);
        write_event(&mut self.events, "message_delta", json!({ "delta": delta, "usage": usage }));
        let content = std::mem::take(&mut self.content).into_iter().filter(|block| !block.is_null()).collect();
        self.message(content, stop_reason.into(), usage)
    }

    fn stop_reason(&self) -> &'static str {
        let calls = self.content.iter().any(|block| block.get("type").is_some_and(|kind| kind == "tool_use"));
        match self.chat.finish() {
            Some("length") => "max_tokens",
            Some("content_filter") => "refusal",
            _ if calls => "tool_use",
            _ if self.has_refused => "refusal",
            _ => "end_turn",
        }
    }
}

/// Parses the arguments of a tool call; `None` if they were cut off.
fn input_of(arguments: &str) -> Option<Map<String, Value>> {
    if arguments.trim().is_empty() { Some(Map::new()) } else { serde_json::from_str(arguments).ok() }
}

/// Converts usage to Anthropic's format, which counts cached input separately from other
/// input.
pub(super) fn usage_json(usage: &TokenUsage) -> Value {
    let plain = usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_write);
    let mut members = json!({
        "input_tokens": plain,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    });
    if usage.estimated
        && let Some(members) = members.as_object_mut()
    {
        members.insert("usage_estimated".to_owned(), true.into());
    }
    members
}

/// Builds a message from a complete chat answer.
pub(crate) fn message_from_chat(completion: &Value, head: MessageHead, usage: &TokenUsage) -> Value {
    let mut builder = MessageBuilder::new(head);
    builder.chat.push_complete(completion);
    builder.write_steps();
    builder.close(usage)
}
