//! Requests to Stripe and the interpretation of its responses.
//!
//! Invariant: only an explicit refusal counts as rejected; a time-out, a broken
//! connection, 409, 429 and 5xx leave the outcome unknown.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tollbridge_core::planted::Defect;

use super::super::error::ProcessorError;
use super::transport::{StripeRequest, StripeTransport};
use crate::limits::PROCESSOR_TIME_MS_MAX;

/// The version of Stripe's API that this module reads.
pub(super) const API_VERSION: &str = "2024-06-20";

/// Converts borrowed pairs to form fields.
pub(super) fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A page of a list of objects.
#[derive(Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
}

/// Returns a Stripe id as one path segment. Ids come from events and callers, so all
/// characters that could leave the segment are dropped.
pub(super) fn path_segment(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(255).collect()
}

/// Sends a request with the time-out for processors and parses the response.
pub(super) async fn exchange(transport: &dyn StripeTransport, request: StripeRequest) -> Result<Value, ProcessorError> {
    let time = Duration::from_millis(PROCESSOR_TIME_MS_MAX);
    let broken = |why: String| match Defect::SilenceIsNo.is_planted() {
        true => ProcessorError::Rejected { code: "api_error".to_owned(), message: why },
        false => ProcessorError::OutcomeUnknown(why),
    };
    match tokio::time::timeout(time, transport.exchange(request)).await {
        Ok(Ok((status, body))) => read(status, &body),
        Ok(Err(why)) => Err(broken(why)),
        Err(_) => Err(broken("no response in time".to_owned())),
    }
}

/// Parses a complete response.
fn read(status: u16, body: &[u8]) -> Result<Value, ProcessorError> {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    match json {
        Some(json) if (200..300).contains(&status) => Ok(json),
        json => Err(classify_failure(status, json.as_ref())),
    }
}

/// Deserializes a response into the expected object.
pub(super) fn decode<T: DeserializeOwned>(response: Value) -> Result<T, ProcessorError> {
    serde_json::from_value(response).map_err(|error| unexpected(&format!("an unexpected object: {error}")))
}

/// Returns the error for an unexpected response.
pub(super) fn unexpected(what: &str) -> ProcessorError {
    ProcessorError::OutcomeUnknown(format!("Stripe answered with {what}"))
}

/// Returns the error for a response that is not a success.
fn classify_failure(status: u16, body: Option<&Value>) -> ProcessorError {
    let unknown = |why: &str| ProcessorError::OutcomeUnknown(format!("HTTP {status}: {why}"));
    let error = body.and_then(|body| body.get("error"));
    let text = |name: &str| error.and_then(|error| error.get(name)).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    // Errors of the OAuth routes have a different structure: `error` is a string.
    let code = match (text("code"), error.and_then(Value::as_str)) {
        ("", Some(oauth)) => oauth,
        ("", None) => kind,
        (code, _) => code,
    };
    let described = body.and_then(|body| body.get("error_description")).and_then(Value::as_str);
    let message = described.unwrap_or_else(|| text("message"));
    match status {
        401 | 403 => unknown("Stripe does not accept the secret key; check payments.stripe.secret_key"),
        409 | 429 => unknown(code),
        // The idempotency key was already used for a different request.
        400 if kind == "idempotency_error" => unknown(message),
        400..=499 if !code.is_empty() => {
            let short = message.chars().take(200).collect();
            ProcessorError::Rejected { code: sanitize_code(code), message: short }
        }
        _ => unknown(if message.is_empty() { "no reason given" } else { message }),
    }
}

/// Restricts a code to characters that are allowed in a record.
fn sanitize_code(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).take(64).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn classify(status: u16, body: Value) -> ProcessorError {
        classify_failure(status, Some(&body))
    }

    #[test]
    fn only_an_explicit_no_is_a_rejection() {
        let error = |kind: &str, code: &str| json!({ "error": { "type": kind, "code": code, "message": "m" } });
        let rejected = |code: &str| ProcessorError::Rejected { code: code.to_owned(), message: "m".to_owned() };
        assert_eq!(
            classify(400, error("invalid_request_error", "balance_insufficient")),
            rejected("balance_insufficient")
        );
        assert_eq!(classify(402, error("card_error", "card_declined")), rejected("card_declined"));
        assert_eq!(classify(404, error("invalid_request_error", "resource_missing")), rejected("resource_missing"));
        let oauth = classify(400, json!({ "error": "invalid_grant", "error_description": "m" }));
        assert_eq!(oauth, rejected("invalid_grant"));
        for (status, body) in [
            (400, error("idempotency_error", "")),
            (409, error("invalid_request_error", "idempotency_key_in_use")),
            (409, error("invalid_request_error", "lock_timeout")),
            (429, error("invalid_request_error", "rate_limit")),
            (500, error("api_error", "")),
            (503, json!({})),
            (401, error("invalid_request_error", "api_key_expired")),
            (400, json!("a proxy's page")),
            (302, json!({})),
        ] {
            assert!(matches!(classify(status, body.clone()), ProcessorError::OutcomeUnknown(_)), "{status} {body}");
        }
    }

    #[test]
    fn ids_cannot_leave_their_path_segment() {
        assert_eq!(path_segment("cs_test_a1"), "cs_test_a1");
        assert_eq!(path_segment("../v1/x?y#z"), "v1xyz");
    }
}
