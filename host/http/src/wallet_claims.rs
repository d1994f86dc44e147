//! What this host signs for wallets (extension `offer-receipt` of x402): that it
//! offered a call at a price, and that it was paid and answered. Either can be
//! shown to others, who find the key at `/.well-known/did.json`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};
use tollbridge_api::operation::{Operation, list, text};
use tollbridge_core::signing::Signer;
use tollbridge_core::time::now_ms;
use tollbridge_x402::{Offer, PaymentRequired, Receipt, SettlementResponse, offers_extension, receipt_extension};

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

/// The name of this host as `did:web` has it: of its address, without the scheme.
fn did(app: &AppState) -> String {
    let authority = app.settings.base_url.split_once("://").map_or("", |(_, rest)| rest);
    format!("did:web:{}", authority.replace(':', "%3A").replace('/', ":"))
}

fn key_of(app: &AppState) -> (Arc<Signer>, String) {
    let signer = app.keys.proofs();
    let kid = format!("{}#{}", did(app), signer.public().kid);
    (signer, kid)
}

async fn document(State(app): State<Arc<AppState>>) -> Json<Value> {
    let did = did(&app);
    let mut methods = Vec::new();
    let mut names = Vec::new();
    // Keys that were replaced still verify what they signed.
    for key in app.keys.public().into_iter().filter(|key| key.purpose == tollbridge_core::signing::PROOFS) {
        let id = format!("{did}#{}", key.kid);
        names.push(Value::from(id.as_str()));
        methods.push(json!({ "id": id, "type": "JsonWebKey2020", "controller": did, "publicKeyJwk": key.jwk() }));
    }
    Json(json!({
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
        "id": did,
        "verificationMethod": methods,
        "assertionMethod": names,
    }))
}

/// Signs what an answer 402 offers.
pub(crate) fn sign_offers(app: &AppState, asked: &mut PaymentRequired, valid_until_s: u64) {
    let (signer, kid) = key_of(app);
    let mut signed = Vec::new();
    for (index, accepted) in (0_u64..).zip(&asked.accepts) {
        let offer = Offer::of(&asked.resource.url, accepted, Some(valid_until_s));
        signed.push(offer.sign(index, &kid, |bytes| signer.sign(bytes)));
    }
    offers_extension(&mut asked.extensions, &signed);
}

/// Signs that a call was paid for and answered.
pub(crate) fn sign_receipt(app: &AppState, settled: &mut SettlementResponse, resource_url: &str) {
    let (signer, kid) = key_of(app);
    let receipt = Receipt {
        version: 1,
        network: settled.network.clone(),
        resource_url: resource_url.to_owned(),
        payer: settled.payer.clone().unwrap_or_default(),
        issued_at: now_ms() / 1000,
        transaction: Some(settled.transaction.clone()).filter(|hash| !hash.is_empty()),
    };
    let mut extensions = Map::new();
    receipt_extension(&mut extensions, &receipt.sign(&kid, |bytes| signer.sign(bytes)));
    settled.extensions.extend(extensions);
}
