//! Errors of commands.

use tollbridge_ledger::{LedgerError, NotaryError};
use tollbridge_market::accounts::AccountsError;
use tollbridge_store::{Refusal, StoreError, SubmitError};

/// A reason for not carrying out a command.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum OperatorError {
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}

impl From<SubmitError> for OperatorError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(Refusal::Unexpected { .. }) => {
                Self::Refused("another request changed this at the same moment; try again".to_owned())
            }
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<NotaryError> for OperatorError {
    fn from(error: NotaryError) -> Self {
        match error {
            NotaryError::Submit(error) => error.into(),
            NotaryError::Entry(error) => Self::Refused(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<AccountsError> for OperatorError {
    fn from(error: AccountsError) -> Self {
        match error {
            AccountsError::Submit(error) => error.into(),
            error if error.is_missing() => Self::NotFound(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<StoreError> for OperatorError {
    fn from(error: StoreError) -> Self {
        Self::Failed(format!("{error}: {:?}", error.source))
    }
}

impl From<LedgerError> for OperatorError {
    fn from(error: LedgerError) -> Self {
        Self::Failed(error.to_string())
    }
}
