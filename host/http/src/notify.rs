//! `/api/v1/notify`: who wants to hear of what is coming.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::account::refused;
use super::body::JsonBody;
use super::error::ApiError;
use super::{Shared, now_ms};

pub fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/v1/notify", post(notify))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotifyBody {
    email: String,
}

/// The same answer for an address that is known, so that nobody can ask who is.
async fn notify(
    State(shared): State<Arc<Shared>>,
    Extension(client): Extension<IpAddr>,
    JsonBody(body): JsonBody<NotifyBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    shared.accounts.add_notify_request(&body.email, client, now_ms()).await.map_err(refused)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "status": "noted" }))))
}
