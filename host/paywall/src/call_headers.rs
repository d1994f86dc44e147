//! The headers of a paid call: who pays, and how, what it may cost, under which
//! key it repeats, and where its record is.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tollbridge_access::Principal;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::money::{Millipence, ParseAmountError};
use tollbridge_ledger::idempotency::ReplayedAnswer;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_payment::DailySpendLimit;
use tollbridge_store::Hash;

use crate::Paywall;
use crate::mpp;
use crate::wallet::{self, PAYMENT_SIGNATURE};

/// A key, as Anthropic's clients send it.
const API_KEY: &str = "x-api-key";
/// The intent that pays for a call.
pub const INTENT: &str = "x-payment-intent-id";
/// `credit` pays from the account.
const SOURCE: &str = "x-payment-source";
/// The most that a call may cost.
const MAX_COST: &str = "x-max-cost-gbp";
/// A repeat under the same key gets the stored answer.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Id of the sealed transaction.
pub const TRANSACTION: HeaderName = HeaderName::from_static("x-transaction-id");
/// SHA-256 of the sealed record.
pub const SEAL: HeaderName = HeaderName::from_static("x-worm-seal");
/// What is left on the intent.
pub const PAYMENT_REMAINING: HeaderName = HeaderName::from_static("x-payment-remaining");
/// Marks the stored answer of an earlier call.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The one `Authorization` header as text, or what stands in its place. A credential
/// in it pays and names nobody.
pub fn authorization(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let value = all.next().and_then(|value| mpp::without_credential(&String::from_utf8_lossy(value.as_bytes())));
    if all.next().is_some() {
        return Err(ApiError::invalid("", "more than one Authorization header; send exactly one"));
    }
    let key = || headers.get(API_KEY).map(|key| format!("Bearer {}", String::from_utf8_lossy(key.as_bytes()).trim()));
    Ok(value.or_else(key))
}

/// The same for a request to a path: clients of the registry send an API key as the
/// password of a name, and nobody else may, so that no browser keeps one.
pub fn authorization_at(path: &str, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let value = authorization(headers)?;
    let is_registry = path == "/v2" || path.starts_with("/v2/");
    let key = value.as_deref().filter(|_| is_registry).and_then(password_of);
    Ok(key.map(|key| format!("Bearer {key}")).or(value))
}

/// The password in `Basic …`.
fn password_of(value: &str) -> Option<String> {
    let (scheme, pair) = value.split_once(' ')?;
    let pair = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(pair.trim()).ok())??;
    let (_, password) = std::str::from_utf8(&pair).ok()?.split_once(':')?;
    Some(password.to_owned())
}

/// How the headers say that the call with this body is paid.
pub fn source(paywall: &Paywall, headers: &HeaderMap, body: &[u8]) -> Result<PaymentSource, ApiError> {
    match (named_source(paywall, headers)?, mpp::has_credential(headers)) {
        (named, false) => Ok(named),
        (PaymentSource::Nothing, true) => mpp::source_of_credential(paywall, headers, body),
        (_, true) => Err(several()),
    }
}

/// The same where no credential pays.
pub fn named_source(paywall: &Paywall, headers: &HeaderMap) -> Result<PaymentSource, ApiError> {
    let named = [INTENT, SOURCE, PAYMENT_SIGNATURE].map(|name| single_header(headers, name));
    let [intent, source, signature] = named;
    match (intent?, source?, signature?) {
        (Some(id), None, None) => Ok(PaymentSource::Intent(id.to_owned())),
        (None, Some("credit"), None) => Ok(PaymentSource::Credit),
        (None, Some(_), None) => Err(ApiError::invalid("", "X-Payment-Source can only be `credit`")),
        (None, None, Some(signature)) => wallet::source_of_header(paywall, signature),
        (None, None, None) => Ok(PaymentSource::Nothing),
        _ => Err(several()),
    }
}

fn several() -> ApiError {
    ApiError::invalid(
        "",
        "send one of X-Payment-Intent-Id, X-Payment-Source, PAYMENT-SIGNATURE and a Payment credential, not several",
    )
}

/// What a key may spend on one day, if it has a limit.
pub fn spend_limit(principal: &Principal) -> Option<DailySpendLimit> {
    let per_day = principal.max_spend_per_day?;
    Some(DailySpendLimit { key: principal.key_id.clone(), per_day })
}

/// The most that a request may cost, if it says so.
pub fn max_cost(headers: &HeaderMap) -> Result<Option<Millipence>, ApiError> {
    let Some(pounds) = single_header(headers, MAX_COST)? else { return Ok(None) };
    let wrong = |error: ParseAmountError| ApiError::invalid("", format!("X-Max-Cost-GBP: {error}"));
    pounds.parse().map(Some).map_err(wrong)
}

/// The `Idempotency-Key` of a request.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    single_header(headers, IDEMPOTENCY_KEY)
}

/// The text of a header that may be there once.
pub fn single_header<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ApiError> {
    let mut all = headers.get_all(name).iter();
    let Some(value) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(ApiError::invalid("", format!("more than one {name} header; send exactly one")));
    }
    value.to_str().map(Some).map_err(|_| ApiError::invalid("", format!("{name} is not plain ASCII")))
}

/// A sealed answer that was kept, with the names of its transaction.
pub fn recovered_response(recovered: ReplayedAnswer) -> Result<Response, ApiError> {
    let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let mut response = ([json], recovered.body).into_response();
    add_seal_headers(&mut response, &recovered.tx, &recovered.seal)?;
    Ok(response)
}

/// Names the sealed record in the headers of an answer.
pub fn add_seal_headers(response: &mut Response, tx: &Hash, seal: &Hash) -> Result<(), ApiError> {
    let headers = response.headers_mut();
    headers.insert(TRANSACTION, hex_header::<67>("tx_", tx)?);
    headers.insert(SEAL, hex_header::<64>("", seal)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(())
}

/// A header of `N` bytes: a prefix and a digest in hex.
pub fn hex_header<const N: usize>(prefix: &str, digest: &Hash) -> Result<HeaderValue, ApiError> {
    let mut text = [0; N];
    if let Some((head, tail)) = text.split_at_mut_checked(prefix.len()) {
        head.copy_from_slice(prefix.as_bytes());
        hex::encode_to_slice(digest, tail).map_err(|error| internal(&error))?;
    }
    HeaderValue::from_bytes(&text).map_err(|error| internal(&error))
}

/// A header value of text that is ASCII.
pub fn header_value(text: &str) -> Result<HeaderValue, ApiError> {
    HeaderValue::from_str(text).map_err(|error| internal(&error))
}
