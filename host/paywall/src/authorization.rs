//! The account's authorization of a request: an API key or a token.

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tollbridge_api::error::ApiError;

use crate::mpp;

/// Header that carries an API key in requests of Anthropic's clients.
const API_KEY: &str = "x-api-key";

/// Returns the single `Authorization` header, or the value of `X-Api-Key` as a bearer
/// token. Payment credentials are removed from `Authorization`, because they identify no
/// account.
pub fn authorization(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let value = all.next().and_then(|value| mpp::without_credential(&String::from_utf8_lossy(value.as_bytes())));
    if all.next().is_some() {
        return Err(ApiError::invalid("", "more than one Authorization header; send exactly one"));
    }
    let key = || headers.get(API_KEY).map(|key| format!("Bearer {}", String::from_utf8_lossy(key.as_bytes()).trim()));
    Ok(value.or_else(key))
}

/// Returns the authorization of a request to a path. On registry paths, basic
/// authentication with an API key as the password is accepted, because registry clients
/// send it. Other paths do not accept it, so that browsers do not store keys.
pub fn authorization_at(path: &str, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let value = authorization(headers)?;
    let is_registry = path == "/v2" || path.starts_with("/v2/");
    let key = value.as_deref().filter(|_| is_registry).and_then(password_of);
    Ok(key.map(|key| format!("Bearer {key}")).or(value))
}

/// Returns the password of a `Basic …` header.
fn password_of(value: &str) -> Option<String> {
    let (scheme, pair) = value.split_once(' ')?;
    let pair = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(pair.trim()).ok())??;
    let (_, password) = std::str::from_utf8(&pair).ok()?.split_once(':')?;
    Some(password.to_owned())
}
