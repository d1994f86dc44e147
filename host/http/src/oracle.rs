//! `POST /v1/oracle/{bridge}`: a paid call of a data bridge.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::json;

use super::admit::{Caller, RequestId};
use super::body::JsonRequest;
use super::error::{ApiError, Code};
use super::path::Path;
use super::{Shared, internal, not_found, now_ms};
use tollbridge_access::Principal;
use tollbridge_core::money::{Millipence, ParseAmountError};
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_market::catalog::OfferError;
use tollbridge_market::checkout::{Call, CallAnswer, CheckoutError, PaymentRequired, PaymentSource};
use tollbridge_payment::DailySpendLimit;
use tollbridge_runtime::plugins::Failure;
use tollbridge_runtime::registry::Kind;
use tollbridge_store::Hash;

pub(super) const INTENT: &str = "x-payment-intent-id";
const SOURCE: &str = "x-payment-source";
const MAX_COST: &str = "x-max-cost-gbp";
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";
pub(super) const TRANSACTION: HeaderName = HeaderName::from_static("x-transaction-id");
pub(super) const SEAL: HeaderName = HeaderName::from_static("x-worm-seal");
pub(super) const PAYMENT_REMAINING: HeaderName = HeaderName::from_static("x-payment-remaining");
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

pub fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/oracle/{bridge}", post(call)).route("/api/v1/oracle/{bridge}", post(call))
}

async fn call(
    State(shared): State<Arc<Shared>>,
    RequestId(request_id): RequestId,
    caller: Option<Caller>,
    Path(bridge): Path<String>,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    if caller.is_none() && shared.settings.require_key {
        return Err(super::admit::refused(&tollbridge_access::AccessError::MissingKey));
    }
    let call = Call {
        request_id: request_id.to_string(),
        now_ms: now_ms(),
        spend: caller.as_ref().and_then(|Caller(principal)| spend_limit(principal)),
        max_cost: max_cost(&headers)?,
        account: caller.map(|Caller(principal)| principal.account_id.clone()),
        kind: Kind::Bridge,
        // Both prefixes are one route: a repeat through the other is a repeat.
        route: format!("POST /v1/oracle/{bridge}"),
        name: bridge,
        body,
        source: source(&headers)?,
        idempotency_key: idempotency_key(&headers)?.map(str::to_owned),
        queued: None,
    };
    // What a call needs no more goes before it waits, as long as it is at hand.
    drop(headers);
    match shared.checkout.run(call).await {
        Ok(answer) => respond(answer),
        Err(error) => Err(refuse(&shared, error)),
    }
}

/// How the headers say that the call is paid.
pub fn source(headers: &HeaderMap) -> Result<PaymentSource, ApiError> {
    match (text(headers, INTENT)?, text(headers, SOURCE)?) {
        (Some(_), Some(_)) => Err(ApiError::invalid("", "send X-Payment-Intent-Id or X-Payment-Source, not both")),
        (Some(id), None) => Ok(PaymentSource::Intent(id.to_owned())),
        (None, Some("credit")) => Ok(PaymentSource::Credit),
        (None, Some(_)) => Err(ApiError::invalid("", "X-Payment-Source can only be `credit`")),
        (None, None) => Ok(PaymentSource::Nothing),
    }
}

/// What a key may spend on one day, if it has a limit.
pub fn spend_limit(principal: &Principal) -> Option<DailySpendLimit> {
    let per_day = principal.max_spend_per_day?;
    Some(DailySpendLimit { key: principal.key_id.clone(), per_day })
}

/// The most that a request may cost, if it says so.
pub fn max_cost(headers: &HeaderMap) -> Result<Option<Millipence>, ApiError> {
    let Some(pounds) = text(headers, MAX_COST)? else { return Ok(None) };
    let wrong = |error: ParseAmountError| ApiError::invalid("", format!("X-Max-Cost-GBP: {error}"));
    pounds.parse().map(Some).map_err(wrong)
}

/// The `Idempotency-Key` of a request.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    text(headers, IDEMPOTENCY_KEY)
}

/// The text of a header that may be there once.
pub(super) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ApiError> {
    let mut all = headers.get_all(name).iter();
    let Some(value) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(ApiError::invalid("", format!("more than one {name} header; send exactly one")));
    }
    value.to_str().map(Some).map_err(|_| ApiError::invalid("", format!("{name} is not plain ASCII")))
}

