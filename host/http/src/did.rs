//! `/.well-known/did.json`: the keys that sign offers to wallets and receipts.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tollbridge_api::operation::{Operation, list, text};
use tollbridge_paywall::did_document;

use crate::state::AppState;
use crate::state::Routes;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("payments").get(
        "/.well-known/did.json",
        document,
        Operation::new(
            "didDocument",
            "Keys that sign offers and receipts",
            "The keys that sign x402 offers to wallets and receipts, as a `did:web` document.",
        )
        .members(
            200,
            "The document",
            &json!({ "id": text(), "verificationMethod": list(&json!({ "type": "object" })) }),
        ),
    )
}

async fn document(State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(did_document(&app.paywall))
}
