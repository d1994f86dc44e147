//! `/api/v1/notify`: who wants to hear of what is coming.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::body::JsonBody;
use crate::error::ApiError;
use crate::error_mapping::accounts::accounts_error;
use crate::state::AppState;
use tollbridge_core::clock::now_ms;

pub fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/api/v1/notify", post(notify))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotifyBody {
    email: String,
}

/// The same answer for an address that is known, so that nobody can ask who is.
async fn notify(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    JsonBody(body): JsonBody<NotifyBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    app.accounts.add_notify_request(&body.email, client, now_ms()).await.map_err(accounts_error)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "status": "noted" }))))
}
