//! The HTTP client for commands, and the errors that servers return.

use serde::Deserialize;

/// Builds a client for Tollbridge servers: no proxies, no redirects.
pub(super) fn http_client() -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(std::time::Duration::from_secs(120))
        .build()?)
}

/// An error that a Tollbridge server returned. Each member is optional, because the
/// server may run a different version or be behind a proxy.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServerError {
    pub(super) error: Option<String>,
    pub(super) code: Option<String>,
    pub(super) hint: Option<String>,
}
