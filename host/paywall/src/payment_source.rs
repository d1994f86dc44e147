//! The payment source of a call: an intent, credit, a wallet's payment or a credential.

use axum::http::HeaderMap;
use tollbridge_api::error::ApiError;
use tollbridge_market::checkout::PaymentSource;

use crate::Paywall;
use crate::call_headers::{INTENT, single_header};
use crate::mpp;
use crate::wallet::{self, PAYMENT_SIGNATURE};

/// Payment source of a call; `credit` pays from the account's balance.
const SOURCE: &str = "x-payment-source";

/// Returns the payment source of a call; `body` is the request body.
pub fn source(paywall: &Paywall, headers: &HeaderMap, body: &[u8]) -> Result<PaymentSource, ApiError> {
    match (named_source(paywall, headers)?, mpp::has_credential(headers)) {
        (named, false) => Ok(named),
        (PaymentSource::Nothing, true) => mpp::source_of_credential(paywall, headers, body),
        (_, true) => Err(multiple_payments()),
    }
}

/// Returns the payment source that the headers name, ignoring `Payment` credentials.
pub fn named_source(paywall: &Paywall, headers: &HeaderMap) -> Result<PaymentSource, ApiError> {
    let named = [INTENT, SOURCE, PAYMENT_SIGNATURE].map(|name| single_header(headers, name));
    let [intent, source, signature] = named;
    match (intent?, source?, signature?) {
        (Some(id), None, None) => Ok(PaymentSource::Intent(id.to_owned())),
        (None, Some("credit"), None) => Ok(PaymentSource::Credit),
        (None, Some(_), None) => Err(ApiError::invalid("", "X-Payment-Source can only be `credit`")),
        (None, None, Some(signature)) => wallet::source_of_header(paywall, signature),
        (None, None, None) => Ok(PaymentSource::Nothing),
        _ => Err(multiple_payments()),
    }
}

fn multiple_payments() -> ApiError {
    ApiError::invalid(
        "",
        "send one of X-Payment-Intent-Id, X-Payment-Source, PAYMENT-SIGNATURE and a Payment credential, not several",
    )
}
