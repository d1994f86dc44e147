//! Failures of providers, and their consequences for the client, the next provider and
//! the circuit breaker.
//!
//! Invariant: a provider's own text is passed to a client only if it is about the
//! client's request, and never contains a key.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::breaker::AttemptOutcome;

/// Maximum length of a text of a provider's error, as shown to a client.
const INFERENCE_TEXT_BYTES_MAX: usize = 2 << 10;

/// Pause after a 429 response without `Retry-After`.
const LIMITED_PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Pause after failures that only the operator can correct.
const AUTH_PAUSE: Duration = Duration::from_secs(300);
const NO_MODEL_PAUSE: Duration = Duration::from_secs(600);

/// A failure of a provider to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProviderError {
    /// The provider rejects the request as invalid; other providers would reject it, too.
    InvalidRequest {
        status: u16,
        message: String,
    },
    /// The provider rejects the operator's key, or the operator's account there has no
    /// money.
    Auth(u16),
    UnknownModel,
    RateLimited(Option<Duration>),
    Status(u16, Option<Duration>),
    Unreachable,
    TimedOut,
    Malformed(&'static str),
    /// The answer broke off.
    Truncated,
    /// The provider sent a stream without content.
    EmptyStream,
    /// The provider sent an error in a response with a success status.
    ErrorFrame,
    /// The built-in provider has too many open requests.
    Overloaded,
    /// The built-in provider cannot use its model, for this reason.
    Broken(String),
}

impl ProviderError {
    /// Returns whether it is useless to try another provider.
    #[cfg(test)]
    pub(crate) const fn is_final(&self) -> bool {
        matches!(self, Self::InvalidRequest { .. })
    }

    /// Returns whether the provider may have processed and billed the request.
    pub(crate) const fn may_be_billed(&self) -> bool {
        matches!(self, Self::TimedOut | Self::Truncated | Self::Malformed(_))
    }

    /// Returns whether the same provider may succeed on an immediate retry.
    pub(crate) const fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable | Self::Status(..) | Self::EmptyStream | Self::ErrorFrame)
    }

    pub(crate) fn outcome(&self) -> AttemptOutcome {
        match self {
            // Too many requests of one account do not pause the provider for others.
            Self::InvalidRequest { .. } | Self::Overloaded => AttemptOutcome::Inconclusive,
            Self::Auth(_) | Self::Broken(_) => AttemptOutcome::Backoff(AUTH_PAUSE),
            Self::UnknownModel => AttemptOutcome::Backoff(NO_MODEL_PAUSE),
            Self::RateLimited(wait) => AttemptOutcome::Backoff(wait.unwrap_or(LIMITED_PAUSE).min(PAUSE_MAX)),
            Self::Status(_, Some(wait)) => AttemptOutcome::Backoff((*wait).min(PAUSE_MAX)),
            _ => AttemptOutcome::Failure,
        }
    }

    /// Converts a response with a status other than 2xx.
    pub(crate) fn from_status(status: StatusCode, headers: &HeaderMap, body: &[u8], secret: Option<&str>) -> Self {
        let wait = retry_after(headers);
        match status.as_u16() {
            code @ (401..=403) => Self::Auth(code),
            404 => Self::UnknownModel,
            429 => Self::RateLimited(wait),
            code @ (408 | 409 | 425 | 500..) => Self::Status(code, wait),
            // A redirect, which is not followed; the operator has to correct the
            // provider's address.
            code @ (0..=399) => Self::Status(code, None),
            code => Self::InvalidRequest { status: code, message: message(body, secret) },
        }
    }

    /// Describes the failure for operators and for the list of attempts, without text
    /// from the provider.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::InvalidRequest { status, .. } => format!("refused the request with {status}"),
            Self::Auth(status) => format!("refused the operator's key with {status}"),
            Self::UnknownModel => "has no such model".to_owned(),
            Self::RateLimited(_) => "is rate limited".to_owned(),
            Self::Status(status, _) => format!("answered {status}"),
            Self::Unreachable => "cannot be reached".to_owned(),
            Self::TimedOut => "did not answer in time".to_owned(),
            Self::Malformed(what) => format!("answered with {what}"),
            Self::Truncated => "broke off".to_owned(),
            Self::EmptyStream => "sent a stream without content".to_owned(),
            Self::ErrorFrame => "sent an error instead of an answer".to_owned(),
            Self::Overloaded => "has too many open requests".to_owned(),
            Self::Broken(why) => why.clone(),
        }
    }

    /// Returns the failure's label in the metrics.
    pub(crate) const fn metric_label(&self) -> &'static str {
        match self {
            Self::InvalidRequest { .. } => "request",
            Self::Auth(_) => "auth",
            Self::UnknownModel => "no_model",
            Self::RateLimited(_) => "limited",
            Self::Status(..) => "status",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::Malformed(_) => "malformed",
            Self::Truncated => "cut",
            Self::EmptyStream => "empty",
            Self::ErrorFrame => "error_frame",
            Self::Overloaded => "overloaded",
            Self::Broken(_) => "broken",
        }
    }
}

