//! `/api/v1/notify`: people who want news about this server.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_web::body::JsonBody;
use tollbridge_web::{AppState, Routes};

use crate::error_mapping::accounts::accounts_error;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new("notify", "Ask to be notified", "Sends an e-mail when there is news.")
        .answer::<Noted>(202, "The address was saved");
    Routes::new("accounts").post("/api/v1/notify", notify, operation)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Notify")]
#[serde(deny_unknown_fields)]
struct NotifyBody {
    #[schemars(email, length(max = 254))]
    email: String,
}

#[derive(Serialize, JsonSchema)]
struct Noted {
    #[schemars(extend("const" = "noted"))]
    status: &'static str,
}

/// Saves an address. A known address gets the same answer, so that no one can find out
/// which addresses are registered.
async fn notify(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    JsonBody(body): JsonBody<NotifyBody>,
) -> Result<(StatusCode, Json<Noted>), ApiError> {
    app.accounts.add_notify_request(&body.email, client, now_ms()).await.map_err(accounts_error)?;
    Ok((StatusCode::ACCEPTED, Json(Noted { status: "noted" })))
}
