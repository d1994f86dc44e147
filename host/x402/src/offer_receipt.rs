//! Extension `offer-receipt`: signed offers and receipts, as JSON Web Signatures
//! with Ed25519.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::amount::Amount;
use crate::header::{HeaderError, read_json};
use crate::network::Network;
use crate::wire::PaymentRequirements;

/// Name of the extension.
const EXTENSION: &str = "offer-receipt";
/// Maximum length of a signed offer or receipt that is parsed.
const JWS_BYTES_MAX: usize = 8 << 10;

/// A server's commitment to a price (section 4.2 of the extension).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// Always 1.
    pub version: u64,
    /// URL of the resource.
    pub resource_url: String,
    /// Payment scheme, such as `exact`.
    pub scheme: String,
    /// Network of the payment.
    pub network: Network,
    /// Contract address of the token.
    pub asset: String,
    /// Payee.
    pub pay_to: String,
    /// Amount in the token's smallest unit.
    pub amount: Amount,
    /// Expiry of the offer, Unix time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<u64>,
}

/// A server's signed statement that a call was paid and answered (section 5.2 of the
/// extension).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Always 1.
    pub version: u64,
    /// Network of the payment.
    pub network: Network,
    /// URL of the resource.
    pub resource_url: String,
    /// Payer.
    pub payer: String,
    /// Time of issue, Unix seconds.
    pub issued_at: u64,
    /// Hash of the transaction that paid. Without it, the receipt cannot be linked to a
    /// transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
}

/// A signed offer or receipt, as contained in `extensions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signed {
    format: String,
    /// Index in `accepts` of the offered way to pay; not signed, so not trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accept_index: Option<u64>,
    signature: String,
}

/// The reason why a signed offer or receipt is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum JwsError {
    #[error("it is not a JSON Web Signature of three parts in base64url")]
    Malformed,
    #[error("it is signed with `{0}`; only EdDSA is supported")]
    Algorithm(String),
    #[error("its signature does not match the key `{0}`")]
    Signature(String),
    #[error("the signed content is invalid: {0}")]
    Payload(HeaderError),
}

#[derive(Serialize, Deserialize)]
struct JwsHeader {
    alg: String,
    kid: String,
}

impl Offer {
    /// Creates the offer for one entry of `accepts` of a resource, valid until
    /// `valid_until` (Unix seconds).
    pub fn of(resource_url: &str, accepted: &PaymentRequirements, valid_until: Option<u64>) -> Self {
        Self {
            version: 1,
            resource_url: resource_url.to_owned(),
            scheme: accepted.scheme.clone(),
            network: accepted.network.clone(),
            asset: accepted.asset.clone(),
            pay_to: accepted.pay_to.clone(),
            amount: accepted.amount,
            valid_until,
        }
    }

    /// Signs the offer. `kid` is the DID URL of the key; `sign` creates its Ed25519
    /// signature. `accept_index` is the entry's index in `accepts`.
    pub fn sign(&self, accept_index: u64, kid: &str, sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Signed {
        Signed { accept_index: Some(accept_index), ..jws(self, kid, sign) }
    }
}

impl Receipt {
    /// Signs the receipt. `kid` is the DID URL of the key; `sign` creates its Ed25519
    /// signature.
    pub fn sign(&self, kid: &str, sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Signed {
        jws(self, kid, sign)
    }
}

impl Signed {
    /// Returns the signed JSON Web Signature in compact form.
    pub fn jws(&self) -> &str {
        &self.signature
    }

