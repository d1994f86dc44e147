//! Intent `charge`: the requests of each payment method and the payloads of its
//! credentials, as far as the drafts define them.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use sha3::{Digest, Keccak256};

use crate::credential::{Credential, CredentialError};
use crate::encoding::read_value;

/// An amount in a currency's smallest unit (pence, or units of a token), written as a
/// decimal string in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Units(pub u128);

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Units {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !(text.len() > 1 && text.starts_with('0'));
        let number = plain.then(|| text.parse().ok()).flatten();
        number.map(Self).ok_or_else(|| serde::de::Error::custom("not a whole number in a string"))
    }
}

/// The request of method `stripe` (`draft-stripe-charge-00`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StripeCharge {
    /// Amount in the currency's smallest unit.
    pub amount: Units,
    /// ISO 4217 code in lower case: `gbp`.
    pub currency: String,
    /// Description for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The seller's reference for the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Details specific to Stripe.
    pub method_details: StripeDetails,
}

/// Details of a `stripe` request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StripeDetails {
    /// The seller's Business Network profile, `profile_…`.
    pub network_id: String,
    /// Accepted payment method types: `card`, `link`.
    pub payment_method_types: Vec<String>,
}

/// The payload of a `stripe` credential.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StripePayload {
    /// A Shared Payment Token, `spt_…`: a secret that can be charged once.
    spt: String,
    /// The client's reference for the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// The request of method `evm` (`draft-evm-charge-00`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvmCharge {
    /// Amount in the token's smallest unit.
    pub amount: Units,
    /// Contract address of the token.
    pub currency: String,
    /// Address of the payee, with the EIP-55 checksum.
    pub recipient: String,
    /// Description for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The seller's reference for the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Details specific to EVM chains.
    pub method_details: EvmDetails,
}

/// Details of an `evm` request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvmDetails {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// Accepted credential types, in order of preference: `authorization` (EIP-3009),
    /// `permit2`, `transaction`, `hash`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credential_types: Vec<String>,
    /// Number of decimals of the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// Address of the Permit2 contract. The draft requires it; libraries omit it if only
    /// EIP-3009 is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permit2_address: Option<String>,
}

/// The payload of an `evm` credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum EvmPayload {
    /// A signed `transferWithAuthorization`.
    Authorization {
        /// Address of the payer.
        from: String,
        /// Address of the payee.
        to: String,
        /// Amount in smallest units.
        value: Units,
        /// Start of validity, Unix time in seconds.
        valid_after: Units,
        /// End of validity, Unix time in seconds.
        valid_before: Units,
        /// The [`evm_nonce`] of the challenge, in hexadecimal.
        nonce: String,
        /// The signature's r, s and v.
        signature: String,
    },
    /// A signed Permit2 transfer.
    Permit2 {
        /// The permitted token and amount.
        permit: Value,
        /// The transfer's recipient and amount.
        transfer_details: Value,
        /// Data that binds the transfer to the challenge.
        witness: Value,
        /// The signature's r, s and v.
        signature: String,
    },
    /// A signed transaction.
    Transaction {
        /// The transaction as RLP in hexadecimal.
        signature: String,
    },
    /// A transaction that the client has already sent.
    Hash {
        /// Hash of the transaction.
        hash: String,
    },
}

/// The request of method `tempo` (`draft-tempo-charge-00`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TempoCharge {
    /// Amount in the token's smallest unit.
    pub amount: Units,
    /// Contract address of the token.
    pub currency: String,
    /// Address of the payee.
    pub recipient: String,
    /// Description for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The seller's reference for the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Details specific to Tempo.
    pub method_details: TempoDetails,
}

/// Details of a `tempo` request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TempoDetails {
    /// Chain id; 42431 if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<u64>,
    /// Whether the server pays the transaction fee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_payer: Option<bool>,
    /// Memo of 32 bytes in hexadecimal that the transfer must carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memo: Option<String>,
    /// Accepted modes, `pull` and `push`; both if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_modes: Option<Vec<String>>,
}

/// The payload of a `tempo` credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum TempoPayload {
    /// A signed transaction for the server to send.
    Transaction {
        /// The transaction as RLP in hexadecimal.
        signature: String,
    },
    /// A transaction that the client has already sent.
    Hash {
        /// Hash of the transaction.
        hash: String,
    },
    /// A proof that the client owns an account, used when the amount is 0.
    Proof {
        /// Signature in hexadecimal.
        signature: String,
    },
}

/// Implements conversion of a method's request to and from JSON.
macro_rules! charge {
    ($charge:ident) => {
        impl $charge {
            /// Converts to the `request` member of a challenge.
            pub fn request(&self) -> Map<String, Value> {
                match serde_json::to_value(self) {
                    Ok(Value::Object(members)) => members,
                    // A struct always serializes to an object.
                    _ => Map::new(),
                }
            }

            /// Reads the `request` member of a challenge.
            ///
            /// # Errors
            ///
            /// Fails if a member is missing or invalid.
            pub fn read(request: &Map<String, Value>) -> Result<Self, CredentialError> {
                read_members(request)
            }
        }
    };
}

charge!(StripeCharge);
charge!(EvmCharge);
charge!(TempoCharge);

