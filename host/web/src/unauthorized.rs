//! Refusals at `/mcp`, which show an OAuth client where to get a token.

use axum::http::{HeaderValue, header};
use tollbridge_access::AccessError;
use tollbridge_api::error::ApiError;

use crate::error_mapping::access_error;
use crate::state::AppState;

/// The path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";

/// The path of the MCP endpoint's OAuth metadata (RFC 9728), which MCP clients try first.
pub const MCP_METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

/// The only OAuth scope: listing, calling and paying for bridges and agents.
pub const TOKEN_SCOPE: &str = "call";

/// Maps an admission error to an API error with the OAuth challenge.
pub fn unauthorized(app: &AppState, error: &AccessError) -> ApiError {
    let word = match error {
        AccessError::MissingKey => None,
        AccessError::InvalidCredential { .. } => Some("invalid_token"),
        AccessError::MissingScope(_) => Some("insufficient_scope"),
        // A new token would not change any other refusal.
        _ => return access_error(error),
    };
    access_error(error).header(header::WWW_AUTHENTICATE, challenge(app, word))
}

/// Returns the `WWW-Authenticate` challenge of a refusal at `/mcp`, with the address of
/// the metadata.
fn challenge(app: &AppState, error: Option<&str>) -> HeaderValue {
    let error = error.map(|error| format!("error=\"{error}\", ")).unwrap_or_default();
    let base = &app.settings.base_url;
    let text = format!("Bearer {error}resource_metadata=\"{base}{MCP_METADATA_PATH}\", scope=\"{TOKEN_SCOPE}\"");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("Bearer"))
}
