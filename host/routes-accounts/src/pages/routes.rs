//! The routes of the account pages.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use tollbridge_site::page_headers;
use tollbridge_web::AppState;

use crate::pages::{apps, earnings, email, home, keys, money, receipt, sign_in, spending, webhooks};

/// Returns the routes of all account pages, with the security headers of pages.
pub fn account_pages() -> Router<Arc<AppState>> {
    Router::new()
        .merge(sign_in::routes())
        .merge(email::routes())
        .merge(home::routes())
        .merge(keys::routes())
        .merge(earnings::routes())
        .merge(money::routes())
        .merge(spending::routes())
        .merge(receipt::routes())
        .merge(apps::routes())
        .merge(webhooks::routes())
        .layer(from_fn(page_headers))
}
