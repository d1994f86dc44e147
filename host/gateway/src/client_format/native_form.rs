//! A request in its client's own format, for providers that use the same format.

use bytes::Bytes;
use http::Uri;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::{Map, Value};
use tollbridge_core::config::ProviderKind;

use super::messages;
use super::responses::{ResponseHead, native};
use crate::pricing::TokenUsage;
use crate::provider::{ModelDeployment, ProviderEndpoint};
use crate::provider_error::ProviderError;

/// A request in its native form: the members for a provider that uses the client's
/// format.
#[derive(Clone, Debug)]
pub(crate) struct NativeForm {
    members: Map<String, Value>,
    pub(crate) head: NativeHead,
    /// The reason why no other provider can answer the request; `None` if others can.
    pub(crate) native_only: Option<String>,
}

/// The native format, with the data about the request that the answer must contain.
#[derive(Clone, Debug)]
pub(crate) enum NativeHead {
    Responses(Box<ResponseHead>),
    Messages,
}

impl NativeForm {
    pub(crate) const fn new(members: Map<String, Value>, head: NativeHead, native_only: Option<String>) -> Self {
        Self { members, head, native_only }
    }

    /// Returns the provider's address for this format; `None` if the provider does not
    /// support the format.
    pub(crate) fn address<'p>(&self, provider: &'p ProviderEndpoint) -> Option<&'p Uri> {
        match self.head {
            NativeHead::Responses(_) => provider.responses.as_ref(),
            NativeHead::Messages => (provider.kind == ProviderKind::Anthropic).then_some(&provider.chat),
        }
    }

    /// Builds the request body for a deployment's provider.
    pub(crate) fn body(&self, deployment: &ModelDeployment) -> Result<Vec<u8>, serde_json::Error> {
        let without = match self.head {
            NativeHead::Responses(_) => deployment.provider.quirks.responses.unwrap_or_default(),
            NativeHead::Messages => &[],
        };
        with_model(&self.members, &deployment.upstream, without)
    }

    /// Returns the name of the format.
    pub(crate) const fn name(&self) -> &'static str {
        match self.head {
            NativeHead::Responses(_) => "the Responses API",
            NativeHead::Messages => "the Messages API",
        }
    }
}

impl NativeHead {
    /// Reads a complete answer; returns the body for the client, and the usage.
    pub(crate) fn read_complete(&self, body: &Bytes) -> Result<(Bytes, Option<TokenUsage>), ProviderError> {
        match self {
            Self::Responses(head) => {
                native::read_complete(body, head).map(|(answer, usage)| (answer.to_string().into(), usage))
            }
            Self::Messages => messages::native::read_complete(body).map(|(_, usage)| (body.clone(), usage)),
        }
    }
}

/// Returns the members as JSON, with the provider's name for the model and without the
/// members in `without`.
pub(crate) fn with_model(
    members: &Map<String, Value>,
    model: &str,
    without: &[&str],
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::with_capacity(1_024);
    let mut serializer = serde_json::Serializer::new(&mut bytes);
    let mut map = serializer.serialize_map(None)?;
    for (name, value) in members {
        if name != "model" && !without.contains(&name.as_str()) {
            map.serialize_entry(name, value)?;
        }
    }
    map.serialize_entry("model", model)?;
    map.end()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_model_is_the_providers_and_what_it_does_not_take_is_left_out() {
        let members = json!({"model": "m", "input": "x", "include": ["a"], "store": false});
        let body = with_model(members.as_object().unwrap(), "up/m", &["store", "include"]).unwrap();
        let sent: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(sent, json!({"model": "up/m", "input": "x"}));
    }
}
