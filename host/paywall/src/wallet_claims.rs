//! Signed claims for wallets (x402 extension `offer-receipt`): that this host offered a
//! call at a price, and that the call was paid and answered. Third parties can verify
//! both claims with the keys at `/.well-known/did.json`.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tollbridge_core::signing::Signer;
use tollbridge_x402::{Offer, Receipt, SettlementResponse, Signed, receipt_extension};

use crate::Paywall;

/// Returns the `did:web` identifier of this host: its address without the scheme.
fn did(paywall: &Paywall) -> String {
    let authority = paywall.base_url.split_once("://").map_or("", |(_, rest)| rest);
    format!("did:web:{}", authority.replace(':', "%3A").replace('/', ":"))
}

fn key_of(paywall: &Paywall) -> (Arc<Signer>, String) {
    let signer = paywall.keys.proofs();
    let kid = format!("{}#{}", did(paywall), signer.public().kid);
    (signer, kid)
}

/// Returns the identifier of the current signing key.
pub(crate) fn kid_of(paywall: &Paywall) -> String {
    key_of(paywall).1
}

/// Returns the `did:web` document with the host's public keys.
pub fn did_document(paywall: &Paywall) -> Value {
    let did = did(paywall);
    let mut methods = Vec::new();
    let mut names = Vec::new();
    // Retired keys are included, to verify their earlier signatures.
    for key in paywall.keys.public().into_iter().filter(|key| key.purpose == tollbridge_core::signing::PROOFS) {
        let id = format!("{did}#{}", key.kid);
        names.push(Value::from(id.as_str()));
        methods.push(json!({ "id": id, "type": "JsonWebKey2020", "controller": did, "publicKeyJwk": key.jwk() }));
    }
    json!({
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
        "id": did,
        "verificationMethod": methods,
        "assertionMethod": names,
    })
}

/// Signs the offer at position `place` of a 402 response.
pub(crate) fn sign_offer(paywall: &Paywall, place: u64, offer: &Offer) -> Signed {
    let (signer, kid) = key_of(paywall);
    offer.sign(place, &kid, |bytes| signer.sign(bytes))
}

/// Signs that a call was paid at `paid_s` and answered. Repeated requests get the same
/// receipt.
pub(crate) fn sign_receipt(paywall: &Paywall, settled: &mut SettlementResponse, resource_url: &str, paid_s: u64) {
    let (signer, kid) = key_of(paywall);
    let receipt = Receipt {
        version: 1,
        network: settled.network.clone(),
        resource_url: resource_url.to_owned(),
        payer: settled.payer.clone().unwrap_or_default(),
        issued_at: paid_s,
        transaction: Some(settled.transaction.clone()).filter(|hash| !hash.is_empty()),
    };
    let mut extensions = Map::new();
    receipt_extension(&mut extensions, &receipt.sign(&kid, |bytes| signer.sign(bytes)));
    settled.extensions.extend(extensions);
}