/// Reads the pause from `retry-after-ms`, or from `Retry-After` in seconds. Dates are
/// ignored: clocks differ, and the pause is bounded anyway.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let whole =
        |name: &str| -> Option<u64> { headers.get(name)?.to_str().ok()?.trim().split('.').next()?.parse().ok() };
    let ms = whole("retry-after-ms").map(Duration::from_millis);
    ms.or_else(|| whole("retry-after").map(Duration::from_secs))
}

/// Returns the provider's explanation why a request is invalid.
fn message(body: &[u8], secret: Option<&str>) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    // Gemini wraps its error in a list.
    let value = value.get(0).unwrap_or(&value);
    let error = value.get("error").unwrap_or(value);
    let explanation =
        error.as_str().or_else(|| error.get("message")?.as_str()).or_else(|| value.get("detail")?.as_str());
    let text = explanation.unwrap_or("no reason given");
    sanitize(text, secret)
}

/// Sanitizes text from a provider: shortens it, puts it on one line, and removes the key.
pub(crate) fn sanitize(text: &str, secret: Option<&str>) -> String {
    let text = match secret.filter(|secret| !secret.is_empty()) {
        Some(secret) => text.replace(secret, "***"),
        None => text.to_owned(),
    };
    let mut plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if plain.len() > INFERENCE_TEXT_BYTES_MAX {
        let end = (0..=INFERENCE_TEXT_BYTES_MAX).rev().find(|end| plain.is_char_boundary(*end)).unwrap_or(0);
        plain.truncate(end);
        plain.push('…');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> ProviderError {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        ProviderError::from_status(StatusCode::from_u16(status).unwrap(), &map, body.as_bytes(), Some("sk-secret"))
    }

    #[test]
    fn statuses_mean_what_they_should() {
        for status in [401, 402, 403] {
            let failure = of(status, &[], "{}");
            assert!(!failure.is_final(), "{status} is not reported as the client's error");
            assert_eq!(failure.outcome(), AttemptOutcome::Backoff(AUTH_PAUSE));
        }
        for status in [400, 413, 422] {
            assert!(of(status, &[], "{}").is_final(), "{status}");
        }
        for status in [301, 408, 409, 500, 502, 503, 529] {
            assert_eq!(of(status, &[], "{}").outcome(), AttemptOutcome::Failure, "{status}");
        }
        assert_eq!(of(404, &[], "").outcome(), AttemptOutcome::Backoff(NO_MODEL_PAUSE));
    }

    #[test]
    fn a_wish_to_wait_is_read_and_bounded() {
        let wait = |headers: &[(&'static str, &'static str)]| match of(429, headers, "").outcome() {
            AttemptOutcome::Backoff(pause) => pause,
            other => panic!("{other:?}"),
        };
        assert_eq!(wait(&[]), LIMITED_PAUSE);
        assert_eq!(wait(&[("retry-after", "7")]), Duration::from_secs(7));
        assert_eq!(wait(&[("retry-after", "7.5")]), Duration::from_secs(7));
        assert_eq!(wait(&[("retry-after-ms", "70"), ("retry-after", "7")]), Duration::from_millis(70));
        assert_eq!(wait(&[("retry-after", "86400")]), PAUSE_MAX);
        assert_eq!(wait(&[("retry-after", "Fri, 31 Dec 2027 23:59:59 GMT")]), LIMITED_PAUSE);
    }

    #[test]
    fn the_providers_words_are_cleaned() {
        for body in [
            r#"{"error":{"message":"bad\nkey sk-secret"}}"#,
            r#"[{"error":{"message":"bad\nkey sk-secret"}}]"#,
            r#"{"error":"bad\nkey sk-secret"}"#,
            r#"{"detail":"bad\nkey sk-secret"}"#,
            r#"{"message":"bad\nkey sk-secret"}"#,
        ] {
            let ProviderError::InvalidRequest { message, .. } = of(400, &[], body) else { panic!("{body}") };
            assert_eq!(message, "bad key ***", "{body}");
        }
        assert!(sanitize(&"é".repeat(5_000), None).len() <= INFERENCE_TEXT_BYTES_MAX + 3);
    }
}
