//! What the pages share.

use std::sync::Arc;

use tollbridge_market::catalog::Catalog;

/// What the pages need to know.
pub struct Site {
    /// Name of the site.
    pub name: String,
    /// Public address, without a slash at its end.
    pub base_url: String,
    /// Whether no real money moves.
    pub sandbox: bool,
    /// Plugins on offer.
    pub catalog: Arc<Catalog>,
}
