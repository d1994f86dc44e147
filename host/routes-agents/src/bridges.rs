//! `GET /api/v1/bridges`: every bridge with its price, schemas and examples.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_api::error::{ApiError, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::BridgeView;
use tollbridge_web::{AppState, Path, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("bridges")
        .get(
            "/api/v1/bridges",
            list,
            Operation::new("listBridges", "List bridges", "Every bridge with price, schemas and examples.")
                .alias("/v1/bridges")
                .answer::<Bridges>(200, "The bridges"),
        )
        .get(
            "/api/v1/bridges/{name}",
            show,
            Operation::new("showBridge", "Show a bridge", "One bridge with price, schemas and examples.")
                .alias("/v1/bridges/{name}")
                .answer::<BridgeView>(200, "The bridge"),
        )
}

#[derive(Serialize, JsonSchema)]
struct Bridges {
    bridges: Vec<BridgeView>,
}

async fn list(State(app): State<Arc<AppState>>) -> Json<Bridges> {
    let snapshot = app.catalog.snapshot();
    let bridges =
        snapshot.entries(PluginKind::Bridge).map(|(name, entry)| BridgeView::new(&snapshot, name, entry)).collect();
    Json(Bridges { bridges })
}

async fn show(State(app): State<Arc<AppState>>, Path(name): Path<String>) -> Result<Json<BridgeView>, ApiError> {
    let snapshot = app.catalog.snapshot();
    let entry = snapshot.entry(PluginKind::Bridge, &name);
    let entry = entry.ok_or_else(|| not_found(format!("there is no bridge `{name}`")))?;
    Ok(Json(BridgeView::new(&snapshot, &name, entry)))
}
