//! Maps errors of accounts and keys to API errors.

use tollbridge_access::AccountError;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_ledger::{IndexError, PartiesError};
use tollbridge_market::accounts::{AccountsError, HistoryError};
use tollbridge_store::SubmitError;

/// Maps an account error to the API error that the client sees.
pub(crate) fn accounts_error(error: AccountsError) -> ApiError {
    let message = error.to_string();
    if error.is_missing() {
        return not_found(message);
    }
    if error.is_race() {
        let message = "another request made a change first; try again";
        return ApiError::new(Code::InProgress, message).retry_after(1);
    }
    match error {
        AccountsError::Email(_) => ApiError::invalid("/email", message),
        AccountsError::TooMany { retry_after_s } | AccountsError::TooManyNotices { retry_after_s } => {
            ApiError::new(Code::RateLimited, message).retry_after(retry_after_s.into())
        }
        AccountsError::Account(AccountError::EmailTaken | AccountError::TooManyKeys) => {
            ApiError::new(Code::AlreadySealed, message)
        }
        AccountsError::Account(AccountError::UnknownReferralCode(_)) => ApiError::invalid("/referral_code", message),
        AccountsError::Account(AccountError::InvalidLabel) => ApiError::invalid("/label", message),
        AccountsError::Account(AccountError::ExpiryInPast) => ApiError::invalid("/expires_ms", message),
        AccountsError::Account(AccountError::IssuerHasLimit | AccountError::IssuerLacksScope) => {
            ApiError::new(Code::LacksScope, message)
        }
        AccountsError::Account(AccountError::KeyInactive(_)) => ApiError::new(Code::AlreadySealed, message),
        AccountsError::Submit(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        other => internal(&other),
    }
}

/// Maps a history error to the API error that the client sees.
pub(crate) fn history_error(error: HistoryError) -> ApiError {
    match error {
        HistoryError::Parties(PartiesError::Behind | PartiesError::Index(IndexError::Submit(SubmitError::Busy))) => {
            ApiError::new(Code::Overloaded, error.to_string()).retry_after(1)
        }
        error => internal(&error),
    }
}
