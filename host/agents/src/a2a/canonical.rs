//! Canonical forms of an agent card: the bytes that its signatures cover.
//!
//! Version 0.3.0 of the protocol defines no canonical form, version 1.0 defines one, and
//! each major version of the Python SDK uses its own. A verifier accepts a card if one of
//! its signatures is valid, so a card has a signature for each form.

use serde_json::{Map, Value};

/// The protocol's default transport, which the 0.3 SDK omits when it serializes a card.
pub(super) const TRANSPORT: &str = "JSONRPC";

/// Card members that exist only in version 0.3.0.
const OF_0_3: [&str; 4] = ["protocolVersion", "url", "preferredTransport", "security"];
/// Card members that exist only in version 1.0.
const OF_1: [&str; 2] = ["supportedInterfaces", "securityRequirements"];
/// The member of a security scheme that holds its version 1.0 form; the other members are
/// its version 0.3.0 form.
const HTTP_SCHEME: &str = "httpAuthSecurityScheme";

/// A way to serialize a card into bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CanonicalForm {
    /// RFC 8785 applied to the card as it is served.
    Jcs,
    /// The form of `a2a-sdk` 0.3: omits members with default or empty values, sorts names
    /// and escapes non-ASCII characters.
    Sdk03,
    /// The form of `a2a-sdk` 1: RFC 8785 applied to the card's version 1.0 members
    /// without empty values.
    Sdk1,
    /// The form that version 1.0 of the protocol defines: RFC 8785 applied to the card's
    /// version 1.0 members.
    Protocol1,
}

/// The error for a card that cannot be serialized as JSON.
#[derive(Debug, thiserror::Error)]
#[error("the agent card cannot be serialized: {0}")]
pub struct CanonicalFormError(#[from] serde_json::Error);

impl CanonicalForm {
    /// The canonical forms for a card that covers both versions.
    pub(super) const ALL: [Self; 4] = [Self::Jcs, Self::Sdk03, Self::Sdk1, Self::Protocol1];
    /// The canonical forms for a card of version 1.0 only.
    pub(super) const OF_VERSION_1: [Self; 2] = [Self::Protocol1, Self::Sdk1];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Jcs => "jcs",
            Self::Sdk03 => "a2a-sdk-0.3",
            Self::Sdk1 => "a2a-sdk-1",
            Self::Protocol1 => "a2a-1.0",
        }
    }

    /// Serializes a card without `signatures` in this canonical form.
    pub(super) fn of(self, card: &Value) -> Result<String, CanonicalFormError> {
        let canonical = |value: &Value| serde_json_canonicalizer::to_string(value).map_err(CanonicalFormError::from);
        match self {
            Self::Jcs => canonical(card),
            Self::Sdk03 => canonical(&pruned(without_defaults(version_0_3(card.clone())))).map(|text| ascii(&text)),
            Self::Sdk1 => canonical(&pruned(version_1(card.clone()))),
            Self::Protocol1 => canonical(&version_1(card.clone())),
        }
    }
}

