//! Requests to Stripe and what their answers mean.
//!
//! Invariant: only an answer that says so in its own words counts as refused;
//! silence, a broken connection, 409, 429 and 5xx leave open what happened.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use super::super::processor::ProcessorError;
use tollbridge_core::limits::{PROCESSOR_CONNECT_MS_MAX, PROCESSOR_RESPONSE_BYTES_MAX, PROCESSOR_TIME_MS_MAX};

/// The version of Stripe's API that the shapes in this room are of.
const API_VERSION: &str = "2024-06-20";

pub(super) struct Wire {
    client: Client,
}

/// Form fields from borrowed pairs.
pub(super) fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// An id of Stripe as one segment of a path, whatever was sent to us.
pub(super) fn segment(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(255).collect()
}

impl Wire {
    pub(super) fn new() -> Result<Self, ProcessorError> {
        // An error means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(Duration::from_millis(PROCESSOR_CONNECT_MS_MAX))
            .timeout(Duration::from_millis(PROCESSOR_TIME_MS_MAX))
            .user_agent(concat!("tollbridge/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { client: client.map_err(|error| ProcessorError::OutcomeUnknown(root(&error)))? })
    }

    pub(super) async fn post(
        &self,
        url: &str,
        secret: &str,
        fields: &[(String, String)],
        key: Option<&str>,
    ) -> Result<Value, ProcessorError> {
        let request = self.client.post(url).form(fields);
        let request = match key {
            Some(key) => request.header("Idempotency-Key", key),
            None => request,
        };
        self.send(request, secret).await
    }

    pub(super) async fn get(&self, url: &str, secret: &str, query: &[(&str, &str)]) -> Result<Value, ProcessorError> {
        self.send(self.client.get(url).query(query), secret).await
    }

    async fn send(&self, request: RequestBuilder, secret: &str) -> Result<Value, ProcessorError> {
        let request = request.bearer_auth(secret).header("Stripe-Version", API_VERSION);
        let broken = |error: reqwest::Error| ProcessorError::OutcomeUnknown(root(&error));
        let mut response = request.send().await.map_err(broken)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len().saturating_add(chunk.len()) > PROCESSOR_RESPONSE_BYTES_MAX {
                return Err(ProcessorError::OutcomeUnknown("an answer without end".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        let json: Option<Value> = serde_json::from_slice(&body).ok();
        match json {
            Some(json) if status.is_success() => Ok(json),
            json => Err(failure(status, json.as_ref())),
        }
    }
}

/// What an answer that is not a success means.
fn failure(status: StatusCode, body: Option<&Value>) -> ProcessorError {
    let unclear = |why: &str| ProcessorError::OutcomeUnknown(format!("HTTP {}: {why}", status.as_u16()));
    let error = body.and_then(|body| body.get("error"));
    let text = |name: &str| error.and_then(|error| error.get(name)).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    // The OAuth routes have errors of their own shape.
    let code = match (text("code"), error.and_then(Value::as_str)) {
        ("", Some(oauth)) => oauth,
        ("", None) => kind,
        (code, _) => code,
    };
    let described = body.and_then(|body| body.get("error_description")).and_then(Value::as_str);
    let message = described.unwrap_or_else(|| text("message"));
    match status.as_u16() {
        401 | 403 => unclear("Stripe does not take the secret key; check payments.stripe.secret_key"),
        409 | 429 => unclear(code),
        // Something was done under this key, with other values.
        400 if kind == "idempotency_error" => unclear(message),
        400..=499 if !code.is_empty() => {
            let short = message.chars().take(200).collect();
            ProcessorError::Rejected { code: plain(code), message: short }
        }
        _ => unclear(if message.is_empty() { "no reason given" } else { message }),
    }
}

/// A code as it may stand in a record.
fn plain(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).take(64).collect()
}

/// The innermost cause; the outer ones repeat the whole URL.
fn root(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if error.is_timeout() { "no answer in time".to_owned() } else { cause.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(status: u16, body: Value) -> ProcessorError {
        failure(StatusCode::from_u16(status).unwrap(), Some(&body))
    }

    #[test]
    fn only_a_clear_no_is_a_refusal() {
        let error = |kind: &str, code: &str| json!({ "error": { "type": kind, "code": code, "message": "m" } });
        let refused = |code: &str| ProcessorError::Rejected { code: code.to_owned(), message: "m".to_owned() };
        assert_eq!(of(400, error("invalid_request_error", "balance_insufficient")), refused("balance_insufficient"));
        assert_eq!(of(402, error("card_error", "card_declined")), refused("card_declined"));
        assert_eq!(of(404, error("invalid_request_error", "resource_missing")), refused("resource_missing"));
        let oauth = of(400, json!({ "error": "invalid_grant", "error_description": "m" }));
        assert_eq!(oauth, refused("invalid_grant"));
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
            assert!(matches!(of(status, body.clone()), ProcessorError::OutcomeUnknown(_)), "{status} {body}");
        }
    }

    #[test]
    fn ids_cannot_leave_their_segment() {
        assert_eq!(segment("cs_test_a1"), "cs_test_a1");
        assert_eq!(segment("../v1/x?y#z"), "v1xyz");
    }
}