fn respond(answer: CallAnswer) -> Result<Response, ApiError> {
    let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(match answer {
        CallAnswer::Free(body) => ([json], body).into_response(),
        CallAnswer::Paid { sealed, remaining, .. } => {
            let (tx, seal) = (*sealed.tx(), *sealed.seal());
            let mut response = ([json], sealed.into_body()).into_response();
            name(&mut response, &tx, &seal)?;
            if let Some(remaining) = remaining {
                response.headers_mut().insert(PAYMENT_REMAINING, ascii(&remaining.pounds())?);
            }
            response
        }
        CallAnswer::Replayed(recovered) => {
            let mut response = recovered_response(recovered)?;
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            response
        }
    })
}

/// A sealed answer that was kept, with the names of its transaction.
pub fn recovered_response(recovered: ReplayedAnswer) -> Result<Response, ApiError> {
    let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let mut response = ([json], recovered.body).into_response();
    name(&mut response, &recovered.tx, &recovered.seal)?;
    Ok(response)
}

pub(super) fn name(response: &mut Response, tx: &Hash, seal: &Hash) -> Result<(), ApiError> {
    let headers = response.headers_mut();
    headers.insert(TRANSACTION, digest::<67>("tx_", tx)?);
    headers.insert(SEAL, digest::<64>("", seal)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(())
}

/// A header of `N` bytes: a prefix and a digest in hex.
pub(super) fn digest<const N: usize>(prefix: &str, digest: &Hash) -> Result<HeaderValue, ApiError> {
    let mut text = [0; N];
    if let Some((head, tail)) = text.split_at_mut_checked(prefix.len()) {
        head.copy_from_slice(prefix.as_bytes());
        hex::encode_to_slice(digest, tail).map_err(|error| internal(&error))?;
    }
    HeaderValue::from_bytes(&text).map_err(|error| internal(&error))
}

pub(super) fn ascii(text: &str) -> Result<HeaderValue, ApiError> {
    HeaderValue::from_str(text).map_err(|error| internal(&error))
}

/// An error of the checkout as the client sees it.
pub fn refuse(shared: &Shared, error: CheckoutError) -> ApiError {
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
        CheckoutError::PaymentRequired(required) => payment_required(shared, &required),
        CheckoutError::CreditNeedsKey => ApiError::new(Code::KeyInvalid, message)
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
        CheckoutError::AlreadySealed { answer, .. } => {
            let error = ApiError::new(Code::AlreadySealed, message);
            match answer {
                Some(path) => error.with("answer", path),
                None => error,
            }
        }
        CheckoutError::TooDear { .. } => ApiError::invalid("/max_cost_gbp", message),
        CheckoutError::InProgress | CheckoutError::Superseded => {
            ApiError::new(Code::InProgress, message).retry_after(1)
        }
        CheckoutError::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        CheckoutError::BadIdempotencyKey => ApiError::invalid("", message),
        CheckoutError::Plugin(failure) => plugin_failed(failure),
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

fn payment_required(shared: &Shared, required: &PaymentRequired) -> ApiError {
    let terms = &required.issued.quote.terms;
    let mut payment = json!({
        "payment_link": format!("{}/pay/{}", shared.settings.base_url, required.issued.pay_token),
        "payment_intent_id": required.issued.intent_id,
        "amount_gbp": terms.price.pounds(),
        "amount_pence": terms.price.pence_floor(),
        "charge_gbp": terms.charge.pounds(),
        "charge_pence": terms.charge.pence_floor(),
        "currency": "gbp",
        "bridge": terms.bridge,
        "expires_at": super::rfc3339(terms.expires_s.saturating_mul(1000)),
    });
    if let (Some(reason), Some(members)) = (required.reason_code(), payment.as_object_mut()) {
        members.insert("reason".to_owned(), reason.into());
    }
    ApiError::new(Code::PaymentRequired, required.reason()).with("payment", payment)
}

fn plugin_failed(failure: Failure) -> ApiError {
    let free = "nothing was charged; the payment can be used again";
    let message = failure.public_message();
    match failure {
        Failure::InvalidInput { field, .. } => ApiError::invalid(&field, message),
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
