//! What Stripe tells us. An event only says where to look: what is believed is
//! the answer to a look-up, so events may come late, twice, or in any order.

use serde::Deserialize;
use serde_json::Value;

use super::cashier::{PaymentError, PaymentService, ReconcileReport};
use super::processor::{PaymentOrderStatus, PaymentProcessor, ProcessorError};
use super::quote::IntentHandle;
use super::stripe::StripeProcessor;

/// An event, as far as it is looked at.
#[derive(Debug, Deserialize)]
struct Told {
    #[serde(rename = "type")]
    kind: String,
    data: Data,
}

#[derive(Debug, Deserialize)]
struct Data {
    object: Value,
}

/// What is left for others to do about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    /// Nothing.
    Handled,
    /// A transfer came back as a whole: the withdrawal it was for.
    TransferReversed { withdrawal: String, reference: String },
}

impl PaymentService {
    /// Follows an event whose signature was checked.
    ///
    /// # Errors
    /// The event should be sent again: the processor did not say what happened.
    pub async fn hear(&self, event: &[u8], now_ms: u64) -> Result<EventOutcome, PaymentError> {
        let PaymentProcessor::Stripe(stripe) = self.processor.as_ref() else { return Ok(EventOutcome::Handled) };
        let told: Told = serde_json::from_slice(event)?;
        let member = |name: &str| told.data.object.get(name).and_then(Value::as_str).unwrap_or_default();
        match told.kind.as_str() {
            "checkout.session.completed"
            | "checkout.session.async_payment_succeeded"
            | "checkout.session.async_payment_failed"
            | "checkout.session.expired" => {
                self.hear_of_session(member("id"), member("client_reference_id"), now_ms).await?;
            }
            kind if kind.starts_with("charge.dispute.") => {
                let disputed = stripe.dispute(member("id")).await?;
                self.book_dispute(&disputed, now_ms).await?;
            }
            "charge.refunded" | "charge.refund.updated" | "refund.created" | "refund.updated" | "refund.failed" => {
                self.follow_refunds(now_ms, &mut ReconcileReport::default()).await?;
            }
            "transfer.reversed" => return self.hear_of_reversal(stripe, member("id")).await,
            // Stripe sends what its operator ticked; the rest is not for us.
            _ => {}
        }
        Ok(EventOutcome::Handled)
    }

    async fn hear_of_session(&self, session: &str, handle: &str, now_ms: u64) -> Result<(), PaymentError> {
        let Some(handle) = IntentHandle::parse(handle) else { return Ok(()) };
        if self.look_now(&handle).await?.is_none() {
            return Ok(());
        }
        // It is paid. By this session, or by another one before?
        let Some(first) = self.payments.row(&handle)? else { return Ok(()) };
        match self.processor.order(session).await {
            Ok(PaymentOrderStatus::Paid(paid)) if paid.handle.as_deref() == Some(handle.as_str()) => {
                if first.reference.as_ref() == Some(&paid.reference) {
                    return Ok(());
                }
                self.second_payment(&first, paid, now_ms).await
            }
            Ok(_) | Err(ProcessorError::Rejected { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn hear_of_reversal(&self, stripe: &StripeProcessor, transfer: &str) -> Result<EventOutcome, PaymentError> {
        let found = stripe.reversed_transfer(transfer).await?;
        Ok(match found {
            Some(withdrawal) => EventOutcome::TransferReversed { withdrawal, reference: transfer.to_owned() },
            None => EventOutcome::Handled,
        })
    }
}
