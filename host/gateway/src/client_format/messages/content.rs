//! Converts the conversation of a Messages API request to messages of a chat.

use serde_json::{Map, Value, json};

use crate::error::GatewayError;
use crate::invalid::invalid;
use crate::json_text::text_bytes_in;

/// The conversation in chat format.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) messages: Vec<Value>,
    /// The reason why only Anthropic can continue the conversation; `None` if any
    /// provider can.
    pub(super) native_only: Option<String>,
    /// Bytes of content that the chat format cannot express.
    pub(super) unconverted_bytes: usize,
}

/// The content of a user message that is being converted.
#[derive(Default)]
struct UserParts {
    /// Chat messages with the results of tool calls.
    results: Vec<Value>,
    parts: Vec<Value>,
}

/// Converts the system instructions and all messages.
pub(super) fn conversation(members: &Map<String, Value>) -> Result<Conversation, GatewayError> {
    let mut conversation = Conversation::default();
    match members.get("system") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => conversation.push_message("system", text.clone().into()),
        Some(Value::Array(blocks)) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            conversation.push_message("system", texts.join("\n\n").into());
        }
        Some(_) => return Err(invalid("/system", "system must be a string or a list of blocks")),
    }
    let messages = members.get("messages").and_then(Value::as_array).filter(|list| !list.is_empty());
    let messages = messages.ok_or_else(|| invalid("/messages", "messages must be a list with at least one message"))?;
    for (number, message) in messages.iter().enumerate() {
        conversation.read(message, number)?;
    }
    Ok(conversation)
}

impl Conversation {
    fn push_message(&mut self, role: &str, content: Value) {
        self.messages.push(json!({ "role": role, "content": content }));
    }

    fn read(&mut self, message: &Value, number: usize) -> Result<(), GatewayError> {
        let at = format!("/messages/{number}/content");
        let content = message.get("content");
        match (message.get("role").and_then(Value::as_str), content) {
            (Some(role @ ("user" | "assistant")), Some(Value::String(text))) => {
                self.push_message(role, text.clone().into())
            }
            (Some("user"), Some(Value::Array(blocks))) => self.user(blocks, &at)?,
            (Some("assistant"), Some(Value::Array(blocks))) => self.assistant(blocks, &at)?,
            (Some("user" | "assistant"), _) => {
                return Err(invalid(&at, format!("messages[{number}].content must be a string or a list of blocks")));
            }
            _ => {
                let message = format!(
                    "messages[{number}].role must be user or assistant; instructions go into `system`, results of tools \
                     into blocks of a user"
                );
                return Err(invalid(&format!("/messages/{number}/role"), message));
            }
        }
        Ok(())
    }

    fn user(&mut self, blocks: &[Value], at: &str) -> Result<(), GatewayError> {
        let mut read = UserParts::default();
        for (number, block) in blocks.iter().enumerate() {
            let at = format!("{at}/{number}");
            if kind(block) == "tool_result" {
                let result = self.tool_result(block, &at, &mut read)?;
                read.results.push(result);
            } else {
                self.part(block, &at, &mut read.parts)?;
            }
        }
        self.messages.append(&mut read.results);
        match read.parts.as_slice() {
            [] => {}
            [only] if kind(only) == "text" => self.push_message("user", only.get("text").cloned().unwrap_or_default()),
            _ => self.push_message("user", read.parts.into()),
        }
        Ok(())
    }

    /// Converts a block of text, image or document content to a part of a chat message.
    fn part(&mut self, block: &Value, at: &str, parts: &mut Vec<Value>) -> Result<(), GatewayError> {
        match kind(block) {
            "text" => parts.push(json!({ "type": "text", "text": text(block, "text", at)? })),
            "image" => {
                let url = url_of(block, at)?;
                parts.push(json!({ "type": "image_url", "image_url": { "url": url } }));
            }
            "document" => self.document(block, at, parts)?,
            kind => self.skip(block, kind, at),
        }
        Ok(())
    }

    fn document(&mut self, block: &Value, at: &str, parts: &mut Vec<Value>) -> Result<(), GatewayError> {
        let source = block.get("source").unwrap_or(&Value::Null);
        match kind(source) {
            "text" => parts.push(json!({ "type": "text", "text": text(source, "data", at)? })),
            "content" => match source.get("content") {
                Some(Value::Array(blocks)) => {
                    for block in blocks {
                        self.part(block, at, parts)?;
                    }
                }
                content => {
                    let text = content.and_then(Value::as_str).unwrap_or_default();
                    parts.push(json!({ "type": "text", "text": text }));
                }
            },
            "url" => {
                let why = "the cost of a document behind a URL cannot be known in advance; send it as base64";
                return Err(invalid(&format!("{at}/source"), why));
            }
            _ => {
                let name = block.get("title").and_then(Value::as_str).unwrap_or("document.pdf");
                let file = json!({ "filename": name, "file_data": url_of(block, at)? });
                parts.push(json!({ "type": "file", "file": file }));
            }
        }
        Ok(())
    }

