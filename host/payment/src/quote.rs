//! Quotes: a price promised until it expires, kept by whoever asked.
//!
//! An intent id is `pi_` and base64url of `secret(16) | terms | mac(16)`; a pay
//! token is `pt_` and base64url of `handle(16) | terms | mac(16)`, where the
//! handle is a digest of the secret. Either is enough to read the terms and to
//! name the row that a payment makes; only the intent id spends the money.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use tollbridge_core::money::Millipence;
use tollbridge_core::vault::SecretBytes;

/// Longest id or token that is looked at.
const TEXT_BYTES_MAX: usize = 512;

/// What was promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteTerms {
    pub bridge: String,
    /// Price of one call.
    pub price: Millipence,
    /// What the pay link takes; may cover many calls.
    pub charge: Millipence,
    /// Unix time in seconds until which it can be paid.
    pub expires_s: u64,
    /// The account that alone may use it, when the quote was made with a key.
    pub account: Option<String>,
}

/// Public name of an intent: hex of 16 bytes that do not reveal its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentHandle(String);

/// A quote as its holder sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    pub handle: IntentHandle,
    pub terms: QuoteTerms,
}

/// A freshly made quote: the secret id for the caller, the token for the link.
#[derive(Debug)]
pub struct IssuedQuote {
    pub intent_id: String,
    pub token: String,
    pub quote: Quote,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    #[error("this is not a payment intent of this server")]
    UnknownIntent,
    #[error("no randomness is available")]
    NoRandomness,
}

/// Makes and reads quotes with the host's key.
pub struct QuoteSigner {
    key: SecretBytes,
}

#[derive(Clone, Copy)]
enum Form {
    Intent,
    Token,
}

impl QuoteSigner {
    pub fn new(key: SecretBytes) -> Self {
        Self { key }
    }

    /// Promises `terms`, under a new id of 128 random bits.
    pub fn issue(&self, terms: QuoteTerms) -> Result<IssuedQuote, QuoteError> {
        let mut secret = [0_u8; 16];
        getrandom::fill(&mut secret).map_err(|_| QuoteError::NoRandomness)?;
        let handle = handle_of(&secret);
        Ok(IssuedQuote {
            intent_id: self.write(Form::Intent, &secret, &terms),
            token: self.write(Form::Token, &handle, &terms),
            quote: Quote { handle: IntentHandle(hex::encode(handle)), terms },
        })
    }

    /// The pay token of a quote.
    pub fn pay_token(&self, quote: &Quote) -> String {
        let mut handle = [0; 16];
        // A handle is hex of 16 bytes by construction.
        let _ = hex::decode_to_slice(quote.handle.as_str(), &mut handle);
        self.write(Form::Token, &handle, &quote.terms)
    }

    /// Reads an intent id, the secret that spends.
    pub fn verify_intent_id(&self, text: &str) -> Result<Quote, QuoteError> {
        let (secret, terms) = self.read(Form::Intent, text).ok_or(QuoteError::UnknownIntent)?;
        Ok(Quote { handle: IntentHandle(hex::encode(handle_of(&secret))), terms })
    }

    /// Reads a pay token, which can be shown around.
    pub fn verify_pay_token(&self, text: &str) -> Result<Quote, QuoteError> {
        let (handle, terms) = self.read(Form::Token, text).ok_or(QuoteError::UnknownIntent)?;
        Ok(Quote { handle: IntentHandle(hex::encode(handle)), terms })
    }

    fn write(&self, form: Form, name: &[u8; 16], terms: &QuoteTerms) -> String {
        let mut bytes = name.to_vec();
        // A struct of strings and integers always encodes.
        bytes.extend(postcard::to_stdvec(terms).unwrap_or_default());
        let mac = self.mac(form, &bytes);
        bytes.extend_from_slice(&mac);
        format!("{}{}", form.prefix(), URL_SAFE_NO_PAD.encode(bytes))
    }

