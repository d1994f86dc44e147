//! `/health/live` and `/health/ready`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_web::{AppState, Phase, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("service")
        .get(
            "/health/live",
            live,
            Operation::new("live", "Liveness", "Whether the process runs.").answer::<Liveness>(200, "It runs"),
        )
        .get(
            "/health/ready",
            ready,
            Operation::new("ready", "Readiness", "Whether calls should be sent here.")
                .answer::<Readiness>(200, "The server is ready for calls"),
        )
}

#[derive(Serialize, JsonSchema)]
struct Liveness {
    #[schemars(extend("const" = "live"))]
    status: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Readiness {
    #[schemars(extend("const" = "ready"))]
    status: &'static str,
    plugins: PluginCounts,
}

#[derive(Serialize, JsonSchema)]
struct PluginCounts {
    live: usize,
    unavailable: usize,
}

async fn live() -> Json<Liveness> {
    Json(Liveness { status: "live" })
}

async fn ready(State(app): State<Arc<AppState>>) -> Result<Json<Readiness>, ApiError> {
    let (live, down) = app.catalog.snapshot().counts();
    let plugins = PluginCounts { live, unavailable: down };
    let not_ready = |message: String| ApiError::new(Code::Overloaded, message).retry_after(1);
    match app.readiness.phase() {
        Phase::Ready => Ok(Json(Readiness { status: "ready", plugins })),
        Phase::Starting => {
            let message = format!("this server is loading its plugins: {live} are serving, {down} are not yet");
            Err(not_ready(message).with("plugins", json!(plugins)))
        }
        Phase::Stopping => Err(not_ready("this server is stopping; send calls elsewhere".to_owned())),
    }
}
