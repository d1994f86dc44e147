//! `/.well-known/agent-card.json` and `/.well-known/agent.json`: who we are and
//! what we can do, for agents of others.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use super::super::Shared;

pub fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/.well-known/agent-card.json", get(signed)).route("/.well-known/agent.json", get(plain))
}

async fn signed(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    card(shared.a2a.cards.signed.clone())
}

async fn plain(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    card(shared.a2a.cards.plain.clone())
}

/// Cards change with the configuration only, so clients may keep one a while.
fn card(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "public, max-age=300")], text)
}
