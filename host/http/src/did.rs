//! `/.well-known/did.json`: who signs offers to wallets and receipts.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tollbridge_api::operation::{Operation, list, text};
use tollbridge_paywall::did_document;

use crate::state::AppState;
use crate::state::Routes;

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    Routes::new("payments").get(
        "/.well-known/did.json",
        document,
        Operation::new(
            "didDocument",
            "Who signs offers and receipts",
            "The keys that sign offers to wallets and receipts of x402, as `did:web` has it.",
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
