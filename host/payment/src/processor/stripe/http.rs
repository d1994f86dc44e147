//! Requests to Stripe and the interpretation of its responses.
//!
//! Invariant: only an explicit refusal counts as rejected; a time-out, a broken
//! connection, 409, 429 and 5xx leave the outcome unknown.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tollbridge_core::limits::{PROCESSOR_CONNECT_MS_MAX, PROCESSOR_RESPONSE_BYTES_MAX, PROCESSOR_TIME_MS_MAX};
#[cfg(any(test, feature = "testing"))]
use tollbridge_core::planted::Defect;

use super::super::error::ProcessorError;
#[cfg(any(test, feature = "testing"))]
use super::peer::{PeerRequest, StripePeer};

/// The version of Stripe's API that this module reads.
pub(super) const API_VERSION: &str = "2024-06-20";

/// Sends requests and classifies responses as values, rejections or unknown outcomes.
pub(super) struct StripeHttp {
    client: Client,
    /// A peer in place of the network, in tests.
    #[cfg(any(test, feature = "testing"))]
    peer: Option<std::sync::Arc<dyn StripePeer>>,
}

/// Converts borrowed pairs to form fields.
pub(super) fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A page of objects.
#[derive(Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
}

/// Returns a Stripe id as one path segment. Ids come from events and callers, so all
/// characters that could leave the segment are dropped.
pub(super) fn path_segment(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(255).collect()
}

impl StripeHttp {
    pub(super) fn new() -> Result<Self, ProcessorError> {
        tollbridge_core::tls_provider::install();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(Duration::from_millis(PROCESSOR_CONNECT_MS_MAX))
            .timeout(Duration::from_millis(PROCESSOR_TIME_MS_MAX))
            .user_agent(concat!("tollbridge/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            client: client.map_err(|error| ProcessorError::OutcomeUnknown(root_cause(&error)))?,
            #[cfg(any(test, feature = "testing"))]
            peer: None,
        })
    }

    #[cfg(any(test, feature = "testing"))]
    pub(super) fn with_peer(&self, peer: std::sync::Arc<dyn StripePeer>) -> Self {
        Self { client: self.client.clone(), peer: Some(peer) }
    }

    pub(super) async fn post(
        &self,
        url: &str,
        (version, secret): (&'static str, &str),
        fields: &[(String, String)],
        idempotency_key: Option<&str>,
    ) -> Result<Value, ProcessorError> {
        #[cfg(any(test, feature = "testing"))]
        if let Some(peer) = &self.peer {
            let fields = fields.to_vec();
            let idempotency_key = idempotency_key.map(str::to_owned);
            let request = PeerRequest { method: "POST", url: url.to_owned(), fields, idempotency_key };
            return exchange(peer.as_ref(), request).await;
        }
        let request = self.client.post(url).form(fields);
        let request = match idempotency_key {
            Some(key) => request.header("Idempotency-Key", key),
            None => request,
        };
        self.send(request, (version, secret)).await
    }

    pub(super) async fn get(&self, url: &str, secret: &str, query: &[(&str, &str)]) -> Result<Value, ProcessorError> {
        #[cfg(any(test, feature = "testing"))]
        if let Some(peer) = &self.peer {
            let request =
                PeerRequest { method: "GET", url: url.to_owned(), fields: form(query), idempotency_key: None };
            return exchange(peer.as_ref(), request).await;
        }
        self.send(self.client.get(url).query(query), (API_VERSION, secret)).await
    }

    async fn send(
        &self,
        request: RequestBuilder,
        (version, secret): (&'static str, &str),
    ) -> Result<Value, ProcessorError> {
        let request = request.bearer_auth(secret).header("Stripe-Version", version);
        let broken = |error: reqwest::Error| ProcessorError::OutcomeUnknown(root_cause(&error));
        let mut response = request.send().await.map_err(broken)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len().saturating_add(chunk.len()) > PROCESSOR_RESPONSE_BYTES_MAX {
                return Err(ProcessorError::OutcomeUnknown("the response is too large".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        read(status, &body)
    }
}

/// Parses a complete response.
fn read(status: StatusCode, body: &[u8]) -> Result<Value, ProcessorError> {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    match json {
        Some(json) if status.is_success() => Ok(json),
        json => Err(classify_failure(status, json.as_ref())),
    }
}

/// Sends the same request to a peer, under the same time-out.
#[cfg(any(test, feature = "testing"))]
async fn exchange(peer: &dyn StripePeer, request: PeerRequest) -> Result<Value, ProcessorError> {
    let time = Duration::from_millis(PROCESSOR_TIME_MS_MAX);
    let broken = |why: String| match Defect::SilenceIsNo.is_planted() {
        true => ProcessorError::Rejected { code: "api_error".to_owned(), message: why },
        false => ProcessorError::OutcomeUnknown(why),
    };
    match tokio::time::timeout(time, peer.exchange(request)).await {
        Ok(Ok((status, body))) => read(StatusCode::from_u16(status).unwrap_or_default(), &body),
        Ok(Err(why)) => Err(broken(why)),
        Err(_) => Err(broken("no response in time".to_owned())),
    }
}

/// Deserializes a response into the expected object.
pub(super) fn decode<T: DeserializeOwned>(response: Value) -> Result<T, ProcessorError> {
    serde_json::from_value(response).map_err(|error| unexpected(&format!("an object of another shape: {error}")))
}

/// Returns the error for an unexpected response.
pub(super) fn unexpected(what: &str) -> ProcessorError {
    ProcessorError::OutcomeUnknown(format!("Stripe answered with {what}"))
}

/// Returns the error for a response that is not a success.
fn classify_failure(status: StatusCode, body: Option<&Value>) -> ProcessorError {
    let unknown = |why: &str| ProcessorError::OutcomeUnknown(format!("HTTP {}: {why}", status.as_u16()));
    let error = body.and_then(|body| body.get("error"));
    let text = |name: &str| error.and_then(|error| error.get(name)).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    // The OAuth routes return error objects of another shape.
    let code = match (text("code"), error.and_then(Value::as_str)) {
        ("", Some(oauth)) => oauth,
        ("", None) => kind,
        (code, _) => code,
    };
    let described = body.and_then(|body| body.get("error_description")).and_then(Value::as_str);
    let message = described.unwrap_or_else(|| text("message"));
    match status.as_u16() {
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

/// Restricts a code to characters that a record may hold.
fn sanitize_code(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).take(64).collect()
}

/// Returns the innermost cause; the outer ones repeat the whole URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if error.is_timeout() { "no response in time".to_owned() } else { cause.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn classify(status: u16, body: Value) -> ProcessorError {
        classify_failure(StatusCode::from_u16(status).unwrap(), Some(&body))
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
