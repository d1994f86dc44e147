//! Refunds the remainder of a payment intent, for the pay page and the API.

use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_core::time::now_ms;
use tollbridge_payment::{IntentStatus, PaymentError, RefundRow};
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_web::AppState;

/// Refunds the remainder of an intent. First asks the processor about the payment, which may not be
/// recorded yet.
pub(crate) async fn give_back(app: &AppState, intent: &IntentStatus) -> Result<RefundRow, ApiError> {
    let (quote, now_ms) = (&intent.quote, now_ms());
    if intent.paid.is_none() && !app.settings.sandbox {
        app.payment_service.orders.check(&quote.handle, now_ms).await.map_err(payment_error)?;
    }
    app.payment_service.refunds.give_back(quote, now_ms).await.map_err(|error| match error {
        PaymentError::NothingRemaining => {
            let message = "nothing remains of this payment: it was spent, became credit or was already refunded";
            ApiError::new(Code::AlreadySealed, message)
        }
        PaymentError::FundsInUse => {
            let message = "a call in flight may still spend this payment; retry when it has ended";
            ApiError::new(Code::InProgress, message).retry_after(1)
        }
        error => payment_error(error),
    })
}

/// Returns the last refund that the payer of an intent requested.
pub(crate) fn last_refund(app: &AppState, intent: &IntentStatus) -> Result<Option<RefundRow>, ApiError> {
    app.payment_service.refunds.of_payer(&intent.quote.handle).map_err(|error| internal(&error))
}
