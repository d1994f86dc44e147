//! Request bodies: limited in size and time, and checked to be JSON where required.

use std::collections::BTreeMap;
use std::time::Duration;

use aide::generate::GenContext;
use aide::openapi::Operation;
use aide::operation::OperationInput;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use tollbridge_access::Admission;
use tollbridge_api::body_memory::{BODY_MEMORY, BodyReservation};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::{BYTES, JSON};
use tollbridge_api::routes::BodyLimit;
use tollbridge_core::client_json;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::limits::{BODY_BYTES_MAX, BODY_BYTES_PER_S_MIN, BODY_MS_MAX};
use tollbridge_market::checkout::refuse_platform_rules;

use crate::operation_inputs::{note_errors, set_body};

/// Largest body that is not counted against body memory: the limits on requests already
/// bound the number of such bodies.
const BODY_BYTES_UNCOUNTED: usize = 64 << 10;

/// Largest body that is copied out of the connection's read buffer: up to this size,
/// copying costs less than replacing the buffer.
const COPIED_BODY_BYTES_MAX: usize = 4 << 10;

/// The unparsed bytes of a body that is JSON or absent.
pub struct JsonBytes(pub Bytes);

/// The unparsed bytes of a body that is JSON or absent, with the headers, which are moved rather
/// than copied.
pub struct JsonRequest {
    /// The request's headers.
    pub headers: HeaderMap,
    /// The bytes of the body.
    pub body: Bytes,
}

/// Headers and body of a plugin call. Reserved members are not refused here: the plugin's
/// schema may declare them, so the checkout, which knows the schema, checks them.
pub struct PluginRequest {
    /// The request's headers.
    pub headers: HeaderMap,
    /// The bytes of the body.
    pub body: Bytes,
}

/// The unmodified bytes of a body of any type.
pub struct RawBytes(pub Bytes);

/// A parsed JSON body.
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync> FromRequest<S> for RawBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (Parts { extensions, .. }, body) = request.into_parts();
        read_admitted(body, &extensions).await.map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for PluginRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (Parts { headers, extensions, .. }, body) = request.into_parts();
        let body = read_admitted(body, &extensions).await?;
        if !body.is_empty() && !is_json(&headers) {
            return Err(ApiError::new(Code::ContentType, "send the body as Content-Type: application/json"));
        }
        Ok(Self { headers, body })
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let PluginRequest { headers, body } = PluginRequest::from_request(request, state).await?;
        keeps_platform_rules(&body)?;
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

/// Parses a JSON body.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // serde would accept an array as a struct's members in order.
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Err(ApiError::invalid("", "the body is an array; send a JSON object"));
    }
    client_json::read(bytes)
        .map_err(|error| ApiError::invalid(&client_json::wrong_member::<T>(bytes), format!("invalid body: {error}")))
}

/// Refuses a body that sets members reserved for the platform, even if it is invalid in other ways.
/// A body that is not a JSON object passes.
pub fn keeps_platform_rules(bytes: &[u8]) -> Result<(), ApiError> {
    // Keep only the names: bodies may be large.
    let members: BTreeMap<String, IgnoredAny> = serde_json::from_slice(bytes).unwrap_or_default();
    keep_platform_rules(members.into_keys())
}

/// Refuses names of members or form fields that are reserved for the platform.
pub fn keep_platform_rules(names: impl Iterator<Item = String>) -> Result<(), ApiError> {
    let members = names.map(|name| (name, Value::Null)).collect();
    refuse_platform_rules(&members, &[]).map_err(|error| ApiError::new(Code::PlatformRules, error.to_string()))
}

/// Reads the body of an admitted request. A request on the admin listener has no
/// admission; its body memory is counted under `operator`.
pub async fn read_admitted(body: Body, extensions: &Extensions) -> Result<Bytes, ApiError> {
    let limit = extensions.get::<BodyLimit>().map_or(BODY_BYTES_MAX, |limit| limit.0);
    let share = || extensions.get::<Admission>().map_or_else(|| FairShare::single("operator"), Admission::share);
    read(body, limit, || BODY_MEMORY.reservation(share())).await
}

