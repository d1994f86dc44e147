//! `/api/v1/notify`: who wants to hear of what is coming.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::{Operation, text};
use tollbridge_core::time::now_ms;

use crate::body::JsonBody;
use crate::error_mapping::accounts::accounts_error;
use crate::state::AppState;
use crate::state::Routes;

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new("notify", "Ask to be notified", "Sends an e-mail about what is coming.").members(
        202,
        "The address is noted",
        &json!({ "status": text() }),
    );
    Routes::new("accounts").post("/api/v1/notify", notify, operation)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Notify")]
#[serde(deny_unknown_fields)]
struct NotifyBody {
    #[schemars(email, length(max = 254))]
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
