//! Canonical JSON in base64url without padding, as every part of MPP has it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollbridge_core::excerpt::excerpt;

/// Why a text is not JSON in base64url. It shows no value: credentials are
/// secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("it is not base64url without padding")]
    NotBase64,
    #[error("it is not base64url of JSON")]
    NotJson,
    #[error("`{0}` in it is missing or wrong")]
    Member(String),
}

/// Base64url without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// RFC 8785 in base64url. Structs of texts, whole numbers and maps with texts as
/// keys always have one.
pub(crate) fn canonical<T: Serialize>(value: &T) -> String {
    base64url(&serde_json_canonicalizer::to_vec(value).unwrap_or_default())
}

/// Reads JSON in base64url and names the member that is wrong.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| DecodeError::NotBase64)?;
    let reader = &mut serde_json::Deserializer::from_slice(&json);
    let value = serde_path_to_error::deserialize(&mut *reader).map_err(|error| member(&error))?;
    reader.end().map_err(|_| DecodeError::NotJson)?;
    Ok(value)
}

/// Reads JSON that was read before.
pub(crate) fn read_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, DecodeError> {
    serde_path_to_error::deserialize(value).map_err(|error| member(&error))
}

fn member(error: &serde_path_to_error::Error<serde_json::Error>) -> DecodeError {
    let inner = error.inner();
    if inner.is_syntax() || inner.is_eof() {
        return DecodeError::NotJson;
    }
    // A missing member is an error of the object around it, which names it.
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
