//! `UptoSale`: a model's answer that a wallet pays by `upto`, with all data needed to
//! seal it once it is paid.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::InferenceCharge;
use tollbridge_store::{Hash, StoredAnswer, hexed};

/// An unpaid answer. It is stored in the row of the settlement request, so that no
/// model runs twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UptoSale {
    /// Transaction id of the sale.
    #[serde(with = "hexed")]
    pub tx: Hash,
    /// Cost of the request and the usage that it is computed from; the payment is added
    /// later.
    pub charge: InferenceCharge,
    /// The answer, without its body.
    pub answer: StoredAnswer,
    /// The body of the answer.
    #[serde(with = "base64_text")]
    pub body: Bytes,
}

impl UptoSale {
    /// Returns the price for the caller.
    pub(super) const fn amount(&self) -> Millipence {
        self.charge.amount
    }
}

/// Serializes bytes as base64.
mod base64_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Bytes::from).map_err(serde::de::Error::custom)
    }
}
