//! Errors of opening or changing an account.

use tollbridge_access::{AccountError, EmailError};
use tollbridge_ledger::NotaryError;
use tollbridge_ledger::events::AnnounceError;
use tollbridge_store::{Refusal, SubmitError};

/// The reason a request to open or change an account is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum AccountsError {
    #[error(transparent)]
    Email(#[from] EmailError),
    #[error("too many sign-ups from this network address; try again later")]
    TooMany { retry_after_s: u32 },
    #[error("too many e-mail addresses were submitted from this network address today; try again tomorrow")]
    TooManyNotices { retry_after_s: u32 },
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error(transparent)]
    Announce(#[from] AnnounceError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error("`{0}` is not a tier; write free, pro or enterprise")]
    Tier(String),
}

impl AccountsError {
    /// Returns whether the account or key named in the request does not exist.
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::Account(AccountError::UnknownAccount(_) | AccountError::UnknownKey(_)))
    }

    /// Returns whether a concurrent request changed the same rows first.
    pub const fn is_race(&self) -> bool {
        matches!(self, Self::Submit(SubmitError::Refused(Refusal::Unexpected { .. })))
    }
}