impl EvmPayload {
    /// Reads the payload of a credential.
    ///
    /// # Errors
    ///
    /// Fails if a member is missing or invalid.
    pub fn read(credential: &Credential) -> Result<Self, CredentialError> {
        read_members(credential.payload())
    }
}

impl TempoPayload {
    /// Reads the payload of a credential.
    ///
    /// # Errors
    ///
    /// Fails if a member is missing or invalid.
    pub fn read(credential: &Credential) -> Result<Self, CredentialError> {
        read_members(credential.payload())
    }
}

impl StripePayload {
    /// Reads the payload of a credential.
    ///
    /// # Errors
    ///
    /// Fails if a member is missing, or if the token is not `spt_` followed by letters,
    /// digits and `_`.
    pub fn read(credential: &Credential) -> Result<Self, CredentialError> {
        let payload: Self = read_members(credential.payload())?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        match payload.spt.starts_with("spt_") && payload.spt.len() <= 255 && payload.spt.bytes().all(plain) {
            true => Ok(payload),
            false => Err(CredentialError::Malformed("`payload.spt` is not a Shared Payment Token".to_owned())),
        }
    }

    /// Returns the secret token, for use only in the request that charges it.
    pub fn expose_token(&self) -> &str {
        &self.spt
    }

    /// Returns the idempotency key under which Stripe charges the token for a
    /// challenge.
    pub fn idempotency_key(&self, challenge_id: &str) -> String {
        format!("{challenge_id}_{}", self.spt)
    }
}

impl fmt::Debug for StripePayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StripePayload(***)")
    }
}

fn read_members<T: DeserializeOwned>(members: &Map<String, Value>) -> Result<T, CredentialError> {
    Ok(read_value(Value::Object(members.clone()))?)
}

/// Returns the nonce that an EIP-3009 authorization must have to pay a challenge: the
/// Keccak-256 hash of the challenge's id and realm.
pub fn evm_nonce(challenge_id: &str, realm: &str) -> [u8; 32] {
    Keccak256::new().chain_update(challenge_id).chain_update(realm).finalize().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::challenge::Challenge;

    fn object(json: Value) -> Map<String, Value> {
        serde_json::from_value(json).unwrap()
    }

    fn credential(payload: Value) -> Credential {
        let challenge = "Payment id=\"a\", realm=\"b\", method=\"stripe\", intent=\"charge\", request=\"e30\"";
        Credential { challenge: Challenge::parse(challenge).unwrap(), payload: object(payload), source: None }
    }

    #[test]
    fn requests_have_the_form_of_the_drafts() {
        let stripe = json!({
            "amount": "5000", "currency": "usd", "description": "Premium API access for 1 month",
            "externalId": "order_12345",
            "methodDetails": { "networkId": "profile_1", "paymentMethodTypes": ["card", "link"] },
        });
        assert_eq!(Value::Object(StripeCharge::read(&object(stripe.clone())).unwrap().request()), stripe);
        let evm = json!({
            "amount": "1050000", "currency": "0xe15f", "recipient": "0x742d",
            "methodDetails": { "chainId": 1329, "credentialTypes": ["authorization"], "decimals": 6 },
        });
        assert_eq!(Value::Object(EvmCharge::read(&object(evm.clone())).unwrap().request()), evm);
        let tempo = json!({
            "amount": "1000000", "currency": "0x20c0", "recipient": "0x742d",
            "methodDetails": { "chainId": 4217, "feePayer": true, "supportedModes": ["pull"] },
        });
        assert_eq!(Value::Object(TempoCharge::read(&object(tempo.clone())).unwrap().request()), tempo);
        for amount in [json!(5000), json!("50.00"), json!("-1"), json!("")] {
            let mut wrong = stripe.clone();
            wrong["amount"] = amount;
            let error = StripeCharge::read(&object(wrong)).unwrap_err();
            assert!(error.to_string().contains("amount"), "{error}");
        }
    }

    #[test]
    fn a_token_is_plain_and_not_shown() {
        let payload = StripePayload::read(&credential(json!({ "spt": "spt_1N4" }))).unwrap();
        assert_eq!(payload.idempotency_key("c"), "c_spt_1N4");
        assert!(!format!("{payload:?}").contains("spt_1N4"));
        for spt in [json!("tok_1"), json!("spt_1&confirm=x"), json!(1), json!(format!("spt_{}", "a".repeat(255)))] {
            let error = StripePayload::read(&credential(json!({ "spt": spt }))).unwrap_err();
            assert!(error.to_string().contains("spt"), "{error}");
        }
    }

    #[test]
    fn payloads_are_distinguished_by_type() {
        let authorization = json!({
            "type": "authorization", "from": "0x1", "to": "0x2", "value": "1000000", "validAfter": "0",
            "validBefore": "1743523500", "nonce": "0x8a", "signature": "0x",
        });
        let read = EvmPayload::read(&credential(authorization)).unwrap();
        assert!(matches!(read, EvmPayload::Authorization { value: Units(1_000_000), .. }));
        let hash = TempoPayload::read(&credential(json!({ "type": "hash", "hash": "0x1" }))).unwrap();
        assert_eq!(hash, TempoPayload::Hash { hash: "0x1".to_owned() });
        assert!(TempoPayload::read(&credential(json!({ "type": "cash" }))).is_err());
    }
}
