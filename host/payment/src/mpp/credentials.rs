//! Reads credentials: finds the challenge of this host that a credential pays, and the
//! means of payment.

use std::sync::Arc;

use serde_json::Value;
use tollbridge_ledger::Payer;
use tollbridge_mpp::{
    Credential, EvmPayload, Method, Receipt, Rejection, StripeCharge, StripePayload, Verified, evm_nonce,
};
use tollbridge_store::{Collection, Store, StoreError};
use tollbridge_x402::{Authorization, ExactPayload, Nonce};

use super::challenges::{OFFER, pence};
use super::charge_row::{UsedToken, booked_key, open_key};
use super::rail::MppRail;
use super::token_payment::{PaidByToken, TokenPayment};
use crate::declined::CredentialDeclined;
use crate::intents::Intents;
use crate::quote::{IntentHandle, IssuedQuote};
use crate::wallet::payment::WalletPayment;
use crate::wallet::payments::WalletPayments;

/// The payment in a credential.
#[derive(Clone, Debug, PartialEq)]
pub enum CredentialPayment {
    /// A token that the processor charges.
    Token(Box<TokenPayment>),
    /// A wallet's signature.
    Wallet(Box<WalletPayment>),
}

type Read<T> = Result<Result<T, CredentialDeclined>, StoreError>;

/// Reads credentials, and finds the payments that were made with tokens.
pub struct Credentials {
    /// The MPP rail, if the server accepts payments by credential.
    rail: Option<Arc<MppRail>>,
    store: Arc<dyn Store>,
    intents: Arc<Intents>,
    wallets: Arc<WalletPayments>,
}

impl Credentials {
    pub(crate) fn new(
        rail: Option<Arc<MppRail>>,
        store: Arc<dyn Store>,
        intents: Arc<Intents>,
        wallets: Arc<WalletPayments>,
    ) -> Self {
        Self { rail, store, intents, wallets }
    }

    /// Reads a credential for the body of its request. A credential that was accepted
    /// before is checked as of the time of that acceptance, so that a late repeat still
    /// pays.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. The inner result says why the credential does
    /// not pay.
    pub fn read(&self, credential: Credential, body: &[u8], now_ms: u64) -> Read<CredentialPayment> {
        let Some(rail) = &self.rail else { return Ok(Err(CredentialDeclined::NotTaken)) };
        // The offer is untrusted until its own signature is checked; only its kind
        // matters here.
        let challenge_id = credential.challenge().id().to_owned();
        let unknown = || CredentialDeclined::rejected(&Rejection::Unknown, &challenge_id);
        let Ok(opaque) = credential.challenge().opaque() else { return Ok(Err(unknown())) };
        let offer = opaque.get(OFFER).map(String::as_str).unwrap_or_default();
        let method = credential.challenge().method().clone();
        match (self.intents.signer.verify_token_offer(offer), method == Method::STRIPE) {
            (Ok(offered), true) => {
                let read = self.read_token(rail, offered, (credential, body), now_ms)?;
                Ok(read.map(|payment| CredentialPayment::Token(Box::new(payment))))
            }
            _ if method == Method::EVM => {
                let read = self.read_signature(rail, offer, (credential, body), now_ms)?;
                Ok(read.map(|payment| CredentialPayment::Wallet(Box::new(payment))))
            }
            _ => Ok(Err(unknown())),
        }
    }

    fn read_token(
        &self,
        rail: &MppRail,
        offered: IssuedQuote,
        request: (Credential, &[u8]),
        now_ms: u64,
    ) -> Read<TokenPayment> {
        let IssuedQuote { quote, intent_id, .. } = offered;
        let taken = self.taken(&quote.handle)?;
        let checked_s = taken.as_ref().map_or(now_ms / 1000, |taken| taken.checked_s);
        let verified = match verify(rail, request, checked_s) {
            Ok(verified) => verified,
            Err(declined) => return Ok(Err(declined)),
        };
        let asked = StripeCharge::read(verified.request());
        let is_asked = asked.is_ok_and(|asked| asked.amount == pence(quote.terms.charge) && asked.currency == "gbp");
        if !is_asked {
            return Ok(Err(CredentialDeclined::rejected(&Rejection::Unknown, verified.challenge_id())));
        }
        let token = match StripePayload::read(verified.credential()) {
            Ok(token) => token,
            Err(error) => return Ok(Err(error.into())),
        };
        let challenge_id = verified.challenge_id().to_owned();
        let expires_s = verified.expires_s();
        let read = TokenPayment { quote, intent_id, challenge_id, token, expires_s, checked_s };
        match taken.is_none_or(|taken| taken == read.taken()) {
            true => Ok(Ok(read)),
            false => Ok(Err(CredentialDeclined::OtherToken { challenge_id: read.challenge_id })),
        }
    }