async fn read(mut body: Body, limit: usize, reservation: impl Fn() -> BodyReservation) -> Result<Bytes, ApiError> {
    let began = Instant::now();
    let (mut pieces, mut received, mut reserved) = (Vec::new(), 0_usize, None);
    while let Some(piece) = next_piece(&mut body, began + time_for(received)).await? {
        received = received.saturating_add(piece.len());
        if received > limit {
            return Err(ApiError::new(Code::TooLarge, format!("the body is larger than {limit} bytes")));
        }
        if received > BODY_BYTES_UNCOUNTED {
            reserved.get_or_insert_with(&reservation).grow_to(received)?;
        }
        pieces.push(piece);
    }
    let whole = match pieces.pop() {
        // Copy a small body out of the connection's read buffer so that the buffer can be reused;
        // otherwise every call in flight would keep one.
        Some(only) if pieces.is_empty() && received > COPIED_BODY_BYTES_MAX => only,
        last => pieces.into_iter().chain(last).fold(BytesMut::with_capacity(received), joined).freeze(),
    };
    Ok(match reserved {
        Some(reservation) => reservation.hold(whole),
        None => whole,
    })
}

fn joined(mut before: BytesMut, piece: Bytes) -> BytesMut {
    before.extend_from_slice(&piece);
    before
}

/// Waits for the next piece of a body until the deadline.
async fn next_piece(body: &mut Body, until: Instant) -> Result<Option<Bytes>, ApiError> {
    loop {
        let frame = timeout_at(until, body.frame()).await.map_err(|_| {
            let message = format!("the body came too slowly; send {BODY_BYTES_PER_S_MIN} bytes a second or more");
            ApiError::invalid("", message).status(StatusCode::REQUEST_TIMEOUT)
        })?;
        match frame.transpose().map_err(|_| ApiError::invalid("", "the body ended early"))? {
            None => return Ok(None),
            // Ignore trailers.
            Some(frame) => match frame.into_data() {
                Ok(piece) => return Ok(Some(piece)),
                Err(_) => continue,
            },
        }
    }
}

/// Returns the time limit for a body of which `received` bytes have arrived: a fixed
/// allowance, plus the time that these bytes take at the minimum rate.
fn time_for(received: usize) -> Duration {
    let seconds = u64::try_from(received).unwrap_or(u64::MAX) / BODY_BYTES_PER_S_MIN;
    Duration::from_millis(BODY_MS_MAX).saturating_add(Duration::from_secs(seconds))
}

/// Checks for `application/json`, with or without parameters, or any `+json` type.
pub fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

impl<T: JsonSchema> OperationInput for JsonBody<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        let schema = context.schema.subschema_for::<T>().to_value();
        set_body(context, operation, JSON, &schema);
        note_errors(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for JsonBytes {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note_errors(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for JsonRequest {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note_errors(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for PluginRequest {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note_errors(operation, &[Code::ContentType]);
    }
}

impl OperationInput for RawBytes {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        set_body(context, operation, BYTES, &json!({ "type": "string", "format": "binary", "minLength": 1 }));
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::response::IntoResponse;
    use futures_util::stream;

    use super::*;

    /// A body whose pieces arrive one after another, with a pause between them.
    fn dripping(pieces: usize, bytes: usize, rest: Duration) -> Body {
        Body::from_stream(stream::unfold(0, move |sent| async move {
            tokio::time::sleep(rest).await;
            (sent < pieces).then(|| (Ok::<_, Infallible>(Bytes::from(vec![b' '; bytes])), sent + 1))
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_body_may_take_long_and_a_slow_one_may_not() {
        let second = Duration::from_secs(1);
        let reservation = || BODY_MEMORY.reservation(FairShare::single("caller"));
        let large = read(dripping(300, 64 << 10, second), 64 << 20, reservation).await;
        assert_eq!(large.unwrap().len(), 300 * (64 << 10));
        let began = Instant::now();
        let slow = read(dripping(3_600, 1, second), 1 << 20, reservation).await.unwrap_err().into_response();
        assert_eq!((slow.status(), began.elapsed().as_secs()), (StatusCode::REQUEST_TIMEOUT, 15));
        let silent =
            read(Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()), 1 << 20, reservation).await;
        assert_eq!(silent.unwrap_err().into_response().status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[test]
    fn names_of_the_platform_are_found_in_any_object() {
        let refused = |body: &str| keeps_platform_rules(body.as_bytes()).is_err();
        assert!(refused(r#"{"a":[{"b":1}],"split":null}"#) && refused(r#" {"dream\u005ftax":0} "#));
        for harmless in ["", "{}", "[]", "1", "{\"a\":{\"split\":1}}", "{\"split\":1", "\"split\""] {
            assert!(!refused(harmless), "{harmless}");
        }
    }
}
