//! One attempt: signs an event, sends it, and interprets the response.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, header};
use tokio::time::Instant;
use tollbridge_core::egress::{Bounds, Egress, EgressError, Request};
use tollbridge_ledger::events::{EventId, body};
use tollbridge_store::OutboxRow;

use super::endpoint::WebhookEndpoint;
use super::secret;

/// Maximum time of one attempt, from name resolution to the end of the response.
const WEBHOOK_ATTEMPT_MS_MAX: u64 = 15_000;
/// Maximum number of bytes of a response body that are read; only the status of the
/// response matters.
const WEBHOOK_RESPONSE_BYTES_MAX: usize = 64 << 10;
/// Maximum delay that a receiver can request with `Retry-After`.
const WEBHOOK_RETRY_AFTER_S_MAX: u64 = 24 * 60 * 60;

/// The result of a delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) duration_ms: u64,
    pub(super) status: Option<u16>,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Delivered,
    /// The attempt failed and will be retried; if the receiver requested a delay, not
    /// before `wait`.
    Failed {
        why: String,
        wait: Option<Duration>,
    },
    /// The attempt failed, and a retry would not help.
    Hopeless {
        why: String,
    },
    /// The receiver answered 410 Gone: it wants no further deliveries.
    Gone,
}

/// Makes one attempt to deliver an event to an endpoint.
pub(super) async fn attempt(
    egress: &Egress,
    signature_header: &str,
    endpoint: &WebhookEndpoint,
    row: &OutboxRow,
    now_ms: u64,
) -> Outcome {
    let began = Instant::now();
    let (status, verdict) = match request(signature_header, endpoint, row, now_ms) {
        Ok(request) => classify(egress.send(request, bounds()).await),
        Err(why) => (None, Verdict::Hopeless { why }),
    };
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Outcome { duration_ms, status, verdict }
}

const fn bounds() -> Bounds {
    Bounds { time: Duration::from_millis(WEBHOOK_ATTEMPT_MS_MAX), response_bytes: WEBHOOK_RESPONSE_BYTES_MAX }
}

fn request(
    signature_header: &str,
    endpoint: &WebhookEndpoint,
    row: &OutboxRow,
    now_ms: u64,
) -> Result<Request, String> {
    let body = body(row);
    let id = EventId::of(row).to_string();
    let secrets = endpoint.signing(now_ms);
    let headers = secret::headers(signature_header, secrets, &id, now_ms / 1000, &body);
    Ok(Request {
        method: Method::POST,
        url: endpoint.url.parse().map_err(|_| "the URL of the endpoint cannot be parsed".to_owned())?,
        headers: headers.map_err(|error| error.to_string())?,
        body: Bytes::from(body),
    })
}

fn classify(answer: Result<tollbridge_core::egress::Response, EgressError>) -> (Option<u16>, Verdict) {
    match answer {
        Ok(response) => {
            let status = response.status.as_u16();
            let verdict = match status {
                200..=299 => Verdict::Delivered,
                410 => Verdict::Gone,
                300..=399 => failed(format!("HTTP {status}; redirects are not followed")),
                _ => Verdict::Failed { why: format!("HTTP {status}"), wait: retry_after(&response.headers) },
            };
            (Some(status), verdict)
        }
        // The receiver got the delivery, but its response is too large to read and its
        // status therefore unknown: the attempt counts as failed.
        Err(error @ EgressError::TooLarge { .. }) => (None, failed(error.to_string())),
        Err(error @ (EgressError::BadUrl(_) | EgressError::Prohibited { .. })) => {
            (None, Verdict::Hopeless { why: error.to_string() })
        }
        Err(error) => (None, failed(error.to_string())),
    }
}

const fn failed(why: String) -> Verdict {
    Verdict::Failed { why, wait: None }
}

/// Returns the delay of a `Retry-After` header in seconds; the date form is ignored.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: u64 = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(WEBHOOK_RETRY_AFTER_S_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderValue, StatusCode};
    use tollbridge_core::egress::Response;

    fn judged(status: u16, retry: Option<&'static str>) -> Verdict {
        let mut headers = HeaderMap::new();
        if let Some(retry) = retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(retry));
        }
        classify(Ok(Response { status: StatusCode::from_u16(status).unwrap(), headers, body: Bytes::new() })).1
    }

    #[test]
    fn answers_mean_what_receivers_mean() {
        assert_eq!(judged(204, None), Verdict::Delivered);
        assert_eq!(judged(410, None), Verdict::Gone);
        assert!(matches!(judged(302, None), Verdict::Failed { wait: None, .. }));
        assert!(matches!(judged(503, Some("7")), Verdict::Failed { wait: Some(wait), .. } if wait.as_secs() == 7));
        let longest = Duration::from_secs(WEBHOOK_RETRY_AFTER_S_MAX);
        assert!(matches!(judged(429, Some("99999999")), Verdict::Failed { wait: Some(wait), .. } if wait == longest));
        let refused = classify(Err(EgressError::Prohibited { host: "metadata".to_owned() }));
        assert!(matches!(refused.1, Verdict::Hopeless { .. }));
        let silent = classify(Err(EgressError::TimedOut { host: "slow".to_owned() }));
        assert!(matches!(silent.1, Verdict::Failed { .. }));
    }
}
