//! What tells browsers to ask a server by https only.
//!
//! It is for every port of a host. A name that is only local, or an address, may
//! well serve others in plain, so it is said where callers know the server by a
//! public name. Programs keep no such memory: only browsers are told. A proxy that
//! says it as well does no harm, because a browser reads the first one.

use std::net::IpAddr;

use http::HeaderValue;

/// `Strict-Transport-Security` of a server that callers know by this address, if it
/// has one: half a year, for this name alone.
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
