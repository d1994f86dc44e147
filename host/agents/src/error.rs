//! Why there is no task, or nothing can be done with it.

use super::proof::TaskProofError;
use tollbridge_ledger::EntryError;
use tollbridge_market::checkout::CheckoutError;
use tollbridge_store::{Refusal, StoreError, SubmitError};

#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The call itself: offer, input, payment, plugin.
    #[error(transparent)]
    Call(#[from] CheckoutError),
    #[error("no agent that the operator approved has this capability")]
    NoCapableAgent,
    #[error("there is no such task, or it is not yours")]
    TaskNotFound,
    #[error("the task is {0} already; only an open one can be canceled")]
    AlreadyEnded(&'static str),
    #[error("the task ran already when it was accepted; it cannot be canceled, and ends soon")]
    NotCancelable,
    #[error("your account has {0} tasks waiting; that is the most, wait until some are done")]
    QueueFull(usize),
    #[error("too many tasks are waiting on this server; try again in a minute")]
    ServerFull,
    #[error(transparent)]
    Proof(#[from] TaskProofError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("the row of a task is damaged: {0}")]
    Damaged(String),
}

impl From<SubmitError> for AgentError {
    fn from(error: SubmitError) -> Self {
        match error {
            // Somebody else changed the task first.
            SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. }) => {
                Self::Call(CheckoutError::InProgress)
            }
            error => Self::Call(error.into()),
        }
    }
}
