//! Signers for one purpose each, and their public keys.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::vault::{Vault, VaultError};

/// Name of the key that signs proofs of tasks.
pub const PROOFS: &str = "proofs";
/// Name of the key that signs agent cards.
pub const CARDS: &str = "cards";

/// A signer for one purpose.
pub struct Signer {
    key: SigningKey,
    public: PublicKey,
}

/// The public half of a [`Signer`], for verifying its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The purpose, for example `cards`.
    pub purpose: &'static str,
    /// The Ed25519 public key.
    pub bytes: [u8; 32],
    /// The id of the key: its RFC 7638 thumbprint, base64url without padding.
    pub kid: String,
}

/// A public key as an entry of a JSON Web Key Set (RFC 8037).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Jwk {
    /// `OKP`.
    #[schemars(extend("const" = "OKP"))]
    pub kty: &'static str,
    /// `Ed25519`.
    #[schemars(extend("const" = "Ed25519"))]
    pub crv: &'static str,
    /// `EdDSA`.
    #[schemars(extend("const" = "EdDSA"))]
    pub alg: &'static str,
    /// `sig`.
    #[serde(rename = "use")]
    #[schemars(extend("const" = "sig"))]
    pub usage: &'static str,
    /// The id of the key.
    pub kid: String,
    /// The key, in base64url.
    pub x: String,
    /// The one thing that the key signs, for example `cards`.
    pub purpose: &'static str,
    /// The key in the format of signed notes, for checkpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub verifier_key: Option<String>,
}

impl Jwk {
    /// Creates the entry of an Ed25519 key.
    pub fn ed25519(kid: String, bytes: &[u8; 32], purpose: &'static str) -> Self {
        let x = URL_SAFE_NO_PAD.encode(bytes);
        Self { kty: "OKP", crv: "Ed25519", alg: "EdDSA", usage: "sig", kid, x, purpose, verifier_key: None }
    }
}

impl Signer {
    /// Opens the key of a purpose, creating it in the vault if it does not exist.
    pub fn open(vault: &Vault, purpose: &'static str) -> Result<Self, VaultError> {
        Ok(Self::of(purpose, &*vault.secret(purpose)?))
    }

    fn of(purpose: &'static str, seed: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(seed);
        let bytes = key.verifying_key().to_bytes();
        Self { public: PublicKey { purpose, bytes, kid: thumbprint(&bytes) }, key }
    }

    /// The public half of the key.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Creates an Ed25519 signature.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }

    /// Creates a detached JSON Web Signature over `payload` (RFC 7515, appendix F):
    /// returns the protected header and the signature, both base64url.
    pub fn jws(&self, protected: &Value, payload: &[u8]) -> (String, String) {
        let protected = URL_SAFE_NO_PAD.encode(protected.to_string());
        let signed = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload));
        (protected, URL_SAFE_NO_PAD.encode(self.sign(signed.as_bytes())))
    }
}

impl PublicKey {
    /// Formats the key as an entry of a JSON Web Key Set (RFC 8037).
    pub fn jwk(&self) -> Jwk {
        Jwk::ed25519(self.kid.clone(), &self.bytes, self.purpose)
    }
}

pub(super) fn thumbprint(public: &[u8; 32]) -> String {
    // RFC 7638 requires these members in lexicographic order, without white space.
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, URL_SAFE_NO_PAD.encode(public));
    URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Checks the example of RFC 8037, appendices A.1 to A.4.
    #[test]
    fn thumbprint_and_signature_are_those_of_the_standard() {
        let mut seed = [0; 32];
        hex::decode_to_slice("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", &mut seed).unwrap();
        let signer = Signer::of("cards", &seed);
        assert_eq!(signer.public().kid, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(signer.public().jwk().x, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let (protected, signature) = signer.jws(&json!({ "alg": "EdDSA" }), b"Example of Ed25519 signing");
        assert_eq!(protected, "eyJhbGciOiJFZERTQSJ9");
        assert_eq!(signature, "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
    }

    #[test]
    fn each_purpose_has_its_own_permanent_key() {
        let data = tempfile::tempdir().unwrap();
        let vault = Vault::open(data.path()).unwrap();
        let cards = Signer::open(&vault, "cards").unwrap();
        assert_eq!(cards.public(), Signer::open(&vault, "cards").unwrap().public());
        assert_ne!(cards.public().bytes, Signer::open(&vault, "proofs").unwrap().public().bytes);
    }
}
