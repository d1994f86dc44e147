//! Why a request got no answer. In every case it was not charged, except that
//! `Lost` cannot know.

use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::IdempotencyError;
use tollbridge_ledger::{EntryError, LedgerError};
use tollbridge_store::{StoreError, SubmitError};

/// One try at one provider that gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    pub provider: String,
    pub model: String,
    /// What went wrong, without secrets and without the provider's own words.
    pub reason: String,
    pub elapsed_ms: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A member of the request is wrong: its JSON pointer, empty for the whole.
    #[error("{message}")]
    Invalid { field: String, message: String },
    /// The provider refused the request, and another would too.
    #[error("{provider} refused the request: {message}")]
    ProviderRejected { provider: String, status: u16, message: String },
    #[error("there is no model `{model}`; GET /api/v1/models lists those of the active providers")]
    UnknownModel { model: String, suggestion: Option<String> },
    #[error("no provider of `{model}` can do this: {why}")]
    Unsupported { model: String, why: String },
    /// Nobody is configured; names the fix.
    #[error("{0}")]
    NotConfigured(String),
    /// Everybody was tried, or is paused.
    #[error("no provider of `{model}` answers: {}", tried(.attempts))]
    ProvidersUnavailable { model: String, attempts: Vec<FailedAttempt>, retry_after_s: u64 },
    #[error(
        "the credit ({balance}) does not cover the worst case of this request ({needed}); lower max_tokens, or add credit"
    )]
    InsufficientCredit { balance: Millipence, needed: Millipence },
    #[error("what is left of the credit is reserved by requests in flight")]
    CreditReserved,
    #[error(
        "this key may spend {limit} a day, and {left} of it is neither spent nor reserved; the request may cost {needed}"
    )]
    DailyLimitExceeded { limit: Millipence, left: Millipence, needed: Millipence },
    #[error("the request may cost {needed}, more than the {limit} that it may; lower max_tokens, or raise the limit")]
    CostLimitExceeded { limit: Millipence, needed: Millipence },
    #[error("this transaction is already sealed and its answer is no longer kept; use a new Idempotency-Key")]
    AlreadySealed,
    #[error("the same request is being answered right now")]
    InProgress,
    #[error("this Idempotency-Key was used for another request; use a new one")]
    IdempotencyKeyReused,
    #[error("an Idempotency-Key is 1 to 255 printable ASCII characters without spaces")]
    BadIdempotencyKey,
    #[error("too many requests to models are open")]
    Busy,
    #[error("no randomness is available")]
    NoRandomness,
    /// The disk failed or the task died: the request may or may not be sealed.
    #[error("the outcome of this request is unknown; repeat it with the same Idempotency-Key")]
    OutcomeUnknown,
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Store(#[from] StoreError),
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

impl From<SubmitError> for GatewayError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(tollbridge_store::Refusal::Duplicate { .. }) => Self::AlreadySealed,
            // The hold rules these out; should they happen, nothing was written.
            SubmitError::Refused(_) => Self::CreditReserved,
            SubmitError::Busy => Self::Busy,
            SubmitError::Failed => Self::OutcomeUnknown,
        }
    }
}

fn tried(attempts: &[FailedAttempt]) -> String {
    if attempts.is_empty() {
        return "all are paused after failures".to_owned();
    }
    let each = attempts.iter().map(|attempt| format!("{} ({})", attempt.provider, attempt.reason));
    format!("tried {}", each.collect::<Vec<_>>().join(", "))
}
