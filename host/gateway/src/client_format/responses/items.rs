//! Converts input items of the Responses API to messages of a chat.
//!
//! Invariants: no part of an item is lost silently. If a chat cannot express some
//! content, the request is either sent only to providers with the Responses API, or
//! refused with the content's position; reasoning is the only exception
//! (`docs/inference.md`).

use serde_json::{Map, Value, json};

use crate::error::GatewayError;
use crate::invalid::invalid;
use crate::json_text::text_bytes_in;

/// Types of items that only providers with the Responses API support. Items of tools that
/// providers run and bill themselves are not included.
const NATIVE_ITEMS: [&str; 13] = [
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "computer_call",
    "computer_call_output",
    "web_search_call",
    "code_interpreter_call",
    "compaction",
];

/// A conversation in chat format.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) messages: Vec<Value>,
    /// The reason why only a provider with the Responses API can continue the
    /// conversation; `None` if any provider can.
    pub(super) native_only: Option<String>,
    /// Bytes of content that the chat's messages lack, but a provider with the Responses
    /// API reads.
    pub(super) unconverted_bytes: usize,
}

/// The position of an item, for error messages and as a JSON pointer.
pub(super) struct ItemPosition(Option<usize>);

impl ItemPosition {
    /// Creates the position; `None` for an item of an earlier response.
    pub(super) const fn new(number: Option<usize>) -> Self {
        Self(number)
    }

    pub(super) fn name(&self, rest: &str) -> String {
        match self.0 {
            Some(number) => format!("input[{number}]{rest}"),
            None => format!("an item of an earlier response: {}", rest.trim_start_matches('.')),
        }
    }

    /// Builds an error for this item. `rest` is the path within the item, such as
    /// `.content[0]`.
    pub(super) fn invalid(&self, rest: &str, what: &str) -> GatewayError {
        let pointer = match self.0 {
            Some(number) => format!("/input/{number}{}", rest.replace('[', "/").replace(']', "").replace('.', "/")),
            None => "/previous_response_id".to_owned(),
        };
        invalid(&pointer, format!("{} {what}", self.name(rest)))
    }
}

/// Returns the type of an item; a message in its short form has no type member.
pub(crate) fn kind(item: &Value) -> &str {
    match item.get("type").and_then(Value::as_str) {
        Some(kind) => kind,
        None if item.get("role").is_some() => "message",
        // OpenAI's own types allow references without a type.
        None if item.get("id").is_some() => "item_reference",
        None => "",
    }
}

/// Converts `items` to messages; the items from index `own` on are the request's own
/// input.
pub(super) fn conversation(
    instructions: Option<&str>,
    items: &[Value],
    own: usize,
) -> Result<Conversation, GatewayError> {
    let mut chat = Conversation::default();
    if let Some(text) = instructions {
        chat.messages.push(json!({ "role": "system", "content": text }));
    }
    for (number, item) in items.iter().enumerate() {
        let position = ItemPosition::new(number.checked_sub(own));
        match kind(item) {
            "message" => chat.message(item, &position)?,
            "function_call" => chat.call(item, &position)?,
            "function_call_output" => chat.output(item, &position)?,
            "reasoning" => chat.unconverted_bytes = chat.unconverted_bytes.saturating_add(text_bytes_in(item)),
            other if NATIVE_ITEMS.contains(&other) => {
                chat.native(item, format!("{} is a `{other}`", position.name("")))
            }
            other => {
                return Err(position.invalid(
                    ".type",
                    &format!(
                        "`{other}` is not supported; send message, function_call, function_call_output or reasoning"
                    ),
                ));
            }
        }
    }
    Ok(chat)
}

impl Conversation {
    fn native(&mut self, item: &Value, why: String) {
        self.unconverted_bytes = self.unconverted_bytes.saturating_add(text_bytes_in(item));
        self.native_only.get_or_insert(why);
    }

    fn message(&mut self, item: &Value, position: &ItemPosition) -> Result<(), GatewayError> {
        let content = item.get("content").unwrap_or(&Value::Null);
        let message = match item.get("role").and_then(Value::as_str) {
            Some("assistant") => return self.assistant(content, position),
            Some("user") => json!({ "role": "user", "content": content_of(content, position)? }),
            // Many providers do not support the newer name.
            Some("system" | "developer") => json!({ "role": "system", "content": content_of(content, position)? }),
            _ => return Err(position.invalid(".role", "must be user, assistant, system or developer")),
        };
        self.messages.push(message);
        Ok(())
    }

