//! Why there is no task, or nothing can be done with it.

use tollbridge_ledger::EntryError;
use tollbridge_market::checkout::CheckoutError;
use tollbridge_store::{Refusal, StoreError, SubmitError};

use super::proof::TaskProofError;

/// Why there is no task, or nothing can be done with it.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The call itself: offer, input, payment, plugin.
    #[error(transparent)]
    Call(#[from] CheckoutError),
    /// No agent of the operator has the skill.
    #[error("no agent that the operator approved has this capability")]
    NoCapableAgent,
    /// No task of the account has this id.
    #[error("there is no such task, or it is not yours")]
    TaskNotFound,
    /// The task is in this end state.
    #[error("the task is already {0}; only an open task can be canceled")]
    AlreadyEnded(&'static str),
    /// The task ran before it became durable.
    #[error("the task is already running and cannot be canceled; it ends soon")]
    NotCancelable,
    /// The account has this many open tasks, the most.
    #[error("your account has {0} open tasks, the maximum; wait until some are done")]
    QueueFull(usize),
    /// The whole queue is full.
    #[error("this server's task queue is full; try again in a minute")]
    ServerFull,
    /// The proof cannot be made.
    #[error(transparent)]
    Proof(#[from] TaskProofError),
    /// Rows cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The ledger entry cannot be built.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// A row is not what was written.
    #[error("the row of a task is damaged: {0}")]
    Damaged(String),
}

impl From<SubmitError> for AgentError {
    fn from(error: SubmitError) -> Self {
        match error {
            // Another request changed the task first.
            SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. }) => {
                Self::Call(CheckoutError::InProgress)
            }
            error => Self::Call(error.into()),
        }
    }
}