    fn read_signature(
        &self,
        rail: &MppRail,
        offer: &str,
        request: (Credential, &[u8]),
        now_ms: u64,
    ) -> Read<WalletPayment> {
        let checked_s = self.wallets.checked_s(offer)?.unwrap_or(now_ms / 1000);
        let verified = match verify(rail, request, checked_s) {
            Ok(verified) => verified,
            Err(declined) => return Ok(Err(declined)),
        };
        let signed = match EvmPayload::read(verified.credential()) {
            Ok(payload) => exact_payload(payload),
            Err(error) => return Ok(Err(error.into())),
        };
        let Some(signed) = signed else { return Ok(Err(CredentialDeclined::NoAuthorization)) };
        let (id, realm) = (verified.challenge_id(), verified.challenge().realm());
        if signed.authorization.nonce != Nonce::new(evm_nonce(id, realm)) {
            return Ok(Err(CredentialDeclined::OtherNonce { challenge_id: id.to_owned() }));
        }
        let read = self.wallets.read_signature(offer, &signed, now_ms)?;
        Ok(read.map(|payment| payment.of_challenge(id)).map_err(CredentialDeclined::Wallet))
    }

    /// Returns the token that was accepted for an intent, if any.
    fn taken(&self, handle: &IntentHandle) -> Result<Option<UsedToken>, StoreError> {
        for key in [booked_key(handle), open_key(handle)] {
            if let Some(row) = self.store.get(Collection::Settlements, &key)? {
                let read = serde_json::from_slice(&row);
                let doing = "reading a charge";
                return read.map(Some).map_err(|error| StoreError { doing, source: Box::new(error) });
            }
        }
        Ok(None)
    }

    /// Returns whether this token, and no other, was accepted for its challenge.
    pub(super) fn is_paid_by(&self, payment: &TokenPayment) -> Result<bool, StoreError> {
        let taken = self.taken(&payment.quote.handle)?;
        Ok(taken.is_some_and(|taken| taken.token_sha256 == payment.taken().token_sha256))
    }

    /// Returns the payment result for the sender of a token; `None` until it is
    /// charged.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn paid_by_token(&self, payment: &TokenPayment) -> Result<Option<PaidByToken>, StoreError> {
        let Some(row) = self.intents.row(&payment.quote.handle)? else { return Ok(None) };
        if !self.is_paid_by(payment)? {
            return Ok(None);
        }
        let reference = row.reference.unwrap_or_default();
        let mut receipt = Receipt::new(Method::STRIPE, reference, &payment.challenge_id, row.paid_ms / 1000);
        receipt.external_id.clone_from(&payment.token.external_id);
        let payer = Payer::Intent(payment.handle().to_owned());
        let remaining = self.store.balance(&payer.ledger_account().to_string())?;
        Ok(Some(PaidByToken { receipt, intent_id: payment.intent_id.clone(), remaining }))
    }
}

fn verify(
    rail: &MppRail,
    (credential, body): (Credential, &[u8]),
    checked_s: u64,
) -> Result<Verified, CredentialDeclined> {
    let id = credential.challenge().id().to_owned();
    rail.signer.verify(credential, body, checked_s).map_err(|rejection| CredentialDeclined::rejected(&rejection, &id))
}

/// Converts a wallet's payload to its x402 form; `None` if it is not an EIP-3009
/// authorization.
fn exact_payload(payload: EvmPayload) -> Option<ExactPayload> {
    let EvmPayload::Authorization { from, to, value, valid_after, valid_before, nonce, signature } = payload else {
        return None;
    };
    let read = |text: String| serde_json::from_value(Value::String(text)).ok();
    let authorization = Authorization {
        from: from.parse().ok()?,
        to: to.parse().ok()?,
        value: tollbridge_x402::Amount::new(value.0),
        valid_after: tollbridge_x402::Amount::new(valid_after.0),
        valid_before: tollbridge_x402::Amount::new(valid_before.0),
        nonce: read(nonce)?,
    };
    Some(ExactPayload { signature, authorization })
}