    /// Adds text to the model's turn. A chat allows no message between calls and their
    /// results, so text that follows calls is added to the message with the calls.
    fn assistant(&mut self, content: &Value, position: &ItemPosition) -> Result<(), GatewayError> {
        let (mut text, mut refusal) = (String::new(), None::<String>);
        match content {
            Value::String(whole) => text.push_str(whole),
            Value::Array(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    let said = |name: &str| part.get(name).and_then(Value::as_str);
                    let at = format!(".content[{number}]");
                    match said("type") {
                        Some("output_text" | "input_text" | "text") => {
                            text.push_str(said("text").ok_or_else(|| position.invalid(&at, "lacks `text`"))?);
                        }
                        Some("refusal") => {
                            let said = said("refusal").ok_or_else(|| position.invalid(&at, "lacks `refusal`"))?;
                            refusal.get_or_insert_default().push_str(said);
                        }
                        _ => return Err(position.invalid(&at, "must be an output_text or a refusal")),
                    }
                }
            }
            _ => return Err(position.invalid(".content", "must be a string or a list of parts")),
        }
        let calling = |last: &&mut Map<String, Value>| is_assistant(last) && last.contains_key("tool_calls");
        if let Some(last) = self.last().filter(calling) {
            let before = last.get("content").and_then(Value::as_str).unwrap_or_default();
            let joined = format!("{before}{text}");
            last.insert("content".to_owned(), joined.into());
            return Ok(());
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        message.insert("content".to_owned(), text.into());
        if let Some(refusal) = refusal {
            message.insert("refusal".to_owned(), refusal.into());
        }
        self.messages.push(Value::Object(message));
        Ok(())
    }

    fn call(&mut self, item: &Value, position: &ItemPosition) -> Result<(), GatewayError> {
        let member = |name: &str| {
            let text = item.get(name).and_then(Value::as_str);
            text.ok_or_else(|| position.invalid(&format!(".{name}"), "must be a string"))
        };
        let function = json!({ "name": member("name")?, "arguments": member("arguments")? });
        let call = json!({ "id": member("call_id")?, "type": "function", "function": function });
        if let Some(last) = self.last().filter(|last| is_assistant(last)) {
            let calls = last.entry("tool_calls").or_insert_with(|| json!([]));
            if let Some(calls) = calls.as_array_mut() {
                calls.push(call);
            }
            // The content of a chat message with calls and no text is null.
            if last.get("content") == Some(&json!("")) {
                last.insert("content".to_owned(), Value::Null);
            }
        } else {
            self.messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
        }
        if item.get("namespace").is_some_and(|name| !name.is_null()) {
            self.native_only.get_or_insert(format!("{} calls a function of a namespace", position.name("")));
        }
        Ok(())
    }

    fn output(&mut self, item: &Value, position: &ItemPosition) -> Result<(), GatewayError> {
        let id = item.get("call_id").and_then(Value::as_str);
        let id = id.ok_or_else(|| position.invalid(".call_id", "must be the `call_id` of a function_call"))?;
        let text = match item.get("output") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                let text = |part: &Value| {
                    let is_text = matches!(part.get("type")?.as_str()?, "input_text" | "output_text" | "text");
                    part.get("text")?.as_str().filter(|_| is_text).map(str::to_owned)
                };
                let texts: Vec<String> = parts.iter().filter_map(text).collect();
                if texts.len() < parts.len() {
                    self.native(item, format!("{} has a picture or a file", position.name(".output")));
                }
                texts.join("\n")
            }
            _ => return Err(position.invalid(".output", "must be a string or a list of parts")),
        };
        self.messages.push(json!({ "role": "tool", "tool_call_id": id, "content": text }));
        Ok(())
    }

    fn last(&mut self) -> Option<&mut Map<String, Value>> {
        self.messages.last_mut()?.as_object_mut()
    }
}

fn is_assistant(message: &Map<String, Value>) -> bool {
    message.get("role").and_then(Value::as_str) == Some("assistant")
}

/// Converts the content of a user or system message.
fn content_of(content: &Value, position: &ItemPosition) -> Result<Value, GatewayError> {
    let parts = match content {
        Value::String(_) => return Ok(content.clone()),
        Value::Array(parts) => parts,
        _ => return Err(position.invalid(".content", "must be a string or a list of parts")),
    };
    let each = parts.iter().enumerate().map(|(number, part)| part_of(part, &format!(".content[{number}]"), position));
    let translated: Vec<Value> = each.collect::<Result<_, _>>()?;
    Ok(match translated.as_slice() {
        // A single text is sent as a plain string, which every provider accepts and some
        // require.
        [one] if one.get("type") == Some(&json!("text")) => one.get("text").cloned().unwrap_or_default(),
        [] => "".into(),
        _ => translated.into(),
    })
}

