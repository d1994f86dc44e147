//! Stripe's checkout sessions: the payment pages for buyers.

use serde::Deserialize;

use super::super::error::{LookupError, ProcessorError};
use super::super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorPayment};
use super::amount::{format_pence, parse_pence};
use super::client::StripeClient;
use super::http::{form, path_segment, unexpected};
use super::search::{Listed, search_around};

/// Key in Stripe's metadata under which the intent is stored.
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
    expires_at: Option<u64>,
}

impl Listed for CheckoutSession {
    fn id(&self) -> &str {
        &self.id
    }
}

pub(super) async fn open_page(client: &StripeClient, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
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
    let session: CheckoutSession = client.post("/v1/checkout/sessions", fields, idempotency_key).await?;
    let url = session.url.ok_or_else(|| unexpected("a session without a URL"))?;
    Ok(PaymentPage { session: session.id, url })
}

/// Looks for the payment page of a lost order among the sessions created around the time
/// of its request. A paid session takes precedence.
pub(super) async fn find_page(client: &StripeClient, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
    let mut unpaid = None;
    let paid = search_around(client, "/v1/checkout/sessions", lost.attempt, |session: CheckoutSession| {
        if session.client_reference_id.as_deref() != Some(lost.handle) || session.expires_at != Some(lost.expires_s) {
            return Ok(None);
        }
        let is_paid = session.payment_status == "paid";
        let page = PaymentPage { session: session.id, url: session.url.unwrap_or_default() };
        if is_paid {
            return Ok(Some(page));
        }
        unpaid = Some(page);
        Ok(None)
    });
    let paid = paid.await?;
    Ok(paid.or(unpaid))
}

pub(super) async fn order_status(client: &StripeClient, session: &str) -> Result<PaymentOrderStatus, LookupError> {
    let path = format!("/v1/checkout/sessions/{}", path_segment(session));
    let session: CheckoutSession = client.get(&path, &[]).await?;
    if session.payment_status == "paid" {
        let (Some(reference), Some(amount)) = (session.payment_intent, session.amount_total) else {
            return Err(unexpected("a paid session without a payment").into());
        };
        let amount = parse_pence(amount, session.currency.as_deref())?;
        let handle = session.client_reference_id;
        return Ok(PaymentOrderStatus::Paid(ProcessorPayment { reference, amount, handle }));
    }
    // A session that is complete but unpaid waits for a slow payment method.
    Ok(match session.status.as_deref() {
        Some("expired") => PaymentOrderStatus::Expired,
        _ => PaymentOrderStatus::Open,
    })
}
