//! Reasons why an intent or credit does not pay for a call.

use tollbridge_core::money::Millipence;
use tollbridge_store::StoreError;

use super::credential::CredentialDeclined;
use super::wallet::WalletDeclined;
use crate::host_reservations::Shortfall;
use crate::quote::{IntentHandle, Quote, QuoteTerms};

/// A reason why a call was not authorized. All variants except
/// [`PaymentDeclined::Store`] may be shown to the caller.
#[derive(Debug, thiserror::Error)]
pub enum PaymentDeclined {
    /// The text is not an intent id signed by this host.
    #[error("unknown payment intent; use the id from the quote unchanged")]
    UnknownIntent,
    /// The intent was quoted for another bridge, which this variant names.
    #[error("the payment intent is for bridge `{0}`")]
    WrongBridge(String),
    /// The intent was quoted to another account.
    #[error("the payment intent was quoted to another account; send a key of that account")]
    WrongAccount,
    /// The intent is unpaid.
    #[error("the payment intent is not paid yet; open its payment_link")]
    Unpaid(Quote),
    /// The quote expired unpaid.
    #[error("the quote expired before it was paid")]
    QuoteExpired,
    /// The price exceeds the intent's remaining money, which is the value of this
    /// variant.
    #[error("the payment intent's remaining {0} does not cover this call")]
    InsufficientIntent(Millipence),
    /// The price exceeds the account's credit, which is the value of this variant.
    #[error("the account's credit ({0}) does not cover this call")]
    InsufficientCredit(Millipence),
    /// The intent is empty: spent, converted to credit or disputed.
    #[error("the payment intent is used up")]
    IntentUsedUp {
        /// Public handle of the intent.
        handle: IntentHandle,
    },
    /// The price exceeds the unspent part of the key's daily limit, which is the value of
    /// this variant.
    #[error("the key's remaining daily limit ({0}) does not cover this call")]
    DailyLimitExceeded(Millipence),
    /// The price exceeds the maximum set in the request.
    #[error("this call costs {price}, but the request allows at most {max_cost}")]
    MaxCostExceeded {
        /// Price of the call.
        price: Millipence,
        /// Maximum set in the request.
        max_cost: Millipence,
    },
    /// A dispute withdrew the money while the call ran.
    #[error("the payment was disputed while the call ran, so the call was neither charged nor answered")]
    Disputed,
    /// The wallet's payment was declined; contains the reason.
    #[error(transparent)]
    Wallet(#[from] WalletDeclined),
    /// The credential was declined; contains the reason.
    #[error(transparent)]
    Credential(#[from] CredentialDeclined),
    /// Calls in flight hold the remaining amount.
    #[error("another call is using this payment right now")]
    FundsInUse,
    /// This host must announce a larger share first;
    /// [`crate::BalanceShares::reserve`] does so and tries again.
    #[error("another call is using this payment right now")]
    BeyondShare(Shortfall),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Checks that a quote is for calls of `bridge`, and for `account` if it is bound to an
/// account.
pub(crate) fn check_use(terms: &QuoteTerms, bridge: &str, account: Option<&str>) -> Result<(), PaymentDeclined> {
    if terms.bridge != bridge {
        return Err(PaymentDeclined::WrongBridge(terms.bridge.clone()));
    }
    match terms.account.is_some() && terms.account.as_deref() != account {
        true => Err(PaymentDeclined::WrongAccount),
        false => Ok(()),
    }
}
