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
/// Longest signed text that is read.
const JWS_BYTES_MAX: usize = 8 << 10;

/// What a server commits to (section 4.2 of the extension).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// 1.
    pub version: u64,
    /// Address of what is sold.
    pub resource_url: String,
    /// For example `exact`.
    pub scheme: String,
    /// Where money moves.
    pub network: Network,
    /// The token's contract.
    pub asset: String,
    /// Who gets it.
    pub pay_to: String,
    /// In smallest units.
    pub amount: Amount,
    /// Unix time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<u64>,
}

/// What a server says it was paid for and did (section 5.2 of the extension).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// 1.
    pub version: u64,
    /// Where money moved.
    pub network: Network,
    /// Address of what was sold.
    pub resource_url: String,
    /// Who paid.
    pub payer: String,
    /// Unix time in seconds.
    pub issued_at: u64,
    /// Hash of the transaction. Left out, nobody can join the receipt to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
}

/// A signed offer or receipt, as it is in `extensions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signed {
    format: String,
    /// Which entry of `accepts` an offer is about; not signed, so not relied on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accept_index: Option<u64>,
    signature: String,
}

/// Why a signed text is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum JwsError {
    #[error("it is not a JSON Web Signature of three parts in base64url")]
    Malformed,
    #[error("it is signed with `{0}`; EdDSA is known here")]
    Algorithm(String),
    #[error("its signature is not that of the key `{0}`")]
    Signature(String),
    #[error("what is signed is wrong: {0}")]
    Payload(HeaderError),
}

#[derive(Serialize, Deserialize)]
struct JwsHeader {
    alg: String,
    kid: String,
}

impl Offer {
    /// The offer of one entry of `accepts` for a resource, until a time (Unix, in
    /// seconds).
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

    /// Signs it. `kid` is the DID URL of the key; `sign` makes its Ed25519
    /// signature. `accept_index` is the entry's place in `accepts`.
    pub fn sign(&self, accept_index: u64, kid: &str, sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Signed {
        Signed { accept_index: Some(accept_index), ..jws(self, kid, sign) }
    }
}

impl Receipt {
    /// Signs it. `kid` is the DID URL of the key; `sign` makes its Ed25519
    /// signature.
    pub fn sign(&self, kid: &str, sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Signed {
        jws(self, kid, sign)
    }
}

impl Signed {
    /// The JSON Web Signature, compact.
    pub fn jws(&self) -> &str {
        &self.signature
    }

    /// Reads an [`Offer`] or a [`Receipt`]; `verify` gets the name of the key, the
    /// signed text and the signature. Whether that key may speak for the resource
    /// is the caller's question.
    ///
    /// # Errors
    /// It is malformed, or not signed by that key.
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

/// Canonical JSON in base64url. Structs of texts and numbers always have one.
fn part<T: Serialize>(value: &T) -> String {
    URL_SAFE_NO_PAD.encode(serde_json_canonicalizer::to_vec(value).unwrap_or_default())
}

/// Puts offers into the `extensions` of a 402.
pub fn offers_extension(extensions: &mut Map<String, Value>, offers: &[Signed]) {
    let list = json!({ "type": "array", "items": signed_schema() });
    extensions.insert(EXTENSION.to_owned(), extension("offers", &json!(offers), &list));
}

/// Puts a receipt into the `extensions` of a settlement's answer.
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
