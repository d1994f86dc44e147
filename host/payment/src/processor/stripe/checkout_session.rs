//! Stripe's checkout sessions: the pages where buyers pay.

use serde::Deserialize;

use super::super::error::{LookupError, ProcessorError};
use super::super::order::{PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorPayment};
use super::amount::{format_pence, parse_pence};
use super::client::StripeProcessor;
use super::http::{form, path_segment, unexpected};

/// The member of Stripe's metadata that names the intent.
pub(super) const INTENT_KEY: &str = "tollbridge_intent";

#[derive(Deserialize)]
struct CheckoutSession {
    id: String,
    url: Option<String>,
    status: Option<String>,
    payment_status: String,
    amount_total: Option<i64>,
    currency: Option<String>,
    payment_intent: Option<String>,
    client_reference_id: Option<String>,
}

impl StripeProcessor {
    pub(in crate::processor) async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        let fields = form(&[
            ("mode", "payment"),
            ("client_reference_id", &order.handle),
            ("success_url", &order.return_url),
            ("cancel_url", &order.return_url),
            ("expires_at", &order.expires_s.to_string()),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", "gbp"),
            ("line_items[0][price_data][unit_amount]", &format_pence(order.amount)?),
            ("line_items[0][price_data][product_data][name]", &order.title),
            (&format!("metadata[{INTENT_KEY}]"), &order.handle),
            (&format!("payment_intent_data[metadata][{INTENT_KEY}]"), &order.handle),
        ]);
        let idempotency_key = format!("tb_session_{}_{}", order.handle, order.attempt);
        let session: CheckoutSession = self.post("/v1/checkout/sessions", &fields, &idempotency_key).await?;
        let url = session.url.ok_or_else(|| unexpected("a session without an address"))?;
        Ok(PaymentPage { session: session.id, url })
    }

    pub(in crate::processor) async fn order_status(&self, session: &str) -> Result<PaymentOrderStatus, LookupError> {
        let path = format!("/v1/checkout/sessions/{}", path_segment(session));
        let session: CheckoutSession = self.get(&path, &[]).await?;
        if session.payment_status == "paid" {
            let (Some(reference), Some(amount)) = (session.payment_intent, session.amount_total) else {
                return Err(unexpected("a paid session without a payment").into());
            };
            let amount = parse_pence(amount, session.currency.as_deref())?;
            let handle = session.client_reference_id;
            return Ok(PaymentOrderStatus::Paid(ProcessorPayment { reference, amount, handle }));
        }
        // A complete session that is not paid waits for a slow payment method.
        Ok(match session.status.as_deref() {
            Some("expired") => PaymentOrderStatus::Expired,
            _ => PaymentOrderStatus::Open,
        })
    }
}
