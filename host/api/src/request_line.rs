//! The operator's log line of a request.

use std::sync::Arc;
use std::time::Instant;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use tollbridge_core::config::LoggedRequests;
use tollbridge_core::request_log::RequestLine;
use tollbridge_core::time::now_ms;
use tollbridge_telemetry::request_span;
use tracing::Span;

use crate::error::Refusal;
use crate::error_shape::REQUEST_ID;
use crate::request_meter::{RequestMeter, RouteId};

/// A request that is being answered.
pub struct BegunRequest {
    began: Instant,
    method: Method,
    path: Box<str>,
    route: RouteId,
    /// The span of the request; disabled if the request is not traced.
    span: Span,
}

impl BegunRequest {
    /// Returns the span of the trace of the request.
    pub fn span(&self) -> Span {
        self.span.clone()
    }
}

impl RequestMeter {
    /// Starts measuring a request; call before it is passed on.
    pub fn begin(&self, request: &Request) -> BegunRequest {
        let path = request.uri().path();
        let (route, path) = (self.route_of(path), RequestLine::text(path));
        let span = request_span(request.method(), self.path_of(route), request.headers());
        BegunRequest { began: Instant::now(), method: request.method().clone(), path, route, span }
    }

    /// Counts an answered request, logs it if configured, and returns its line. `account`
    /// is the account that made the request, if known.
    pub fn end(&self, request: BegunRequest, response: &Response, account: Option<Arc<str>>) -> RequestLine {
        let BegunRequest { began, method, path, route, span } = request;
        let took = began.elapsed();
        self.count(route, &method, response.status(), took);
        let refused = response.extensions().get::<Refusal>();
        let refused = refused.map(|refusal| (refusal.code, RequestLine::text(&refusal.message)));
        let line = RequestLine {
            at_ms: now_ms(),
            id: id_of(response.headers()).into(),
            method: method.as_str().into(),
            path,
            account,
            status: response.status().as_u16(),
            refused,
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        };
        self.log(&line, route, response.body().size_hint().exact());
        trace(&span, &line);
        line
    }

    /// Counts and logs an answer to bytes that are not a valid HTTP request; the line
    /// contains only the data of the answer.
    pub fn refuse_unread(&self, status: StatusCode, headers: &HeaderMap) {
        self.count_unread(status);
        let line = RequestLine {
            at_ms: now_ms(),
            id: id_of(headers).into(),
            method: "".into(),
            path: "".into(),
            account: None,
            status: status.as_u16(),
            refused: None,
            micros: 0,
        };
        self.log(&line, self.route_of(""), None);
    }

    /// Logs one line: as info if the operator configured it, otherwise as debug,
    /// which `-v` shows. The `bytes` of a stream are not known before its end.
    fn log(&self, line: &RequestLine, route: RouteId, bytes: Option<u64>) {
        macro_rules! answered {
            ($level:ident) => {
                tracing::$level!(
                    request_id = &*line.id,
                    account = line.account.as_deref(),
                    plugin = self.plugin_of(&line.path),
                    method = &*line.method,
                    route = self.path_of(route),
                    path = &*line.path,
                    status = line.status,
                    code = line.refused.as_ref().map(|(code, _)| *code),
                    ms = milliseconds(line.micros),
                    bytes,
                    "answered"
                )
            };
        }
        if is_logged(self.logged, line.status) { answered!(info) } else { answered!(debug) }
    }
}

/// Records the data of the log line in the span of a request.
fn trace(span: &Span, line: &RequestLine) {
    if span.is_none() {
        return;
    }
    span.record("url.path", &*line.path);
    span.record("http.response.status_code", i64::from(line.status));
    span.record("tollbridge.request.id", &*line.id);
    span.record("tollbridge.account", line.account.as_deref());
    span.record("error.type", line.refused.as_ref().map(|(code, _)| *code));
    if line.status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

fn id_of(headers: &HeaderMap) -> &str {
    headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default()
}

fn is_logged(logged: LoggedRequests, status: u16) -> bool {
    match logged {
        LoggedRequests::None => false,
        LoggedRequests::Refused => status >= 400,
        LoggedRequests::All => true,
    }
}

/// Converts to milliseconds with a fraction: most calls take less than a
/// millisecond.
#[expect(clippy::float_arithmetic, reason = "for people to read")]
fn milliseconds(micros: u64) -> f64 {
    micros as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::response::IntoResponse;

    use super::*;
    use crate::error::{ApiError, Code};

    #[test]
    fn refused_requests_can_be_logged_alone() {
        for (logged, answered, refused) in [
            (LoggedRequests::None, false, false),
            (LoggedRequests::Refused, false, true),
            (LoggedRequests::All, true, true),
        ] {
            assert_eq!(
                [200, 303, 402, 500].map(|status| is_logged(logged, status)),
                [answered, answered, refused, refused]
            );
        }
    }

    #[test]
    fn a_line_says_what_became_of_a_request() {
        let meter = RequestMeter::new(&[], &["/v1/things"]).logging(LoggedRequests::All);
        let request = Request::builder().method("POST").uri("/v1/things?secret=1").body(Body::empty()).unwrap();
        let mut response = ApiError::new(Code::Invalid, "`x` is missing").into_response();
        response.headers_mut().insert(REQUEST_ID, "req_1".parse().unwrap());
        let line = meter.end(meter.begin(&request), &response, Some("acct_a".into()));
        assert_eq!((&*line.id, &*line.method, &*line.path), ("req_1", "POST", "/v1/things"));
        assert_eq!((line.status, line.account.as_deref()), (StatusCode::BAD_REQUEST.as_u16(), Some("acct_a")));
        assert_eq!(line.refused.map(|(code, why)| format!("{code} {why}")).as_deref(), Some("E011 `x` is missing"));
        assert_eq!([412, 1_250].map(milliseconds), [0.412, 1.25]);
    }
}
