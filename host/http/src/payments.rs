//! `/v1/payments/{intent}`: the state of a payment, its last answer, and refunds.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::{Operation, integer, nullable, object, text, time};
use tollbridge_core::time::now_ms;
use tollbridge_core::time::rfc3339;
use tollbridge_payment::{IntentStatus, PaymentDeclined, RefundRow, RefundStatus};

use crate::admit::Caller;
use crate::error_mapping::checkout::checkout_error;
use crate::intent_refund::{give_back, last_refund, refund_json, refund_members};
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;
use tollbridge_paywall::call_headers::recovered_response;
use tollbridge_paywall::payment_errors::payment_error;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let credited =
        json!({ "credited_gbp": text(), "credited_pence": integer(), "credit_gbp": text(), "credit_pence": integer() });
    Routes::new("payments")
        .get(
            "/v1/payments/{intent}",
            show,
            Operation::new("showPayment", "Show a payment", "The state and the remaining amount of a payment intent.")
                .members(200, "The payment", &payment_members()),
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
            .members(200, "The credit", &credited)
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
            .members(200, "The refund", &refund_members())
            .errors(&[Code::AlreadySealed, Code::InProgress, Code::ProcessorUnset, Code::ProcessorUnclear]),
        )
}

fn payment_members() -> Value {
    json!({
        "payment_intent_id": text(),
        "state": { "enum": ["unpaid", "paid", "used_up", "refunded", "expired"] },
        "bridge": text(),
        "amount_gbp": text(),
        "charge_gbp": text(),
        "remaining_gbp": text(),
        "remaining_pence": integer(),
        "currency": { "const": "gbp" },
        "expires_at": time(),
        "paid_at": nullable(time()),
        "refund": nullable(object(&refund_members())),
    })
}

async fn show(State(app): State<Arc<AppState>>, Path(intent): Path<String>) -> Result<Json<Value>, ApiError> {
    let status = intent_status(&app, &intent)?;
    let refund = last_refund(&app, &status)?;
    let terms = &status.quote.terms;
    Ok(Json(json!({
        "payment_intent_id": intent,
        "state": state(&status, refund.as_ref()),
        "bridge": terms.bridge,
        "amount_gbp": terms.price.pounds(),
        "charge_gbp": terms.charge.pounds(),
        "remaining_gbp": status.remaining.pounds(),
        "remaining_pence": status.remaining.pence_floor(),
        "currency": "gbp",
        "expires_at": rfc3339(terms.expires_s.saturating_mul(1000)),
        "paid_at": status.paid.as_ref().map(|row| rfc3339(row.paid_ms)),
        "refund": refund.as_ref().map(refund_json),
    })))
}

fn state(status: &IntentStatus, refund: Option<&RefundRow>) -> &'static str {
    let went_back =
        refund.is_some_and(|row| !matches!(row.state, RefundStatus::Failing { .. } | RefundStatus::Failed { .. }));
    match (&status.paid, status.expired) {
        (None, true) => "expired",
        (None, false) => "unpaid",
        (Some(_), _) if status.remaining.is_zero() && went_back => "refunded",
        (Some(_), _) if status.remaining.is_zero() && status.quote.terms.product().is_none() => "used_up",
        (Some(_), _) => "paid",
    }
}

/// Turns the remainder of an intent into credit of the account that owns it.
async fn to_credit(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(intent): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let before = intent_status(&app, &intent)?;
    let is_owner = before.paid.as_ref().is_some_and(|row| row.account.as_deref() == Some(&principal.account_id));
    if is_owner && before.remaining.is_zero() {
        let message = "nothing remains of this payment: it was used up or already became credit";
        return Err(ApiError::new(Code::AlreadySealed, message));
    }
    let moved = app.payment_service.recorder.remainder_to_credit(&intent, &principal.account_id, now_ms()).await;
    let moved = moved.map_err(payment_error)?;
    let balance = app.accounts.balance(&principal.account_id).map_err(|error| internal(&error))?;
    Ok(Json(json!({
        "credited_gbp": moved.pounds(),
        "credited_pence": moved.pence_floor(),
        "credit_gbp": balance.credit.display_gbp(),
        "credit_pence": balance.credit.pence_floor(),
    })))
}

/// Refunds the remainder of an intent to the payer.
async fn refund(State(app): State<Arc<AppState>>, Path(intent): Path<String>) -> Result<Json<Value>, ApiError> {
    let row = give_back(&app, &intent_status(&app, &intent)?).await?;
    Ok(Json(refund_json(&row)))
}

/// Returns the last answer sealed with this payment, for a caller that lost it.
async fn answer(State(app): State<Arc<AppState>>, Path(intent): Path<String>) -> Result<Response, ApiError> {
    let status = intent_status(&app, &intent)?;
    let handle = status.quote.handle.as_str();
    let recovered_answer = app.checkout.answer_of_intent(handle).map_err(|error| checkout_error(&app, error))?;
    match recovered_answer {
        Some(recovered) => recovered_response(recovered),
        None if status.paid.is_none() => {
            Err(ApiError::new(Code::NotFound, "this intent is not paid, so it has no answer"))
        }
        None => Err(not_found("no stored answer: none was sealed in the last 24 hours")),
    }
}

/// Finds an intent by its id. These routes do not accept the pay token, because others may see it.
fn intent_status(app: &AppState, intent: &str) -> Result<IntentStatus, ApiError> {
    if !intent.starts_with("pi_") {
        return Err(not_found("no such payment intent"));
    }
    app.payments.intent_status(intent, now_ms()).map_err(|problem| match problem {
        PaymentDeclined::Store(error) => internal(&error),
        _ => not_found("no such payment intent"),
    })
}
