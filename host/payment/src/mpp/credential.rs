//! Reads credentials: finds the challenge of this host that they pay, and the means of
//! payment.

use serde_json::Value;
use tollbridge_mpp::{Credential, EvmPayload, Method, Rejection, StripeCharge, StripePayload, Verified, evm_nonce};
use tollbridge_store::StoreError;
use tollbridge_x402::{Authorization, ExactPayload, Nonce};

use super::challenges::{OFFER, pence};
use super::declined::CredentialDeclined;
use super::rail::MppRail;
use super::token_payment::TokenPayment;
use crate::authorizer::PaymentAuthorizer;
use crate::quote::IssuedQuote;
use crate::wallet::payment::WalletPayment;

/// The payment in a credential.
#[derive(Clone, Debug, PartialEq)]
pub enum CredentialPayment {
    /// A token that the processor charges.
    Token(Box<TokenPayment>),
    /// A wallet's signature.
    Wallet(Box<WalletPayment>),
}

type Read<T> = Result<Result<T, CredentialDeclined>, StoreError>;

impl PaymentAuthorizer {
    /// Returns whether the server accepts credentials.
    pub const fn takes_credentials(&self) -> bool {
        self.mpp.is_some()
    }

    /// Reads a credential for the body of its request. A credential that was accepted
    /// before is read as of that time, however late it is repeated.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. The inner result says why the credential does
    /// not pay.
    pub fn read_credential(&self, credential: Credential, body: &[u8], now_ms: u64) -> Read<CredentialPayment> {
        let Some(rail) = &self.mpp else { return Ok(Err(CredentialDeclined::NotTaken)) };
        // Untrusted until the offer's own signature is checked; only the kind of offer
        // matters here.
        let challenge_id = credential.challenge().id().to_owned();
        let unknown = || CredentialDeclined::rejected(&Rejection::Unknown, &challenge_id);
        let Ok(opaque) = credential.challenge().opaque() else { return Ok(Err(unknown())) };
        let offer = opaque.get(OFFER).map(String::as_str).unwrap_or_default();
        let method = credential.challenge().method().clone();
        match (self.signer.verify_token_offer(offer), method == Method::STRIPE) {
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
        let taken = self.charge_taken(&quote.handle)?;
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
        let checked_s = self.wallet_checked_s(offer)?.unwrap_or(now_ms / 1000);
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
        let read = self.read_wallet_signature(offer, &signed, now_ms)?;
        Ok(read.map(|payment| payment.of_challenge(id)).map_err(CredentialDeclined::Wallet))
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
