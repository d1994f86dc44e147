//! Error pages for browsers.
//!
//! A failed page request produces the same JSON as any other failure, whether a handler,
//! a rate limit or an unknown path caused it. If the client is a browser, this module
//! turns that JSON into a page.

use askama::Template;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;

use crate::page_headers::secure_page;
use crate::text::inline;

/// Maximum size of an error body.
const ERROR_BYTES_MAX: usize = 64 << 10;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    site: &'a str,
    title: &'static str,
    /// Error message, as HTML.
    message: String,
    /// Hint on how to fix the error, as HTML.
    hint: Option<String>,
    code: &'a str,
}

/// Path prefixes of the API for programs, where errors are always JSON. All other paths
/// count as pages, even if they do not exist.
const PROGRAMS: [&str; 13] = [
    "/v1/",
    "/api/",
    "/.well-known/",
    "/mcp",
    "/x402/",
    "/oauth/register",
    "/oauth/revoke",
    "/oauth/token",
    "/openapi.json",
    "/llms.txt",
    "/checkpoint",
    "/health/",
    "/metrics",
];

/// Returns whether a request comes from a browser and is for a page.
pub fn is_asked_by_browser(request: &Request) -> bool {
    let path = request.uri().path();
    !PROGRAMS.iter().any(|start| path.starts_with(start)) && wants_page(request.headers())
}

/// The members of an error that its page shows.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ShownError {
    error: Option<String>,
    hint: Option<String>,
    code: String,
}

/// Turns a JSON error into a page; returns other responses unchanged.
pub async fn as_page(site: &str, response: Response) -> Response {
    let json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !json || response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, ERROR_BYTES_MAX).await.unwrap_or_default();
    let ShownError { error, hint, code } = serde_json::from_slice(&bytes).unwrap_or_default();
    let page = ErrorPage {
        site,
        title: parts.status.canonical_reason().unwrap_or("Error"),
        message: inline(error.as_deref().unwrap_or("something went wrong")),
        hint: hint.as_deref().map(inline),
        code: &code,
    };
    match page.render() {
        Ok(html) => {
            parts.headers.remove(header::CONTENT_TYPE);
            parts.headers.remove(header::CONTENT_LENGTH);
            secure_page(&mut parts.headers);
            (parts.status, parts.headers, Html(html)).into_response()
        }
        Err(_) => Response::from_parts(parts, Body::from(bytes)),
    }
}

/// Returns whether the `Accept` header prefers HTML to JSON.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("text/html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_sees_a_page_wherever_no_program_asks() {
        let asked = |path: &str, accept: &str| {
            let request = Request::builder().uri(path).header(header::ACCEPT, accept);
            is_asked_by_browser(&request.body(Body::empty()).unwrap())
        };
        for page in ["/", "/nope", "/account/nowhere", "/pay/pt_x", "/catalogue/bridges/none", "/oauth/authorize"] {
            assert!(asked(page, "text/html,*/*") && !asked(page, "application/json"), "{page}");
        }
        for program in ["/v1/balance", "/api/v1/bridges", "/oauth/token", "/openapi.json", "/mcp"] {
            assert!(!asked(program, "text/html"), "{program}");
        }
    }
}
