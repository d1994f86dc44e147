//! Decides the next step of an order from the processor's answer. Calls nothing and
//! writes nothing; the model in `intent_model.rs` uses it too.
//!
//! Invariant: an order is dropped only when the processor says that it can no longer be
//! paid.

use tollbridge_core::planted::Defect;

use super::processor::{LookupError, PaymentOrderStatus, ProcessorError, ProcessorPayment};
use super::quote::Quote;

/// The next step after a look-up of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OrderStep {
    /// The order may still be paid.
    Wait,
    /// The order can no longer be paid.
    Remove,
    /// The order was paid.
    Book(ProcessorPayment),
}

/// Returns the next step after a look-up of the order for `quote`.
pub(crate) fn after_status(
    quote: &Quote,
    session: &str,
    status: Result<PaymentOrderStatus, LookupError>,
) -> Result<OrderStep, ProcessorError> {
    match status? {
        PaymentOrderStatus::Open => Ok(OrderStep::Wait),
        PaymentOrderStatus::Expired => Ok(OrderStep::Remove),
        PaymentOrderStatus::Paid(payment) => {
            let is_ours =
                payment.handle.as_deref() == Some(quote.handle.as_str()) || Defect::OrdersSwapped.is_planted();
            if !is_ours || payment.amount != quote.terms.charge {
                let amount = payment.amount;
                let reason = format!("order {session} was paid with {amount} for another intent or amount");
                return Err(ProcessorError::OutcomeUnknown(reason));
            }
            Ok(OrderStep::Book(payment))
        }
    }
}
