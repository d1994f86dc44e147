//! `/.well-known/agent-card.json` and `/.well-known/agent.json`: who we are and
//! what we can do, for agents of others.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::error::{ApiError, internal};
use crate::state::AppState;
use tollbridge_agents::a2a::Cards;

pub fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/.well-known/agent-card.json", get(signed)).route("/.well-known/agent.json", get(plain))
}

async fn signed(State(app): State<Arc<AppState>>) -> Result<impl IntoResponse, ApiError> {
    Ok(card(cards(&app)?.signed.clone()))
}

async fn plain(State(app): State<Arc<AppState>>) -> Result<impl IntoResponse, ApiError> {
    Ok(card(cards(&app)?.plain.clone()))
}

fn cards(app: &AppState) -> Result<Arc<Cards>, ApiError> {
    app.a2a.cards.cards().map_err(|error| internal(&error))
}

/// Cards change with the configuration and their key only, so clients may keep one a while.
fn card(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "public, max-age=300")], text)
}
