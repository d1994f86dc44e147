//! Refusals at `/mcp`, which show an OAuth client where to get a token.

use axum::http::header;
use tollbridge_access::AccessError;
use tollbridge_api::error::ApiError;

use crate::error_mapping::access::access_error;
use crate::oauth::metadata::challenge;
use crate::state::AppState;

/// The path of the MCP endpoint.
pub(crate) const PATH: &str = "/mcp";

/// Maps an admission error to an API error with the OAuth challenge.
pub(crate) fn unauthorized(app: &AppState, error: &AccessError) -> ApiError {
    let word = match error {
        AccessError::MissingKey => None,
        AccessError::InvalidCredential { .. } => Some("invalid_token"),
        AccessError::MissingScope(_) => Some("insufficient_scope"),
        _ => return access_error(error),
    };
    access_error(error).header(header::WWW_AUTHENTICATE, challenge(app, word))
}
