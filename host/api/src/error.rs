//! Errors as clients see them.
//!
//! Every 4xx and 5xx is JSON `{error, code, request_id, …}`. `error` is a
//! sentence for a person that names the fix; `code` is for programs and never
//! changes its meaning. Details for the operator only are logged where they
//! occur and never pass through here.

use std::fmt::Display;

use aide::operation::OperationOutput;
use axum::Json;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tollbridge_core::json_pointer::dotted;

/// The stable error codes, in the order of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`parts` gives the meaning of each")]
pub enum Code {
    KeyInvalid,
    RateLimited,
    PaymentRequired,
    ModelNotFound,
    NoProvider,
    EventSignature,
    AgentNotFound,
    PlatformRules,
    ProcessorUnset,
    AlreadySealed,
    Invalid,
    NotFound,
    MethodNotAllowed,
    TooLarge,
    ContentType,
    NotLoaded,
    PluginFailed,
    PluginTimedOut,
    LacksScope,
    Blocked,
    IdempotencyReused,
    Overloaded,
    Internal,
    ProcessorUnclear,
    DataMissing,
    InProgress,
    BelowMinimum,
    NotConnected,
}

impl Code {
    /// All codes, for the documentation.
    pub const ALL: [Self; 28] = [
        Self::KeyInvalid,
        Self::RateLimited,
        Self::PaymentRequired,
        Self::ModelNotFound,
        Self::NoProvider,
        Self::EventSignature,
        Self::AgentNotFound,
        Self::PlatformRules,
        Self::ProcessorUnset,
        Self::AlreadySealed,
        Self::Invalid,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::TooLarge,
        Self::ContentType,
        Self::NotLoaded,
        Self::PluginFailed,
        Self::PluginTimedOut,
        Self::LacksScope,
        Self::Blocked,
        Self::IdempotencyReused,
        Self::Overloaded,
        Self::Internal,
        Self::ProcessorUnclear,
        Self::DataMissing,
        Self::InProgress,
        Self::BelowMinimum,
        Self::NotConnected,
    ];

    /// Returns the code, usual status and meaning.
    pub const fn parts(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::KeyInvalid => ("E001", StatusCode::UNAUTHORIZED, "API key missing or invalid"),
            Self::RateLimited => ("E002", StatusCode::TOO_MANY_REQUESTS, "rate limit exceeded"),
            Self::PaymentRequired => ("E003", StatusCode::PAYMENT_REQUIRED, "payment required"),
            Self::ModelNotFound => ("E004", StatusCode::NOT_FOUND, "model not found"),
            Self::NoProvider => ("E005", StatusCode::SERVICE_UNAVAILABLE, "no inference provider available"),
            Self::EventSignature => ("E006", StatusCode::BAD_REQUEST, "webhook signature invalid"),
            Self::AgentNotFound => ("E007", StatusCode::NOT_FOUND, "agent not found or disabled"),
            Self::ProcessorUnset => ("E009", StatusCode::SERVICE_UNAVAILABLE, "payment-processor secret key missing"),
            Self::BelowMinimum => ("E019", StatusCode::CONFLICT, "below the minimum withdrawal"),
            Self::NotConnected => ("E020", StatusCode::CONFLICT, "payment account not connected"),
            Self::PlatformRules => ("E008", StatusCode::FORBIDDEN, "platform rules violated"),
            Self::AlreadySealed => ("E010", StatusCode::CONFLICT, "the transaction is already sealed"),
            Self::Invalid => ("E011", StatusCode::BAD_REQUEST, "invalid request"),
            Self::NotFound => ("E012", StatusCode::NOT_FOUND, "no such resource"),
            Self::MethodNotAllowed => ("E013", StatusCode::METHOD_NOT_ALLOWED, "method not allowed"),
            Self::TooLarge => ("E014", StatusCode::PAYLOAD_TOO_LARGE, "body too large"),
            Self::ContentType => ("E015", StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong content type"),
            Self::NotLoaded => ("E016", StatusCode::SERVICE_UNAVAILABLE, "plugin not loaded"),
            Self::PluginFailed => ("E017", StatusCode::BAD_GATEWAY, "plugin failed"),
            Self::PluginTimedOut => ("E018", StatusCode::GATEWAY_TIMEOUT, "plugin ran out of time"),
            Self::LacksScope => ("E021", StatusCode::FORBIDDEN, "the key lacks the scope"),
            Self::Blocked => ("E022", StatusCode::FORBIDDEN, "blocked by risk rules"),
            Self::IdempotencyReused => ("E023", StatusCode::UNPROCESSABLE_ENTITY, "idempotency key reused"),
            Self::Overloaded => ("E024", StatusCode::SERVICE_UNAVAILABLE, "overloaded"),
            Self::Internal => ("E025", StatusCode::INTERNAL_SERVER_ERROR, "internal error"),
            Self::ProcessorUnclear => {
                ("E026", StatusCode::SERVICE_UNAVAILABLE, "payment processor unavailable or unclear")
            }
            Self::DataMissing => ("E027", StatusCode::SERVICE_UNAVAILABLE, "data set missing"),
            Self::InProgress => ("E028", StatusCode::CONFLICT, "in progress"),
        }
    }
}

