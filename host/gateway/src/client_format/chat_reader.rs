//! Reads a chat completion, chunk by chunk, into steps that other formats can express.
//!
//! Invariant: function calls are reported one at a time, because not every client
//! supports calls that some providers interleave: a call is reported when the previous
//! one is complete.

use serde::de::IgnoredAny;
use serde_json::Value;

/// The kind of text that a model writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Text,
    Refusal,
    Reasoning,
}

/// One step of a chat completion.
#[derive(Debug)]
pub(crate) enum ChatStep {
    /// More text.
    Text { kind: TextKind, text: String, logprobs: Vec<Value> },
    /// A function call begins; `number` counts from 0.
    CallOpened { number: usize, id: Option<String>, name: String },
    /// More of the open call's arguments.
    CallArguments(String),
    /// The open call ends; unless `is_complete`, it was cut off.
    CallClosed { is_complete: bool },
}

/// Reads the chunks of a chat completion.
#[derive(Debug, Default)]
pub(crate) struct ChatReader {
    model: String,
    finish: Option<String>,
    reasoning_tokens: u64,
    /// Number of bytes of all text so far.
    bytes: usize,
    /// All function calls, in the order in which they began.
    calls: Vec<Call>,
    /// Index of the call that is being reported; the calls before it are closed.
    current: usize,
    steps: Vec<ChatStep>,
}

/// A function call.
#[derive(Debug)]
struct Call {
    id: Option<String>,
    /// The call's index in the chat completion.
    index: u64,
    name: String,
    arguments: String,
    is_open: bool,
}

impl ChatReader {
    /// Returns the name of the model that answers; empty until it is known.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// Returns the reason why the model stopped; `None` until it has stopped.
    pub(crate) fn finish(&self) -> Option<&str> {
        self.finish.as_deref()
    }

    pub(crate) const fn reasoning_tokens(&self) -> u64 {
        self.reasoning_tokens
    }

    /// Returns the bytes of all text so far.
    pub(crate) const fn text_bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the steps that were added since the previous call of this function.
    pub(crate) fn take_steps(&mut self) -> Vec<ChatStep> {
        std::mem::take(&mut self.steps)
    }

