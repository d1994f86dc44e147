//! Security headers that all pages send.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// The Content-Security-Policy of account pages: no scripts, nothing from other sites, no
/// framing.
const CLOSED: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'";
/// The Content-Security-Policy of pages with scripts of this server, which may connect
/// only to this server.
const SCRIPTED: &str = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Adds the security headers to the response of a page; used as middleware.
pub async fn page_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    secure_page(response.headers_mut());
    response
}

/// Sets the security headers of a page, keeping a Content-Security-Policy that is already
/// set.
pub fn secure_page(headers: &mut HeaderMap) {
    // The consent page sets its own policy, which allows one more form target.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(CLOSED));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Allows a page to run this server's scripts.
pub(crate) fn with_scripts(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SCRIPTED));
    response
}
