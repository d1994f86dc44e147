//! `TokenPayment`: a token that pays a challenge of this host.

use std::fmt;

use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::Payer;
use tollbridge_mpp::{Method, Receipt, StripePayload};
use tollbridge_store::{Collection, Expect, Hash, Put, StoreError};

use super::charge_row::{Taken, used_key};
use super::declined::CredentialDeclined;
use crate::authorizer::{PaymentAuthorization, PaymentAuthorizer};
use crate::declined::{PaymentDeclined, check_use};
use crate::quote::Quote;

/// A token sent for a challenge of this host, bound to the request body. It is not
/// known to pay until it is charged.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenPayment {
    pub(super) quote: Quote,
    /// The secret that spends the rest of the payment.
    pub(super) intent_id: String,
    pub(super) challenge_id: String,
    pub(super) token: StripePayload,
    /// Expiry of the challenge, Unix time in seconds.
    pub(super) expires_s: u64,
    /// Time for which the challenge was checked, Unix time in seconds.
    pub(super) checked_s: u64,
}

/// The result sent to the sender of a charged token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidByToken {
    /// The receipt of the payment.
    pub receipt: Receipt,
    /// The id that spends the rest, for the sender of the token only.
    pub intent_id: String,
    /// Amount left on the intent.
    pub remaining: Millipence,
}

impl fmt::Debug for TokenPayment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenPayment").field("intent", &self.quote.handle).finish_non_exhaustive()
    }
}

impl TokenPayment {
    /// Returns the handle of the intent that the token pays.
    pub fn handle(&self) -> &str {
        self.quote.handle.as_str()
    }

    /// Returns the id of the challenge, which identifies repeats of a call without an
    /// `Idempotency-Key`.
    pub fn challenge_id(&self) -> &str {
        &self.challenge_id
    }

    /// Returns the secret that spends the rest of the payment.
    pub fn expose_intent_id(&self) -> &str {
        &self.intent_id
    }

    /// Returns the row by which this credential pays for one call, given by its
    /// transaction id, and for no other. It is written with the seal of the call, or
    /// when a task is accepted; a task draws on the intent only when it is answered.
    pub fn used_by(&self, tx: &Hash) -> Put {
        let (key, value) = (used_key(&self.quote.handle), Some(tx.to_vec()));
        let expect = if Defect::TokenPaysTwice.is_planted() { Expect::Any } else { Expect::AbsentOrSame };
        Put { collection: Collection::Settlements, key, value, expect }
    }

    /// Returns the decline for a failed write of `row`, if that is the row of
    /// [`Self::used_by`].
    pub fn declined_at(&self, row: &str) -> Option<PaymentDeclined> {
        (row == used_key(&self.quote.handle)).then(|| self.used())
    }

    fn used(&self) -> PaymentDeclined {
        CredentialDeclined::Used { challenge_id: self.challenge_id.clone() }.into()
    }

    pub(super) fn taken(&self) -> Taken {
        let token_sha256: Hash = Sha256::digest(self.token.expose_token()).into();
        Taken { checked_s: self.checked_s, challenge_id: self.challenge_id.clone(), token_sha256 }
    }
}

impl PaymentAuthorizer {
    /// Checks that a token's challenge is for this bridge and this caller.
    ///
    /// # Errors
    ///
    /// Fails if it is for another bridge or account.
    pub fn check_token(
        &self,
        payment: &TokenPayment,
        bridge: &str,
        account: Option<&str>,
    ) -> Result<(), PaymentDeclined> {
        check_use(&payment.quote.terms, bridge, account)
    }

    /// Reserves the price of a call, given by its transaction id, on a charged token.
    /// The whole payment is held meanwhile: a credential pays for one call, and the
    /// rest is spent by the intent's id afterwards.
    ///
    /// # Errors
    ///
    /// Returns a [`PaymentDeclined`] if the token does not pay.
    pub fn authorize_token(
        &self,
        payment: &TokenPayment,
        price: Millipence,
        tx: &Hash,
    ) -> Result<PaymentAuthorization, PaymentDeclined> {
        let terms = &payment.quote.terms;
        let payer = Payer::Intent(payment.handle().to_owned());
        let user = self.store().get(Collection::Settlements, &used_key(&payment.quote.handle))?;
        if user.is_some_and(|user| user != tx) && !Defect::TokenPaysTwice.is_planted() {
            return Err(payment.used());
        }
        let whole = self.draw(payer, terms.charge, &payment.quote.handle).map_err(|declined| match declined {
            PaymentDeclined::IntentUsedUp { .. } | PaymentDeclined::InsufficientIntent(_) => payment.used(),
            other => other,
        })?;
        Ok(PaymentAuthorization { amount: price.min(terms.price), ..whole })
    }

    /// Returns whether exactly this token was accepted for its challenge.
    pub(super) fn is_paid_by(&self, payment: &TokenPayment) -> Result<bool, StoreError> {
        let taken = self.charge_taken(&payment.quote.handle)?;
        Ok(taken.is_some_and(|taken| taken.token_sha256 == payment.taken().token_sha256))
    }

    /// Returns the payment result for the sender of a token; `None` until it is
    /// charged.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn paid_by_token(&self, payment: &TokenPayment) -> Result<Option<PaidByToken>, StoreError> {
        let Some(row) = self.intent_row(&payment.quote.handle)? else { return Ok(None) };
        if !self.is_paid_by(payment)? {
            return Ok(None);
        }
        let reference = row.reference.unwrap_or_default();
        let mut receipt = Receipt::new(Method::STRIPE, reference, &payment.challenge_id, row.paid_ms / 1000);
        receipt.external_id.clone_from(&payment.token.external_id);
        let payer = Payer::Intent(payment.handle().to_owned());
        let remaining = self.store().balance(&payer.ledger_account().to_string())?;
        Ok(Some(PaidByToken { receipt, intent_id: payment.intent_id.clone(), remaining }))
    }
}
