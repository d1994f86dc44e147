//! `POST /api/v1/checkout/session`: buying credit, credit for an agent's calls, or a tier.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation::Operation;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_core::timestamp::Timestamp;
use tollbridge_payment::{IssuedQuote, PaymentPageOutcome};
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_web::admit::Caller;
use tollbridge_web::body::JsonBody;
use tollbridge_web::error_mapping::checkout_error;
use tollbridge_web::{AppState, Routes};

/// Maximum amount of one checkout: £1,000.00, a card's usual limit.
const CHECKOUT_PENCE_MAX: i64 = 100_000;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "openCheckout",
        "Open a checkout",
        "Buys prepaid credit, credit for calls of an agent, or a tier.",
    )
    .alias("/v1/checkout/session")
    .answer::<CheckoutSession>(201, "Where to pay")
    .errors(&[Code::ProcessorUnset, Code::ProcessorUnclear, Code::InProgress]);
    Routes::new("payments").post("/api/v1/checkout/session", open, operation)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Checkout")]
#[serde(deny_unknown_fields)]
struct CheckoutBody {
    /// `credit`, `tier:pro` or `agent:<slug>`.
    product: String,
    /// Pounds of credit, or calls of the agent; 1 by default.
    #[schemars(range(min = 1, max = 100_000))]
    quantity: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct CheckoutSession {
    session_id: String,
    url: String,
    payment_intent_id: String,
    product: String,
    quantity: i64,
    amount_gbp: String,
    amount_pence: i64,
    #[schemars(extend("const" = "gbp"))]
    currency: &'static str,
    expires_at: Timestamp,
}

async fn open(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonBody(order): JsonBody<CheckoutBody>,
) -> Result<(StatusCode, Json<CheckoutSession>), ApiError> {
    let quantity = i64::from(order.quantity.unwrap_or(1));
    let session = begin(&app, &principal.account_id, &order.product, quantity).await?;
    let body = CheckoutSession {
        session_id: format!("cs_{}", session.issued.quote.handle.as_str()),
        url: session.url,
        payment_intent_id: session.issued.intent_id,
        product: order.product,
        quantity,
        amount_gbp: session.amount.pounds(),
        amount_pence: session.amount.pence_floor(),
        currency: "gbp",
        expires_at: Timestamp::from_ms(session.expires_s.saturating_mul(1000)),
    };
    Ok((StatusCode::CREATED, Json(body)))
}

/// A purchase that an account is about to make.
pub(crate) struct Session {
    pub issued: IssuedQuote,
    /// The address of the payment page.
    pub url: String,
    pub expires_s: u64,
    pub amount: Millipence,
}

/// Quotes a quantity of a product to an account and opens its payment.
pub(crate) async fn begin(app: &AppState, account: &str, product: &str, quantity: i64) -> Result<Session, ApiError> {
    let each = price(app, product)?;
    let amount = each.get().checked_mul(quantity).map(Millipence::new);
    let least = app.payments.quotes.minimum_charge();
    let amount = match amount {
        Some(amount) if quantity >= 1 && amount >= least && amount.pence_floor() <= CHECKOUT_PENCE_MAX => amount,
        _ => {
            let maximum = Millipence::from_pence(CHECKOUT_PENCE_MAX).unwrap_or_default();
            let message = format!(
                "quantity {quantity} of `{product}` at £{} each must come to at least £{} and at most £{}",
                each.pounds(),
                least.max(each).pounds(),
                maximum.pounds()
            );
            return Err(ApiError::invalid("/quantity", message));
        }
    };
    let now = now_ms();
    let issued = app.payments.quotes.issue_product(product, amount, account, now);
    let issued = issued.map_err(|error| internal(&error))?;
    let mut url = format!("{}/pay/{}", app.settings.base_url, issued.pay_token);
    let mut expires_s = issued.quote.terms.expires_s;
    if !app.settings.sandbox {
        match app.payment_service.orders.open(&issued.quote, now).await.map_err(payment_error)? {
            PaymentPageOutcome::Open(open) => (url, expires_s) = (open.url, open.expires_s),
            PaymentPageOutcome::AlreadyPaid => {}
        }
    }
    Ok(Session { issued, url, expires_s, amount })
}

/// Returns the price of one unit of a product.
fn price(app: &AppState, product: &str) -> Result<Millipence, ApiError> {
    let known = "products are `credit` (quantity in pounds), `tier:pro` and `agent:<slug>` (quantity in calls)";
    let unknown = |why: String| ApiError::invalid("/product", format!("{why}; {known}"));
    match product.split_once(':') {
        // One unit of credit is one pound.
        None if product == "credit" => Ok(Millipence::new(100_000)),
        Some(("tier", "pro")) => app.pro_price.ok_or_else(|| unknown("Pro is not for sale on this server".to_owned())),
        Some(("agent", slug)) => match app.catalog.offer(PluginKind::Agent, slug) {
            Ok(offer) if !offer.price.is_zero() => {
                // A call that cannot be answered is not sold in advance either.
                let answerable = app.catalog.ensure_answerable(&offer, None);
                answerable.map(|()| offer.price).map_err(|failure| checkout_error(app, failure.into()))
            }
            Ok(_) => Err(unknown(format!("the agent `{slug}` is free"))),
            Err(_) => {
                let shown: String = slug.chars().take(64).collect();
                Err(ApiError::new(Code::Invalid, format!("there is no agent `{shown}`; {known}"))
                    .with("details", json!({ "field": "/product" })))
            }
        },
        _ => Err(unknown("no such product".to_owned())),
    }
}
