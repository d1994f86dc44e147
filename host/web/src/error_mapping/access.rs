//! Errors of admission.

use axum::http::{HeaderValue, header};
use tollbridge_access::AccessError;
use tollbridge_api::error::{ApiError, Code, internal};

/// Maps an admission error to the API error that the client sees.
pub fn access_error(error: &AccessError) -> ApiError {
    let bearer = HeaderValue::from_static("Bearer");
    match error {
        AccessError::MissingKey | AccessError::InvalidCredential { .. } => {
            ApiError::new(Code::KeyInvalid, error.to_string()).header(header::WWW_AUTHENTICATE, bearer)
        }
        AccessError::Suspended => ApiError::new(Code::Blocked, error.to_string()),
        AccessError::MissingScope(_) => ApiError::new(Code::LacksScope, error.to_string()),
        AccessError::RateLimited(rate_limit) => {
            let wait = rate_limit.retry_after_s.unwrap_or(1);
            let message = format!("rate limit exceeded; retry in {wait} seconds");
            ApiError::new(Code::RateLimited, message).retry_after(wait.into())
        }
        AccessError::LookupFailed(error) => internal(error),
    }
}
