//! Test vectors made by official clients; `vectors/README.md` lists the versions of the
//! clients.

use serde::Deserialize;
use serde_json::Value;

use crate::address::Address;
use crate::authorization::ExactPayload;
use crate::permit2::{UptoAuthorization, UptoPayload};
use crate::requirement::Requirement;
use crate::token::Token;
use crate::wire::{PaymentPayload, PaymentRequirements};

/// The example payment from the specification.
pub(crate) const PAYMENT: &str = include_str!("../vectors/spec_payment.json");

/// A payment made by an official client.
pub(crate) struct Vector {
    pub(crate) client: String,
    /// Time at which the payment was made.
    pub(crate) now_s: u64,
    pub(crate) requirement: Requirement,
    pub(crate) payment: PaymentPayload,
    /// Digest of the signed data, computed by another library.
    pub(crate) digest: String,
    pub(crate) payer: Address,
}

impl Vector {
    pub(crate) fn payload(&self) -> ExactPayload {
        serde_json::from_value(Value::Object(self.payment.payload.clone())).unwrap()
    }

    pub(crate) fn permit(&self) -> UptoAuthorization {
        let payload: UptoPayload = serde_json::from_value(Value::Object(self.payment.payload.clone())).unwrap();
        payload.permit2_authorization
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    client: String,
    now_s: u64,
    header: String,
    requirement: PaymentRequirements,
    decimals: u8,
    digest: String,
    payer: Address,
}

/// Reads a file of test vectors.
pub(crate) fn vectors(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns `exact` payments made by official clients. The first is 0.01 USDC on Base
/// Sepolia.
pub(crate) fn signed() -> Vec<Vector> {
    all_of(["signed_python.json", "signed_node.json"])
}

/// Returns `upto` payments made by official clients.
pub(crate) fn signed_upto() -> Vec<Vector> {
    all_of(["upto_python.json", "upto_node.json"])
}

fn all_of(files: [&str; 2]) -> Vec<Vector> {
    let mut all = Vec::new();
    for file in files {
        let stored: Vec<Stored> = serde_json::from_value(vectors(file)["vectors"].clone()).unwrap();
        all.extend(stored.into_iter().map(Vector::from));
    }
    all
}

impl From<Stored> for Vector {
    fn from(stored: Stored) -> Self {
        let asked = &stored.requirement;
        let token = Token {
            chain: asked.network.chain_id().unwrap(),
            address: asked.asset.parse().unwrap(),
            name: asked.extra["name"].as_str().unwrap().to_owned(),
            version: asked.extra["version"].as_str().unwrap().to_owned(),
            decimals: stored.decimals,
        };
        let pay_to = asked.pay_to.parse().unwrap();
        let requirement = Requirement::new(token, asked.amount, pay_to, asked.max_timeout_seconds).unwrap();
        let facilitator =
            asked.extra.get("facilitatorAddress").map(|address| address.as_str().unwrap().parse().unwrap());
        let requirement = facilitator.map_or(requirement.clone(), |address| requirement.upto(address));
        Self {
            client: stored.client,
            now_s: stored.now_s,
            requirement,
            payment: PaymentPayload::decode(stored.header.as_bytes()).unwrap(),
            digest: stored.digest,
            payer: stored.payer,
        }
    }
}
