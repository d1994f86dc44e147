//! x402 over HTTP: the header that asks a wallet for payment, the one that pays,
//! and the one that says what became of it.
//!
//! Source: `transports-v2/http.md` of x402.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use serde_json::Value;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{PaymentRequired, PaymentSource};
use tollbridge_payment::{PaymentDeclined, WalletDeclined, WalletOffer, WalletPayment};
use tollbridge_x402::{self as x402, PaymentPayload, ResourceInfo, SettlementResponse};

use crate::call_headers::header_value;
use crate::mpp;
use crate::state::AppState;

/// A wallet's payment.
pub(crate) const PAYMENT_SIGNATURE: &str = x402::PAYMENT_SIGNATURE;
const PAYMENT_REQUIRED: HeaderName = HeaderName::from_static(x402::PAYMENT_REQUIRED);
const PAYMENT_RESPONSE: HeaderName = HeaderName::from_static(x402::PAYMENT_RESPONSE);
/// What is said to who has sent no payment.
const UNPAID: &str = "PAYMENT-SIGNATURE header is required";

/// Reads the header `PAYMENT-SIGNATURE`.
pub(crate) fn source_of_header(app: &AppState, text: &str) -> Result<PaymentSource, ApiError> {
    let payment = PaymentPayload::decode(text.as_bytes()).map_err(|error| {
        let code = error.code().as_str();
        ApiError::invalid("", format!("PAYMENT-SIGNATURE: {error}")).with("x402", code)
    })?;
    source_of(app, &payment)
}

/// What a wallet's payment pays with. One that does not pay gets a fresh offer and
/// the reason.
pub(crate) fn source_of(app: &AppState, payment: &PaymentPayload) -> Result<PaymentSource, ApiError> {
    match app.payments.read_wallet_payment(payment, now_ms()).map_err(|error| internal(&error))? {
        Ok(payment) => Ok(PaymentSource::Wallet(Arc::new(payment))),
        Err(declined) => Ok(PaymentSource::UnusableWallet(declined)),
    }
}

/// The payment of a wallet, if one came.
pub(crate) fn payment_of(source: &PaymentSource) -> Option<Arc<WalletPayment>> {
    match source {
        PaymentSource::Wallet(payment) => Some(payment.clone()),
        _ => None,
    }
}

/// What asks for payment, as x402 writes it.
pub(crate) fn required(app: &AppState, required: &PaymentRequired) -> Option<x402::PaymentRequired> {
    let offer = required.wallet.as_ref()?;
    let (kind, name) = sold(&required.issued.quote.terms.bridge);
    let path = match kind {
        PluginKind::Bridge => format!("/v1/oracle/{name}"),
        PluginKind::Agent => format!("/v1/agents/{name}/invoke"),
    };
    let description = app.checkout.catalog.offer(kind, name).ok().map(|offer| offer.purpose.clone());
    let resource = ResourceInfo {
        url: format!("{}{path}", app.settings.base_url),
        description,
        mime_type: Some("application/json".to_owned()),
        other: serde_json::Map::from_iter([(
            "serviceName".to_owned(),
            Value::String(app.settings.display_name.clone()),
        )]),
    };
    Some(x402::PaymentRequired::new(resource, vec![offer.requirements.clone()], &why(required)))
}

/// What a quote is for: a bridge, or an agent.
pub(crate) fn sold(sold_as: &str) -> (PluginKind, &str) {
    match sold_as.strip_prefix("agents/") {
        Some(name) => (PluginKind::Agent, name),
        None => (PluginKind::Bridge, sold_as),
    }
}

fn why(required: &PaymentRequired) -> String {
    match &required.problem {
        None => UNPAID.to_owned(),
        Some(PaymentDeclined::Wallet(declined)) => declined.code().to_owned(),
        Some(problem) => problem.to_string(),
    }
}

/// Adds the headers of x402 to an answer 402.
pub(crate) fn ask(app: &AppState, error: ApiError, asked: &PaymentRequired) -> ApiError {
    let Some(message) = required(app, asked) else { return error };
    let Ok(value) = HeaderValue::try_from(message.encode()) else { return error };
    let error = error.header(PAYMENT_REQUIRED, value);
    match (&asked.problem, &asked.wallet) {
        (Some(PaymentDeclined::Wallet(declined @ WalletDeclined::Refused(_))), Some(offer)) => {
            match HeaderValue::try_from(failed(declined, offer).encode()) {
                Ok(value) => error.header(PAYMENT_RESPONSE, value),
                Err(_) => error,
            }
        }
        _ => error,
    }
}

fn failed(declined: &WalletDeclined, offer: &WalletOffer) -> SettlementResponse {
    SettlementResponse::failed(declined.code(), offer.requirements.network.clone(), None)
}

/// Adds to an answer how its payment was settled.
pub(crate) fn add_receipt(
    app: &AppState,
    response: &mut Response,
    payment: Option<&WalletPayment>,
) -> Result<(), ApiError> {
    let Some(payment) = payment else { return Ok(()) };
    let settled = app.payments.wallet_settlement(payment).map_err(|error| internal(&error))?;
    if let Some(settled) = settled {
        if let Some(challenge) = payment.challenge_id() {
            let paid_ms = app.payments.wallet_paid_ms(payment).map_err(|error| internal(&error))?;
            return mpp::add_wallet_receipt(response, (challenge, &settled.transaction), paid_ms.unwrap_or_default());
        }
        response.headers_mut().insert(PAYMENT_RESPONSE, header_value(&settled.encode())?);
    }
    Ok(())
}
