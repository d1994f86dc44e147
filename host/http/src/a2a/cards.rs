//! `/.well-known/agent-card.json` and `/.well-known/agent.json`: who we are and
//! what we can do, for agents of others.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tollbridge_agents::a2a::Cards;

use crate::error::{ApiError, internal};
use crate::openapi::operation::Operation;
use crate::openapi::routes::Routes;
use crate::state::AppState;

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let card = || json!({ "type": "object" });
    Routes::new("protocols")
        .get(
            "/.well-known/agent-card.json",
            signed,
            Operation::new("showAgentCard", "Agent card", "The signed A2A agent card, with every skill.")
                .answer_schema(200, "The card", card()),
        )
        .get(
            "/.well-known/agent.json",
            plain,
            Operation::new(
                "showPlainAgentCard",
                "Plain agent card",
                "The A2A agent card without signatures and security.",
            )
            .answer_schema(200, "The card", card()),
        )
}

async fn signed(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    Ok(card(cards(&app)?.signed.clone()))
}

async fn plain(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    Ok(card(cards(&app)?.plain.clone()))
}

fn cards(app: &AppState) -> Result<Arc<Cards>, ApiError> {
    app.a2a.cards.cards().map_err(|error| internal(&error))
}

/// Cards change with the configuration and their key only, so clients may keep one a while.
fn card(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "public, max-age=300")], text).into_response()
}
