//! `GET /api/v1/bridges`: every bridge with its price, schemas and examples.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::error::{ApiError, not_found};
use crate::path::Path;
use crate::state::AppState;
use tollbridge_market::catalog::{CatalogEntry, Offer};
use tollbridge_runtime::registry::Kind;

pub fn routes() -> Router<Arc<AppState>> {
    let mut routes = Router::new();
    for prefix in ["/api/v1", "/v1"] {
        routes = routes
            .route(&format!("{prefix}/bridges"), get(list))
            .route(&format!("{prefix}/bridges/{{name}}"), get(show));
    }
    routes
}

async fn list(State(app): State<Arc<AppState>>) -> Json<Value> {
    let snapshot = app.catalog.snapshot();
    let bridges: Vec<Value> = snapshot.entries(Kind::Bridge).map(|(name, entry)| describe(name, entry)).collect();
    Json(json!({ "bridges": bridges }))
}

async fn show(State(app): State<Arc<AppState>>, Path(name): Path<String>) -> Result<Json<Value>, ApiError> {
    let snapshot = app.catalog.snapshot();
    let entry = snapshot.entry(Kind::Bridge, &name);
    let entry = entry.ok_or_else(|| not_found(format!("there is no bridge `{name}`")))?;
    Ok(Json(describe(&name, entry)))
}

fn describe(name: &str, entry: &CatalogEntry) -> Value {
    match entry {
        CatalogEntry::Live(offer) => live(offer),
        // Why it is down may name files and people; that is for the operator.
        CatalogEntry::Down { purpose, .. } => json!({ "name": name, "purpose": purpose, "status": "unavailable" }),
    }
}

fn live(offer: &Offer) -> Value {
    let description = offer.plugin.description();
    let examples: Vec<Value> = description
        .examples
        .iter()
        .map(|example| json!({ "input": example.input, "output": example.output }))
        .collect();
    json!({
        "name": offer.name,
        "purpose": offer.purpose,
        "price_gbp": offer.price.pounds(),
        "price_pence": offer.price.pence_floor(),
        "version": offer.version_text,
        "publisher": offer.publisher,
        "status": "live",
        "sha256": hex::encode(offer.sha256),
        "input_schema": description.input_schema,
        "output_schema": description.output_schema,
        "examples": examples,
    })
}
