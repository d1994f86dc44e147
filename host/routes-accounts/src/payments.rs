//! `/v1/payments/{intent}`: the state of a payment, its last answer, and refunds.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_payment::{IntentStatus, PaymentDeclined, PaymentState, RefundView};
use tollbridge_paywall::call_headers::recovered_response;
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_web::admit::Caller;
use tollbridge_web::error_mapping::checkout_error;
use tollbridge_web::{AppState, Path, Routes};

use crate::intent_refund::{give_back, last_refund};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("payments")
        .get(
            "/v1/payments/{intent}",
            show,
            Operation::new("showPayment", "Show a payment", "The state and the remaining amount of a payment intent.")
                .answer::<PaymentState>(200, "The payment"),
        )
        .get(
            "/v1/payments/{intent}/answer",
            answer,
            Operation::new(
                "recoverAnswer",
                "Recover an answer",
                "The last answer that a payment intent paid for; available for 24 hours.",
            )
            .answer_schema(200, "The answer", json!({}))
            .sealed(),
        )
        .post(
            "/v1/payments/{intent}/credit",
            to_credit,
            Operation::new(
                "intentToCredit",
                "Turn a payment into credit",
                "Turns the remainder of a payment intent into prepaid credit of the account that owns it.",
            )
            .answer::<Credited>(200, "The credit")
            .errors(&[Code::AlreadySealed, Code::InProgress, Code::ProcessorUnclear]),
        )
        .post(
            "/v1/payments/{intent}/refund",
            refund,
            Operation::new(
                "refundPayment",
                "Refund a payment",
                "Refunds the remainder of a payment intent to the payer; the intent's id is the only credential. \
                Repeating the request returns the same refund.",
            )
            .answer::<RefundView>(200, "The refund")
            .errors(&[Code::AlreadySealed, Code::InProgress, Code::ProcessorUnset, Code::ProcessorUnclear]),
        )
}

/// The amount that became credit, and the account's credit afterwards.
#[derive(Serialize, JsonSchema)]
struct Credited {
    credited_gbp: String,
    credited_pence: i64,
    credit_gbp: String,
    credit_pence: i64,
}

async fn show(State(app): State<Arc<AppState>>, Path(intent): Path<String>) -> Result<Json<PaymentState>, ApiError> {
    let status = intent_status(&app, &intent)?;
    let refund = last_refund(&app, &status)?;
    Ok(Json(PaymentState::new(intent, &status, refund)))
}

/// Turns the remainder of an intent into credit of the account that owns it.
async fn to_credit(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(intent): Path<String>,
) -> Result<Json<Credited>, ApiError> {
    let before = intent_status(&app, &intent)?;
    let is_owner = before.paid.as_ref().is_some_and(|row| row.account.as_deref() == Some(&principal.account_id));
    if is_owner && before.remaining.is_zero() {
        let message = "nothing remains of this payment: it was used up or already became credit";
        return Err(ApiError::new(Code::AlreadySealed, message));
    }
    let moved = app.payment_service.recorder.remainder_to_credit(&intent, &principal.account_id, now_ms()).await;
    let moved = moved.map_err(payment_error)?;
    let balance = app.accounts.balance(&principal.account_id).map_err(|error| internal(&error))?;
    Ok(Json(Credited {
        credited_gbp: moved.pounds(),
        credited_pence: moved.pence_floor(),
        credit_gbp: balance.credit.display_gbp(),
        credit_pence: balance.credit.pence_floor(),
    }))
}

/// Refunds the remainder of an intent to the payer.
async fn refund(State(app): State<Arc<AppState>>, Path(intent): Path<String>) -> Result<Json<RefundView>, ApiError> {
    let row = give_back(&app, &intent_status(&app, &intent)?).await?;
    Ok(Json(RefundView::new(row)))
}

/// Returns the answer of the last call sealed with this payment, for a caller that lost
/// the response.
async fn answer(State(app): State<Arc<AppState>>, Path(intent): Path<String>) -> Result<Response, ApiError> {
    let status = intent_status(&app, &intent)?;
    let handle = status.quote.handle.as_str();
    let recovered_answer = app.checkout.answers.of_intent(handle).map_err(|error| checkout_error(&app, error))?;
    match recovered_answer {
        Some(recovered) => recovered_response(recovered),
        None if status.paid.is_none() => {
            Err(ApiError::new(Code::NotFound, "this intent is not paid, so it has no answer"))
        }
        None => Err(not_found("no stored answer: none was sealed in the last 24 hours")),
    }
}

/// Finds an intent by its id. These routes do not accept the pay token, because it is
/// part of a link that others may see.
fn intent_status(app: &AppState, intent: &str) -> Result<IntentStatus, ApiError> {
    if !intent.starts_with("pi_") {
        return Err(not_found("no such payment intent"));
    }
    app.payments.intents.status(intent, now_ms()).map_err(|problem| match problem {
        PaymentDeclined::Store(error) => internal(&error),
        _ => not_found("no such payment intent"),
    })
}
