//! Stripe's events. An event only triggers a look-up, and only the look-up's response
//! is trusted, so events may arrive late, twice, or in any order.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::context::PaymentContext;
use super::disputes::Disputes;
use super::error::PaymentError;
use super::orders::PaymentOrders;
use super::processor::{PaymentOrderStatus, ProcessorBooks, ProcessorTransfer};
use super::quote::IntentHandle;
use super::refunds::Refunds;
use super::report::ReconcileReport;

/// The members of an event that this module reads.
#[derive(Debug, Deserialize)]
struct StripeEvent {
    #[serde(rename = "type")]
    kind: String,
    data: StripeEventData,
}

#[derive(Debug, Deserialize)]
struct StripeEventData {
    object: Value,
}

/// The action that the caller must take after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    /// Nothing is left to do.
    Handled,
    /// All or part of a transfer was reversed.
    TransferReversed {
        /// The withdrawal that the transfer paid.
        withdrawal: String,
        /// Current state of the transfer.
        transfer: ProcessorTransfer,
    },
}

/// Handles events whose signature was verified.
pub struct StripeEvents {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) orders: Arc<PaymentOrders>,
    pub(crate) refunds: Arc<Refunds>,
    pub(crate) disputes: Arc<Disputes>,
}

impl StripeEvents {
    /// Looks up the subject of an event and updates the ledger.
    ///
    /// # Errors
    ///
    /// Fails if the look-up or a write fails, so that Stripe sends the event again.
    /// Returns [`PaymentError::Encoding`] if the body is not an event.
    pub async fn handle(&self, event: &[u8], now_ms: u64) -> Result<EventOutcome, PaymentError> {
        let Some(books) = self.context.processor.books() else { return Ok(EventOutcome::Handled) };
        let event: StripeEvent = serde_json::from_slice(event)?;
        let member = |name: &str| event.data.object.get(name).and_then(Value::as_str).unwrap_or_default();
        match event.kind.as_str() {
            "checkout.session.completed"
            | "checkout.session.async_payment_succeeded"
            | "checkout.session.async_payment_failed"
            | "checkout.session.expired" => {
                self.handle_session(member("id"), member("client_reference_id"), now_ms).await?;
            }
            kind if kind.starts_with("charge.dispute.") => {
                self.disputes.handle_event(books, member("id"), now_ms).await?;
            }
            "charge.refunded" => self.refunds.reconcile(now_ms, &mut ReconcileReport::default()).await?,
            "charge.refund.updated" | "refund.created" | "refund.updated" | "refund.failed" => {
                if let Some((id, refund)) = books.refund_of(member("id")).await? {
                    self.refunds.apply_to(&id, &refund, now_ms).await?;
                }
            }
            "transfer.reversed" => return handle_reversal(books, member("id")).await,
            // Ignore other event types: Stripe sends every type to which the operator has
            // subscribed.
            _ => {}
        }
        Ok(EventOutcome::Handled)
    }

    async fn handle_session(&self, session: &str, handle: &str, now_ms: u64) -> Result<(), PaymentError> {
        let Some(handle) = IntentHandle::parse(handle) else { return Ok(()) };
        if self.orders.check_now(&handle, now_ms).await?.is_none() {
            return Ok(());
        }
        // The intent is paid. Check whether this session or an earlier one paid it.
        let Some(first) = self.context.payments.intents.row(&handle)? else { return Ok(()) };
        match self.context.processor.order_status(session).await {
            Ok(PaymentOrderStatus::Paid(payment)) if payment.handle.as_deref() == Some(handle.as_str()) => {
                if first.reference.as_ref() == Some(&payment.reference) {
                    return Ok(());
                }
                self.refunds.refund_duplicate(&first, payment, now_ms).await
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

async fn handle_reversal(books: &dyn ProcessorBooks, transfer: &str) -> Result<EventOutcome, PaymentError> {
    Ok(match books.transfer_of(transfer).await? {
        Some((withdrawal, transfer)) => EventOutcome::TransferReversed { withdrawal, transfer },
        None => EventOutcome::Handled,
    })
}

#[cfg(test)]
#[path = "stripe_fuzz_tests.rs"]
mod fuzz_tests;
