//! The headers of a paid call: payment, maximum cost, idempotency key, and the sealed
//! record.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tollbridge_access::Principal;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::money::{Millipence, ParseAmountError};
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_payment::DailySpendLimit;
use tollbridge_store::Hash;

/// Id of the payment intent that pays for a call.
pub const INTENT: &str = "x-payment-intent-id";
/// Maximum cost of a call.
const MAX_COST: &str = "x-max-cost-gbp";
/// Idempotency key; a repeated request with the same key gets the stored answer.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Id of the sealed transaction.
pub const TRANSACTION: HeaderName = HeaderName::from_static("x-transaction-id");
/// SHA-256 of the sealed record.
pub const SEAL: HeaderName = HeaderName::from_static("x-worm-seal");
/// Amount left on the payment intent.
pub const PAYMENT_REMAINING: HeaderName = HeaderName::from_static("x-payment-remaining");
/// Marks a response as the stored answer of an earlier call.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Returns the daily spending limit of the caller's key, if it has one.
pub fn spend_limit(principal: &Principal) -> Option<DailySpendLimit> {
    let per_day = principal.max_spend_per_day?;
    Some(DailySpendLimit { key: principal.key_id.clone(), per_day })
}

/// Returns the maximum cost from `X-Max-Cost-GBP`, if given.
pub fn max_cost(headers: &HeaderMap) -> Result<Option<Millipence>, ApiError> {
    let Some(pounds) = single_header(headers, MAX_COST)? else { return Ok(None) };
    let wrong = |error: ParseAmountError| ApiError::invalid("", format!("X-Max-Cost-GBP: {error}"));
    pounds.parse().map(Some).map_err(wrong)
}

/// Returns the `Idempotency-Key` of a request.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    single_header(headers, IDEMPOTENCY_KEY)
}

/// Returns the text of a header that may occur only once.
pub fn single_header<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ApiError> {
    let mut all = headers.get_all(name).iter();
    let Some(value) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(ApiError::invalid("", format!("more than one {name} header; send exactly one")));
    }
    value.to_str().map(Some).map_err(|_| ApiError::invalid("", format!("{name} is not plain ASCII")))
}

/// Converts a stored answer to a response with its transaction headers.
pub fn recovered_response(recovered: ReplayedAnswer) -> Result<Response, ApiError> {
    let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let mut response = ([json], recovered.body).into_response();
    add_seal_headers(&mut response, &recovered.tx, &recovered.seal)?;
    Ok(response)
}

/// Adds the headers of a sealed record to a response: its transaction id and seal.
pub fn add_seal_headers(response: &mut Response, tx: &Hash, seal: &Hash) -> Result<(), ApiError> {
    let headers = response.headers_mut();
    headers.insert(TRANSACTION, hex_header::<67>("tx_", tx)?);
    headers.insert(SEAL, hex_header::<64>("", seal)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(())
}

/// Returns a header value of `N` bytes: a prefix and a digest in hex.
pub fn hex_header<const N: usize>(prefix: &str, digest: &Hash) -> Result<HeaderValue, ApiError> {
    let mut text = [0; N];
    if let Some((head, tail)) = text.split_at_mut_checked(prefix.len()) {
        head.copy_from_slice(prefix.as_bytes());
        hex::encode_to_slice(digest, tail).map_err(|error| internal(&error))?;
    }
    HeaderValue::from_bytes(&text).map_err(|error| internal(&error))
}

/// Returns a header value for ASCII text.
pub fn header_value(text: &str) -> Result<HeaderValue, ApiError> {
    HeaderValue::from_str(text).map_err(|error| internal(&error))
}
