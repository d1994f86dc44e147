//! Security headers of every page.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Pages run no scripts, load nothing from elsewhere and cannot be framed.
pub async fn page_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    secure_page(response.headers_mut());
    response
}

/// Sets the security headers of a page.
pub fn secure_page(headers: &mut HeaderMap) {
    let policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    // A consent may name one more address that its form leads to.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}
