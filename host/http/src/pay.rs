//! The pay page: a person clicks, a program posts.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;

use super::error::{ApiError, Code};
use super::pages::errors::wants_page;
use super::pages::leave;
use super::path::Path;
use super::{Shared, internal, not_found, now_ms, rfc3339, withdrawals};
use tollbridge_payment::{IntentStatus, PaymentDeclined, PaymentError, PaymentOutcome, PaymentPageOutcome};
use tollbridge_store::SubmitError;

pub fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/pay/{token}", get(page).post(pay))
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
}

enum PayState {
    Open,
    Paid,
    Expired,
}

/// Looks, and writes nothing: link previews and prefetches must not pay.
async fn page(State(shared): State<Arc<Shared>>, Path(token): Path<String>) -> Result<Response, ApiError> {
    look(&shared, &token).await?;
    let standing = shared.payments.intent_status(&token, now_ms()).map_err(unknown)?;
    let state = match (&standing.paid, standing.expired) {
        (Some(_), _) => PayState::Paid,
        (None, true) => PayState::Expired,
        (None, false) => PayState::Open,
    };
    let terms = &standing.quote.terms;
    let calls = terms.charge.get().checked_div(terms.price.get()).unwrap_or(1);
    let page = PayPage {
        site: &shared.settings.display_name,
        state,
        title: terms.title(),
        sandbox: shared.settings.sandbox,
        product: terms.product().is_some(),
        amount: terms.charge.display_gbp(),
        price: terms.price.display_gbp(),
        calls: if calls == 1 { "one call".to_owned() } else { format!("{calls} calls") },
        until: rfc3339(terms.expires_s.saturating_mul(1000)),
        remaining: standing.remaining.display_gbp(),
    };
    let html = page.render().map_err(|error| internal(&error))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(html)).into_response())
}

/// Whoever comes back from the processor sees whether the payment has arrived.
/// What the processor does not say at the moment is no error here.
async fn look(shared: &Shared, token: &str) -> Result<(), ApiError> {
    let standing = shared.payments.intent_status(token, now_ms()).map_err(unknown)?;
    if shared.settings.sandbox || standing.paid.is_some() {
        return Ok(());
    }
    if let Err(error) = shared.payment_service.orders.check(&standing.quote.handle, now_ms()).await {
        tracing::debug!(%error, "the processor did not say whether a payment arrived");
    }
    Ok(())
}

/// Pays. Browsers are sent back to the page, programs get JSON.
async fn pay(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if !shared.settings.sandbox {
        return to_processor(&shared, &token, &headers).await;
    }
    let paid = shared.payment_service.recorder.pay_in_sandbox(&token, now_ms()).await.map_err(refused)?;
    if wants_page(&headers) {
        return Ok(Redirect::to(&format!("/pay/{token}")).into_response());
    }
    let standing = shared.payments.intent_status(&token, now_ms()).map_err(unknown)?;
    Ok(axum::Json(receipt(&standing, paid)).into_response())
}

/// Opens the processor's page for this payment, at most one per intent.
async fn to_processor(shared: &Shared, token: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    let standing = shared.payments.intent_status(token, now_ms()).map_err(unknown)?;
    let opening = shared.payment_service.orders.open(&standing.quote, now_ms()).await.map_err(refused)?;
    match opening {
        PaymentPageOutcome::AlreadyPaid if wants_page(headers) => {
            Ok(Redirect::to(&format!("/pay/{token}")).into_response())
        }
        PaymentPageOutcome::AlreadyPaid => {
            let standing = shared.payments.intent_status(token, now_ms()).map_err(unknown)?;
            Ok(axum::Json(receipt(&standing, PaymentOutcome::AlreadyPaid)).into_response())
        }
        PaymentPageOutcome::Open(open) if wants_page(headers) => {
            leave(shared, &standing.quote.terms.title(), &open.url)
        }
        PaymentPageOutcome::Open(open) => Ok(axum::Json(json!({
            "status": "open",
            "url": open.url,
            "charge_gbp": standing.quote.terms.charge.pounds(),
            "expires_at": rfc3339(open.expires_s.saturating_mul(1000)),
        }))
        .into_response()),
    }
}

fn receipt(standing: &IntentStatus, paid: PaymentOutcome) -> serde_json::Value {
    json!({
        "status": "paid",
        "already_paid": paid == PaymentOutcome::AlreadyPaid,
        "bridge": standing.quote.terms.bridge,
        "charge_gbp": standing.quote.terms.charge.pounds(),
        "remaining_gbp": standing.remaining.pounds(),
    })
}

fn unknown(problem: PaymentDeclined) -> ApiError {
    match problem {
        PaymentDeclined::Store(error) => internal(&error),
        _ => not_found("this is not a payment of this server; use the link from the quote unchanged"),
    }
}

pub fn refused(error: PaymentError) -> ApiError {
    match error {
        PaymentError::QuoteExpired => ApiError::new(Code::PaymentRequired, error.to_string()).status(StatusCode::GONE),
        PaymentError::Declined(problem) => unknown(problem),
        PaymentError::Processor(error) => withdrawals::processor(&error),
        PaymentError::NotSandbox | PaymentError::NothingRemaining => ApiError::new(Code::NotFound, error.to_string()),
        PaymentError::WrongAccount => not_found("this is not a payment of this account"),
        PaymentError::FundsInUse | PaymentError::Conflict => {
            ApiError::new(Code::InProgress, error.to_string()).retry_after(1)
        }
        PaymentError::Account(error) => internal(&error),
        PaymentError::Notary(error) => internal(&error),
        PaymentError::Ledger(error) => internal(&error),
        PaymentError::Parties(error) => internal(&error),
        PaymentError::Store(error) => internal(&error),
        PaymentError::Write(SubmitError::Busy) => {
            ApiError::new(Code::Overloaded, "too many payments at once").retry_after(1)
        }
        PaymentError::Write(SubmitError::Failed) => ApiError::new(
            Code::ProcessorUnclear,
            "it is unknown whether the payment arrived; look again before paying anything",
        )
        .retry_after(5),
        PaymentError::Write(error) => internal(&error),
        PaymentError::Encoding(error) => internal(&error),
        PaymentError::TaskReservations(_) => internal(&error),
        PaymentError::Entry(error) => internal(&error),
    }
}
