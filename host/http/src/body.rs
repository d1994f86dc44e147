//! Request bodies: bounded in size and time, JSON where JSON is meant.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tollbridge_core::limits::{BODY_BYTES_MAX, BODY_MS_MAX};
use tollbridge_market::checkout::refuse_platform_rules;

use crate::error::{ApiError, Code};

/// Bodies up to this are cheaper to copy than a read buffer is to replace.
const COPIED_BODY_BYTES_MAX: usize = 4 << 10;

/// A body that is JSON or absent, as bytes that were not parsed yet.
pub(crate) struct JsonBytes(pub Bytes);

/// Likewise with the headers, which are not copied for it.
pub(crate) struct JsonRequest {
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A body of any type, as it came.
pub(crate) struct RawBytes(pub Bytes);

/// The operator's limit for bodies, in the extensions of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimit(pub usize);

/// A JSON body of a known shape.
pub(crate) struct JsonBody<T>(pub T);

impl<S: Send + Sync> FromRequest<S> for RawBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let limit = request.extensions().get::<BodyLimit>().map_or(BODY_BYTES_MAX, |limit| limit.0);
        read(request.into_body(), limit).await.map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (Parts { headers, extensions, .. }, body) = request.into_parts();
        let limit = extensions.get::<BodyLimit>().map_or(BODY_BYTES_MAX, |limit| limit.0);
        let body = read(body, limit).await?;
        if !body.is_empty() && !is_json(&headers) {
            return Err(ApiError::new(Code::ContentType, "send the body as Content-Type: application/json"));
        }
        Ok(Self { headers, body })
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        JsonRequest::from_request(request, state).await.map(|JsonRequest { body, .. }| Self(body))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        parse(&bytes).map(Self)
    }
}

/// A body of a known shape.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // An array would pass for the members in their order.
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Err(ApiError::invalid("", "the body is an array; send a JSON object"));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let wrong = ApiError::invalid("", format!("invalid body: {error}"));
        keeps_platform_rules(bytes).err().unwrap_or(wrong)
    })
}

/// Refuses a body that tries to set what the platform alone sets, whatever
/// else is wrong with it. One that is no JSON object tries nothing.
pub(crate) fn keeps_platform_rules(bytes: &[u8]) -> Result<(), ApiError> {
    let members = serde_json::from_slice(bytes).unwrap_or_default();
    refuse_platform_rules(&members, &[]).map_err(|error| ApiError::new(Code::PlatformRules, error.to_string()))
}

async fn read(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let collecting = Limited::new(body, limit).collect();
    match tokio::time::timeout(Duration::from_millis(BODY_MS_MAX), collecting).await {
        Ok(Ok(collected)) => Ok(copy_if_small(collected.to_bytes())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(ApiError::new(Code::TooLarge, format!("the body is larger than {limit} bytes")))
        }
        Ok(Err(_)) => Err(ApiError::invalid("", "the body ended early")),
        Err(_) => Err(ApiError::invalid("", format!("the body did not arrive within {} seconds", BODY_MS_MAX / 1000))
            .status(StatusCode::REQUEST_TIMEOUT)),
    }
}

/// A small body is copied out of the connection's read buffer, which is then
/// used again: else every call in flight would keep one.
fn copy_if_small(body: Bytes) -> Bytes {
    if body.len() <= COPIED_BODY_BYTES_MAX { Bytes::copy_from_slice(&body) } else { body }
}

/// `application/json`, with or without parameters, or any `+json` type.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}
