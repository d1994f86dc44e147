//! The x402 messages in wire format. Unknown members are accepted, and preserved in
//! messages that are passed on.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::address::Address;
use crate::amount::Amount;
use crate::network::Network;
use crate::scheme::Scheme;

/// The protocol version, `"x402Version": 2`; any other value is rejected.
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
            other => Err(serde::de::Error::custom(format!("version {other} is not supported; use 2"))),
        }
    }
}

/// The content of the header `PAYMENT-REQUIRED` in a 402 response (section 5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequired {
    /// Version of x402.
    #[serde(rename = "x402Version")]
    pub version: V2,
    /// Human-readable reason why payment is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The resource that the client must pay for.
    pub resource: ResourceInfo,
    /// Accepted ways to pay, in order of preference; a client chooses one.
    pub accepts: Vec<PaymentRequirements>,
    /// Extensions by name.
    #[serde(default, deserialize_with = "object_or_null")]
    pub extensions: Map<String, Value>,
}

/// The resource that a client pays for (section 5.1.2). Keep it short: proxies may drop
/// headers above 2 KiB.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceInfo {
    /// URL of the resource.
    pub url: String,
    /// Human-readable description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Media type of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Other members of the JSON object, such as `serviceName`.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A way to pay (section 5.1.2), in any scheme. [`Requirement`](crate::Requirement),
/// which is specific to this host, converts to this type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequirements {
    /// Payment scheme, `exact` or `upto`.
    pub scheme: String,
    /// Network of the payment.
    #[schemars(with = "String")]
    pub network: Network,
    /// Amount in the asset's smallest unit.
    #[schemars(with = "String")]
    pub amount: Amount,
    /// Contract address of a token, or an ISO 4217 currency code.
    pub asset: String,
    /// Payee: an account address, or the name of a role.
    pub pay_to: String,
    /// Maximum validity of the payer's authorization, in seconds.
    pub max_timeout_seconds: u64,
    /// Further data that the scheme needs; for `exact` with EIP-3009 the `name` and
    /// `version` of the token.
    #[serde(default, deserialize_with = "object_or_null")]
    pub extra: Map<String, Value>,
    /// Other members of the JSON object, which are passed on.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The content of the header `PAYMENT-SIGNATURE`, sent by a client (section 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentPayload {
    /// Version of x402.
    #[serde(rename = "x402Version")]
    pub version: V2,
    /// The resource, as stated by the client. Never trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceInfo>,
    /// The way to pay that the client chose, copied from the 402 response.
    pub accepted: PaymentRequirements,
    /// The proof of payment, in the format of its scheme.
    pub payload: Map<String, Value>,
    /// Extensions by name.
    #[serde(default, deserialize_with = "object_or_null", skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
}

/// The result of a settlement (section 5.3): a facilitator's response, and the content
/// of a server's header `PAYMENT-RESPONSE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettlementResponse {
    /// Whether the money moved.
    pub success: bool,
    /// Error code, if the money did not move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error_reason: Option<String>,
    /// Payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub payer: Option<String>,
    /// Hash of the transaction; empty if there was no transaction.
    pub transaction: String,
    /// Network of the payment.
    #[schemars(with = "String")]
    pub network: Network,
    /// Amount moved, in the token's smallest unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub amount: Option<Amount>,
    /// Extensions by name.
    #[serde(default, deserialize_with = "object_or_null", skip_serializing_if = "Map::is_empty")]
    pub extensions: Map<String, Value>,
}

/// The result of a facilitator's verification of a payment (section 5.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyResponse {
    /// Whether the payment could be settled now.
    pub is_valid: bool,
    /// Error code, if the payment could not be settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub invalid_reason: Option<String>,
    /// Payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub payer: Option<String>,
}

/// The payment kinds that a facilitator can settle (section 7.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Supported {
    /// Supported pairs of scheme and network.
    pub kinds: Vec<SupportedKind>,
    /// Names of the extensions that the facilitator supports.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Addresses with which the facilitator settles, by network pattern such as
    /// `eip155:*`.
    #[serde(default)]
    pub signers: Map<String, Value>,
}

/// One supported pair of scheme and network. A facilitator may also list pairs for other
/// versions of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SupportedKind {
    /// Version of x402.
    #[serde(rename = "x402Version")]
    pub version: u64,
    /// Payment scheme, such as `exact`.
    pub scheme: String,
    /// Network as a string, because version 1 has names that are invalid in version 2.
    pub network: String,
    /// Further data that the scheme needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub extra: Option<Value>,
}

impl Supported {
    /// Returns whether the facilitator can settle payments of this scheme on this
    /// network, in version 2 of the protocol.
    pub fn settles(&self, scheme: &str, network: &Network) -> bool {
        let is_it =
            |kind: &SupportedKind| kind.version == 2 && kind.scheme == scheme && kind.network == network.as_str();
        self.kinds.iter().any(is_it)
    }

    /// Returns the facilitator address that payers must include in `upto` signatures on
    /// this network; `None` if `upto` is not supported there.
    pub fn settles_upto(&self, network: &Network) -> Option<Address> {
        let kinds = self.kinds.iter().filter(|kind| kind.version == 2 && kind.scheme == Scheme::UPTO);
        let extra = kinds.filter(|kind| kind.network == network.as_str()).filter_map(|kind| kind.extra.as_ref());
        let mut named = extra.filter_map(|extra| extra.get(Scheme::FACILITATOR)?.as_str()?.parse::<Address>().ok());
        named.find(|address| !address.is_zero())
    }
}

impl PaymentRequired {
    /// Creates a message that requires one of several payments, with a human-readable
    /// reason.
    pub fn new(resource: ResourceInfo, accepts: Vec<PaymentRequirements>, why: &str) -> Self {
        Self { version: V2, error: Some(why.to_owned()), resource, accepts, extensions: Map::new() }
    }
}

impl SettlementResponse {
    /// Creates the response for a payment that moved no money, with an error code. Never
    /// use it for an unclear outcome.
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

/// Deserializes an object; accepts `null` as an empty object, because some clients send
/// that.
fn object_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
