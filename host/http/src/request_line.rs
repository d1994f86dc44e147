//! What the operator's log has of a request.

use std::time::Instant;

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use tollbridge_api::error::Refusal;
use tollbridge_api::error_shape::REQUEST_ID;
use tollbridge_core::request_log::RequestLine;
use tollbridge_core::time::now_ms;

use crate::admit::AnsweredTo;

/// A request that is being answered.
pub(crate) struct Begun {
    began: Instant,
    method: Method,
    path: Box<str>,
}

/// To be called before the request is handed on.
pub(crate) fn begin(request: &Request) -> Begun {
    let path = RequestLine::text(request.uri().path());
    Begun { began: Instant::now(), method: request.method().clone(), path }
}

impl Begun {
    /// The line, once there is an answer.
    pub(crate) fn end(self, response: &Response) -> RequestLine {
        let id = response.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
        let refused = response.extensions().get::<Refusal>();
        let refused = refused.map(|refusal| (refusal.code, RequestLine::text(&refusal.message)));
        let micros = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let account = response.extensions().get::<AnsweredTo>().map(|AnsweredTo(by)| by.account_id.as_str().into());
        let status = response.status().as_u16();
        tracing::debug!(
            request_id = id, method = %self.method, path = %self.path, status, micros,
            account = account.as_deref(), code = refused.as_ref().map(|(code, _)| *code), "answered"
        );
        RequestLine {
            at_ms: now_ms(),
            id: id.into(),
            method: self.method.as_str().into(),
            path: self.path,
            account,
            status,
            refused,
            micros,
        }
    }
}
