//! All routes of the site.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::middleware::from_fn;
use tollbridge_api::document::Document;

use crate::compress::compress;
use crate::page_headers::page_headers;
use crate::site::Site;
use crate::{assets, catalogue, documents, home, plugin_page};

/// Paths of the site's pages, which the OpenAPI document omits.
pub const PATHS: [&str; 12] = [
    "/",
    "/catalogue",
    "/catalogue/bridges/{name}",
    "/catalogue/agents/{name}",
    "/docs",
    "/docs/api",
    "/docs/{name}",
    "/style.css",
    "/try.js",
    "/seal.js",
    "/favicon.svg",
    "/favicon.ico",
];

/// Returns the routes of the site. `document` is the OpenAPI document, which is set once
/// all routes are registered.
pub fn routes<S: Clone + Send + Sync + 'static>(site: Arc<Site>, document: &Arc<OnceLock<Document>>) -> Router<S> {
    home::routes()
        .merge(catalogue::routes())
        .merge(plugin_page::routes())
        .merge(documents::routes(document))
        .merge(assets::routes())
        .layer(from_fn(page_headers))
        .layer(from_fn(compress))
        .with_state(site)
}
