//! Conversion of payout errors (connection, withdrawal, processor) to API errors.

use axum::http::StatusCode;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_core::time::now_ms;
use tollbridge_core::time::rfc3339;
use tollbridge_market::accounts::{ConnectError, WithdrawError};
use tollbridge_payment::ProcessorError;
use tollbridge_store::SubmitError;

/// Converts a connection error to an API error for the client.
pub fn connect_error(error: ConnectError) -> ApiError {
    let message = error.to_string();
    match error {
        ConnectError::Stale => ApiError::invalid("/state", message),
        ConnectError::Declined(_) => ApiError::new(Code::NotConnected, message),
        ConnectError::Processor(error) => processor_error(&error),
        ConnectError::Write(SubmitError::Busy) => {
            ApiError::new(Code::Overloaded, message).retry_after(1).status(StatusCode::SERVICE_UNAVAILABLE)
        }
        other => internal(&other),
    }
}

/// Converts a withdrawal error to an API error for the client.
pub fn withdraw_error(error: WithdrawError) -> ApiError {
    let message = error.to_string();
    match error {
        WithdrawError::BelowMinimum(_) => ApiError::new(Code::BelowMinimum, message),
        WithdrawError::NotConnected => ApiError::new(Code::NotConnected, message),
        WithdrawError::Waiting(until_ms) => {
            let wait = until_ms.saturating_sub(now_ms()) / 1000 + 1;
            let message = format!("the payout account changed recently; withdrawals resume at {}", rfc3339(until_ms));
            ApiError::new(Code::NotConnected, message).retry_after(wait)
        }
        WithdrawError::Recovered(until_ms) => {
            let wait = until_ms.saturating_sub(now_ms()) / 1000 + 1;
            let message = format!(
                "a key of this account was created after an e-mail sign-in; withdrawals resume at {}",
                rfc3339(until_ms)
            );
            ApiError::new(Code::NotConnected, message).retry_after(wait)
        }
        WithdrawError::InProgress => ApiError::new(Code::InProgress, message).retry_after(1),
        WithdrawError::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        WithdrawError::AlreadySealed => ApiError::new(Code::AlreadySealed, message),
        WithdrawError::Unknown(_) => not_found(message),
        WithdrawError::Processor(error) => processor_error(&error),
        WithdrawError::Connect(ConnectError::Processor(error)) => processor_error(&error),
        WithdrawError::Write(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        other => internal(&other),
    }
}

/// Converts a payment processor's error to an API error for the client.
pub fn processor_error(error: &ProcessorError) -> ApiError {
    match error {
        ProcessorError::NotConfigured(_) => ApiError::new(Code::ProcessorUnset, error.to_string()),
        ProcessorError::Rejected { .. } => ApiError::new(Code::ProcessorUnclear, error.to_string()).retry_after(60),
        ProcessorError::OutcomeUnknown(why) => {
            tracing::warn!(why, "unclear response from the payment processor");
            let message = "the payment processor gave no clear answer; try again shortly";
            ApiError::new(Code::ProcessorUnclear, message).retry_after(5)
        }
    }
}
