//! Errors of the gateway as clients see them: statuses by which the official
//! clients raise their own kinds of exception.

use axum::http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

use super::super::error::{ApiError, Code};
use super::super::internal;
use super::chat::exact;
use crate::inference::{Attempt, Error};
use crate::money::Millipence;

/// Every provider was asked already: official clients would ask all of them
/// twice more.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
const FREE: &str = "nothing was charged";

/// An error of the gateway as the client sees it.
pub fn refuse(error: Error) -> ApiError {
    let message = error.to_string();
    match error {
        Error::Invalid { field, message } => ApiError::invalid(&field, message),
        Error::Refused { status, .. } => {
            let status = StatusCode::from_u16(status).ok().filter(|status| matches!(status.as_u16(), 413 | 422));
            ApiError::invalid("", message).status(status.unwrap_or(StatusCode::BAD_REQUEST)).hint(FREE)
        }
        Error::UnknownModel { suggestion, .. } => {
            let error = ApiError::new(Code::ModelNotFound, message);
            match suggestion {
                Some(name) => error.hint(&format!("did you mean `{name}`? GET /api/v1/models lists all")),
                None => error,
            }
        }
        Error::Incapable { .. } => ApiError::invalid("/model", message),
        Error::NoProvider(_) => do_not_retry(ApiError::new(Code::NoProvider, message).hint(FREE)),
        Error::AllDown { attempts, retry_after_s, .. } => {
            let error =
                ApiError::new(Code::NoProvider, message).hint("nothing was charged; try another model, or later");
            do_not_retry(error.retry_after(retry_after_s).with("attempts", tried(&attempts)))
        }
        Error::CreditTooSmall { balance, needed } => {
            pay(message, "insufficient_credit", needed).with("credit_gbp", balance.pounds())
        }
        Error::KeySpent { needed, .. } => pay(message, "key_limit", needed),
        Error::TooDear { needed, .. } => pay(message, "max_cost", needed),
        Error::AlreadySealed => ApiError::new(Code::AlreadySealed, message),
        Error::InProgress | Error::CreditInUse => ApiError::new(Code::InProgress, message).retry_after(1),
        Error::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        Error::BadIdempotencyKey => ApiError::invalid("", message),
        Error::Busy => ApiError::new(Code::Overloaded, message).retry_after(1),
        Error::Lost => ApiError::new(Code::Internal, message).retry_after(5),
        Error::NoRandomness => internal(&message),
        Error::Entry(error) => internal(&error),
        Error::Ledger(error) => internal(&error),
        Error::Store(error) => internal(&error),
    }
}

fn do_not_retry(error: ApiError) -> ApiError {
    error.header(SHOULD_RETRY, HeaderValue::from_static("false"))
}

/// There is no link: what is missing is credit, or leave to spend it.
fn pay(message: String, reason: &str, needed: Millipence) -> ApiError {
    let payment = json!({
        "reason": reason,
        "amount_gbp": exact(needed),
        "amount_millipence": needed.get(),
        "currency": "gbp",
    });
    ApiError::new(Code::PaymentRequired, message).with("payment", payment).hint(FREE)
}

fn tried(attempts: &[Attempt]) -> Value {
    let one = |attempt: &Attempt| {
        json!({
            "provider": attempt.provider,
            "model": attempt.model,
            "trouble": attempt.trouble,
            "ms": attempt.ms,
        })
    };
    attempts.iter().map(one).collect()
}
