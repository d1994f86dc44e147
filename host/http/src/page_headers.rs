//! Security headers of every page.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Pages run no scripts, load nothing from elsewhere and cannot be framed.
pub(crate) async fn page_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    secure_page(response.headers_mut());
    response
}

/// Sets the security headers of a page.
pub(crate) fn secure_page(headers: &mut HeaderMap) {
    let policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    // A consent may name one more address that its form leads to.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// What tells browsers to ask this server by https only, where callers know it by
/// such an address. It is for every port of a host: a name that is only local, or
/// an address, may well serve others in plain. Programs keep no such memory, so
/// only browsers are told. A proxy that says it too says it with no other meaning.
pub(crate) fn transport_security(base_url: &str) -> Option<HeaderValue> {
    let authority = base_url.strip_prefix("https://")?.split('/').next()?;
    let host = authority.split(':').next()?;
    let is_name = host.contains('.') && host.parse::<IpAddr>().is_err();
    is_name.then(|| HeaderValue::from_static("max-age=15552000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_names_with_tls_are_asked_by_https_alone() {
        for (url, told) in [
            ("https://bridge.example.com", true),
            ("https://bridge.example.com:8402/x", true),
            ("http://bridge.example.com", false),
            ("https://localhost:8402", false),
            ("https://127.0.0.1:8402", false),
            ("https://[::1]:8402", false),
        ] {
            assert_eq!(transport_security(url).is_some(), told, "{url}");
        }
    }
}
