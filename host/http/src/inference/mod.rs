//! The inference routes, as OpenAI's clients know them, and what was used.
//!
//! Every path is there under `/api/v1`, as the specification has it, and under
//! `/v1`, where most clients look.

mod billing;
mod chat;
pub(super) mod docs;
mod errors;
mod models;
mod route;
mod usage;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{get, post};

use crate::body::BodyLimit;
use crate::state::AppState;
use tollbridge_core::limits::INFERENCE_BODY_BYTES_MAX;

pub fn routes() -> Router<Arc<AppState>> {
    let large = Router::new()
        .route("/api/v1/chat/completions", post(chat::chat))
        .route("/v1/chat/completions", post(chat::chat))
        .route("/api/v1/embeddings", post(chat::embeddings))
        .route("/v1/embeddings", post(chat::embeddings))
        .layer(from_fn(larger_bodies));
    Router::new()
        .merge(large)
        .route("/api/v1/models", get(models::list))
        .route("/v1/models", get(models::list))
        .route("/api/v1/models/{*id}", get(models::show))
        .route("/v1/models/{*id}", get(models::show))
        .route("/api/v1/health", get(models::health))
        .route("/v1/inference/route", post(route::route))
        .route("/v1/usage", get(usage::usage))
}

/// Pictures travel inside a request, so these routes take more than others.
async fn larger_bodies(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(BodyLimit(INFERENCE_BODY_BYTES_MAX));
    next.run(request).await
}
