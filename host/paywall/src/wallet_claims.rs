//! Signed claims for wallets (x402 extension `offer-receipt`): that this host offered a
//! call at a price, and that the call was paid and answered. Third parties can verify
//! both claims with the keys at `/.well-known/did.json`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use tollbridge_core::signing::{Jwk, Keyring, PROOFS, Signer};
use tollbridge_x402::{Offer, Receipt, SettlementResponse, Signed, receipt_extension};

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

/// The signer of claims for wallets.
pub struct ClaimSigner {
    keys: Arc<Keyring>,
    /// The `did:web` identifier of this host.
    did: String,
}

impl ClaimSigner {
    /// Creates a signer with the host's signing keys. Its identifier is `base_url`
    /// without the scheme.
    pub fn new(keys: Arc<Keyring>, base_url: &str) -> Self {
        let authority = base_url.split_once("://").map_or("", |(_, rest)| rest);
        Self { keys, did: format!("did:web:{}", authority.replace(':', "%3A").replace('/', ":")) }
    }

    fn key(&self) -> (Arc<Signer>, String) {
        let signer = self.keys.proofs();
        let kid = format!("{}#{}", self.did, signer.public().kid);
        (signer, kid)
    }

    /// Returns the identifier of the current signing key.
    pub(crate) fn kid(&self) -> String {
        self.key().1
    }

    /// Returns the `did:web` document with the host's public keys.
    pub fn did_document(&self) -> DidDocument {
        let id = self.did.clone();
        // Retired keys are included, to verify their earlier signatures.
        let keys = self.keys.public().into_iter().filter(|key| key.purpose == PROOFS);
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
    pub(crate) fn sign_offer(&self, place: u64, offer: &Offer) -> Signed {
        let (signer, kid) = self.key();
        offer.sign(place, &kid, |bytes| signer.sign(bytes))
    }

    /// Signs the claim that a call was paid at `paid_s` and answered. Repeated requests
    /// get the same receipt.
    pub(crate) fn sign_receipt(&self, settled: &mut SettlementResponse, resource_url: &str, paid_s: u64) {
        let (signer, kid) = self.key();
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
}
