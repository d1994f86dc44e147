//! Errors of payments, refunds and disputes.

use tollbridge_access::AccountError;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{EntryError, LedgerError, NotaryError, PartiesError};
use tollbridge_store::{StoreError, SubmitError};

use super::declined::PaymentDeclined;
use super::processor::{LookupError, ProcessorError};

/// An error of the payment service.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// The quote expired unpaid.
    #[error("the quote expired before it was paid; request a new one")]
    QuoteExpired,
    /// Only the sandbox takes payments without a processor's page.
    #[error("this server does not use the sandbox; pay at the payment_link")]
    NotSandbox,
    /// Nothing is left to refund or convert.
    #[error("the payment intent is unpaid or empty")]
    NothingRemaining,
    /// The amount exceeds the remainder or contains a fraction of a penny.
    #[error("£{} cannot be refunded: use whole pence, at most the remaining £{}", .asked.pounds(), .all.pounds())]
    BeyondRemainder {
        /// The requested amount.
        asked: Millipence,
        /// The refundable remainder.
        all: Millipence,
    },
    /// The intent is unpaid.
    #[error("this payment intent is unpaid, so there is nothing to refund")]
    NotPaid,
    /// The purchased product was already delivered to the account.
    #[error("this payment bought a product that the account already has; only the operator can refund it")]
    BoughtProduct,
    /// The payment was made at the named processor, which this server no longer uses.
    #[error("this payment was made at `{0}`, a processor at which this server cannot make refunds; ask the operator")]
    OtherProcessor(String),
    /// The intent belongs to another account, or to none.
    #[error("the payment intent belongs to another account, or to none")]
    WrongAccount,
    /// Calls in flight hold part of the money.
    #[error("calls in flight hold part of this payment; try again in a moment")]
    FundsInUse,
    /// Credit that is reserved for queued tasks could not be reclaimed.
    #[error("credit reserved for queued tasks could not be reclaimed: {0}")]
    TaskReservations(String),
    /// The account or order kept changing during the attempt.
    #[error("the account changed during this purchase; try again")]
    Conflict,
    /// The processor failed.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// The intent or another means of payment was declined.
    #[error(transparent)]
    Declined(#[from] PaymentDeclined),
    /// The buyer's account cannot be read or changed.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The write failed.
    #[error(transparent)]
    Write(SubmitError),
    /// A row or an event is not JSON of the expected shape.
    #[error("a payment row cannot be encoded or decoded: {0}")]
    Encoding(#[from] serde_json::Error),
    /// A record cannot be created or read.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The ledger's notary failed.
    #[error(transparent)]
    Notary(#[from] NotaryError),
    /// A record is missing or damaged.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The index of the parties of each record failed.
    #[error(transparent)]
    Parties(#[from] PartiesError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LookupError> for PaymentError {
    fn from(error: LookupError) -> Self {
        Self::Processor(error.into())
    }
}
