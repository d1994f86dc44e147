//! `POST /v1/payments/stripe/events`: signed events from Stripe.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_payment::{EventOutcome, PaymentError};
use tollbridge_paywall::payout_errors::{processor_error, withdraw_error};
use tollbridge_web::body::RawBytes;
use tollbridge_web::{AppState, Routes};

/// Maximum size of an event from Stripe. Real ones have a few kilobytes.
const STRIPE_EVENT_BYTES_MAX: usize = 256 << 10;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "stripeEvent",
        "Stripe event",
        "Events from Stripe, signed with payments.stripe.webhook_secret.",
    )
    .answer::<Received>(200, "The event was handled")
    .errors(&[Code::EventSignature, Code::ProcessorUnset, Code::ProcessorUnclear]);
    Routes::new("payments").post("/v1/payments/stripe/events", receive, operation)
}

#[derive(Serialize, JsonSchema)]
struct Received {
    received: bool,
}

/// Handles an event; any answer other than success makes Stripe send it again.
async fn receive(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Json<Received>, ApiError> {
    let invalid = |why: String| ApiError::new(Code::EventSignature, why);
    let Some(secret) = &app.event_secret else {
        return Err(invalid("payments.stripe.webhook_secret is not set, so events cannot be verified".to_owned()));
    };
    let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    secret.verify(signature, &body, now_ms() / 1000).map_err(|bad| invalid(bad.to_string()))?;
    if body.len() > STRIPE_EVENT_BYTES_MAX {
        return Err(ApiError::new(Code::TooLarge, format!("the event is larger than {STRIPE_EVENT_BYTES_MAX} bytes")));
    }
    match app.payment_service.stripe_events.handle(&body, now_ms()).await {
        Ok(EventOutcome::Handled) => {}
        Ok(EventOutcome::TransferReversed { withdrawal, transfer }) => {
            app.withdrawals.returned(&withdrawal, &transfer, now_ms()).await.map_err(withdraw_error)?;
        }
        Err(PaymentError::Encoding(error)) => {
            return Err(ApiError::invalid("", format!("not a Stripe event: {error}")));
        }
        Err(PaymentError::Processor(error)) => return Err(processor_error(&error)),
        Err(error) => return Err(internal(&error)),
    }
    Ok(Json(Received { received: true }))
}
