//! Builds a response of the Responses API, and its stream events, from a chat answer.
//!
//! Invariants: every item is opened and closed once, under one id, except for items that
//! were open when the stream broke off, which clients must not act on; sequence numbers
//! have no gaps; the last event contains all items; a streamed response equals the
//! response built from the whole answer.

use serde_json::{Map, Value, json};

use super::head::{ResponseHead, usage_json};
use super::parts::{TextItem, ToolCall};
use crate::client_format::chat_reader::{ChatReader, ChatStep, TextKind};
use crate::pricing::TokenUsage;

/// Builds a response and its events from the chunks of a chat answer.
#[derive(Debug)]
pub(crate) struct ResponseBuilder {
    head: ResponseHead,
    chat: ChatReader,
    /// Whether the first events were written.
    begun: bool,
    sequence: u64,
    /// Output items in order; `null` for an item that is still open.
    output: Vec<Value>,
    text: Option<TextItem>,
    call: Option<ToolCall>,
    /// Events that the caller has not taken yet.
    events: String,
}

impl ResponseBuilder {
    pub(crate) fn new(head: ResponseHead) -> Self {
        Self {
            head,
            chat: ChatReader::default(),
            begun: false,
            sequence: 0,
            output: Vec::new(),
            text: None,
            call: None,
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

    /// Writes the events for the new steps of the chat answer.
    fn write_steps(&mut self) {
        for step in self.chat.take_steps() {
            match step {
                ChatStep::Text { kind, text, logprobs } => self.add_text(kind, &text, &logprobs),
                ChatStep::CallOpened { number, id, name } => self.open_call(number, id, name),
                ChatStep::CallArguments(arguments) => self.call_delta(&arguments),
                ChatStep::CallClosed { is_complete } => self.close_call(is_complete),
            }
        }
    }

    fn begin(&mut self) {
        if self.begun {
            return;
        }
        self.begun = true;
        let response = self.head.response("in_progress", self.chat.model(), Vec::new(), None);
        self.event("response.created", json!({ "response": response }));
        self.event("response.in_progress", json!({ "response": response }));
    }

    /// Adds text to the open text item, or opens one.
    fn add_text(&mut self, kind: TextKind, text: &str, logprobs: &[Value]) {
        if self.text.as_ref().is_none_or(|item| item.kind != kind) {
            self.close_text(true);
            let number = self.reserve();
            let item = TextItem::new(kind, self.head.item_id(kind.prefix(), number), number);
            self.event("response.output_item.added", json!({ "output_index": number, "item": item.opened() }));
            self.event("response.content_part.added", item.about(json!({ "part": item.part("", &[]) })));
            self.text = Some(item);
        }
        let Some(item) = self.text.as_mut() else { return };
        item.text.push_str(text);
        item.logprobs.extend_from_slice(logprobs);
        let mut about = item.about(json!({ "delta": text }));
        if let (TextKind::Text, Some(members)) = (kind, about.as_object_mut()) {
            members.insert("logprobs".to_owned(), logprobs.into());
        }
        self.event(kind.delta_event(), about);
    }

    fn close_text(&mut self, is_complete: bool) {
        let Some(item) = self.text.take() else { return };
        let part = item.part(&item.text, &item.logprobs);
        let done = item.end_members();
        self.event(item.kind.done_event(), item.about(done));
        self.event("response.content_part.done", item.about(json!({ "part": part })));
        self.item_done(item.number, item.closed(part, is_complete));
    }

    fn open_call(&mut self, number: usize, id: Option<String>, name: String) {
        self.close_text(true);
        let call_id = id.unwrap_or_else(|| self.head.item_id("call", number));
        let number = self.reserve();
        let id = self.head.item_id("fc", number);
        let call = ToolCall { id, number, call_id, name, arguments: String::new() };
        self.event(
            "response.output_item.added",
            json!({ "output_index": number, "item": call.item("in_progress", "") }),
        );
        self.call = Some(call);
    }

    fn call_delta(&mut self, arguments: &str) {
        let Some(call) = self.call.as_mut() else { return };
        call.arguments.push_str(arguments);
        let about = json!({ "item_id": call.id, "output_index": call.number, "delta": arguments });
        self.event("response.function_call_arguments.delta", about);
    }

    fn close_call(&mut self, is_complete: bool) {
        let Some(call) = self.call.take() else { return };
        let ToolCall { id, number, name, arguments, .. } = &call;
        let about = json!({ "item_id": id, "output_index": number, "name": name, "arguments": arguments });
        self.event("response.function_call_arguments.done", about);
        self.item_done(call.number, call.item(if is_complete { "completed" } else { "incomplete" }, &call.arguments));
    }

    fn reserve(&mut self) -> usize {
        self.output.push(Value::Null);
        self.output.len().saturating_sub(1)
    }

    /// Moves open items into the output unfinished and without an event, because clients
    /// execute the calls of finished items.
    fn break_items(&mut self) {
        let text =
            self.text.take().map(|item| (item.number, item.closed(item.part(&item.text, &item.logprobs), false)));
        let call = self.call.take().map(|call| (call.number, call.item("incomplete", &call.arguments)));
        for (number, item) in text.into_iter().chain(call) {
            if let Some(place) = self.output.get_mut(number) {
                *place = item;
            }
        }
    }

    fn item_done(&mut self, number: usize, item: Value) {
        self.event("response.output_item.done", json!({ "output_index": number, "item": item }));
        if let Some(place) = self.output.get_mut(number) {
            *place = item;
        }
    }

    /// Closes open items. Unless `is_complete`, the last item was cut off.
    fn close_items(&mut self, is_complete: bool) {
        self.close_text(is_complete);
        self.chat.close(is_complete);
        self.write_steps();
    }

    /// Returns the response after a regular end; [`Self::completed`] writes its event.
    pub(crate) fn close(&mut self, usage: &TokenUsage) -> Value {
        self.begin();
        let reason = match self.chat.finish() {
            Some("length") => Some("max_output_tokens"),
            Some("content_filter") => Some("content_filter"),
            _ => None,
        };
        self.close_items(reason.is_none());
        let status = if reason.is_none() { "completed" } else { "incomplete" };
        let output = std::mem::take(&mut self.output);
        let mut response = self.head.response(status, self.chat.model(), output, reason);
        put(&mut response, "usage", usage_json(usage, self.chat.reasoning_tokens()));
        response
    }

    /// Writes the last event of a response that ended regularly.
    pub(crate) fn completed(&mut self, response: &Value) {
        let is_complete = response.get("status").and_then(Value::as_str) != Some("incomplete");
        let name = if is_complete { "response.completed" } else { "response.incomplete" };
        self.event(name, json!({ "response": response }));
    }

    /// Writes the last events of a response that broke off. Client libraries raise the
    /// first of these events as an exception.
    pub(crate) fn fail(&mut self, message: &str, code: &str) {
        self.begin();
        self.break_items();
        let output = std::mem::take(&mut self.output);
        let mut response = self.head.response("failed", self.chat.model(), output, None);
        put(&mut response, "error", json!({ "code": "server_error", "message": message }));
        self.event("error", error_members(message, code));
        self.event("response.failed", json!({ "response": response }));
    }

    fn event(&mut self, name: &str, members: Value) {
        write_event(&mut self.events, name, members, self.sequence);
        self.sequence = self.sequence.saturating_add(1);
    }
}

/// Builds an error in the middle of a stream, with the members that OpenAI documents and
/// those that its clients read.
pub(super) fn error_members(message: &str, code: &str) -> Value {
    let error = json!({ "type": "server_error", "code": code, "message": message, "param": null });
    json!({ "code": code, "message": message, "param": null, "error": error })
}

/// Writes one event.
pub(super) fn write_event(events: &mut String, name: &str, members: Value, sequence: u64) {
    let mut all = if let Value::Object(members) = members { members } else { Map::new() };
    all.insert("type".to_owned(), name.into());
    all.insert("sequence_number".to_owned(), sequence.into());
    events.push_str("event: ");
    events.push_str(name);
    events.push_str("\ndata: ");
    events.push_str(&Value::Object(all).to_string());
    events.push_str("\n\n");
}

fn put(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

/// Builds a response from a complete chat answer.
pub(crate) fn response_from_chat(completion: &Value, head: ResponseHead, usage: &TokenUsage) -> Value {
    let mut builder = ResponseBuilder::new(head);
    builder.chat.push_complete(completion);
    builder.begin();
    builder.write_steps();
    builder.close(usage)
}
