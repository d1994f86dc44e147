//! Security headers of every page.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Pages of an account run no scripts, load nothing from elsewhere and cannot be
/// framed.
const CLOSED: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'";
/// The same, with the scripts of this server, which call this server alone.
const SCRIPTED: &str = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Adds the security headers of a page.
pub async fn page_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    secure_page(response.headers_mut());
    response
}

/// Sets the security headers of a page.
pub fn secure_page(headers: &mut HeaderMap) {
    // A consent may name one more address that its form leads to.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(CLOSED));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Lets a page run the scripts of this server.
pub(crate) fn with_scripts(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SCRIPTED));
    response
}
