//! Errors in the format that the clients of a route expect.
//!
//! This server's own routes return `{"error": "…", "code": "E011"}`. Clients of OpenAI's
//! and Anthropic's APIs expect an object in `error` and ignore a string, so on those
//! routes the same error is an object. Every refusal passes through here, whether from a
//! handler, a limit or a missing route.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value, json};
use tollbridge_core::json_pointer::dotted;

use crate::error::ApiError;

/// The largest error body.
const ERROR_BYTES_MAX: usize = 64 << 10;

/// The header that carries a request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that identifies Anthropic's clients on shared paths.
const ANTHROPIC_VERSION: &str = "anthropic-version";

/// The challenge that asks registry clients for a key.
const REGISTRY_CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"tollbridge\"");

/// First path segments of OpenAI's API below `/v1`, whether offered here or
/// not.
const OPENAI_AREAS: [&str; 20] = [
    "assistants",
    "audio",
    "batches",
    "chat",
    "completions",
    "containers",
    "conversations",
    "embeddings",
    "evals",
    "files",
    "fine_tuning",
    "images",
    "models",
    "moderations",
    "realtime",
    "responses",
    "threads",
    "uploads",
    "vector_stores",
    "videos",
];

/// The error format that a client expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorShape {
    /// A string in `error`, and a code beside it.
    Own,
    /// An object, as in OpenAI's API.
    OpenAi,
    /// An object, as in Anthropic's API.
    Anthropic,
    /// A list of errors, as in the OCI distribution specification.
    Registry,
}

impl ErrorShape {
    /// Returns the format for the client of a request.
    pub fn of(request: &Request) -> Self {
        match Self::of_path(request.uri().path()) {
            Self::OpenAi if request.headers().contains_key(ANTHROPIC_VERSION) => Self::Anthropic,
            shape => shape,
        }
    }

    /// Returns the format for the usual client of a path.
    pub fn of_path(path: &str) -> Self {
        if path == "/v2" || path.starts_with("/v2/") {
            return Self::Registry;
        }
        let rest = path.strip_prefix("/api").unwrap_or(path).strip_prefix("/v1/").unwrap_or_default();
        match rest.split('/').next() {
            Some("messages") => Self::Anthropic,
            Some(area) if OPENAI_AREAS.contains(&area) => Self::OpenAi,
            _ => Self::Own,
        }
    }

    /// Returns the name of the format's schema.
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Own => "Error",
            Self::OpenAi => "OpenAiError",
            Self::Anthropic => "AnthropicError",
            Self::Registry => "RegistryError",
        }
    }

    /// Converts an error response to this format.
    pub async fn apply(self, response: Response) -> Response {
        let json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
        let is_error = response.status().is_client_error() || response.status().is_server_error();
        if self == Self::Own || !json || !is_error {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, ERROR_BYTES_MAX).await.unwrap_or_default();
        let Ok(Value::Object(mut members)) = serde_json::from_slice(&bytes) else {
            return Response::from_parts(parts, Body::from(bytes));
        };
        self.reshape(&mut members, parts.status, &parts.headers);
        parts.headers.remove(header::CONTENT_LENGTH);
        if self == Self::Registry && parts.status == StatusCode::UNAUTHORIZED {
            // Clients of registries only send a name and a password after a challenge.
            parts.headers.insert(header::WWW_AUTHENTICATE, REGISTRY_CHALLENGE);
        }
        Response::from_parts(parts, Body::from(Value::Object(members).to_string()))
    }

    /// Returns the status and body of an error that is part of another response.
    pub fn of_error(self, error: ApiError) -> (StatusCode, Value) {
        let status = error.http_status();
        let (headers, mut body) = error.into_parts();
        if let (Some(members), true) = (body.as_object_mut(), self != Self::Own) {
            self.reshape(members, status, &headers);
        }
        (status, body)
    }

    /// Turns `error` into an object. All other members are kept.
    fn reshape(self, members: &mut Map<String, Value>, status: StatusCode, headers: &HeaderMap) {
        if self == Self::Registry {
            // Refusals of the registry itself already have this format.
            if !members.contains_key("errors") {
                let error = json!({ "code": registry_code(status), "message": message(members), "detail": null });
                *members = Map::from_iter([("errors".to_owned(), json!([error]))]);
            }
            return;
        }
        let message = message(members);
        let code = members.get("code").cloned().unwrap_or_default();
        let error = if self == Self::Anthropic {
            members.insert("type".to_owned(), "error".into());
            let id = headers.get(REQUEST_ID).and_then(|id: &HeaderValue| id.to_str().ok());
            members.insert("request_id".to_owned(), id.into());
            json!({ "type": anthropic_type(status), "message": message, "code": code })
        } else {
            let field = members.get("details").and_then(|details| details.get("field")).and_then(Value::as_str);
            json!({ "message": message, "type": openai_type(status), "param": field.and_then(param), "code": code })
        };
        members.insert("error".to_owned(), error);
    }
}

