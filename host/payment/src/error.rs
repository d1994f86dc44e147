//! Why a payment, refund or dispute could not be carried through.

use tollbridge_access::AccountError;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{EntryError, LedgerError, NotaryError, PartiesError};
use tollbridge_store::{StoreError, SubmitError};

use super::declined::PaymentDeclined;
use super::processor::{LookupError, ProcessorError};

/// An error of the payment service.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// Nobody paid the quote in time.
    #[error("the quote expired before it was paid; ask for a fresh one")]
    QuoteExpired,
    /// Only the sandbox takes payments without a processor's page.
    #[error("this server does not use the sandbox; pay at the payment_link")]
    NotSandbox,
    /// There is nothing to refund or convert.
    #[error("the payment intent is unpaid, or nothing of it is left")]
    NothingRemaining,
    /// More than is left, or a part of a penny.
    #[error("£{} cannot be refunded: it is whole pence, and at most what is left, £{}", .asked.pounds(), .all.pounds())]
    BeyondRemainder {
        /// What was to be refunded.
        asked: Millipence,
        /// What is left.
        all: Millipence,
    },
    /// Nobody has paid the intent.
    #[error("nobody has paid this payment intent, so there is nothing to give back")]
    NotPaid,
    /// What was paid for is the account's already.
    #[error("this payment bought something for an account, which has it; only the operator can refund it")]
    BoughtProduct,
    /// It was paid before this server changed its processor.
    #[error("this payment was made at `{0}`, through which this server gives nothing back; ask the operator")]
    OtherProcessor(String),
    /// The intent is not the caller's.
    #[error("the payment intent belongs to another account, or to none")]
    WrongAccount,
    /// Calls in flight hold part of the money.
    #[error("calls in flight hold part of this payment; try again in a moment")]
    FundsInUse,
    /// Credit that is reserved for queued tasks could not be reclaimed.
    #[error("credit reserved for queued tasks could not be reclaimed: {0}")]
    TaskReservations(String),
    /// The account or order changed too often meanwhile.
    #[error("the account of this purchase changed at the same moment; try again")]
    Conflict,
    /// The processor did not do what it was asked.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// The intent cannot be used.
    #[error(transparent)]
    Declined(#[from] PaymentDeclined),
    /// The buyer's account cannot be read or changed.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The write was not made.
    #[error(transparent)]
    Write(SubmitError),
    /// A row or an event is not JSON of the expected shape.
    #[error("a payment row cannot be encoded or decoded: {0}")]
    Encoding(#[from] serde_json::Error),
    /// A record cannot be made or read.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The ledger's notary failed.
    #[error(transparent)]
    Notary(#[from] NotaryError),
    /// A record is missing or damaged.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The index of who took part in which record failed.
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
