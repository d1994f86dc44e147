//! Canonical JSON in base64url without padding, used by every part of MPP.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollbridge_core::excerpt::excerpt;

/// An error of decoding JSON in base64url. The error contains no values, because
/// credentials are secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("not base64url without padding")]
    NotBase64,
    #[error("not base64url of JSON")]
    NotJson,
    #[error("the member `{0}` is missing or invalid")]
    Member(String),
}

/// Encodes bytes as base64url without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Encodes canonical JSON (RFC 8785) as base64url. Structs of strings, integers and
/// maps with string keys always encode.
pub(crate) fn canonical<T: Serialize>(value: &T) -> String {
    base64url(&serde_json_canonicalizer::to_vec(value).unwrap_or_default())
}

/// Decodes JSON in base64url; an error names the invalid member.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| DecodeError::NotBase64)?;
    let reader = &mut serde_json::Deserializer::from_slice(&json);
    let value = serde_path_to_error::deserialize(&mut *reader).map_err(|error| member(&error))?;
    reader.end().map_err(|_| DecodeError::NotJson)?;
    Ok(value)
}

/// Deserializes parsed JSON; an error names the invalid member.
pub(crate) fn read_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, DecodeError> {
    serde_path_to_error::deserialize(value).map_err(|error| member(&error))
}

fn member(error: &serde_path_to_error::Error<serde_json::Error>) -> DecodeError {
    let inner = error.inner();
    if inner.is_syntax() || inner.is_eof() {
        return DecodeError::NotJson;
    }
    // For a missing member, the path is that of the enclosing object; only the error
    // message names the member.
    let text = inner.to_string();
    let missing = text.strip_prefix("missing field `").and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
    let path = error.path().to_string();
    let path = match (path.as_str(), missing) {
        (".", Some(name)) => name.to_owned(),
        (outer, Some(name)) => format!("{outer}.{name}"),
        (outer, None) => outer.to_owned(),
    };
    DecodeError::Member(excerpt(&path, 100))
}