/// Escapes all non-ASCII and unprintable characters in JSON text. Only strings can
/// contain such characters, so no value changes.
pub(super) fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if (' '..='~').contains(&character) {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// Removes members with the default values of the 0.3 SDK's types; the SDK does not
/// serialize them.
fn without_defaults(mut card: Value) -> Value {
    if let Some(members) = card.as_object_mut() {
        let defaults = [("protocolVersion", "0.3.0"), ("preferredTransport", TRANSPORT)];
        members.retain(|name, value| !defaults.iter().any(|(known, default)| name == known && value == default));
    }
    for scheme in schemes(&mut card) {
        scheme.remove("type");
    }
    card
}

/// Returns the members of a card that belong to version 1.0 of the protocol.
pub(super) fn version_1(mut card: Value) -> Value {
    for scheme in schemes(&mut card) {
        if scheme.contains_key(HTTP_SCHEME) {
            scheme.retain(|name, _| name == HTTP_SCHEME);
        }
    }
    without(card, &OF_0_3)
}

/// Returns the members of a card that belong to version 0.3.0.
fn version_0_3(mut card: Value) -> Value {
    for scheme in schemes(&mut card) {
        scheme.remove(HTTP_SCHEME);
    }
    if let Some(capabilities) = card.get_mut("capabilities").and_then(Value::as_object_mut) {
        capabilities.remove("extendedAgentCard");
    }
    without(card, &OF_1)
}

fn without(mut card: Value, names: &[&str]) -> Value {
    if let Some(members) = card.as_object_mut() {
        members.retain(|name, _| !names.contains(&name.as_str()));
    }
    card
}

fn schemes(card: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let schemes = card.get_mut("securitySchemes").and_then(Value::as_object_mut);
    schemes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}

/// Removes empty texts, lists and objects at any depth.
fn pruned(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(pruned).filter(|item| !is_empty(item)).collect(),
        Value::Object(members) => {
            let remaining = members.into_iter().map(|(name, value)| (name, pruned(value)));
            Value::Object(remaining.filter(|(_, value)| !is_empty(value)).collect())
        }
        other => other,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The canonical forms of a sample card, as both SDKs printed them.
    #[test]
    fn forms_are_those_of_the_sdks() {
        let card = json!({
            "protocolVersion": "0.3.0",
            "name": "P\u{e9}age",
            "description": "d",
            "url": "http://127.0.0.1:8402/v1/a2a/execute",
            "preferredTransport": "JSONRPC",
            "version": "1.0.0",
            "provider": { "organization": "o", "url": "http://127.0.0.1:8402" },
            "capabilities": { "streaming": false, "pushNotifications": true, "extendedAgentCard": true },
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["application/json"],
            "securitySchemes": { "bearerAuth": {
                "type": "http",
                "scheme": "bearer",
                "description": "k",
                "httpAuthSecurityScheme": { "scheme": "bearer", "description": "k" },
            }},
            "security": [{ "bearerAuth": [] }],
            "securityRequirements": [{ "schemes": { "bearerAuth": {} } }],
            "supportedInterfaces": [{
                "url": "http://127.0.0.1:8402/v1/a2a/execute", "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
            }],
            "skills": [{ "id": "general", "name": "general", "description": "x", "tags": ["general"] }],
        });
        assert_eq!(
            CanonicalForm::Sdk03.of(&card).unwrap(),
            r#"{"capabilities":{"pushNotifications":true,"streaming":false},"defaultInputModes":["text/plain"],"defaultOutputModes":["application/json"],"description":"d","name":"P\u00e9age","provider":{"organization":"o","url":"http://127.0.0.1:8402"},"securitySchemes":{"bearerAuth":{"description":"k","scheme":"bearer"}},"skills":[{"description":"x","id":"general","name":"general","tags":["general"]}],"url":"http://127.0.0.1:8402/v1/a2a/execute","version":"1.0.0"}"#
        );
        assert_eq!(
            CanonicalForm::Sdk1.of(&card).unwrap(),
            r#"{"capabilities":{"extendedAgentCard":true,"pushNotifications":true,"streaming":false},"defaultInputModes":["text/plain"],"defaultOutputModes":["application/json"],"description":"d","name":"Péage","provider":{"organization":"o","url":"http://127.0.0.1:8402"},"securitySchemes":{"bearerAuth":{"httpAuthSecurityScheme":{"description":"k","scheme":"bearer"}}},"skills":[{"description":"x","id":"general","name":"general","tags":["general"]}],"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"http://127.0.0.1:8402/v1/a2a/execute"}],"version":"1.0.0"}"#
        );
        // Unlike the SDK, the protocol's form keeps the security requirement that the SDK
        // considers empty.
        let protocol = CanonicalForm::Protocol1.of(&card).unwrap();
        assert!(protocol.contains(r#""securityRequirements":[{"schemes":{"bearerAuth":{}}}]"#), "{protocol}");
        assert_eq!(version_1(version_1(card.clone())), version_1(card));
    }

    #[test]
    fn escapes_as_utf16() {
        assert_eq!(ascii("\"a\u{e9}\u{1f309}\u{7f}\""), r#""a\u00e9\ud83c\udf09\u007f""#);
    }
}
