//! The pay page: people pay by clicking, programs by posting. Also refunds what was paid and not
//! spent.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_api::components::reference;
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation::{HTML, Operation};
use tollbridge_core::time::now_ms;
use tollbridge_core::timestamp::Timestamp;
use tollbridge_payment::{IntentStatus, PaymentOutcome, PaymentPageOutcome, QuoteTerms, RefundStatus, RefundView};
use tollbridge_paywall::payment_errors::{declined_error, payment_error};
use tollbridge_paywall::wallet;
use tollbridge_site::errors::wants_page;
use tollbridge_site::text::moment;
use tollbridge_web::error_mapping::checkout_error;
use tollbridge_web::{AppState, Path, Routes};

use crate::intent_refund::{give_back, last_refund};
use crate::pages::frame::redirect_page;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("payments")
        .get(
            "/pay/{token}",
            page,
            Operation::new("payPage", "Pay page", "The page on which a person pays.").media(200, "The page", HTML),
        )
        .post(
            "/pay/{token}",
            pay,
            Operation::new(
                "pay",
                "Pay",
                "Pays in the sandbox, or opens the processor's page; takes a payment intent id or the token of a pay link.",
            )
            .answer::<PayAnswer>(200, "The receipt, or where to pay")
            .empty(303, "Back to the pay page, for browsers")
            .answer_schema(410, "E003: the quote expired before it was paid", reference("schemas", "Error"))
            .errors(&[
                Code::ProcessorUnset,
                Code::ProcessorUnclear,
                Code::InProgress,
                Code::NotLoaded,
                Code::NoProvider,
                Code::DataMissing,
            ]),
        )
        .post(
            "/pay/{token}/refund",
            refund,
            Operation::new(
                "refundPaymentLink",
                "Refund a payment at its link",
                "Refunds the remainder of the payment to the payer; takes a payment intent id or the token of a \
                pay link. Repeating the request returns the same refund.",
            )
            .answer::<RefundView>(200, "The refund")
            .empty(303, "Back to the pay page, for browsers")
            .errors(&[Code::AlreadySealed, Code::InProgress, Code::ProcessorUnset, Code::ProcessorUnclear]),
        )
}

/// The receipt of a payment, or the processor's page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentReceipt")]
#[serde(tag = "status", rename_all = "snake_case")]
enum PayAnswer {
    Paid { already_paid: bool, bridge: String, charge_gbp: String, remaining_gbp: String },
    Open { url: String, charge_gbp: String, expires_at: Timestamp },
}

#[derive(Template)]
#[template(path = "pay.html")]
struct PayPage<'a> {
    site: &'a str,
    state: PayState,
    title: String,
    sandbox: bool,
    product: bool,
    amount: String,
    price: String,
    calls: String,
    until: String,
    remaining: String,
    /// The intent's id, shown only if the visitor already has it.
    intent: String,
    /// The payment's handle in the ledger.
    handle: String,
    /// The name of the plugin that was paid for; `sold_at` is its page.
    sold: String,
    sold_at: Option<String>,
    /// Whether anything can be refunded.
    refundable: bool,
    refund_path: String,
    refund: Option<RefundLine>,
}

/// The requested refund.
struct RefundLine {
    amount: String,
    state: RefundStatus,
}

enum PayState {
    Open,
    Paid,
    Expired,
    /// The call cannot be answered now.
    Unavailable(String),
}

/// Shows the page without writing anything: link previews and prefetches must not pay.
async fn page(State(app): State<Arc<AppState>>, Path(token): Path<String>) -> Result<Response, ApiError> {
    app.check_payment(&token).await.map_err(declined_error)?;
    let intent_status = app.payments.intents.status(&token, now_ms()).map_err(declined_error)?;
    let state = match (&intent_status.paid, intent_status.expired) {
        (Some(_), _) => PayState::Paid,
        (None, true) => PayState::Expired,
        (None, false) => match ensure_answerable(&app, &intent_status) {
            Ok(()) => PayState::Open,
            Err(refusal) => PayState::Unavailable(refusal.message().to_owned()),
        },
    };
    let terms = &intent_status.quote.terms;
    let calls = terms.charge.get().checked_div(terms.price.get()).unwrap_or(1);
    let page = PayPage {
        site: &app.settings.display_name,
        state,
        title: terms.title(),
        sandbox: app.settings.sandbox,
        product: terms.product().is_some(),
        amount: terms.charge.display_gbp(),
        price: terms.price.display_gbp(),
        calls: if calls == 1 { "one call".to_owned() } else { format!("{calls} calls") },
        until: moment(terms.expires_s.saturating_mul(1000)),
        remaining: intent_status.remaining.display_gbp(),
        // A page opened by its pay link hides the intent id, because the holder of the id
        // can spend the remainder.
        intent: if token.starts_with("pi_") { token.clone() } else { "pi_…".to_owned() },
        handle: intent_status.quote.handle.as_str().to_owned(),
        sold_at: page_of(&app, terms),
        sold: wallet::sold(&terms.bridge).1.to_owned(),
        refund_path: format!("/pay/{token}/refund"),
        refundable: terms.product().is_none() && intent_status.remaining.pence_floor() > 0,
        refund: last_refund(&app, &intent_status)?
            .map(|row| RefundLine { amount: row.amount.display_gbp(), state: row.state }),
    };
    let html = page.render().map_err(|error| internal(&error))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(html)).into_response())
}

