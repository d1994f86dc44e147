//! Maps errors of webhooks to API errors.

use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_store::{Refusal, SubmitError};
use tollbridge_webhooks::WebhookError;

/// Maps a webhook error to the API error that the client sees.
pub(crate) fn webhook_error(error: WebhookError) -> ApiError {
    let message = error.to_string();
    match error {
        WebhookError::Url(_) => ApiError::invalid("/url", message),
        WebhookError::NoEvents | WebhookError::UnknownEvent(_) => {
            let names: Vec<&str> = tollbridge_ledger::events::ALL.iter().map(|(name, _)| *name).collect();
            ApiError::invalid("/events", message).with("events", names)
        }
        WebhookError::Secret(_) => ApiError::invalid("/secret", message),
        WebhookError::Overlap => ApiError::invalid("/overlap_ms", message),
        WebhookError::ReplayTooMany => ApiError::invalid("/since_ms", message),
        WebhookError::TooMany => ApiError::new(Code::AlreadySealed, message),
        WebhookError::NoWebhook(_) | WebhookError::NoneRegistered | WebhookError::NoEvent(_) => not_found(message),
        WebhookError::Submit(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        WebhookError::Submit(SubmitError::Refused(Refusal::Unexpected { .. })) => {
            ApiError::new(Code::InProgress, "another request made a change first; try again").retry_after(1)
        }
        other => internal(&other),
    }
}