    /// Converts a tool result to a separate chat message. Such a message may contain only
    /// text, so pictures are moved to the user message that follows.
    fn tool_result(&mut self, block: &Value, at: &str, read: &mut UserParts) -> Result<Value, GatewayError> {
        let id = text(block, "tool_use_id", at)?;
        let content = match block.get("content") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(blocks)) => {
                let mut parts = Vec::new();
                for (number, block) in blocks.iter().enumerate() {
                    self.part(block, &format!("{at}/content/{number}"), &mut parts)?;
                }
                let (texts, others): (Vec<Value>, Vec<Value>) =
                    parts.into_iter().partition(|part| kind(part) == "text");
                read.parts.extend(others);
                let texts: Vec<&str> = texts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
                texts.join("\n")
            }
            Some(_) => return Err(invalid(&format!("{at}/content"), "content must be a string or a list of blocks")),
        };
        Ok(json!({ "role": "tool", "tool_call_id": id, "content": content }))
    }

    fn assistant(&mut self, blocks: &[Value], at: &str) -> Result<(), GatewayError> {
        let (mut said, mut calls) = (None::<String>, Vec::new());
        for (number, block) in blocks.iter().enumerate() {
            let at = format!("{at}/{number}");
            match kind(block) {
                "text" => said.get_or_insert_default().push_str(text(block, "text", &at)?),
                "tool_use" => {
                    let (id, name) = (text(block, "id", &at)?, text(block, "name", &at)?);
                    let input = block.get("input").filter(|input| input.is_object());
                    let arguments = input.map_or_else(|| "{}".to_owned(), Value::to_string);
                    let function = json!({ "name": name, "arguments": arguments });
                    calls.push(json!({ "id": id, "type": "function", "function": function }));
                }
                "thinking" | "redacted_thinking" => self.count_unconverted(block),
                kind => self.skip(block, kind, &at),
            }
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        let nothing = if calls.is_empty() { Value::from("") } else { Value::Null };
        message.insert("content".to_owned(), said.map_or(nothing, Value::from));
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        self.messages.push(message.into());
        Ok(())
    }

    /// Skips a block that only Anthropic supports.
    fn skip(&mut self, block: &Value, kind: &str, at: &str) {
        self.count_unconverted(block);
        self.native_only.get_or_insert_with(|| format!("{} is a block of type `{kind}`", at.trim_start_matches('/')));
    }

    fn count_unconverted(&mut self, block: &Value) {
        self.unconverted_bytes = self.unconverted_bytes.saturating_add(text_bytes_in(block));
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn text<'b>(block: &'b Value, name: &str, at: &str) -> Result<&'b str, GatewayError> {
    let text = block.get(name).and_then(Value::as_str);
    text.ok_or_else(|| {
        invalid(&format!("{at}/{name}"), format!("{}: `{name}` must be a string", at.trim_start_matches('/')))
    })
}

/// Returns the URL of a picture or a file; for embedded content, a data URL.
fn url_of(block: &Value, at: &str) -> Result<String, GatewayError> {
    let source = block.get("source").unwrap_or(&Value::Null);
    match kind(source) {
        "base64" => Ok(format!("data:{};base64,{}", text(source, "media_type", at)?, text(source, "data", at)?)),
        "url" => text(source, "url", at).map(str::to_owned),
        // File ids are refused because files at a provider belong to the operator's
        // account.
        _ => Err(invalid(&format!("{at}/source"), "source must be of type base64 or url; uploads are not supported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(members: Value) -> Result<Conversation, GatewayError> {
        conversation(members.as_object().unwrap())
    }

    #[test]
    fn a_conversation_with_tools() {
        let picture = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
        let read = read(json!({
            "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "and kind"}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "weather?"}, picture,
                    {"type": "document", "title": "a.pdf",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"}},
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "note"}}]},
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "t1", "name": "get", "input": {"at": "Rome"}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "sunny"}, picture]},
                    {"type": "text", "text": "thanks"}]},
            ],
        }))
        .unwrap();
        let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}});
        assert_eq!(
            Value::from(read.messages),
            json!([
                {"role": "system", "content": "be brief\n\nand kind"},
                {"role": "user", "content": [{"type": "text", "text": "weather?"}, image,
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,BBBB"}},
                    {"type": "text", "text": "note"}]},
                {"role": "assistant", "content": "Let me see.", "tool_calls": [{"id": "t1", "type": "function",
                    "function": {"name": "get", "arguments": "{\"at\":\"Rome\"}"}}]},
                {"role": "tool", "tool_call_id": "t1", "content": "sunny"},
                {"role": "user", "content": [image, {"type": "text", "text": "thanks"}]},
            ])
        );
        assert!(read.native_only.is_none() && read.unconverted_bytes == "thinkinghms".len());
    }

    #[test]
    fn errors_name_the_problem() {
        let one = |role: &str, content: Value| json!({"messages": [{"role": role, "content": content}]});
        for (members, field) in [
            (json!({}), "/messages"),
            (json!({"messages": []}), "/messages"),
            (one("system", json!("x")), "/messages/0/role"),
            (one("user", json!(7)), "/messages/0/content"),
            (one("user", json!([{"type": "text"}])), "/messages/0/content/0/text"),
            (one("user", json!([{"type": "tool_result", "content": "x"}])), "/messages/0/content/0/tool_use_id"),
            (
                one("user", json!([{"type": "image", "source": {"type": "file", "file_id": "f"}}])),
                "/messages/0/content/0/source",
            ),
            (
                one("user", json!([{"type": "document", "source": {"type": "url", "url": "https://example.com"}}])),
                "/messages/0/content/0/source",
            ),
            (one("assistant", json!([{"type": "tool_use", "id": "t"}])), "/messages/0/content/0/name"),
            (json!({"system": 7, "messages": [{"role": "user", "content": "x"}]}), "/system"),
        ] {
            match read(members.clone()) {
                Err(GatewayError::Invalid { field: found, .. }) => assert_eq!(found, field, "{members}"),
                other => panic!("{members}: {other:?}"),
            }
        }
        let search = json!([{"type": "search_result", "source": "s", "title": "t", "content": []}]);
        assert!(read(one("user", search)).unwrap().native_only.is_some());
    }
}
