//! `/v1/payments/{intent}`: what a payment is good for, and its last answer.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::error::{ApiError, Code};
use super::path::Path;
use super::{Shared, internal, not_found, now_ms, oracle, rfc3339};
use crate::payment::{Problem, Standing};

pub fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/payments/{intent}", get(show)).route("/v1/payments/{intent}/answer", get(answer))
}

async fn show(State(shared): State<Arc<Shared>>, Path(intent): Path<String>) -> Result<Json<Value>, ApiError> {
    let standing = standing(&shared, &intent)?;
    let terms = &standing.quote.terms;
    Ok(Json(json!({
        "payment_intent_id": intent,
        "state": state(&standing),
        "bridge": terms.bridge,
        "amount_gbp": terms.price.pounds(),
        "charge_gbp": terms.charge.pounds(),
        "remaining_gbp": standing.remaining.pounds(),
        "remaining_pence": standing.remaining.pence_floor(),
        "currency": "gbp",
        "expires_at": rfc3339(terms.expires_s.saturating_mul(1000)),
        "paid_at": standing.paid.as_ref().map(|row| rfc3339(row.paid_ms)),
    })))
}

fn state(standing: &Standing) -> &'static str {
    match (&standing.paid, standing.expired) {
        (None, true) => "expired",
        (None, false) => "unpaid",
        (Some(_), _) if standing.remaining.is_zero() => "used_up",
        (Some(_), _) => "paid",
    }
}

/// The answer that was sealed last with this payment, for a caller that lost it.
async fn answer(State(shared): State<Arc<Shared>>, Path(intent): Path<String>) -> Result<Response, ApiError> {
    let standing = standing(&shared, &intent)?;
    let handle = standing.quote.handle.as_str();
    let found = shared.checkout.answer_of_intent(handle).map_err(|error| oracle::refuse(&shared, error))?;
    match found {
        Some(recovered) => oracle::recovered_response(recovered),
        None if standing.paid.is_none() => {
            Err(ApiError::new(Code::NotFound, "nobody has paid this intent, so there is no answer"))
        }
        None => Err(not_found("no answer of this intent is kept: none was sealed, or more than 24 hours ago")),
    }
}

/// Only the intent id opens these routes: the pay token may be seen by anybody.
fn standing(shared: &Shared, intent: &str) -> Result<Standing, ApiError> {
    if !intent.starts_with("pi_") {
        return Err(not_found("this is not a payment intent of this server"));
    }
    shared.payments.standing(intent, now_ms()).map_err(|problem| match problem {
        Problem::Store(error) => internal(&error),
        _ => not_found("this is not a payment intent of this server"),
    })
}
