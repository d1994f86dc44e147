//! The messages of x402 as they are on the wire. What is not known is tolerated,
//! and kept where it is handed on.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::address::Address;
use crate::amount::Amount;
use crate::network::Network;
use crate::requirement::Scheme;

/// `"x402Version": 2`; anything else is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct V2;

impl Serialize for V2 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(2)
    }
}

impl<'de> Deserialize<'de> for V2 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            2 => Ok(Self),
            other => Err(serde::de::Error::custom(format!("it is version {other}; 2 is spoken here"))),
        }
    }
}

/// What a 402 says in the header `PAYMENT-REQUIRED` (section 5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequired {
    /// Version of the protocol.
    #[serde(rename = "x402Version")]
    pub version: V2,
    /// Why payment is required, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is sold.
    pub resource: ResourceInfo,
    /// Ways to pay, in the order of preference; a client takes one.
    pub accepts: Vec<PaymentRequirements>,
    /// By the name of the extension.
    #[serde(default, deserialize_with = "object_or_null")]
    pub extensions: Map<String, Value>,
}

/// What is sold (section 5.1.2). Keep it short: what carries headers may drop
/// those above 2 KiB.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceInfo {
    /// Its address.
    pub url: String,
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Media type of what it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Other members, such as `serviceName`.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One way to pay (section 5.1.2), of any scheme. What this host asks for is an
/// [`Requirement`](crate::Requirement), which makes one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequirements {
    /// How it is paid, `exact` or `upto`.
    pub scheme: String,
    /// Where money moves.
    pub network: Network,
    /// In the asset's smallest unit.
    pub amount: Amount,
    /// A token's contract, or an ISO 4217 code.
    pub asset: String,
    /// Who gets it: an account, or a role.
    pub pay_to: String,
    /// How long a payer may take.
    pub max_timeout_seconds: u64,
    /// What the scheme needs besides; of `exact` with EIP-3009 the `name` and
    /// `version` of the token.
    #[serde(default, deserialize_with = "object_or_null")]
    pub extra: Map<String, Value>,
    /// Other members, which are handed on.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a client sends in the header `PAYMENT-SIGNATURE` (section 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentPayload {
    /// Version of the protocol.
    #[serde(rename = "x402Version")]
    pub version: V2,
    /// What is bought, as the client understood it. Never trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceInfo>,
    /// The way to pay that the client took, echoed.
    pub accepted: PaymentRequirements,
    /// The proof, in the form of its scheme.
    pub payload: Map<String, Value>,
    /// By the name of the extension.
    #[serde(default, deserialize_with = "object_or_null", skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
}

/// How a settlement went (section 5.3): what a facilitator answers, and what a
/// server says in the header `PAYMENT-RESPONSE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettlementResponse {
    /// Whether the money moved.
    pub success: bool,
    /// Why not, as a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
    /// Whose money it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
    /// Hash of the transaction; empty when there is none.
    pub transaction: String,
    /// Where it moved.
    pub network: Network,
    /// How much moved, in smallest units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
    /// By the name of the extension.
    #[serde(default, deserialize_with = "object_or_null", skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
}

/// What a facilitator thinks of a payment (section 5.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyResponse {
    /// Whether it could be settled now.
    pub is_valid: bool,
    /// Why not, as a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid_reason: Option<String>,
    /// Whose money it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
}

/// What a facilitator can settle (section 7.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Supported {
    /// Every pair of scheme and network.
    pub kinds: Vec<SupportedKind>,
    /// Names of extensions.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Its own accounts by pattern of network, `eip155:*`.
    #[serde(default)]
    pub signers: Map<String, Value>,
}

/// One pair of scheme and network. A facilitator may list other versions of the
/// protocol too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SupportedKind {
    /// Version of the protocol.
    #[serde(rename = "x402Version")]
    pub version: u64,
    /// For example `exact`.
    pub scheme: String,
    /// As text, since version 1 has names that are none in version 2.
    pub network: String,
    /// What the scheme needs besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Value>,
}

impl Supported {
    /// Whether payments of this scheme on this network can be settled, in version
    /// 2 of the protocol.
    pub fn settles(&self, scheme: &str, network: &Network) -> bool {
        let is_it =
            |kind: &SupportedKind| kind.version == 2 && kind.scheme == scheme && kind.network == network.as_str();
        self.kinds.iter().any(is_it)
    }

    /// Who settles payments by `upto` on this network, if it can be done: the address
    /// that payers must sign.
    pub fn settles_upto(&self, network: &Network) -> Option<Address> {
        let kinds = self.kinds.iter().filter(|kind| kind.version == 2 && kind.scheme == Scheme::UPTO);
        let extra = kinds.filter(|kind| kind.network == network.as_str()).filter_map(|kind| kind.extra.as_ref());
        let mut named = extra.filter_map(|extra| extra.get(Scheme::FACILITATOR)?.as_str()?.parse::<Address>().ok());
        named.find(|address| !address.is_zero())
    }
}

impl PaymentRequired {
    /// Asks for one of several payments, and says why, for people.
    pub fn new(resource: ResourceInfo, accepts: Vec<PaymentRequirements>, why: &str) -> Self {
        Self { version: V2, error: Some(why.to_owned()), resource, accepts, extensions: Map::new() }
    }
}

impl SettlementResponse {
    /// That no money moved, with a code. Never of what is unclear.
    pub fn failed(reason: &str, network: Network, payer: Option<Address>) -> Self {
        Self {
            success: false,
            error_reason: Some(reason.to_owned()),
            payer: payer.map(|payer| payer.to_string()),
            transaction: String::new(),
            network,
            amount: None,
            extensions: Map::new(),
        }
    }
}

/// Clients write `null` where they have nothing.
fn object_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
