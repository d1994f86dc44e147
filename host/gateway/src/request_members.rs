//! The members of a request, either parsed or in the client's JSON text.

use bytes::Bytes;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::{Map, Value};

use super::chat_facts::{ChatFacts, MAX_COST};
use super::chat_text::ChatText;
use super::error::GatewayError;
use super::json_body::read_object;
use super::provider::{ModelDeployment, OutputLimitParam};

/// All members of a request.
#[derive(Clone, Debug)]
pub(crate) enum RequestMembers {
    /// Parsed members, of a request that was converted from another format or is unusual
    /// JSON.
    Parsed(Map<String, Value>),
    /// Members in the client's own JSON text.
    Text(ChatText),
}

impl RequestMembers {
    /// Reads the members of a chat completion request, and the facts about its chat.
    pub(super) fn of_chat(body: &Bytes) -> Result<(Self, ChatFacts), GatewayError> {
        if let Some((text, facts)) = ChatText::scan(body) {
            return Ok((Self::Text(text), facts));
        }
        // Unusual or invalid JSON: the full parser accepts it or reports the error.
        let members = read_object(body)?;
        let facts = ChatFacts::of_members(&members)?;
        Ok((Self::Parsed(members), facts))
    }

    /// Returns a member whose value the gateway reads (`chat_text::GATEWAY_MEMBERS`).
    pub(super) fn gateway_member(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Parsed(members) => members.get(name),
            Self::Text(text) => text.gateway_member(name),
        }
    }

    /// Returns the parsed members.
    pub(crate) fn parsed(&self) -> &Map<String, Value> {
        match self {
            Self::Parsed(members) => members,
            Self::Text(text) => text.members(),
        }
    }

    /// Builds the request body for a provider that uses OpenAI's format.
    pub(super) fn for_openai(&self, deployment: &ModelDeployment, streams: bool) -> serde_json::Result<Vec<u8>> {
        match self {
            Self::Parsed(members) => to_openai_json(members, deployment, streams),
            Self::Text(text) => text.for_openai(deployment, streams),
        }
    }
}

fn to_openai_json(
    members: &Map<String, Value>,
    deployment: &ModelDeployment,
    streams: bool,
) -> serde_json::Result<Vec<u8>> {
    let quirks = deployment.provider.quirks;
    let renamed = |name: &str| match quirks.limit {
        OutputLimitParam::MaxTokens if name == "max_completion_tokens" => Some("max_tokens"),
        OutputLimitParam::MaxCompletionTokens if name == "max_tokens" => Some("max_completion_tokens"),
        _ => None,
    };
    let needs_usage_option = streams && quirks.needs_usage_option;
    let mut bytes = Vec::with_capacity(1_024);
    let mut serializer = serde_json::Serializer::new(&mut bytes);
    let mut map = serializer.serialize_map(None)?;
    for (name, value) in members {
        match name.as_str() {
            "model" | MAX_COST => {}
            "stream_options" if needs_usage_option || !quirks.needs_usage_option => {}
            name => match renamed(name) {
                Some(known) if members.contains_key(known) => {}
                Some(known) => map.serialize_entry(known, value)?,
                None => map.serialize_entry(name, value)?,
            },
        }
    }
    map.serialize_entry("model", &deployment.upstream)?;
    if needs_usage_option {
        let mut options = members.get("stream_options").and_then(Value::as_object).cloned().unwrap_or_default();
        options.insert("include_usage".to_owned(), Value::Bool(true));
        map.serialize_entry("stream_options", &options)?;
    }
    map.end()?;
    Ok(bytes)
}
