//! Errors of the HTTP+JSON binding: an HTTP status, and `google.rpc.Status` as JSON.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tollbridge_agents::a2a::v1::errors;
use tollbridge_agents::a2a::{RpcError, RpcErrorKind};
use tollbridge_api::error::Code;

/// Builds the response for an error.
pub(super) fn response(error: &RpcError) -> Response {
    let (status, name) = status(error);
    let body = json!({ "error": {
        "code": status.as_u16(),
        "status": name,
        "message": errors::message(error),
        "details": errors::details(error),
    }});
    let mut response = (status, Json(body)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = error.data.get("retry_after_s").and_then(Value::as_u64) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns an error's HTTP status and its `google.rpc` name. 409 and 415 follow version 1.0.0 of
/// the protocol; 1.0.1 uses 400 for both.
fn status(error: &RpcError) -> (StatusCode, &'static str) {
    match error.kind {
        RpcErrorKind::Parse | RpcErrorKind::InvalidRequest | RpcErrorKind::InvalidParams => {
            (StatusCode::BAD_REQUEST, "INVALID_ARGUMENT")
        }
        RpcErrorKind::MethodNotFound | RpcErrorKind::TaskNotFound | RpcErrorKind::NoPushConfig => {
            (StatusCode::NOT_FOUND, "NOT_FOUND")
        }
        RpcErrorKind::NotCancelable => (StatusCode::CONFLICT, "FAILED_PRECONDITION"),
        RpcErrorKind::Unsupported
        | RpcErrorKind::TaskTakesNoMessage
        | RpcErrorKind::NoExtendedCard
        | RpcErrorKind::VersionNotSupported => (StatusCode::BAD_REQUEST, "FAILED_PRECONDITION"),
        RpcErrorKind::ContentType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "INVALID_ARGUMENT"),
        RpcErrorKind::PaymentRequired => (StatusCode::PAYMENT_REQUIRED, "FAILED_PRECONDITION"),
        RpcErrorKind::Internal => internal(error),
    }
}

/// Returns the status that the error has on this server's other routes.
fn internal(error: &RpcError) -> (StatusCode, &'static str) {
    let named = error.data.get("code").and_then(Value::as_str).unwrap_or_default();
    let code = Code::ALL.into_iter().find(|code| code.parts().0 == named);
    let status = code.map_or(StatusCode::INTERNAL_SERVER_ERROR, |code| code.parts().1);
    let name = match status {
        StatusCode::FORBIDDEN => "PERMISSION_DENIED",
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::CONFLICT => "ABORTED",
        StatusCode::TOO_MANY_REQUESTS => "RESOURCE_EXHAUSTED",
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::BAD_GATEWAY => "UNAVAILABLE",
        StatusCode::GATEWAY_TIMEOUT => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    };
    (status, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_this_server_keeps_its_status() {
        let mapped = |kind, code: &str| status(&RpcError::new(kind, "x").with("code", code));
        for (kind, code, number, name) in [
            (RpcErrorKind::InvalidParams, "E011", 400, "INVALID_ARGUMENT"),
            (RpcErrorKind::PaymentRequired, "E003", 402, "FAILED_PRECONDITION"),
            (RpcErrorKind::TaskNotFound, "E012", 404, "NOT_FOUND"),
            (RpcErrorKind::NotCancelable, "", 409, "FAILED_PRECONDITION"),
            (RpcErrorKind::Internal, "E028", 409, "ABORTED"),
            (RpcErrorKind::Internal, "E024", 503, "UNAVAILABLE"),
            (RpcErrorKind::Internal, "E002", 429, "RESOURCE_EXHAUSTED"),
            (RpcErrorKind::Internal, "E025", 500, "INTERNAL"),
            (RpcErrorKind::Internal, "", 500, "INTERNAL"),
        ] {
            assert_eq!(mapped(kind, code), (StatusCode::from_u16(number).unwrap(), name), "{kind:?} {code}");
        }
        let busy = RpcError::new(RpcErrorKind::Internal, "busy").with("code", "E028").with("retry_after_s", 1);
        assert_eq!(response(&busy).headers()[header::RETRY_AFTER], "1");
    }
}
