//! Stripe's checkout sessions: the payment pages for buyers.

use serde::Deserialize;

use super::super::error::{LookupError, ProcessorError};
use super::super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorPayment};
use super::amount::{format_pence, parse_pence};
use super::client::StripeClient;
use super::http::{form, path_segment, unexpected};

/// The member of Stripe's metadata that names the intent.
pub(super) const INTENT_KEY: &str = "tollbridge_intent";

/// Maximum number of list pages read: ten thousand sessions at a hundred per page.
const LIST_PAGES_MAX: usize = 100;
/// Seconds before the request for an order from which its session is searched; allows for
/// clock differences.
const LOST_BEFORE_S: u64 = 3_600;
/// Seconds after the request up to which the session is searched: a lost order is
/// requested again for 23 hours, and clocks differ.
const LOST_AFTER_S: u64 = 2 * 86_400;

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

#[derive(Deserialize)]
struct SessionList {
    data: Vec<CheckoutSession>,
    has_more: bool,
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
    let url = session.url.ok_or_else(|| unexpected("a session without an address"))?;
    Ok(PaymentPage { session: session.id, url })
}

/// Searches the sessions created around the time of the request. A paid session
/// takes precedence.
pub(super) async fn find_page(client: &StripeClient, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
    let asked_s = lost.attempt / 1000;
    let from = asked_s.saturating_sub(LOST_BEFORE_S).to_string();
    let until = asked_s.saturating_add(LOST_AFTER_S).to_string();
    let (mut after, mut found) = (None::<String>, None);
    for _ in 0..LIST_PAGES_MAX {
        let mut query = vec![("limit", "100"), ("created[gte]", from.as_str()), ("created[lte]", until.as_str())];
        query.extend(after.as_deref().map(|id| ("starting_after", id)));
        let list: SessionList = client.get("/v1/checkout/sessions", &query).await?;
        after = list.data.last().map(|session| session.id.clone());
        let of_order = |session: &CheckoutSession| {
            session.client_reference_id.as_deref() == Some(lost.handle) && session.expires_at == Some(lost.expires_s)
        };
        for session in list.data.into_iter().filter(of_order) {
            let is_paid = session.payment_status == "paid";
            let page = PaymentPage { session: session.id, url: session.url.unwrap_or_default() };
            if is_paid {
                return Ok(Some(page));
            }
            found = Some(page);
        }
        if !list.has_more || after.is_none() {
            return Ok(found);
        }
    }
    Err(unexpected("more sessions than the search limit").into())
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
    // A complete but unpaid session waits for a slow payment method.
    Ok(match session.status.as_deref() {
        Some("expired") => PaymentOrderStatus::Expired,
        _ => PaymentOrderStatus::Open,
    })
}
