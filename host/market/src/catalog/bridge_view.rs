//! Bridges as the API describes them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_plugin::Example;

use super::offer::Offer;
use super::snapshot::{CatalogEntry, Snapshot};

/// The price of one call.
#[derive(Serialize, JsonSchema)]
pub struct CallPrice {
    price_gbp: String,
    price_pence: i64,
}

impl CallPrice {
    /// Creates the members from an amount.
    pub fn new(price: Millipence) -> Self {
        Self { price_gbp: price.pounds(), price_pence: price.pence_floor() }
    }
}

/// A bridge.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Bridge")]
pub struct BridgeView {
    name: String,
    purpose: String,
    #[schemars(extend("enum" = ["live", "unavailable"]))]
    status: &'static str,
    /// The reason it is unavailable
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    reason: Option<String>,
    #[serde(flatten)]
    price: Option<CallPrice>,
    #[serde(flatten)]
    served: Option<ServedBridge>,
}

/// The serving version of a bridge.
#[derive(Serialize, JsonSchema)]
struct ServedBridge {
    version: String,
    publisher: String,
    sha256: String,
    input_schema: Value,
    output_schema: Value,
    examples: Vec<Example>,
}

impl BridgeView {
    /// Describes a bridge, whether or not it is serving.
    pub fn new(snapshot: &Snapshot, name: &str, entry: &CatalogEntry) -> Self {
        let (purpose, price, served, reason) = match entry {
            CatalogEntry::Live(offer) => {
                let reason = snapshot.unmet_need(offer).map(|unmet| unmet.reason);
                (&offer.purpose, Some(offer.price), Some(served(offer)), reason)
            }
            CatalogEntry::Down { purpose, price, .. } => {
                (purpose, *price, None, entry.public_reason().map(str::to_owned))
            }
        };
        Self {
            name: name.to_owned(),
            purpose: purpose.clone(),
            status: if reason.is_some() { "unavailable" } else { "live" },
            reason,
            price: price.map(CallPrice::new),
            served,
        }
    }
}

fn served(offer: &Offer) -> ServedBridge {
    let description = offer.plugin.description();
    ServedBridge {
        version: offer.version_text.clone(),
        publisher: offer.publisher.clone(),
        sha256: hex::encode(offer.sha256),
        input_schema: description.input_schema.clone(),
        output_schema: description.output_schema.clone(),
        examples: description.examples.clone(),
    }
}
