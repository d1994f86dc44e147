//! Signed claims for wallets (x402 extension `offer-receipt`): that this host offered a
//! call at a price, and that the call was paid and answered. Third parties can verify
//! both claims with the keys at `/.well-known/did.json`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use tollbridge_core::signing::{Jwk, PROOFS, Signer};
use tollbridge_x402::{Offer, Receipt, SettlementResponse, Signed, receipt_extension};

use crate::Paywall;

/// A `did:web` document with the keys that sign offers and receipts.
#[derive(Serialize, JsonSchema)]
pub struct DidDocument {
    #[serde(rename = "@context")]
    context: [&'static str; 2],
    id: String,
    #[serde(rename = "verificationMethod")]
    methods: Vec<VerificationMethod>,
    #[serde(rename = "assertionMethod")]
    names: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VerificationMethod {
    id: String,
    #[serde(rename = "type")]
    #[schemars(extend("const" = "JsonWebKey2020"))]
    kind: &'static str,
    controller: String,
    public_key_jwk: Jwk,
}

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
pub fn did_document(paywall: &Paywall) -> DidDocument {
    let id = did(paywall);
    // Retired keys are included, to verify their earlier signatures.
    let keys = paywall.keys.public().into_iter().filter(|key| key.purpose == PROOFS);
    let methods: Vec<_> = keys
        .map(|key| VerificationMethod {
            id: format!("{id}#{}", key.kid),
            kind: "JsonWebKey2020",
            controller: id.clone(),
            public_key_jwk: key.jwk(),
        })
        .collect();
    DidDocument {
        context: ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
        names: methods.iter().map(|method| method.id.clone()).collect(),
        methods,
        id,
    }
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