fn part_of(part: &Value, at: &str, position: &ItemPosition) -> Result<Value, GatewayError> {
    let said = |name: &str| part.get(name).and_then(Value::as_str);
    match said("type") {
        Some("input_text" | "output_text" | "text") => {
            let text = said("text").ok_or_else(|| position.invalid(&format!("{at}.text"), "must be a string"))?;
            Ok(json!({ "type": "text", "text": text }))
        }
        Some("input_image") => {
            let url = said("image_url").ok_or_else(|| {
                position.invalid(
                    &format!("{at}.image_url"),
                    "must be the URL of a picture, or the picture itself as a data: URL",
                )
            })?;
            let mut image = Map::new();
            image.insert("url".to_owned(), url.into());
            image.extend(said("detail").map(|detail| ("detail".to_owned(), detail.into())));
            Ok(json!({ "type": "image_url", "image_url": image }))
        }
        Some("input_file") => {
            let data = said("file_data")
                .ok_or_else(|| position.invalid(&format!("{at}.file_data"), "must be the file as a data: URL"))?;
            let mut file = Map::new();
            file.insert("file_data".to_owned(), data.into());
            file.extend(said("filename").map(|name| ("filename".to_owned(), name.into())));
            Ok(json!({ "type": "file", "file": file }))
        }
        Some("input_audio") => {
            let audio = part.get("input_audio").filter(|audio| audio.is_object());
            let audio =
                audio.ok_or_else(|| position.invalid(&format!("{at}.input_audio"), "must have `data` and `format`"))?;
            Ok(json!({ "type": "input_audio", "input_audio": audio }))
        }
        Some(other) => {
            let known = "send input_text, input_image, input_file or input_audio";
            Err(position.invalid(&format!("{at}.type"), &format!("`{other}` is an unknown type; {known}")))
        }
        None => Err(position.invalid(&format!("{at}.type"), "is missing, for example \"input_text\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(items: Value) -> Conversation {
        conversation(None, items.as_array().unwrap(), 0).unwrap()
    }

    #[test]
    fn a_conversation_with_calls_is_one_that_chats_allow() {
        let chat = chat(json!([
            {"role": "developer", "content": "be brief"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "weather?"}]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "get", "arguments": "{}"},
            {"type": "function_call", "call_id": "c2", "name": "get", "arguments": "{\"a\":1}"},
            {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
            {"type": "function_call_output", "call_id": "c2",
                "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        ]));
        let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "get", "arguments": arguments}});
        assert_eq!(
            json!(chat.messages),
            json!([
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "weather?"},
                {"role": "assistant", "content": "Let me see.", "tool_calls": [call("c1", "{}"), call("c2", "{\"a\":1}")]},
                {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
                {"role": "tool", "tool_call_id": "c2", "content": "a\nb"},
                {"role": "assistant", "content": "", "refusal": "no"},
            ])
        );
        assert!(chat.native_only.is_none() && chat.unconverted_bytes > 2);
    }

    #[test]
    fn pictures_and_files_keep_what_a_chat_can_say() {
        let chat = chat(json!([{"role": "user", "content": [
            {"type": "input_text", "text": "what?"},
            {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "low"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"},
            {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
        ]}]));
        assert_eq!(
            chat.messages[0]["content"],
            json!([
                {"type": "text", "text": "what?"},
                {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
                {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA", "filename": "a.pdf"}},
                {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            ])
        );
    }

    #[test]
    fn text_after_calls_stays_before_their_results() {
        let chat = chat(json!([
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"role": "assistant", "content": "I asked."},
            {"type": "function_call_output", "call_id": "c", "output": "1"},
        ]));
        assert_eq!(chat.messages.len(), 2);
        assert_eq!(chat.messages[0]["content"], "I asked.");
    }

    #[test]
    fn items_that_chat_cannot_express_need_native_providers() {
        for (item, why) in [
            (
                json!({"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x"}),
                "input[0] is a `custom_tool_call`",
            ),
            (
                json!({"type": "function_call_output", "call_id": "c",
                "output": [{"type": "input_image", "image_url": "data:,"}]}),
                "input[0].output has a picture or a file",
            ),
        ] {
            let chat = chat(json!([item]));
            assert_eq!(chat.native_only.as_deref(), Some(why));
            assert!(chat.unconverted_bytes > 0);
        }
    }

    #[test]
    fn errors_name_the_position() {
        for (item, field) in [
            (json!({"type": "mcp_call", "id": "m"}), "/input/1/type"),
            (json!({"role": "tool", "content": "x"}), "/input/1/role"),
            (json!({"role": "user", "content": 7}), "/input/1/content"),
            (json!({"role": "user", "content": [{"type": "input_text"}]}), "/input/1/content/0/text"),
            (json!({"role": "user", "content": [{"text": "x"}]}), "/input/1/content/0/type"),
            (json!({"role": "assistant", "content": [{"type": "input_image"}]}), "/input/1/content/0"),
            (json!({"type": "function_call", "name": "f", "arguments": "{}"}), "/input/1/call_id"),
            (json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}), "/input/1/arguments"),
            (json!({"type": "function_call_output", "output": "x"}), "/input/1/call_id"),
            (json!({"type": "function_call_output", "call_id": "c"}), "/input/1/output"),
            (json!(3), "/input/1/type"),
        ] {
            let items = [json!({"role": "user", "content": "x"}), item.clone()];
            match conversation(None, &items, 0) {
                Err(GatewayError::Invalid { field: found, .. }) => assert_eq!(found, field, "{item}"),
                other => panic!("{item}: {other:?}"),
            }
        }
    }
}
