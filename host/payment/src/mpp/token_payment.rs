//! `TokenPayment`: a token that pays a challenge of this host.

use std::fmt;

use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_mpp::{Receipt, StripePayload};
use tollbridge_store::{Collection, Expect, Hash, Put};

use super::charge_row::{UsedToken, used_key};
use crate::declined::{CredentialDeclined, PaymentDeclined, check_use};
use crate::quote::Quote;

/// A token sent for a challenge of this host, bound to the request body. Whether it pays
/// is known only after the charge.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenPayment {
    pub(super) quote: Quote,
    /// The intent id, a secret that can spend the remainder of the payment.
    pub(super) intent_id: String,
    pub(super) challenge_id: String,
    pub(super) token: StripePayload,
    /// Expiry of the challenge, Unix time in seconds.
    pub(super) expires_s: u64,
    /// Time as of which the challenge was checked, Unix time in seconds.
    pub(super) checked_s: u64,
}

/// The result sent to the sender of a charged token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidByToken {
    /// The receipt of the payment.
    pub receipt: Receipt,
    /// The intent id, a secret that can spend the remainder of the payment; for the
    /// sender of the token only.
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

    /// Returns the id of the challenge, by which repeats of a call without an
    /// `Idempotency-Key` are recognized.
    pub fn challenge_id(&self) -> &str {
        &self.challenge_id
    }

    /// Returns the intent id, a secret that can spend the remainder of the payment.
    pub fn expose_intent_id(&self) -> &str {
        &self.intent_id
    }

    /// Returns the row that binds this credential to the call with transaction id `tx`,
    /// so that it pays for no other call. Write it with the seal of the call, or when a
    /// task is accepted; a task draws on the intent only when it is answered.
    pub fn used_by(&self, tx: &Hash) -> Put {
        let (key, value) = (self.used_key(), Some(tx.to_vec()));
        let expect = if Defect::TokenPaysTwice.is_planted() { Expect::Any } else { Expect::AbsentOrSame };
        Put { collection: Collection::Settlements, key, value, expect }
    }

    /// Returns the reason to decline a call whose write failed because of the row with
    /// key `row`. If this is the row of [`Self::used_by`], the credential already pays
    /// for another call; otherwise `None`.
    pub fn declined_at(&self, row: &str) -> Option<PaymentDeclined> {
        (row == self.used_key()).then(|| self.used())
    }

    /// Checks that the challenge is for this bridge and this caller.
    ///
    /// # Errors
    ///
    /// Fails if it is for another bridge or account.
    pub fn check_use(&self, bridge: &str, account: Option<&str>) -> Result<(), PaymentDeclined> {
        check_use(&self.quote.terms, bridge, account)
    }

    pub(crate) const fn quote(&self) -> &Quote {
        &self.quote
    }

    /// Returns the key of the row of [`Self::used_by`].
    pub(crate) fn used_key(&self) -> String {
        used_key(&self.quote.handle)
    }

    pub(crate) fn used(&self) -> PaymentDeclined {
        CredentialDeclined::Used { challenge_id: self.challenge_id.clone() }.into()
    }

    pub(super) fn taken(&self) -> UsedToken {
        let token_sha256: Hash = Sha256::digest(self.token.expose_token()).into();
        UsedToken { checked_s: self.checked_s, challenge_id: self.challenge_id.clone(), token_sha256 }
    }
}
