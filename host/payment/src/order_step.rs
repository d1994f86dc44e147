//! What is done next about an order, from what the processor said. Asks nobody
//! and writes nothing; the model of `intent_model.rs` goes through it, too.
//!
//! Invariant: an order is dropped only when the processor says that it cannot be
//! paid any more.

use tollbridge_core::planted::Defect;

use super::processor::{LookupError, PaymentOrderStatus, ProcessorError, ProcessorPayment};
use super::quote::Quote;

/// What follows from a look-up of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OrderStep {
    /// It may still be paid.
    Wait,
    /// It cannot be paid any more.
    Remove,
    /// It was paid.
    Book(ProcessorPayment),
}

/// After a look-up of the order for `quote`.
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