/// Returns the catalogue page of the plugin that is paid for, if it has one.
fn page_of(app: &AppState, terms: &QuoteTerms) -> Option<String> {
    let (kind, name) = wallet::sold(&terms.bridge);
    let known = terms.product().is_none() && app.catalog.snapshot().entry(kind, name).is_some();
    known.then(|| format!("/catalogue/{}/{name}", kind.folder()))
}

/// Pays. Browsers are redirected to the page, programs get JSON.
async fn pay(
    State(app): State<Arc<AppState>>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let intent_status = app.payments.intents.status(&token, now_ms()).map_err(declined_error)?;
    // Only a new payment is refused; a repeated one gets its receipt.
    if intent_status.paid.is_none() && !intent_status.expired {
        ensure_answerable(&app, &intent_status)?;
    }
    if !app.settings.sandbox {
        return to_processor(&app, &token, &headers).await;
    }
    let paid = app.payment_service.recorder.pay_in_sandbox(&token, now_ms()).await.map_err(payment_error)?;
    if wants_page(&headers) {
        return Ok(Redirect::to(&format!("/pay/{token}")).into_response());
    }
    let intent_status = app.payments.intents.status(&token, now_ms()).map_err(declined_error)?;
    Ok(axum::Json(receipt(&intent_status, paid)).into_response())
}

/// Refuses payment for a call that cannot be answered now.
fn ensure_answerable(app: &AppState, intent_status: &IntentStatus) -> Result<(), ApiError> {
    if intent_status.quote.terms.product().is_some() {
        return Ok(());
    }
    let offer = app.catalog.offer_sold_as(&intent_status.quote.terms.bridge);
    let offer = offer.map_err(|error| checkout_error(app, error.into()))?;
    app.catalog.ensure_answerable(&offer, None).map_err(|failure| checkout_error(app, failure.into()))
}

/// Refunds the remainder of a payment to the payer. Browsers are redirected to the page, programs
/// get JSON.
async fn refund(
    State(app): State<Arc<AppState>>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let intent_status = app.payments.intents.status(&token, now_ms()).map_err(declined_error)?;
    let row = give_back(&app, &intent_status).await?;
    if wants_page(&headers) {
        return Ok(Redirect::to(&format!("/pay/{token}")).into_response());
    }
    Ok(axum::Json(RefundView::new(row)).into_response())
}

/// Opens the processor's page for this payment, at most one per intent.
async fn to_processor(app: &AppState, token: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    let intent_status = app.payments.intents.status(token, now_ms()).map_err(declined_error)?;
    let opening = app.payment_service.orders.open(&intent_status.quote, now_ms()).await.map_err(payment_error)?;
    match opening {
        PaymentPageOutcome::AlreadyPaid if wants_page(headers) => {
            Ok(Redirect::to(&format!("/pay/{token}")).into_response())
        }
        PaymentPageOutcome::AlreadyPaid => {
            let intent_status = app.payments.intents.status(token, now_ms()).map_err(declined_error)?;
            Ok(axum::Json(receipt(&intent_status, PaymentOutcome::AlreadyPaid)).into_response())
        }
        PaymentPageOutcome::Open(open) if wants_page(headers) => {
            redirect_page(app, &intent_status.quote.terms.title(), &open.url)
        }
        PaymentPageOutcome::Open(open) => Ok(axum::Json(PayAnswer::Open {
            url: open.url,
            charge_gbp: intent_status.quote.terms.charge.pounds(),
            expires_at: Timestamp::from_ms(open.expires_s.saturating_mul(1000)),
        })
        .into_response()),
    }
}

fn receipt(intent_status: &IntentStatus, paid: PaymentOutcome) -> PayAnswer {
    PayAnswer::Paid {
        already_paid: paid == PaymentOutcome::AlreadyPaid,
        bridge: intent_status.quote.terms.bridge.clone(),
        charge_gbp: intent_status.quote.terms.charge.pounds(),
        remaining_gbp: intent_status.remaining.pounds(),
    }
}
