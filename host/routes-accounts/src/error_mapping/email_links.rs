//! Maps errors of sign-in links to API errors.

use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_market::accounts::EmailLinksError;
use tollbridge_store::SubmitError;

/// Maps an e-mail link error to the API error that the client sees.
pub(crate) fn email_links_error(error: EmailLinksError) -> ApiError {
    let message = error.to_string();
    match error {
        EmailLinksError::Off | EmailLinksError::NoAddress | EmailLinksError::Email(_) => {
            ApiError::invalid("/email", message)
        }
        EmailLinksError::Quota(quota) => {
            ApiError::new(Code::RateLimited, message).retry_after(quota.retry_after_s().into())
        }
        EmailLinksError::Busy(_) => ApiError::new(Code::Overloaded, message).retry_after(60),
        EmailLinksError::Submit(SubmitError::Busy | SubmitError::Refused(_)) => {
            ApiError::new(Code::Overloaded, "the server is busy; try again").retry_after(1)
        }
        EmailLinksError::Unknown => ApiError::invalid("/link", message),
        EmailLinksError::Suspended => ApiError::new(Code::Blocked, message),
        other => internal(&other),
    }
}
