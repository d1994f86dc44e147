//! `/.well-known/did.json`: the keys that sign offers to wallets and receipts.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use tollbridge_api::operation::Operation;
use tollbridge_paywall::DidDocument;
use tollbridge_web::{AppState, Routes};

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
        .answer::<DidDocument>(200, "The document"),
    )
}

async fn document(State(app): State<Arc<AppState>>) -> Json<DidDocument> {
    Json(app.paywall.claims.did_document())
}
