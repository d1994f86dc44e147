//! Why an intent or credit does not pay for a call.

use tollbridge_core::money::Millipence;
use tollbridge_store::StoreError;

use super::host_reservations::Shortfall;
use super::mpp::declined::CredentialDeclined;
use super::quote::{IntentHandle, Quote, QuoteTerms};
use super::wallet::declined::WalletDeclined;

/// A call was not authorized. All but [`PaymentDeclined::Store`] may be shown to
/// the caller.
#[derive(Debug, thiserror::Error)]
pub enum PaymentDeclined {
    /// The id is not one that this host signed.
    #[error("the payment intent is not one of this server; use the id from the quote unchanged")]
    UnknownIntent,
    /// The intent was quoted for this other bridge.
    #[error("the payment intent is for bridge `{0}`")]
    WrongBridge(String),
    /// The intent was quoted to another account.
    #[error("the payment intent was quoted to another account; send the key it was quoted to")]
    WrongAccount,
    /// Nobody has paid the intent yet.
    #[error("the payment intent is not paid yet; open its payment_link")]
    Unpaid(Quote),
    /// Nobody paid the intent in time.
    #[error("the quote expired before it was paid")]
    QuoteExpired,
    /// This much of the intent is left, less than the price.
    #[error("what remains of the payment intent ({0}) does not cover this call")]
    InsufficientIntent(Millipence),
    /// This much credit is left, less than the price.
    #[error("the account's credit ({0}) does not cover this call")]
    InsufficientCredit(Millipence),
    /// Nothing is left: it was spent, converted to credit or disputed.
    #[error("the payment intent is used up")]
    IntentUsedUp {
        /// Names the intent.
        handle: IntentHandle,
    },
    /// This much of the key's daily limit is left, less than the price.
    #[error("what is left of the key's daily limit ({0}) does not cover this call")]
    DailyLimitExceeded(Millipence),
    /// The price is above the maximum that the request names.
    #[error("this call costs {price}, more than the {max_cost} that the request allows")]
    MaxCostExceeded {
        /// Price of the call.
        price: Millipence,
        /// The maximum that the request names.
        max_cost: Millipence,
    },
    /// A dispute took the money back while the call ran.
    #[error("the payment was disputed while the call ran, so the call was neither charged nor answered")]
    Disputed,
    /// What a wallet signed does not pay.
    #[error(transparent)]
    Wallet(#[from] WalletDeclined),
    /// A credential does not pay.
    #[error(transparent)]
    Credential(#[from] CredentialDeclined),
    /// Calls in flight hold what is left.
    #[error("another call is using this payment right now")]
    FundsInUse,
    /// This host has to tell the others first; [`crate::PaymentAuthorizer::reserve`]
    /// does, and tries again.
    #[error("another call is using this payment right now")]
    BeyondShare(Shortfall),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether what was quoted may be used for calls of a bridge, by this caller.
pub(crate) fn check_use(terms: &QuoteTerms, bridge: &str, account: Option<&str>) -> Result<(), PaymentDeclined> {
    if terms.bridge != bridge {
        return Err(PaymentDeclined::WrongBridge(terms.bridge.clone()));
    }
    match terms.account.is_some() && terms.account.as_deref() != account {
        true => Err(PaymentDeclined::WrongAccount),
        false => Ok(()),
    }
}
