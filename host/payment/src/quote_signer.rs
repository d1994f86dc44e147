//! Signs quotes and reads them back.
//!
//! An intent id is `pi_` and base64url of `secret(16) | terms | mac(16)`; a pay token is
//! `pt_` and base64url of `handle(16) | terms | mac(16)`, where the handle is a digest of
//! the secret. Both name the intent and its terms; only the intent id can spend the
//! money. A wallet offer is `wo_` and the same encoding as a pay token, for an intent
//! that has no secret: only a wallet's signature pays for it and spends it. `uo_` marks a
//! wallet offer that is settled for the actual cost. A token offer is `to_` and base64url
//! of `nonce(16) | terms | mac(16)`; only this host can derive the secret of its intent
//! from the nonce.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tollbridge_core::vault::SecretBytes;

use super::quote::{IntentHandle, IssuedQuote, Quote, QuoteError, QuoteTerms};

/// Maximum length of an id or token.
const ID_BYTES_MAX: usize = 512;

/// Issues and verifies quotes with the host's key.
pub struct QuoteSigner {
    key: SecretBytes,
}

#[derive(Clone, Copy)]
enum IdKind {
    Intent,
    PayToken,
    WalletOffer,
    UptoOffer,
    TokenOffer,
}

impl QuoteSigner {
    /// Creates a signer with a key of this host.
    pub fn new(key: SecretBytes) -> Self {
        Self { key }
    }

    /// Issues a quote for `terms` under a new id of 128 random bits.
    ///
    /// # Errors
    ///
    /// Returns [`QuoteError::NoRandomness`].
    pub fn issue(&self, terms: QuoteTerms) -> Result<IssuedQuote, QuoteError> {
        let mut secret = [0_u8; 16];
        getrandom::fill(&mut secret).map_err(|_| QuoteError::NoRandomness)?;
        let handle = handle_of(&secret);
        Ok(IssuedQuote {
            intent_id: self.encode(IdKind::Intent, &secret, &terms),
            pay_token: self.encode(IdKind::PayToken, &handle, &terms),
            quote: Quote { handle: IntentHandle::from_row_key(hex::encode(handle)), terms },
        })
    }

    /// Returns the pay token of a quote.
    pub fn pay_token(&self, quote: &Quote) -> String {
        let mut handle = [0; 16];
        // A handle is hex of 16 bytes by construction.
        let _ = hex::decode_to_slice(quote.handle.as_str(), &mut handle);
        self.encode(IdKind::PayToken, &handle, &quote.terms)
    }

    /// Reads an intent id, the secret that spends the money.
    ///
    /// # Errors
    ///
    /// Returns [`QuoteError::UnknownIntent`].
    pub fn verify_intent_id(&self, text: &str) -> Result<Quote, QuoteError> {
        let (secret, terms) = self.decode(IdKind::Intent, text).ok_or(QuoteError::UnknownIntent)?;
        Ok(Quote { handle: IntentHandle::from_row_key(hex::encode(handle_of(&secret))), terms })
    }

    /// Reads a pay token, which is not secret.
    ///
    /// # Errors
    ///
    /// Returns [`QuoteError::UnknownIntent`].
    pub fn verify_pay_token(&self, text: &str) -> Result<Quote, QuoteError> {
        let (handle, terms) = self.decode(IdKind::PayToken, text).ok_or(QuoteError::UnknownIntent)?;
        Ok(Quote { handle: IntentHandle::from_row_key(hex::encode(handle)), terms })
    }

    /// Issues an offer of `terms` for payment by wallet, under a new handle.
    pub(crate) fn issue_wallet_offer(&self, terms: &impl Serialize) -> Result<(IntentHandle, String), QuoteError> {
        self.issue_offer(IdKind::WalletOffer, terms)
    }

    /// Issues an offer for a payment by wallet that is settled for the actual cost once
    /// the cost is known.
    pub(crate) fn issue_upto_offer(&self, terms: &impl Serialize) -> Result<String, QuoteError> {
        self.issue_offer(IdKind::UptoOffer, terms).map(|(_, text)| text)
    }

    fn issue_offer(&self, kind: IdKind, terms: &impl Serialize) -> Result<(IntentHandle, String), QuoteError> {
        let mut handle = [0_u8; 16];
        getrandom::fill(&mut handle).map_err(|_| QuoteError::NoRandomness)?;
        let text = self.encode(kind, &handle, terms);
        Ok((IntentHandle::from_row_key(hex::encode(handle)), text))
    }

    /// Reads a wallet offer, which is not secret.
    pub(crate) fn verify_wallet_offer<T: DeserializeOwned>(&self, text: &str) -> Result<(IntentHandle, T), QuoteError> {
        let (handle, terms) = self.decode(IdKind::WalletOffer, text).ok_or(QuoteError::UnknownIntent)?;
        Ok((IntentHandle::from_row_key(hex::encode(handle)), terms))
    }

    /// Reads an `upto` offer, which is not secret.
    pub(crate) fn verify_upto_offer<T: DeserializeOwned>(&self, text: &str) -> Result<(IntentHandle, T), QuoteError> {
        let (handle, terms) = self.decode(IdKind::UptoOffer, text).ok_or(QuoteError::UnknownIntent)?;
        Ok((IntentHandle::from_row_key(hex::encode(handle)), terms))
    }

