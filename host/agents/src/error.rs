//! Errors of tasks.

use tollbridge_ledger::EntryError;
use tollbridge_market::checkout::CheckoutError;
use tollbridge_store::{Refusal, StoreError, SubmitError};

use super::proof::TaskProofError;

/// The reason why a task cannot be created, read or changed.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The call itself failed because of the offer, input, payment or plugin.
    #[error(transparent)]
    Call(#[from] CheckoutError),
    /// No approved agent has the requested capability.
    #[error("no agent that the operator approved has this capability")]
    NoCapableAgent,
    /// No task of the account has this id.
    #[error("there is no such task, or it belongs to another account")]
    TaskNotFound,
    /// The task has already ended; the text names its state.
    #[error("the task is already {0}; only an open task can be canceled")]
    AlreadyEnded(&'static str),
    /// The task cannot be canceled: it was already running when its row was written.
    #[error("the task is already running and cannot be canceled; it ends soon")]
    NotCancelable,
    /// The account has reached its limit of open tasks.
    #[error("your account has {0} open tasks, the maximum; wait until some are done")]
    QueueFull(usize),
    /// The task queue of this server is full.
    #[error("this server's task queue is full; try again in a minute")]
    ServerFull,
    /// The proof cannot be created.
    #[error(transparent)]
    Proof(#[from] TaskProofError),
    /// Rows cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The ledger entry cannot be built.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// A row is damaged.
    #[error("the row of a task is damaged: {0}")]
    Damaged(String),
}

impl From<SubmitError> for AgentError {
    fn from(error: SubmitError) -> Self {
        match error {
            // Another request changed the task meanwhile.
            SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. }) => {
                Self::Call(CheckoutError::InProgress)
            }
            error => Self::Call(error.into()),
        }
    }
}