/// An error response.
#[derive(Debug)]
pub struct ApiError {
    /// The code for programs.
    pub code: Code,
    status: StatusCode,
    message: String,
    members: Map<String, Value>,
    headers: HeaderMap,
}

impl ApiError {
    /// Creates an error with the usual status of its code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let (_, status, _) = code.parts();
        Self { code, status, message: message.into(), members: Map::new(), headers: HeaderMap::new() }
    }

    /// Creates an error for an invalid member of the request: `field` is its JSON
    /// pointer, empty for the whole request.
    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message).with("details", json!({ "field": field }))
    }

    /// The status of the response.
    pub const fn http_status(&self) -> StatusCode {
        self.status
    }

    /// Returns the error message for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the message for clients that show nothing but the message: prefixed with
    /// the name of the invalid member, unless the message contains that name.
    pub fn sentence(&self) -> String {
        let field = self.members.get("details").and_then(|details| details.get("field")).and_then(Value::as_str);
        let name = dotted(field.unwrap_or_default());
        let last = name.rsplit(['.', '[']).next().unwrap_or_default();
        if name.is_empty() || self.message.contains(last) {
            return self.message.clone();
        }
        format!("`{name}`: {}", self.message)
    }

    /// Returns a further text member of the body.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str)
    }

    /// Replaces the status.
    #[must_use]
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Adds a member to the body.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a hint for fixing the error.
    #[must_use]
    pub fn hint(self, text: &str) -> Self {
        self.with("hint", text)
    }

    /// Adds the time after which a retry may succeed.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// Returns the message, and the data for protocols with their own error format:
    /// the code, the further members and the retry time.
    pub fn into_data(self) -> (String, Map<String, Value>) {
        let mut data = self.members;
        data.insert("code".to_owned(), self.code.parts().0.into());
        let wait = self.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        data.extend(wait.map(|seconds| ("retry_after_s".to_owned(), seconds.into())));
        (self.message, data)
    }

    /// Returns the headers and JSON of the response.
    pub fn into_parts(mut self) -> (HeaderMap, Value) {
        let (code, ..) = self.code.parts();
        let mut body = Map::new();
        body.insert("error".to_owned(), Value::String(self.message));
        body.insert("code".to_owned(), Value::String(code.to_owned()));
        body.extend(self.members);
        self.headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        (self.headers, Value::Object(body))
    }

    /// Appends a header that may occur several times.
    #[must_use]
    pub fn one_more(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Sets a header of the response.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// An extension of a response: the reason a request was refused.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The code, such as `E011`.
    pub code: &'static str,
    /// The sentence that the client reads.
    pub message: std::sync::Arc<str>,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status;
        let refusal = Refusal { code: self.code.parts().0, message: self.message.as_str().into() };
        let (headers, body) = self.into_parts();
        let mut response = (status, headers, Json(body)).into_response();
        response.extensions_mut().insert(refusal);
        response
    }
}

impl OperationOutput for ApiError {
    type Inner = Self;
}

/// Creates an error for a resource that does not exist, or that this caller may not see.
pub fn not_found(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::NotFound, message)
}

/// Creates an internal error: the details go to the log, the client gets a
/// generic message.
pub fn internal(error: &impl Display) -> ApiError {
    tracing::error!(%error, "a request failed");
    ApiError::new(Code::Internal, "internal error; the operator can look it up by the request id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_the_member_once() {
        for (field, message, expect) in [
            ("/day", "write it as YYYY-MM-DD", "`day`: write it as YYYY-MM-DD"),
            ("/day", "`day` is required", "`day` is required"),
            ("/items/0/day", "the day is in the past", "the day is in the past"),
            ("/items/3", "there are too many", "`items[3]`: there are too many"),
            ("", "the body is not JSON", "the body is not JSON"),
        ] {
            assert_eq!(ApiError::invalid(field, message).sentence(), expect);
        }
        assert_eq!(not_found("no such task").sentence(), "no such task");
    }

    #[test]
    fn the_documentation_lists_every_code_with_its_status() {
        let table = include_str!("../../../docs/errors.md");
        for code in Code::ALL {
            let (name, status, meaning) = code.parts();
            let row = table.lines().find(|line| line.starts_with(&format!("| {name} |")));
            let row = row.unwrap_or_else(|| panic!("{name} ({meaning}) is missing"));
            assert!(row.contains(status.as_str()), "{row}");
        }
        assert_eq!(table.lines().filter(|line| line.starts_with("| E0")).count(), Code::ALL.len());
    }
}