    /// Issues an offer of `terms` for payment by token. The offer alone cannot spend its
    /// intent; the payer receives the intent id after paying.
    pub(crate) fn issue_token_offer(&self, terms: &QuoteTerms) -> Result<String, QuoteError> {
        let mut nonce = [0_u8; 16];
        getrandom::fill(&mut nonce).map_err(|_| QuoteError::NoRandomness)?;
        Ok(self.encode(IdKind::TokenOffer, &nonce, terms))
    }

    /// Reads a token offer; returns its quote and the intent id, which can spend the
    /// payment.
    pub(crate) fn verify_token_offer(&self, text: &str) -> Result<IssuedQuote, QuoteError> {
        let (nonce, terms): (_, QuoteTerms) = self.decode(IdKind::TokenOffer, text).ok_or(QuoteError::UnknownIntent)?;
        let secret = self.keyed(b"secret of a token offer", &nonce);
        let handle = handle_of(&secret);
        Ok(IssuedQuote {
            intent_id: self.encode(IdKind::Intent, &secret, &terms),
            pay_token: self.encode(IdKind::PayToken, &handle, &terms),
            quote: Quote { handle: IntentHandle::from_row_key(hex::encode(handle)), terms },
        })
    }

    /// Returns the key of challenges, derived one way from the key of quotes.
    pub(crate) fn challenge_key(&self) -> [u8; 32] {
        let mut key = [0; 32];
        let (low, high) = key.split_at_mut(16);
        low.copy_from_slice(&self.keyed(b"key of challenges, low", &[]));
        high.copy_from_slice(&self.keyed(b"key of challenges, high", &[]));
        key
    }

    fn encode(&self, kind: IdKind, name: &[u8; 16], terms: &impl Serialize) -> String {
        let mut bytes = name.to_vec();
        // A struct of strings and integers always encodes.
        bytes.extend(postcard::to_stdvec(terms).unwrap_or_default());
        let mac = self.mac(kind, &bytes);
        bytes.extend_from_slice(&mac);
        format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes))
    }

    fn decode<T: DeserializeOwned>(&self, kind: IdKind, text: &str) -> Option<([u8; 16], T)> {
        if text.len() > ID_BYTES_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(kind.prefix())?).ok()?;
        let (signed, mac) = bytes.split_last_chunk::<16>()?;
        if !bool::from(subtle::ConstantTimeEq::ct_eq(self.mac(kind, signed).as_slice(), mac.as_slice())) {
            return None;
        }
        let (name, terms) = signed.split_first_chunk::<16>()?;
        Some((*name, postcard::from_bytes(terms).ok()?))
    }

    fn mac(&self, kind: IdKind, bytes: &[u8]) -> [u8; 16] {
        self.keyed(kind.prefix().as_bytes(), bytes)
    }

    /// Computes a keyed digest of `bytes` for the purpose `what`. No purpose may be a
    /// prefix of another, because `what` and `bytes` are hashed without a separator.
    fn keyed(&self, what: &[u8], bytes: &[u8]) -> [u8; 16] {
        // HMAC accepts keys of any length, so the error cannot occur.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(self.key.as_slice()) else { return [0; 16] };
        let digest: [u8; 32] = mac.chain_update(what).chain_update(bytes).finalize().into_bytes().into();
        let mut short = [0; 16];
        short.copy_from_slice(digest.split_at(16).0);
        short
    }
}

impl IdKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Intent => "pi_",
            Self::PayToken => "pt_",
            Self::WalletOffer => "wo_",
            Self::UptoOffer => "uo_",
            Self::TokenOffer => "to_",
        }
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
    use tollbridge_core::money::Millipence;

    fn signer(byte: u8) -> QuoteSigner {
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
        let signer = signer(1);
        let issued = signer.issue(terms()).unwrap();
        assert_eq!(signer.verify_intent_id(&issued.intent_id).unwrap(), issued.quote);
        assert_eq!(signer.verify_pay_token(&issued.pay_token).unwrap(), issued.quote);
        assert!(signer.verify_intent_id(&issued.pay_token.replacen("pt_", "pi_", 1)).is_err());
    }

    #[test]
    fn a_token_offer_names_an_intent_whose_secret_it_does_not_show() {
        let signer = signer(1);
        let offer = signer.issue_token_offer(&terms()).unwrap();
        let read = signer.verify_token_offer(&offer).unwrap();
        assert_eq!(read.quote.terms, terms());
        assert_eq!(signer.verify_intent_id(&read.intent_id).unwrap(), read.quote);
        assert_eq!(signer.verify_pay_token(&read.pay_token).unwrap(), read.quote);
        for kind in ["pi_", "pt_", "wo_"] {
            let taken_for = offer.replacen("to_", kind, 1);
            assert!(signer.verify_intent_id(&taken_for).is_err() && signer.verify_pay_token(&taken_for).is_err());
        }
        assert!(super::tests::signer(2).verify_token_offer(&offer).is_err());
        assert_ne!(signer.issue_token_offer(&terms()).unwrap(), offer);
    }

    #[test]
    fn every_changed_character_makes_it_unknown() {
        let signer = signer(1);
        let id = signer.issue(terms()).unwrap().intent_id;
        for position in 0..id.len() {
            let mut changed = id.clone().into_bytes();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            // The last character carries unused bits, which the decoder requires to be
            // zero.
            assert_eq!(signer.verify_intent_id(&changed), Err(QuoteError::UnknownIntent), "{position}");
        }
        assert_eq!(super::tests::signer(2).verify_intent_id(&id), Err(QuoteError::UnknownIntent));
        for text in ["", "pi_", "pi_AAAA", &"pi_A".repeat(400)] {
            assert_eq!(signer.verify_intent_id(text), Err(QuoteError::UnknownIntent));
        }
    }
}
