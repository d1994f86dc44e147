//! Errors of OAuth.

use aide::operation::OperationOutput;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tollbridge_api::error::Code;

/// An error in the format of RFC 6749, 5.2, with this server's own code.
pub(crate) struct OauthError {
    status: StatusCode,
    error: &'static str,
    description: String,
    code: Code,
    retry_after_s: Option<u32>,
}

impl OauthError {
    /// Creates an error with an OAuth error code.
    pub(crate) fn new(error: &'static str, description: impl Into<String>) -> Self {
        let description = description.into();
        Self { status: StatusCode::BAD_REQUEST, error, description, code: Code::Invalid, retry_after_s: None }
    }

    /// Creates the error for a client that authenticates although all clients here are public.
    pub(crate) fn invalid_client(description: impl Into<String>) -> Self {
        let (status, code) = (StatusCode::UNAUTHORIZED, Code::KeyInvalid);
        Self { status, code, ..Self::new("invalid_client", description) }
    }

    /// Creates a temporary error.
    pub(crate) fn later(code: Code, description: impl Into<String>, retry_after_s: u32) -> Self {
        let (_, status, _) = code.parts();
        let retry_after_s = Some(retry_after_s);
        Self { status, error: "temporarily_unavailable", description: description.into(), code, retry_after_s }
    }

    /// Logs an internal failure and hides it from the client.
    pub(crate) fn internal(error: &impl std::fmt::Display) -> Self {
        tracing::error!(%error, "an OAuth request failed");
        let (code, status) = (Code::Internal, StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, error: "server_error", description: "internal error".to_owned(), code, retry_after_s: None }
    }
}

impl IntoResponse for OauthError {
    fn into_response(self) -> Response {
        let (code, ..) = self.code.parts();
        let body = json!({ "error": self.error, "error_description": self.description, "code": code });
        let mut response = (self.status, [(header::CACHE_CONTROL, "no-store")], Json(body)).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl OperationOutput for OauthError {
    type Inner = Self;
}
