//! Errors of requests to the gateway.

use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::IdempotencyError;
use tollbridge_ledger::{EntryError, LedgerError};
use tollbridge_payment::PaymentError;
use tollbridge_store::{StoreError, SubmitError};

use super::stored_response::StoredResponseError;
use crate::limits::INFERENCE_OPEN_PER_ACCOUNT_MAX;

/// One attempt at one provider that yielded no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The name of the provider.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// The cause of the failure, without secrets and without text from the provider.
    pub reason: String,
    /// Time from sending the request to the failure, in milliseconds.
    pub elapsed_ms: u64,
    /// Whether the provider may have processed and billed the request.
    pub may_be_billed: bool,
}

/// An error of a request to a model. The request was not charged, except that
/// `OutcomeUnknown` leaves this open.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A member of the request is invalid.
    #[error("{message}")]
    Invalid {
        /// The JSON pointer of the invalid member; empty for the whole request.
        field: String,
        /// The problem and its fix.
        message: String,
    },
    /// The provider refused the request as invalid; other providers would refuse it too.
    #[error("{provider} refused the request: {message}")]
    ProviderRejected {
        /// The name of the provider.
        provider: String,
        /// The HTTP status of the provider's answer.
        status: u16,
        /// The provider's explanation, sanitized.
        message: String,
    },
    /// No active provider offers the model.
    #[error("there is no model `{model}`; GET /api/v1/models lists those of the active providers")]
    UnknownModel {
        /// The requested model.
        model: String,
        /// An existing model with a similar name.
        suggestion: Option<String>,
    },
    /// The model exists, but no deployment of it supports the request.
    #[error("no provider of `{model}` supports this request: {why}")]
    Unsupported {
        /// The requested model.
        model: String,
        /// A capability that the request needs and a deployment lacks.
        why: String,
    },
    /// No provider is configured; the error text explains how to configure one.
    #[error("{0}")]
    NotConfigured(String),
    /// Every provider of the model failed or is paused.
    #[error("no provider of `{model}` answers: {}", tried(.attempts))]
    ProvidersUnavailable {
        /// The requested model.
        model: String,
        /// The failed attempts, in order.
        attempts: Vec<FailedAttempt>,
        /// Whether every provider of the model is now paused.
        are_paused: bool,
        /// Seconds until a provider may be tried again.
        retry_after_s: u64,
    },
    /// Every provider that was tried is at its rate limit.
    #[error("every provider of `{model}` is at its rate limit: {}", tried(.attempts))]
    ProvidersRateLimited {
        /// The requested model.
        model: String,
        /// The failed attempts, in order.
        attempts: Vec<FailedAttempt>,
        /// Seconds until a provider may be tried again.
        retry_after_s: u64,
    },
    /// The account's credit is below the worst-case cost of the request.
    #[error(
        "the credit ({balance}) does not cover the worst case of this request ({needed}); lower max_tokens, or add credit"
    )]
    InsufficientCredit {
        /// The credit of the account.
        balance: Millipence,
        /// The most that the request can cost.
        needed: Millipence,
    },
    /// The account's credit is sufficient, but reserved by other requests in flight.
    #[error("the remaining credit is reserved by requests in flight")]
    CreditReserved,
    /// The key's remaining daily limit is below the worst-case cost of the request.
    #[error(
        "the request may cost {needed}, but of the {limit} a day that this key may spend, only {left} is available"
    )]
    DailyLimitExceeded {
        /// The key's daily limit.
        limit: Millipence,
        /// The part of the limit that is neither spent nor reserved.
        left: Millipence,
        /// The most that the request can cost.
        needed: Millipence,
    },
    /// The worst-case cost is above the limit given in the request.
    #[error("the request may cost {needed}, above its limit of {limit}; lower max_tokens, or raise the limit")]
    CostLimitExceeded {
        /// The limit given in the request.
        limit: Millipence,
        /// The worst-case cost at the cheapest provider.
        needed: Millipence,
    },
    /// The request repeats an earlier one, whose response is no longer stored.
    #[error("this transaction is already sealed and its answer is no longer kept; use a new Idempotency-Key")]
    AlreadySealed,
    /// The wallet did not pay after the answer, or it is unknown whether it paid.
    #[error(transparent)]
    Wallet(Box<PaymentError>),
    /// A request with the same idempotency key and content is in flight.
    #[error("the same request is in flight")]
    InProgress,
    /// The idempotency key was used for another request.
    #[error("this Idempotency-Key was used for another request; use a new one")]
    IdempotencyKeyReused,
    /// The idempotency key is malformed.
    #[error("an Idempotency-Key is 1 to 255 printable ASCII characters without spaces")]
    BadIdempotencyKey,
    /// The server's limit of open requests is reached.
    #[error("too many requests to models are open")]
    Busy,
    /// The account's limit of open requests is reached.
    #[error(
        "this account has {INFERENCE_OPEN_PER_ACCOUNT_MAX} open requests to models, which is the limit; wait until one ends"
    )]
    AccountBusy,
    /// The operating system returned no random bytes.
    #[error("no randomness is available")]
    NoRandomness,
    /// The disk failed or the task panicked: it is unknown whether the request was
    /// sealed.
    #[error("the outcome of this request is unknown; repeat it with the same Idempotency-Key")]
    OutcomeUnknown,
    /// The ledger record cannot be built.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<PaymentError> for GatewayError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::FundsInUse => Self::InProgress,
            error => Self::Wallet(Box::new(error)),
        }
    }
}

impl From<IdempotencyError> for GatewayError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::InvalidKey => Self::BadIdempotencyKey,
            IdempotencyError::KeyReused => Self::IdempotencyKeyReused,
            IdempotencyError::AlreadySealed => Self::AlreadySealed,
            IdempotencyError::NoRandomness => Self::NoRandomness,
            IdempotencyError::Ledger(error) => Self::Ledger(error),
            IdempotencyError::Store(error) => Self::Store(error),
        }
    }
}

impl From<StoredResponseError> for GatewayError {
    fn from(error: StoredResponseError) -> Self {
        match error {
            StoredResponseError::Store(error) => Self::Store(error),
            StoredResponseError::Submit(error) => error.into(),
        }
    }
}

impl From<SubmitError> for GatewayError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(tollbridge_store::Refusal::Duplicate { .. }) => Self::AlreadySealed,
            // The reserved amount rules out these refusals; if one occurs anyway, nothing
            // was written.
            SubmitError::Refused(_) => Self::CreditReserved,
            SubmitError::Busy => Self::Busy,
            SubmitError::Failed => Self::OutcomeUnknown,
        }
    }
}

fn tried(attempts: &[FailedAttempt]) -> String {
    if attempts.is_empty() {
        return "all providers are paused after failures or still starting".to_owned();
    }
    let each = attempts.iter().map(|attempt| format!("{} ({})", attempt.provider, attempt.reason));
    format!("tried {}", each.collect::<Vec<_>>().join(", "))
}
