//! The HTTP client for commands.

/// Builds a client for Tollbridge servers: no proxies, no redirects.
pub(super) fn http_client() -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(std::time::Duration::from_secs(120))
        .build()?)
}
