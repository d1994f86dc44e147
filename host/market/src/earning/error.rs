//! Errors of earn tasks, transfers between agents, and agents' memories.

use tollbridge_ledger::idempotency::IdempotencyError;
use tollbridge_ledger::{EntryError, LedgerError, NotaryError};
use tollbridge_payment::PaymentDeclined;
use tollbridge_plugin::SchemaError;
use tollbridge_store::{Refusal, StoreError, SubmitError};

/// The reason a request is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum EarningError {
    #[error("{message}")]
    Invalid { field: String, message: String },
    #[error("there is no paying task {0}; GET /v1/earn/1 lists them")]
    NoTask(String),
    #[error("the task {0} already exists")]
    TaskKnown(String),
    #[error("the schema of the task cannot be used: {0}")]
    Schema(#[from] SchemaError),
    #[error("the task cannot be checked right now: {0}")]
    Unchecked(String),
    #[error("the budget for earn tasks is spent; the operator adds to it with `tollbridge earn budget add`")]
    BudgetSpent,
    #[error("{0}")]
    Budget(String),
    #[error("you have no agent {0}, or it is disabled")]
    NotYours(String),
    #[error("there is no agent {0}, or it is disabled")]
    NoAgent(String),
    #[error("this account has no item with that key in the memory of {0}")]
    NoItem(String),
    #[error("this account's storage in the memory of that agent is full; delete an item")]
    MemoryFull,
    #[error("{0}")]
    Unpaid(PaymentDeclined),
    #[error("the credit of the account is in use by calls in flight")]
    InFlight,
    #[error("this transaction is already sealed")]
    AlreadySealed,
    #[error("this Idempotency-Key was used for another request; use a new one")]
    KeyReused,
    #[error("an Idempotency-Key is 1 to 255 printable ASCII characters without spaces")]
    BadKey,
    #[error("no randomness is available")]
    NoRandomness,
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(SubmitError),
}

impl From<IdempotencyError> for EarningError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::InvalidKey => Self::BadKey,
            IdempotencyError::KeyReused => Self::KeyReused,
            IdempotencyError::AlreadySealed => Self::AlreadySealed,
            IdempotencyError::NoRandomness => Self::NoRandomness,
            IdempotencyError::Ledger(error) => Self::Ledger(error),
            IdempotencyError::Store(error) => Self::Store(error),
        }
    }
}

impl From<SubmitError> for EarningError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(Refusal::Duplicate { .. }) => Self::AlreadySealed,
            SubmitError::Refused(Refusal::Insufficient { .. }) => Self::InFlight,
            other => Self::Submit(other),
        }
    }
}

/// Creates the error for an invalid member of the request.
pub(super) fn invalid(field: &str, message: impl Into<String>) -> EarningError {
    EarningError::Invalid { field: field.to_owned(), message: message.into() }
}