    /// Reads one chunk of a stream.
    pub(crate) fn push(&mut self, chunk: &Value) {
        if self.model.is_empty()
            && let Some(model) = chunk.get("model").and_then(Value::as_str)
        {
            model.clone_into(&mut self.model);
        }
        if let Some(usage) = chunk.get("usage") {
            let details = usage.get("completion_tokens_details").and_then(|details| details.get("reasoning_tokens"));
            self.reasoning_tokens = details.and_then(Value::as_u64).unwrap_or(self.reasoning_tokens);
        }
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        // Only one answer was requested; some providers omit its index.
        let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.filter(is_first) {
            let logprobs = choice.get("logprobs").and_then(|logprobs| logprobs.get("content"));
            if let Some(delta) = choice.get("delta") {
                self.delta(delta, logprobs.and_then(Value::as_array).map_or(&[], Vec::as_slice));
            }
            if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
                self.finish = Some(finish.to_owned());
            }
        }
    }

    /// Reads a complete answer.
    pub(crate) fn push_complete(&mut self, completion: &Value) {
        let mut chunk = completion.clone();
        let choices = chunk.get_mut("choices").and_then(Value::as_array_mut);
        for choice in choices.into_iter().flatten().filter_map(Value::as_object_mut) {
            let Some(mut message) = choice.remove("message") else { continue };
            let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
            for (number, call) in calls.into_iter().flatten().filter_map(Value::as_object_mut).enumerate() {
                call.insert("index".to_owned(), number.into());
            }
            choice.insert("delta".to_owned(), message);
        }
        self.push(&chunk);
    }

    /// Reports the remaining calls at the end. Unless `is_complete`, the last call was cut off.
    pub(crate) fn close(&mut self, is_complete: bool) {
        while let Some(call) = self.calls.get(self.current) {
            if !call.is_open {
                self.open_call();
            }
            let is_last = self.current.saturating_add(1) == self.calls.len();
            self.close_call(is_complete || !is_last);
        }
    }

    fn delta(&mut self, delta: &Value, logprobs: &[Value]) {
        for name in ["reasoning_content", "reasoning"] {
            if let Some(thought) = delta.get(name).and_then(Value::as_str) {
                self.push_text(TextKind::Reasoning, thought, &[]);
                break;
            }
        }
        match delta.get("content") {
            Some(Value::String(text)) => self.push_text(TextKind::Text, text, logprobs),
            // Mistral sends reasoning as parts.
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.part(part)),
            _ => {}
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.push_text(TextKind::Refusal, refusal, &[]);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(call);
        }
    }

    fn part(&mut self, part: &Value) {
        let text = |part: &Value| part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        match part.get("type").and_then(Value::as_str) {
            Some("text") => self.push_text(TextKind::Text, &text(part), &[]),
            Some("thinking") => {
                let thoughts = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
                let thought: String = thoughts.map(text).collect();
                self.push_text(TextKind::Reasoning, &thought, &[]);
            }
            _ => {}
        }
    }

    fn push_text(&mut self, kind: TextKind, text: &str, logprobs: &[Value]) {
        if text.is_empty() {
            return;
        }
        self.bytes = self.bytes.saturating_add(text.len());
        self.steps.push(ChatStep::Text { kind, text: text.to_owned(), logprobs: logprobs.to_vec() });
    }

    fn call(&mut self, delta: &Value) {
        let part = |name: &str| delta.get("function").and_then(|function| function.get(name)).and_then(Value::as_str);
        let id = delta.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let index = delta.get("index").and_then(Value::as_u64);
        // Some providers send the index 0, or none, for every call; in that case, calls
        // are distinguished by id.
        let continues = |call: &Call| {
            index.is_none_or(|index| call.index == index) && id.is_none_or(|id| call.id.as_deref() == Some(id))
        };
        let known = self.calls.iter().rposition(continues);
        let number = known.unwrap_or_else(|| {
            let number = self.calls.len();
            self.calls.push(Call {
                id: id.map(str::to_owned),
                index: index.unwrap_or_else(|| u64::try_from(number).unwrap_or(u64::MAX)),
                name: part("name").unwrap_or_default().to_owned(),
                arguments: String::new(),
                is_open: false,
            });
            number
        });
        if let Some(arguments) = part("arguments").filter(|arguments| !arguments.is_empty()) {
            self.bytes = self.bytes.saturating_add(arguments.len());
            if let Some(call) = self.calls.get_mut(number) {
                call.arguments.push_str(arguments);
                if number == self.current && call.is_open {
                    self.steps.push(ChatStep::CallArguments(arguments.to_owned()));
                }
            }
        }
        self.advance();
    }

    /// Opens the next calls, and closes each call whose arguments are complete.
    fn advance(&mut self) {
        while let Some(call) = self.calls.get(self.current) {
            if !call.is_open {
                self.open_call();
                continue;
            }
            let is_last = self.current.saturating_add(1) >= self.calls.len();
            if is_last || serde_json::from_str::<IgnoredAny>(&call.arguments).is_err() {
                return;
            }
            self.close_call(true);
        }
    }

    /// Opens the current call, with the arguments received so far.
    fn open_call(&mut self) {
        let number = self.current;
        let Some(call) = self.calls.get_mut(number) else { return };
        call.is_open = true;
        self.steps.push(ChatStep::CallOpened { number, id: call.id.clone(), name: call.name.clone() });
        if !call.arguments.is_empty() {
            self.steps.push(ChatStep::CallArguments(call.arguments.clone()));
        }
    }

    fn close_call(&mut self, is_complete: bool) {
        self.steps.push(ChatStep::CallClosed { is_complete });
        self.current = self.current.saturating_add(1);
    }
}