/// Builds a message with everything that a person or a model needs. Most
/// programs show nothing else.
fn message(members: &Map<String, Value>) -> String {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let mut message = text("error").unwrap_or("the request failed").to_owned();
    let link = members.get("payment").and_then(|payment| payment.get("payment_link")).and_then(Value::as_str);
    for (before, more) in [("; ", text("hint")), ("; pay at ", link)] {
        if let Some(more) = more {
            message.push_str(before);
            message.push_str(more);
        }
    }
    message
}

/// Formats `/messages/0/content` as OpenAI does: `messages[0].content`.
fn param(pointer: &str) -> Option<String> {
    Some(dotted(pointer)).filter(|name| !name.is_empty())
}

fn registry_code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "UNAUTHORIZED",
        403 => "DENIED",
        404 | 405 => "UNSUPPORTED",
        429 => "TOOMANYREQUESTS",
        _ => "UNKNOWN",
    }
}

fn openai_type(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        402 => "insufficient_quota",
        403 => "permission_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

fn anthropic_type(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 => "overloaded_error",
        504 => "timeout_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;
    use crate::error::Code;

    fn asked(path: &str, headers: &[(&str, &str)]) -> ErrorShape {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        ErrorShape::of(&request.body(Body::empty()).unwrap())
    }

    async fn body(shape: ErrorShape, error: ApiError) -> Value {
        let response = shape.apply(error.into_response()).await;
        serde_json::from_slice(&axum::body::to_bytes(response.into_body(), 9_999).await.unwrap()).unwrap()
    }

    #[test]
    fn routes_have_the_shape_of_their_clients() {
        for (path, shape) in [
            ("/v1/chat/completions", ErrorShape::OpenAi),
            ("/api/v1/responses/resp_1/input_items", ErrorShape::OpenAi),
            ("/v1/images/generations", ErrorShape::OpenAi),
            ("/v1/models/a/b", ErrorShape::OpenAi),
            ("/v1/messages", ErrorShape::Anthropic),
            ("/api/v1/messages/count_tokens", ErrorShape::Anthropic),
            ("/v1/payments/x/refund", ErrorShape::Own),
            ("/v1/modelsx", ErrorShape::Own),
            ("/api/v1/bridges", ErrorShape::Own),
            ("/v1", ErrorShape::Own),
            ("/", ErrorShape::Own),
            ("/v2/bridges/tax/tags/list", ErrorShape::Registry),
            ("/v2x", ErrorShape::Own),
        ] {
            assert_eq!(asked(path, &[]), shape, "{path}");
        }
        assert_eq!(asked("/v1/models", &[("anthropic-version", "2023-06-01")]), ErrorShape::Anthropic);
        assert_eq!(asked("/v1/bridges", &[("anthropic-version", "2023-06-01")]), ErrorShape::Own);
    }

    #[tokio::test]
    async fn the_same_error_in_three_shapes() {
        let error = || ApiError::invalid("/messages/0/content", "content must be a string").hint("send a string");
        let own = body(ErrorShape::Own, error()).await;
        assert_eq!((&own["error"], &own["code"]), (&json!("content must be a string"), &json!("E011")));
        let openai = body(ErrorShape::OpenAi, error()).await;
        assert_eq!(
            openai["error"],
            json!({"message": "content must be a string; send a string", "type": "invalid_request_error",
                "param": "messages[0].content", "code": "E011"})
        );
        assert_eq!((&openai["details"], &openai["code"]), (&own["details"], &own["code"]));
        let anthropic = body(ErrorShape::Anthropic, error()).await;
        assert_eq!(anthropic["type"], "error");
        assert_eq!(
            anthropic["error"],
            json!({"message": "content must be a string; send a string", "type": "invalid_request_error", "code": "E011"})
        );
    }

    #[tokio::test]
    async fn registries_list_their_errors_and_ask_for_a_password() {
        let error = ApiError::new(Code::KeyInvalid, "no such key");
        let response = ErrorShape::Registry.apply(error.into_response()).await;
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], "Basic realm=\"tollbridge\"");
        let shown = axum::body::to_bytes(response.into_body(), 9_999).await.unwrap();
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        let wanted = json!({ "errors": [{ "code": "UNAUTHORIZED", "message": "no such key", "detail": null }] });
        assert_eq!(shown, wanted);
        let mut again = shown.as_object().unwrap().clone();
        ErrorShape::Registry.reshape(&mut again, StatusCode::UNAUTHORIZED, &HeaderMap::new());
        assert_eq!(Value::from(again), wanted);
    }

    #[tokio::test]
    async fn the_link_of_a_payment_is_in_the_message() {
        let payment = json!({"payment_link": "https://example.com/pay/x"});
        let error = ApiError::new(Code::PaymentRequired, "no credit").with("payment", payment.clone());
        let shown = body(ErrorShape::OpenAi, error).await;
        assert_eq!(shown["error"]["message"], "no credit; pay at https://example.com/pay/x");
        assert_eq!((&shown["error"]["type"], &shown["payment"]), (&json!("insufficient_quota"), &payment));
        assert_eq!(shown["error"]["param"], Value::Null);
    }
}
