//! `GET /api/v1/bridges`: every bridge with its price, schemas and examples.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, not_found};
use tollbridge_api::operation;
use tollbridge_api::operation::{Operation, integer, object, text};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{CatalogEntry, Offer, Snapshot};

use crate::listed::{add_price, add_standing};
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("bridges")
        .get(
            "/api/v1/bridges",
            list,
            Operation::new("listBridges", "List bridges", "Every bridge with price, schemas and examples.")
                .alias("/v1/bridges")
                .members(200, "The bridges", &json!({ "bridges": operation::list(&bridge_schema()) })),
        )
        .get(
            "/api/v1/bridges/{name}",
            show,
            Operation::new("showBridge", "Show a bridge", "One bridge with price, schemas and examples.")
                .alias("/v1/bridges/{name}")
                .answer_schema(200, "The bridge", bridge_schema()),
        )
}

/// Returns the schema of a bridge. A bridge without a serving version has only the first five
/// members.
fn bridge_schema() -> Value {
    json!({
        "type": "object",
        "required": ["name", "purpose", "status"],
        "properties": {
            "name": text(),
            "purpose": text(),
            "status": { "enum": ["live", "unavailable"] },
            "reason": { "type": "string", "description": "Why it is unavailable" },
            "price_gbp": text(),
            "price_pence": integer(),
            "version": text(),
            "publisher": text(),
            "sha256": text(),
            "input_schema": {},
            "output_schema": {},
            "examples": operation::list(&object(&json!({ "input": {}, "output": {} }))),
        },
    })
}

async fn list(State(app): State<Arc<AppState>>) -> Json<Value> {
    let snapshot = app.catalog.snapshot();
    let bridges: Vec<Value> =
        snapshot.entries(PluginKind::Bridge).map(|(name, entry)| describe(&snapshot, name, entry)).collect();
    Json(json!({ "bridges": bridges }))
}

async fn show(State(app): State<Arc<AppState>>, Path(name): Path<String>) -> Result<Json<Value>, ApiError> {
    let snapshot = app.catalog.snapshot();
    let entry = snapshot.entry(PluginKind::Bridge, &name);
    let entry = entry.ok_or_else(|| not_found(format!("there is no bridge `{name}`")))?;
    Ok(Json(describe(&snapshot, &name, entry)))
}

/// Describes a bridge, whether or not it is serving.
pub(crate) fn describe(snapshot: &Snapshot, name: &str, entry: &CatalogEntry) -> Value {
    let (mut view, reason) = match entry {
        CatalogEntry::Live(offer) => (served(offer), snapshot.unmet_need(offer).map(|unmet| unmet.reason)),
        CatalogEntry::Down { purpose, price, .. } => {
            let mut view = json!({ "name": name, "purpose": purpose });
            add_price(&mut view, *price);
            (view, entry.public_reason().map(str::to_owned))
        }
    };
    add_standing(&mut view, "live", "unavailable", reason);
    view
}

fn served(offer: &Offer) -> Value {
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
        "sha256": hex::encode(offer.sha256),
        "input_schema": description.input_schema,
        "output_schema": description.output_schema,
        "examples": examples,
    })
}
