//! Refusals in the format of the distribution specification.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::json;
use tollbridge_agents::DeployError;
use tollbridge_registry::Rejection;

use crate::error::OciError;

/// A refusal: a status, an error code of the specification, and a message that says how
/// to fix the request.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
    retry_after_s: Option<u64>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after_s: None }
    }

    pub(crate) fn unauthorized() -> Self {
        let how = "pass an API key with the scope `manage` as the password, and any user name";
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", how)
    }

    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "DENIED", message)
    }

    pub(crate) fn unknown_name() -> Self {
        let what = "there is no such repository; repositories are bridges/NAME and agents/NAME";
        Self::new(StatusCode::NOT_FOUND, "NAME_UNKNOWN", what)
    }

    pub(crate) fn unknown_blob() -> Self {
        Self::new(StatusCode::NOT_FOUND, "BLOB_UNKNOWN", "there is no such blob in this repository")
    }

    pub(crate) fn unknown_manifest() -> Self {
        Self::new(StatusCode::NOT_FOUND, "MANIFEST_UNKNOWN", "your account has no such version in this repository")
    }

    pub(crate) fn unknown_upload() -> Self {
        let what = "there is no such upload; it may have ended or expired, so begin again";
        Self::new(StatusCode::NOT_FOUND, "BLOB_UPLOAD_UNKNOWN", what)
    }

    pub(crate) fn unfit_upload(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, "BLOB_UPLOAD_INVALID", message)
    }

    pub(crate) fn unfit_manifest(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "MANIFEST_INVALID", message)
    }

    pub(crate) fn unfit_digest(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "DIGEST_INVALID", message)
    }

    /// Refuses a push under a name that already exists with other bytes.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "DENIED", message)
    }

    pub(crate) fn too_many(message: impl Into<String>, retry_after_s: u64) -> Self {
        let refusal = Self::new(StatusCode::TOO_MANY_REQUESTS, "TOOMANYREQUESTS", message);
        Self { retry_after_s: Some(retry_after_s), ..refusal }
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "UNSUPPORTED", message)
    }

    /// Logs an internal error for the operator and hides it from the client.
    pub(crate) fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a registry request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "UNKNOWN", "internal error")
    }

    pub(crate) fn into_response(self) -> Response {
        let body = json!({ "errors": [{ "code": self.code, "message": self.message, "detail": null }] });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"tollbridge\""));
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<OciError> for Refusal {
    fn from(error: OciError) -> Self {
        match error {
            OciError::Rejected(rejection) => rejection.into(),
            OciError::Registry(error) => Self::internal(&error),
            error => Self::unfit_manifest(error.to_string()),
        }
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::UnknownPublisher { .. } | Rejection::OtherKey { .. } | Rejection::ForeignNamespace { .. } => {
                Self::denied(rejection.to_string())
            }
            other => Self::unfit_manifest(other.to_string()),
        }
    }
}

impl From<DeployError> for Refusal {
    fn from(error: DeployError) -> Self {
        let message = error.to_string();
        match error {
            DeployError::Refused { .. } | DeployError::NotServing(_) | DeployError::NoRunner => {
                Self::unfit_manifest(message)
            }
            DeployError::QuotaExceeded(_) => Self::too_many(message, 3_600),
            DeployError::Busy(_) => Self::too_many(message, 60),
            DeployError::Revoked => Self::denied(message),
            DeployError::Conflict(_) => Self::conflict(message),
            DeployError::NotFound { .. } => Self::unknown_name(),
            DeployError::Store(_) | DeployError::Notary(_) | DeployError::Registry(_) => Self::internal(&message),
        }
    }
}
