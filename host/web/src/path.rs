//! The path extractor.

use aide::operation::OperationInput;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use tollbridge_api::error::ApiError;

/// The variable parts of a path; if they are not valid UTF-8, the error is in this server's format.
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(value)| Self(value))
            .map_err(|_| ApiError::invalid("", "the path is not valid UTF-8"))
    }
}

impl<T> OperationInput for Path<T> {}
