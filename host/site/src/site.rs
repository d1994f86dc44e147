//! The state that all pages share.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tollbridge_agents::PluginStatsIndexer;
use tollbridge_agents::qualification::Qualifications;
use tollbridge_api::error::ApiError;
use tollbridge_core::request_log::RequestLog;
use tollbridge_market::catalog::Catalog;

/// The state that all pages share.
pub struct Site {
    /// Name of the site as shown on pages.
    pub name: String,
    /// Public base URL of the site, without a trailing slash.
    pub base_url: String,
    /// Whether the server is in sandbox mode, in which no real money moves.
    pub sandbox: bool,
    /// The current plugins and offers.
    pub catalog: Arc<Catalog>,
    /// The log of recent requests, for response times and failure rates.
    pub requests: Arc<RequestLog>,
    /// The measured quality of agents with models.
    pub qualifications: Qualifications,
    /// Call statistics by plugin, from the ledger.
    pub plugin_stats: Arc<PluginStatsIndexer>,
}

/// The plugin or document name at the end of a URL path.
pub(crate) struct Name(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::<String>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(name)| Self(name))
            .map_err(|_| ApiError::invalid("", "the path is not valid UTF-8"))
    }
}
