//! The routes of the site.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::middleware::from_fn;
use tollbridge_api::document::Document;

use crate::docs;
use crate::page_headers::page_headers;
use crate::site::Site;

/// Paths of the site, which stand in no document.
pub const PATHS: [&str; 3] = ["/", "/docs", "/style.css"];

/// Every page of the site; `document` is there once all routes are.
pub fn routes<S: Clone + Send + Sync + 'static>(site: Arc<Site>, document: &Arc<OnceLock<Document>>) -> Router<S> {
    docs::routes(document).layer(from_fn(page_headers)).with_state(site)
}
