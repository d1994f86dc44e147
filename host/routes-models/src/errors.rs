//! Gateway errors as clients see them, with the statuses that the official clients map to their
//! exceptions.

use axum::http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};
use tollbridge_access::Principal;
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{now_ms, rfc3339};
use tollbridge_gateway::{FailedAttempt, GatewayError};
use tollbridge_payment::QuoteError;
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_web::AppState;

use crate::billing::exact;

/// The header that stops the official clients from retrying: the gateway has already
/// tried every provider, and a client would try all of them twice more.
pub(crate) const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
const FREE: &str = "nothing was charged";
/// One pound in millipence; credit is bought in whole pounds.
const POUND: i64 = 100_000;

/// Maps a gateway error to an API error, with a link to buy credit if credit is missing.
pub(crate) fn gateway_error_for(app: &AppState, principal: &Principal, error: GatewayError) -> ApiError {
    match error {
        GatewayError::InsufficientCredit { balance, needed } => {
            let message = error.to_string();
            match credit_link(app, principal, Millipence::new(needed.get().saturating_sub(balance.get()))) {
                Ok(link) => pay(message, "insufficient_credit", needed, link).with("credit_gbp", balance.pounds()),
                Err(error) => internal(&error),
            }
        }
        other => gateway_error(other),
    }
}

/// Quotes enough whole pounds of credit to cover the missing amount.
fn credit_link(app: &AppState, principal: &Principal, missing: Millipence) -> Result<Value, QuoteError> {
    let least = missing.max(app.payments.quotes.minimum_charge()).get().max(1);
    let amount = Millipence::new(least.saturating_add(POUND - 1) / POUND * POUND);
    let issued = app.payments.quotes.issue_product("credit", amount, &principal.account_id, now_ms())?;
    Ok(json!({
        "payment_link": format!("{}/pay/{}", app.settings.base_url, issued.pay_token),
        "payment_intent_id": issued.intent_id,
        "charge_gbp": amount.pounds(),
        "charge_pence": amount.pence_floor(),
        "expires_at": rfc3339(issued.quote.terms.expires_s.saturating_mul(1000)),
    }))
}

/// Maps a gateway error to the API error that the client sees.
pub(crate) fn gateway_error(error: GatewayError) -> ApiError {
    let message = error.to_string();
    match error {
        GatewayError::Invalid { field, message } => ApiError::invalid(&field, message),
        GatewayError::ProviderRejected { status, .. } => {
            let status = StatusCode::from_u16(status).ok().filter(|status| matches!(status.as_u16(), 413 | 422));
            ApiError::invalid("", message).status(status.unwrap_or(StatusCode::BAD_REQUEST)).hint(FREE)
        }
        GatewayError::UnknownModel { suggestion, .. } => {
            let error = ApiError::new(Code::ModelNotFound, message);
            match suggestion {
                Some(name) => error.hint(&format!("did you mean `{name}`? GET /api/v1/models lists all")),
                None => error,
            }
        }
        GatewayError::Unsupported { .. } => ApiError::invalid("/model", message),
        GatewayError::NotConfigured(_) => do_not_retry(ApiError::new(Code::NoProvider, message).hint(FREE)),
        GatewayError::ProvidersUnavailable { attempts, retry_after_s, .. } => {
            let error = ApiError::new(Code::NoProvider, message)
                .hint("nothing was charged; try another model, or try again later");
            do_not_retry(error.retry_after(retry_after_s).with("attempts", tried(&attempts)))
        }
        // Retryable: clients wait for `Retry-After` and try again.
        GatewayError::ProvidersRateLimited { attempts, retry_after_s, .. } => {
            let error = ApiError::new(Code::RateLimited, message).hint(FREE);
            error.retry_after(retry_after_s).with("attempts", tried(&attempts))
        }
        GatewayError::InsufficientCredit { needed, .. } => pay(message, "insufficient_credit", needed, json!({})),
        // The key's limit is exceeded, which no payment changes.
        GatewayError::DailyLimitExceeded { needed, .. } => pay(message, "key_limit", needed, json!({})),
        GatewayError::CostLimitExceeded { needed, .. } => pay(message, "max_cost", needed, json!({})),
        GatewayError::Wallet(error) => payment_error(*error),
        GatewayError::AlreadySealed => ApiError::new(Code::AlreadySealed, message),
        GatewayError::InProgress | GatewayError::CreditReserved => {
            ApiError::new(Code::InProgress, message).retry_after(1)
        }
        GatewayError::IdempotencyKeyReused => ApiError::new(Code::IdempotencyReused, message),
        GatewayError::BadIdempotencyKey => ApiError::invalid("", message),
        GatewayError::AccountBusy => ApiError::new(Code::RateLimited, message).retry_after(1),
        GatewayError::Busy => ApiError::new(Code::Overloaded, message).retry_after(1),
        GatewayError::OutcomeUnknown => ApiError::new(Code::Internal, message).retry_after(5),
        GatewayError::NoRandomness => internal(&message),
        GatewayError::Entry(error) => internal(&error),
        GatewayError::Ledger(error) => internal(&error),
        GatewayError::Store(error) => internal(&error),
    }
}

fn do_not_retry(error: ApiError) -> ApiError {
    error.header(SHOULD_RETRY, HeaderValue::from_static("false"))
}

/// Builds a 402 error; `payment` has the request's maximum cost, and a payment link if a payment
/// would help.
fn pay(message: String, reason: &str, needed: Millipence, link: Value) -> ApiError {
    let mut payment = json!({
        "reason": reason,
        "amount_gbp": exact(needed),
        // Rounded up, because the amount may be a fraction of a penny.
        "amount_pence": needed.get().saturating_add(999) / 1_000,
        "amount_millipence": needed.get(),
        "currency": "gbp",
    });
    if let (Some(members), Value::Object(link)) = (payment.as_object_mut(), link) {
        members.extend(link);
    }
    ApiError::new(Code::PaymentRequired, message).with("payment", payment).hint(FREE)
}

fn tried(attempts: &[FailedAttempt]) -> Value {
    let one = |attempt: &FailedAttempt| {
        json!({
            "provider": attempt.provider,
            "model": attempt.model,
            "trouble": attempt.reason,
            "ms": attempt.elapsed_ms,
        })
    };
    attempts.iter().map(one).collect()
}
