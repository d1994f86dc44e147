//! Refusals at `/mcp`, which tell an OAuth client where tokens are given.

use axum::http::header;
use tollbridge_access::AccessError;
use tollbridge_api::error::ApiError;

use crate::error_mapping::access::access_error;
use crate::oauth::metadata::challenge;
use crate::state::AppState;

/// Where the endpoint is.
pub(crate) const PATH: &str = "/mcp";

/// An error of admission, with what an OAuth client needs to get a token.
pub(crate) fn unauthorized(app: &AppState, error: &AccessError) -> ApiError {
    let word = match error {
        AccessError::MissingKey => None,
        AccessError::InvalidCredential { .. } => Some("invalid_token"),
        AccessError::MissingScope(_) => Some("insufficient_scope"),
        _ => return access_error(error),
    };
    access_error(error).header(header::WWW_AUTHENTICATE, challenge(app, word))
}
