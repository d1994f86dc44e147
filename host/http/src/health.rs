//! `/health/live` and `/health/ready`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::{Operation, integer, object, text};

use crate::readiness::Phase;
use crate::state::AppState;
use crate::state::Routes;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let plugins = object(&json!({ "live": integer(), "unavailable": integer() }));
    Routes::new("service")
        .get(
            "/health/live",
            live,
            Operation::new("live", "Liveness", "Whether the process runs.").members(
                200,
                "It runs",
                &json!({ "status": text() }),
            ),
        )
        .get(
            "/health/ready",
            ready,
            Operation::new("ready", "Readiness", "Whether calls should be sent here.").members(
                200,
                "The server is ready for calls",
                &json!({ "status": text(), "plugins": plugins }),
            ),
        )
}

async fn live() -> Json<Value> {
    Json(json!({ "status": "live" }))
}

async fn ready(State(app): State<Arc<AppState>>) -> Result<Json<Value>, ApiError> {
    let (live, down) = app.catalog.snapshot().counts();
    let plugins = json!({ "live": live, "unavailable": down });
    let not_ready = |message: String| ApiError::new(Code::Overloaded, message).retry_after(1);
    match app.readiness.phase() {
        Phase::Ready => Ok(Json(json!({ "status": "ready", "plugins": plugins }))),
        Phase::Starting => {
            let message = format!("this server is loading its plugins: {live} are serving, {down} are not yet");
            Err(not_ready(message).with("plugins", plugins))
        }
        Phase::Stopping => Err(not_ready("this server is stopping; send calls elsewhere".to_owned())),
    }
}
