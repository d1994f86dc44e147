//! `/health/live` and `/health/ready`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::error::{ApiError, Code};
use crate::state::AppState;

/// Whether this server should be sent calls.
#[derive(Debug, Default)]
pub struct Readiness {
    draining: AtomicBool,
}

impl Readiness {
    /// From now on load balancers should go elsewhere.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    fn ready(&self) -> bool {
        !self.draining.load(Ordering::Relaxed)
    }
}

pub fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/health/live", get(live)).route("/health/ready", get(ready))
}

async fn live() -> Json<Value> {
    Json(json!({ "status": "live" }))
}

async fn ready(State(app): State<Arc<AppState>>) -> Result<Json<Value>, ApiError> {
    if !app.readiness.ready() {
        return Err(ApiError::new(Code::Overloaded, "this server is stopping; send calls elsewhere").retry_after(1));
    }
    let (live, down) = app.catalog.snapshot().counts();
    Ok(Json(json!({ "status": "ready", "plugins": { "live": live, "unavailable": down } })))
}
