//! Errors of a paid call.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::rfc3339;
use tollbridge_market::catalog::OfferError;
use tollbridge_market::checkout::{CheckoutError, PaymentRequired};
use tollbridge_paywall::{mpp, wallet};
use tollbridge_plugin::{Failure, Invalid};

use crate::state::AppState;

/// A hint for clients with an account: paying from credit takes one request, without a
/// payment link.
const CREDIT: &str = "with an account no link is needed: send its key as `Authorization: Bearer`, with \
    `X-Payment-Source: credit`, and its prepaid credit pays for the call";

const CHARGED: HeaderName = HeaderName::from_static("x-charged-gbp");

/// Maps a checkout error to the API error that the client sees.
pub fn checkout_error(app: &AppState, error: CheckoutError) -> ApiError {
    let message = error.to_string();
    match error {
        CheckoutError::Offer(OfferError::Unknown { suggestion }) => {
            let error = not_found(message);
            match suggestion {
                Some(name) => error.hint(&format!("did you mean `{name}`? GET /api/v1/bridges lists all")),
                None => error.hint("GET /api/v1/bridges lists all"),
            }
        }
        CheckoutError::Offer(OfferError::NotLoaded { .. } | OfferError::Disabled { .. }) => {
            ApiError::new(Code::NotLoaded, message).retry_after(5)
        }
        CheckoutError::Invalid { field, message } => ApiError::invalid(&field, message),
        CheckoutError::NoResource { .. } => ApiError::new(Code::NotFound, message),
        CheckoutError::PlatformRules { .. } => ApiError::new(Code::PlatformRules, message),
        CheckoutError::PaymentRequired(required) => payment_required(app, &required),
        CheckoutError::CreditNeedsKey => ApiError::new(Code::KeyInvalid, message)
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
        CheckoutError::AlreadySealed { answer, .. } => {
            let error = ApiError::new(Code::AlreadySealed, message);
            match answer {
                Some(path) => error.with("answer", path),
                None => error,
            }
        }
        CheckoutError::InProgress | CheckoutError::Superseded => {
            ApiError::new(Code::InProgress, message).retry_after(1)
        }
        CheckoutError::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        // The x402 extension specifies this status.
        CheckoutError::IdentifierReused => ApiError::new(Code::IdempotencyReused, message).status(StatusCode::CONFLICT),
        CheckoutError::BadIdempotencyKey => ApiError::invalid("", message),
        CheckoutError::Plugin(failure) => plugin_failed(failure),
        CheckoutError::Charged { charged, error } => with_charge(checkout_error(app, *error), charged),
        CheckoutError::ProcessorUnclear => ApiError::new(Code::ProcessorUnclear, message).retry_after(5),
        CheckoutError::ProcessorUnset(_) => ApiError::new(Code::ProcessorUnset, message),
        CheckoutError::Busy => ApiError::new(Code::Overloaded, message).retry_after(1),
        CheckoutError::Lost => ApiError::new(Code::Internal, message).retry_after(5),
        CheckoutError::NoRandomness => internal(&error),
        CheckoutError::Ledger(error) => internal(&error),
        CheckoutError::Entry(error) => internal(&error),
        CheckoutError::Store(error) => internal(&error),
    }
}

fn payment_required(app: &AppState, required: &PaymentRequired) -> ApiError {
    let terms = &required.issued.quote.terms;
    let link = format!("{}/pay/{}", app.settings.base_url, required.issued.pay_token);
    let mut payment = json!({
        "payment_link": link,
        "payment_intent_id": required.issued.intent_id,
        "amount_gbp": terms.price.pounds(),
        "amount_pence": terms.price.pence_floor(),
        "charge_gbp": terms.charge.pounds(),
        "charge_pence": terms.charge.pence_floor(),
        "currency": "gbp",
        "bridge": terms.bridge,
        "expires_at": rfc3339(terms.expires_s.saturating_mul(1000)),
    });
    if let (Some(on_failure), Some(members)) = (on_failure(app, &terms.bridge), payment.as_object_mut()) {
        members.insert("on_failure".to_owned(), on_failure.into());
    }
    if let (Some(reason), Some(members)) = (required.reason_code(), payment.as_object_mut()) {
        members.insert("reason".to_owned(), reason.into());
    }
    let error = ApiError::new(Code::PaymentRequired, required.reason()).with("payment", payment);
    let error = match HeaderValue::try_from(format!("<{link}>; rel=\"payment\"")) {
        Ok(value) => error.header(header::LINK, value),
        Err(_) => error,
    };
    let error = match required.problem {
        None => error.hint(CREDIT),
        Some(_) => error,
    };
    let error = mpp::add_challenges(wallet::add_payment_required(&app.paywall, error, required), required);
    match required.lacks.as_ref().and_then(|lacks| example_input(app, &terms.bridge, lacks)) {
        Some(input) => error.with("input", input),
        None => error,
    }
}

/// Describes an invalid input: the field, a valid example, and the location of the schema.
fn example_input(app: &AppState, sold_as: &str, lacks: &Invalid) -> Option<Value> {
    let offer = app.checkout.catalog.offer(PluginKind::Bridge, sold_as).ok()?;
    let example = offer.plugin.description().examples.first();
    Some(json!({
        "field": lacks.field,
        "message": lacks.message,
        "example": example.map(|example| &example.input),
        "schema": format!("{}/api/v1/bridges/{sold_as}", app.settings.base_url),
    }))
}

/// Explains what a call costs if it fails after other plugins or models have answered it.
/// Returns `None` if the plugin uses none.
fn on_failure(app: &AppState, sold_as: &str) -> Option<&'static str> {
    let (kind, name) = wallet::sold(sold_as);
    let offer = app.checkout.catalog.offer(kind, name).ok()?;
    offer.plugin.uses_others().then_some(
        "a failed call is charged only for answers that other plugins or models had already given, at most \
        amount_gbp",
    )
}

/// Adds to an error the amount that was charged for the answers of other plugins.
fn with_charge(error: ApiError, charged: Millipence) -> ApiError {
    let pounds = charged.pounds();
    let hint = format!("£{pounds} was charged for the answers that other plugins had given before the call failed");
    let error = error.hint(&hint).with("charged_gbp", pounds.as_str());
    match HeaderValue::from_str(&pounds) {
        Ok(value) => error.header(CHARGED, value),
        Err(_) => error,
    }
}

fn plugin_failed(failure: Failure) -> ApiError {
    let free = "nothing was charged; you can use the payment again, or refund it with POST \
        /v1/payments/{payment_intent_id}/refund";
    let message = failure.public_message();
    match failure {
        Failure::InvalidInput { field, input: Some(input), .. } => {
            ApiError::new(Code::Invalid, message).with("details", json!({ "field": field, "input": input }))
        }
        Failure::InvalidInput { field, input: None, .. } => ApiError::invalid(&field, message),
        Failure::NotFound(_) => not_found(message).hint(free),
        Failure::Unavailable(_) => ApiError::new(Code::DataMissing, message).hint(free),
        Failure::NoProvider(_) => ApiError::new(Code::NoProvider, message).hint(free),
        Failure::TimedOut { .. } => ApiError::new(Code::PluginTimedOut, message).hint(free),
        Failure::Overloaded { retry_after_s } => {
            ApiError::new(Code::Overloaded, message).hint(free).retry_after(retry_after_s)
        }
        _ => ApiError::new(Code::PluginFailed, message).hint(free),
    }
}
