//! The `Strict-Transport-Security` header, which makes browsers use only https for a
//! server.
//!
//! The header applies to every port of a host. A host with a local name, or only an
//! address, may also serve other applications over plain HTTP, so the header is sent only
//! if callers use a public name. It is sent only to browsers, because other clients
//! ignore it. If a proxy sends the header too, browsers use the first one.

use std::net::IpAddr;

use http::HeaderValue;

/// Returns the value of `Strict-Transport-Security` for a server with this public URL:
/// half a year, without subdomains. `None` unless the URL is https with a public name.
pub fn transport_security(base_url: &str) -> Option<HeaderValue> {
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
        for (url, expected) in [
            ("https://bridge.example.com", true),
            ("https://bridge.example.com:8402/x", true),
            ("http://bridge.example.com", false),
            ("https://localhost:8402", false),
            ("https://127.0.0.1:8402", false),
            ("https://[::1]:8402", false),
        ] {
            assert_eq!(transport_security(url).is_some(), expected, "{url}");
        }
    }
}