    fn read(&self, form: Form, text: &str) -> Option<([u8; 16], QuoteTerms)> {
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(form.prefix())?).ok()?;
        let (signed, mac) = bytes.split_last_chunk::<16>()?;
        if !bool::from(subtle::ConstantTimeEq::ct_eq(self.mac(form, signed).as_slice(), mac.as_slice())) {
            return None;
        }
        let (name, terms) = signed.split_first_chunk::<16>()?;
        Some((*name, postcard::from_bytes(terms).ok()?))
    }

    fn mac(&self, form: Form, bytes: &[u8]) -> [u8; 16] {
        // HMAC takes keys of any length; the error cannot occur.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(self.key.as_slice()) else { return [0; 16] };
        let digest: [u8; 32] = mac.chain_update(form.prefix()).chain_update(bytes).finalize().into_bytes().into();
        let mut short = [0; 16];
        short.copy_from_slice(digest.split_at(16).0);
        short
    }
}

impl Form {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Intent => "pi_",
            Self::Token => "pt_",
        }
    }
}

/// What stands before a product of the checkout where a bridge stands otherwise.
/// No bridge can have such a name.
const PRODUCT: &str = "product:";

impl QuoteTerms {
    /// The product of the checkout that is paid for, if it is not a bridge.
    pub fn product(&self) -> Option<&str> {
        self.bridge.strip_prefix(PRODUCT)
    }

    /// A product as it stands in `bridge`.
    pub fn of_product(product: &str) -> String {
        format!("{PRODUCT}{product}")
    }

    /// One line for the buyer.
    pub fn title(&self) -> String {
        match self.product() {
            Some("credit") => "Prepaid credit".to_owned(),
            Some(product) => match product.split_once(':') {
                Some(("agent", agent)) => format!("Prepaid credit for the agent {agent}"),
                _ => format!("Tollbridge {product}"),
            },
            None => format!("Calls of {}", self.bridge),
        }
    }
}

impl IntentHandle {
    /// The handle that is the key of a row.
    pub(super) const fn from_row_key(key: String) -> Self {
        Self(key)
    }

    /// A handle as a processor kept it, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn handle_of(secret: &[u8; 16]) -> [u8; 16] {
    let digest = Sha256::new().chain_update(b"tollbridge intent handle v1").chain_update(secret).finalize();
    let mut handle = [0; 16];
    handle.copy_from_slice(digest.split_at(16).0);
    handle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(byte: u8) -> QuoteSigner {
        QuoteSigner::new(SecretBytes::new([byte; 32]))
    }

    fn terms() -> QuoteTerms {
        QuoteTerms {
            bridge: "anomaly_detection".to_owned(),
            price: Millipence::new(30_000),
            charge: Millipence::new(30_000),
            expires_s: 1_800_000_000,
            account: Some("acct_x".to_owned()),
        }
    }

    #[test]
    fn id_and_token_name_the_same_intent() {
        let book = book(1);
        let issued = book.issue(terms()).unwrap();
        assert_eq!(book.verify_intent_id(&issued.intent_id).unwrap(), issued.quote);
        assert_eq!(book.verify_pay_token(&issued.token).unwrap(), issued.quote);
        assert!(book.verify_intent_id(&issued.token.replacen("pt_", "pi_", 1)).is_err());
    }

    #[test]
    fn every_changed_character_is_foreign() {
        let book = book(1);
        let id = book.issue(terms()).unwrap().intent_id;
        for position in 0..id.len() {
            let mut changed = id.clone().into_bytes();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            // The last character carries unused bits that base64 refuses to ignore.
            assert_eq!(book.verify_intent_id(&changed), Err(QuoteError::UnknownIntent), "{position}");
        }
        assert_eq!(super::tests::book(2).verify_intent_id(&id), Err(QuoteError::UnknownIntent));
        for text in ["", "pi_", "pi_AAAA", &"pi_A".repeat(400)] {
            assert_eq!(book.verify_intent_id(text), Err(QuoteError::UnknownIntent));
        }
    }
}