    /// Verifies and decodes an [`Offer`] or a [`Receipt`]; `verify` is passed the name of
    /// the key, the signed text and the signature. The caller must check that the key is
    /// authorized to sign for the resource.
    ///
    /// # Errors
    ///
    /// Fails if the text is malformed, or not signed by that key.
    pub fn open<T: DeserializeOwned>(
        &self,
        verify: impl FnOnce(&str, &[u8], &[u8; 64]) -> bool,
    ) -> Result<T, JwsError> {
        if self.format != "jws" || self.signature.len() > JWS_BYTES_MAX {
            return Err(JwsError::Malformed);
        }
        let (signed, signature) = self.signature.rsplit_once('.').ok_or(JwsError::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(JwsError::Malformed)?;
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| JwsError::Malformed);
        let header: JwsHeader = serde_json::from_slice(&bytes(header)?).map_err(|_| JwsError::Malformed)?;
        if header.alg != "EdDSA" {
            return Err(JwsError::Algorithm(tollbridge_core::excerpt::excerpt(&header.alg, 20)));
        }
        let signature: [u8; 64] = bytes(signature)?.try_into().map_err(|_| JwsError::Malformed)?;
        if !verify(&header.kid, signed.as_bytes(), &signature) {
            return Err(JwsError::Signature(tollbridge_core::excerpt::excerpt(&header.kid, 100)));
        }
        read_json(&bytes(payload)?).map_err(JwsError::Payload)
    }
}

fn jws<T: Serialize>(payload: &T, kid: &str, sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Signed {
    let header = JwsHeader { alg: "EdDSA".to_owned(), kid: kid.to_owned() };
    let signed = format!("{}.{}", part(&header), part(payload));
    let signature = sign(signed.as_bytes());
    let signature = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature));
    Signed { format: "jws".to_owned(), accept_index: None, signature }
}

/// Encodes a value as canonical JSON in base64url. Structs of strings and numbers always
/// serialize without an error.
fn part<T: Serialize>(value: &T) -> String {
    URL_SAFE_NO_PAD.encode(serde_json_canonicalizer::to_vec(value).unwrap_or_default())
}

/// Inserts offers into the `extensions` of a 402 response.
pub fn offers_extension(extensions: &mut Map<String, Value>, offers: &[Signed]) {
    let list = json!({ "type": "array", "items": signed_schema() });
    extensions.insert(EXTENSION.to_owned(), extension("offers", &json!(offers), &list));
}

/// Inserts a receipt into the `extensions` of a settlement response.
pub fn receipt_extension(extensions: &mut Map<String, Value>, receipt: &Signed) {
    extensions.insert(EXTENSION.to_owned(), extension("receipt", &json!(receipt), &signed_schema()));
}

fn extension(member: &str, value: &Value, schema: &Value) -> Value {
    json!({
        "info": { member: value },
        "schema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { member: schema },
            "required": [member],
        },
    })
}

fn signed_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "format": { "type": "string", "const": "jws" },
            "acceptIndex": { "type": "integer" },
            "signature": { "type": "string" },
        },
        "required": ["format", "signature"],
    })
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer as _, SigningKey, Verifier as _};

    use super::*;
    use crate::testing::signed;

    const KID: &str = "did:web:api.example.com#key-1";

    fn key() -> SigningKey {
        SigningKey::from_bytes(&[7; 32])
    }

    fn open<T: DeserializeOwned>(signed: &Signed) -> Result<T, JwsError> {
        signed.open(|kid, text, signature| {
            kid == KID && key().verifying_key().verify(text, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
        })
    }

    #[test]
    fn an_offer_is_read_as_it_was_signed() {
        let accepted = signed().remove(0).requirement.to_wire();
        let offer = Offer::of("https://api.example.com/x", &accepted, Some(1_703_123_516));
        let signed = offer.sign(0, KID, |text| key().sign(text).to_bytes());
        assert_eq!(open::<Offer>(&signed), Ok(offer));
        let mut extensions = Map::new();
        offers_extension(&mut extensions, std::slice::from_ref(&signed));
        assert_eq!(extensions["offer-receipt"]["info"]["offers"][0]["acceptIndex"], 0);
        assert!(extensions["offer-receipt"]["info"]["offers"][0].get("payload").is_none());
        assert!(matches!(open::<Receipt>(&signed), Err(JwsError::Payload(_))));
    }

    #[test]
    fn a_changed_receipt_is_refused() {
        let receipt = Receipt {
            version: 1,
            network: "eip155:8453".parse().unwrap(),
            resource_url: "https://api.example.com/x".to_owned(),
            payer: "0x857b06519E91e3A54538791bDbb0E22373e36b66".to_owned(),
            issued_at: 1_703_123_456,
            transaction: None,
        };
        let signed = receipt.sign(KID, |text| key().sign(text).to_bytes());
        assert_eq!(open::<Receipt>(&signed), Ok(receipt));
        let mut extensions = Map::new();
        receipt_extension(&mut extensions, &signed);
        assert_eq!(extensions["offer-receipt"]["info"]["receipt"]["format"], "jws");
        for position in 0..signed.signature.len() {
            let mut bytes = signed.signature.clone().into_bytes();
            bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
            let changed = Signed { signature: String::from_utf8(bytes).unwrap(), ..signed.clone() };
            assert!(open::<Receipt>(&changed).is_err(), "{position}");
        }
    }
}
