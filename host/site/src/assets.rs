//! Static files of the pages: the style sheet, the scripts for trying a call, the icon.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::site::Site;

const STYLE: &str = include_str!("../assets/style.css");
const TRY: &str = include_str!("../assets/try.js");
const SEAL: &str = include_str!("../assets/seal.js");
const ICON: &str = include_str!("../assets/favicon.svg");

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/style.css", get(async || kept("text/css; charset=utf-8", STYLE)))
        .route("/try.js", get(async || kept("text/javascript; charset=utf-8", TRY)))
        .route("/seal.js", get(async || kept("text/javascript; charset=utf-8", SEAL)))
        .route("/favicon.svg", get(async || kept("image/svg+xml", ICON)))
        // Browsers request this path even for responses that are not pages.
        .route("/favicon.ico", get(async || kept("image/svg+xml", ICON)))
}

fn kept(kind: &'static str, text: &'static str) -> impl IntoResponse {
    let headers: [(HeaderName, &str); 2] = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=3600")];
    (headers, text)
}
