//! Errors of calls. A failed call was not charged, with two exceptions: `Lost` means that
//! this is unknown, and `Charged` contains the amount charged for nested calls that had
//! answered.

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::IdempotencyError;
use tollbridge_ledger::{EntryError, LedgerError};
use tollbridge_payment::{
    Challenge, CredentialDeclined, IssuedQuote, PaymentDeclined, PaymentError, ProcessorError, WalletOffer,
};
use tollbridge_plugin::{Failure, Invalid};
use tollbridge_store::{Refusal, StoreError, SubmitError};

use crate::catalog::OfferError;

/// The reason a call was not answered.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum CheckoutError {
    #[error(transparent)]
    Offer(#[from] OfferError),
    #[error("{message}")]
    Invalid { field: String, message: String },
    #[error("`{member}` can be set only by the platform; leave it out")]
    PlatformRules { member: String },
    #[error("{}", .0.reason())]
    PaymentRequired(Box<PaymentRequired>),
    #[error("X-Payment-Source: credit needs an API key; send Authorization: Bearer <key>")]
    CreditNeedsKey,
    /// The payment has no money left, or this transaction was sealed before.
    #[error("{message}")]
    AlreadySealed { message: String, answer: Option<String> },
    #[error("the same payment or idempotency key is in use by a call in flight")]
    InProgress,
    #[error("this Idempotency-Key, or this signature, was used for another request; use a new one")]
    KeyReused,
    #[error("`extensions.payment-identifier.info.id` was used by this payer for another request; use a new one")]
    IdentifierReused,
    #[error("an Idempotency-Key is 1 to 255 printable ASCII characters without spaces")]
    BadIdempotencyKey,
    #[error("{}", no_resource(id, *keyed))]
    NoResource { id: String, keyed: bool },
    /// The call's task ended while the call ran: a row to be written with the call had
    /// changed.
    #[error("the task has ended in the meantime")]
    Superseded,
    #[error(transparent)]
    Plugin(#[from] Failure),
    /// The call failed, but nested calls had already answered and must be paid.
    #[error("{error}; £{} was charged for answers of other plugins", charged.pounds())]
    Charged { charged: Millipence, error: Box<CheckoutError> },
    /// The processor has not confirmed yet whether the payment has arrived.
    #[error("the payment processor has not confirmed this payment; do not pay again, and repeat the call shortly")]
    ProcessorUnclear,
    #[error("the payment processor of this server is not configured: {0}")]
    ProcessorUnset(String),
    #[error("too many calls are waiting to be recorded")]
    Busy,
    #[error("no randomness is available")]
    NoRandomness,
    /// The disk or a task failed: the call may or may not be sealed.
    #[error("the outcome of this call is unknown; repeat it with the same payment or idempotency key")]
    Lost,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A new quote, and the reason why the payment sent with the call was not accepted.
#[derive(Debug)]
pub struct PaymentRequired {
    /// Quote for the price to pay.
    pub issued: IssuedQuote,
    /// Reason why the call's payment was not accepted; `None` if it had no payment.
    pub problem: Option<PaymentDeclined>,
    /// Missing part of the input; without it, a paid call could not be answered.
    pub lacks: Option<Invalid>,
    /// Offer for payment by wallet, if available.
    pub wallet: Option<WalletOffer>,
    /// Challenges that can be paid with a credential, one per payment method.
    pub challenges: Vec<Challenge>,
}

impl CheckoutError {
    /// Returns the error that made the call fail, without the charge for nested calls.
    pub fn cause(&self) -> &Self {
        match self {
            Self::Charged { error, .. } => error.cause(),
            cause => cause,
        }
    }

    /// Returns the input that an agent proposes instead of the one that it refused.
    pub fn proposed_input(&self) -> Option<&Value> {
        match self.cause() {
            Self::Plugin(Failure::InvalidInput { input, .. }) => input.as_ref(),
            _ => None,
        }
    }

    /// Returns the amount charged despite the error.
    pub const fn charged(&self) -> Millipence {
        match self {
            Self::Charged { charged, .. } => *charged,
            _ => Millipence::ZERO,
        }
    }

    /// Returns whether this refusal may be outdated: another host may already have
    /// written a row that makes the call succeed.
    pub(super) const fn may_be_outdated(&self) -> bool {
        match self {
            // Without a payment, no new row can help; for `FundsInUse`, this host has
            // already waited for the other hosts' writes.
            Self::PaymentRequired(required) => !matches!(required.problem, None | Some(PaymentDeclined::FundsInUse)),
            Self::Offer(_) | Self::Invalid { .. } | Self::NoResource { .. } => true,
            _ => false,
        }
    }

    /// Adds the missing part of the call's input to a quote.
    pub(super) fn lacking(mut self, lacks: impl FnOnce() -> Option<Invalid>) -> Self {
        if let Self::PaymentRequired(required) = &mut self {
            required.lacks = lacks();
        }
        self
    }

    /// Adds the amount charged for nested calls.
    pub(super) fn after_charge(self, charged: Result<Millipence, Self>, request_id: &str) -> Self {
        match charged {
            Ok(Millipence::ZERO) => self,
            Ok(charged) => Self::Charged { charged, error: Box::new(self) },
            Err(problem) => {
                tracing::error!(%problem, request_id, "could not pay nested calls of a failed call");
                self
            }
        }
    }
}

fn no_resource(id: &str, keyed: bool) -> String {
    if keyed {
        format!("this account has no resource {id}; POST /v1/resources stores one for 24 hours")
    } else {
        format!("the resource {id} can be used only with the API key of the account that stored it")
    }
}

impl PaymentRequired {
    /// Returns the reason in human-readable form.
    pub fn reason(&self) -> String {
        match &self.problem {
            None => "payment required: pay at payment.payment_link, then repeat the call with the header \
                     X-Payment-Intent-Id"
                .to_owned(),
            Some(problem) => format!("payment required: {problem}"),
        }
    }

    /// Returns the machine-readable code of the reason.
    pub fn reason_code(&self) -> Option<&'static str> {
        self.problem.as_ref().map(|problem| match problem {
            PaymentDeclined::UnknownIntent => "unknown_intent",
            PaymentDeclined::WrongBridge(_) => "other_bridge",
            PaymentDeclined::WrongAccount => "other_account",
            PaymentDeclined::Unpaid(_) => "unpaid",
            PaymentDeclined::QuoteExpired => "expired",
            PaymentDeclined::InsufficientIntent(_) => "remaining_too_small",
            PaymentDeclined::InsufficientCredit(_) => "insufficient_credit",
            PaymentDeclined::DailyLimitExceeded(_) => "daily_limit",
            PaymentDeclined::MaxCostExceeded { .. } => "above_max_cost",
            PaymentDeclined::IntentUsedUp { .. } => "used_up",
            PaymentDeclined::Disputed => "taken_back",
            PaymentDeclined::FundsInUse | PaymentDeclined::BeyondShare(_) => "in_progress",
            PaymentDeclined::Wallet(_) | PaymentDeclined::Credential(CredentialDeclined::Wallet(_)) => "wallet",
            PaymentDeclined::Credential(_) => "credential",
            PaymentDeclined::Store(_) => "unavailable",
        })
    }
}

impl From<PaymentError> for CheckoutError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::Processor(ProcessorError::NotConfigured(what)) => Self::ProcessorUnset(what.to_owned()),
            PaymentError::Store(error) => Self::Store(error),
            PaymentError::FundsInUse | PaymentError::Conflict => Self::InProgress,
            PaymentError::Write(error) => error.into(),
            error => {
                tracing::warn!(%error, "unknown whether a payment arrived");
                Self::ProcessorUnclear
            }
        }
    }
}

impl From<IdempotencyError> for CheckoutError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::InvalidKey => Self::BadIdempotencyKey,
            IdempotencyError::KeyReused => Self::KeyReused,
            IdempotencyError::AlreadySealed => Self::AlreadySealed {
                message: "this transaction is already sealed and its answer is no longer kept; use a new \
                          Idempotency-Key for a new call"
                    .to_owned(),
                answer: None,
            },
            IdempotencyError::NoRandomness => Self::NoRandomness,
            IdempotencyError::Ledger(error) => Self::Ledger(error),
            IdempotencyError::Store(error) => Self::Store(error),
        }
    }
}

impl From<SubmitError> for CheckoutError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(Refusal::Duplicate { .. }) => Self::AlreadySealed {
                message: "this transaction is already sealed; use a new Idempotency-Key for a new call".to_owned(),
                answer: None,
            },
            SubmitError::Refused(Refusal::Unexpected { .. }) => Self::Superseded,
            // Reservations prevent any other refusal, except if a dispute took the
            // owner's credit. Nothing was written.
            SubmitError::Refused(_) => Self::InProgress,
            SubmitError::Busy => Self::Busy,
            SubmitError::Failed => Self::Lost,
        }
    }
}
