//! Conversion of payment errors to API errors.

use axum::http::StatusCode;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_payment::{PaymentDeclined, PaymentError};
use tollbridge_store::SubmitError;

use crate::payout_errors::processor_error;

/// Converts a payment error to an API error for the client.
pub fn payment_error(error: PaymentError) -> ApiError {
    match error {
        PaymentError::QuoteExpired => ApiError::new(Code::PaymentRequired, error.to_string()).status(StatusCode::GONE),
        PaymentError::Declined(problem) => declined_error(problem),
        PaymentError::Processor(error) => processor_error(&error),
        PaymentError::NotSandbox | PaymentError::NothingRemaining | PaymentError::NotPaid => {
            ApiError::new(Code::NotFound, error.to_string())
        }
        PaymentError::BeyondRemainder { .. } => ApiError::invalid("", error.to_string()),
        PaymentError::WrongAccount => not_found("this payment belongs to another account"),
        PaymentError::BoughtProduct => ApiError::new(Code::AlreadySealed, error.to_string()),
        PaymentError::OtherProcessor(_) => ApiError::new(Code::ProcessorUnset, error.to_string()),
        PaymentError::FundsInUse | PaymentError::Conflict => {
            ApiError::new(Code::InProgress, error.to_string()).retry_after(1)
        }
        PaymentError::Account(error) => internal(&error),
        PaymentError::Notary(error) => internal(&error),
        PaymentError::Ledger(error) => internal(&error),
        PaymentError::Parties(error) => internal(&error),
        PaymentError::Store(error) => internal(&error),
        PaymentError::Write(SubmitError::Busy) => {
            ApiError::new(Code::Overloaded, "too many payments at once; try again").retry_after(1)
        }
        PaymentError::Write(SubmitError::Failed) => {
            ApiError::new(Code::ProcessorUnclear, "the payment may have arrived; check its state before you pay again")
                .retry_after(5)
        }
        PaymentError::Write(error) => internal(&error),
        PaymentError::Encoding(error) => internal(&error),
        PaymentError::TaskReservations(_) => internal(&error),
        PaymentError::Entry(error) => internal(&error),
    }
}

/// Converts the error of a failed look-up of a payment: an internal error if the store
/// failed, otherwise 404.
pub fn declined_error(problem: PaymentDeclined) -> ApiError {
    match problem {
        PaymentDeclined::Store(error) => internal(&error),
        _ => not_found("no such payment; use the link from the quote unchanged"),
    }
}
