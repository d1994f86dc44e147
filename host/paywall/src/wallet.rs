//! x402 over HTTP: the header that requests a payment from a wallet, the header with the
//! payment, and the header with the settlement.
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
use tollbridge_x402::{self as x402, Bazaar, PaymentIdentifier, PaymentPayload, ResourceInfo, SettlementResponse};

use crate::Paywall;
use crate::call_headers::header_value;
use crate::discovery::paid_path;
use crate::mpp;
use crate::offer_extensions::Extensions;

/// Request header that carries a wallet's payment.
pub const PAYMENT_SIGNATURE: &str = x402::PAYMENT_SIGNATURE;
const PAYMENT_REQUIRED: HeaderName = HeaderName::from_static(x402::PAYMENT_REQUIRED);
const PAYMENT_RESPONSE: HeaderName = HeaderName::from_static(x402::PAYMENT_RESPONSE);
/// Product id for model requests paid in advance.
const CREDIT: &str = "product:credit";
/// Product id for model requests paid at their actual cost.
const MODELS: &str = "product:models";
/// Path of chat completions paid by wallet.
pub const CHAT_PATH: &str = "/v1/paid/chat/completions";
/// Reason in a 402 response to a request without a payment.
const UNPAID: &str = "PAYMENT-SIGNATURE header is required";

/// Reads the header `PAYMENT-SIGNATURE`.
pub fn source_of_header(paywall: &Paywall, text: &str) -> Result<PaymentSource, ApiError> {
    let payment = PaymentPayload::decode(text.as_bytes()).map_err(|error| {
        let code = error.code().as_str();
        ApiError::invalid("", format!("PAYMENT-SIGNATURE: {error}")).with("x402", code)
    })?;
    source_of(paywall, &payment)
}

/// Returns the payment source of a wallet's payment. An unusable payment leads to a fresh
/// offer and the reason.
pub fn source_of(paywall: &Paywall, payment: &PaymentPayload) -> Result<PaymentSource, ApiError> {
    PaymentIdentifier::of(&payment.extensions, false)
        .map_err(|error| ApiError::invalid("", format!("PAYMENT-SIGNATURE: {error}")))?;
    match paywall.payments.wallet_payments.read(payment, now_ms()).map_err(|error| internal(&error))? {
        Ok(payment) => Ok(PaymentSource::Wallet(Arc::new(payment))),
        Err(declined) => Ok(PaymentSource::UnusableWallet(declined)),
    }
}

/// Returns the wallet's payment, if any.
pub fn payment_of(source: &PaymentSource) -> Option<Arc<WalletPayment>> {
    match source {
        PaymentSource::Wallet(payment) => Some(payment.clone()),
        _ => None,
    }
}

/// The input of a payment request to a wallet.
pub struct Demand<'a> {
    /// The offer of one call at a fixed price.
    pub offer: &'a WalletOffer,
    /// The alternative `upto` offer, which is settled at the actual cost.
    pub upto: Option<&'a WalletOffer>,
    /// Path of the product.
    pub path: &'a str,
    /// Human-readable description of the product.
    pub description: Option<String>,
    /// Reason for the payment request: an x402 code, or a sentence.
    pub why: String,
}

/// A payment request to a wallet, in x402 format.
pub struct PaymentRequest {
    message: x402::PaymentRequired,
    extensions: Arc<Extensions>,
}

/// Returns the payment request for a call; `None` if wallets cannot pay for it.
pub fn required(paywall: &Paywall, required: &PaymentRequired) -> Option<PaymentRequest> {
    let offer = required.wallet.as_ref()?;
    let (kind, name) = sold(&required.issued.quote.terms.bridge);
    let sold = paywall.catalog.offer(kind, name).ok();
    let description = sold.as_ref().map(|sold| sold.purpose.clone());
    let why = why(required.problem.as_ref());
    let demand = Demand { offer, upto: None, path: &paid_path(kind, name), description, why };
    let advert = sold.as_ref().and_then(|sold| sold.advert.as_ref());
    Some(PaymentRequest::of(paywall, demand, advert))
}

impl PaymentRequest {
    fn of(paywall: &Paywall, demand: Demand<'_>, advert: Option<&Arc<Bazaar>>) -> Self {
        let expires_s = demand.offer.expires_s;
        let message = message(paywall, demand);
        let extensions = paywall.offer_extensions.of(&paywall.claims, &message, expires_s, advert);
        Self { message, extensions }
    }

    /// Converts the request to an x402 message, without the description of the call.
    pub fn into_message(self) -> x402::PaymentRequired {
        x402::PaymentRequired { extensions: self.extensions.members().clone(), ..self.message }
    }

    fn to_header(&self) -> String {
        self.message.encode_with(self.extensions.text())
    }
}

fn message(paywall: &Paywall, demand: Demand<'_>) -> x402::PaymentRequired {
    let name = Value::String(paywall.display_name.clone());
    let resource = ResourceInfo {
        url: format!("{}{}", paywall.base_url, demand.path),
        description: demand.description,
        mime_type: Some("application/json".to_owned()),
        other: serde_json::Map::from_iter([("serviceName".to_owned(), name)]),
    };
    let offers = [Some(demand.offer), demand.upto].into_iter().flatten();
    let accepts = offers.map(|offer| offer.requirements.clone()).collect();
    x402::PaymentRequired::new(resource, accepts, &demand.why)
}

/// Splits the product name in a quote into the kind and the name of the plugin.
pub fn sold(sold_as: &str) -> (PluginKind, &str) {
    match sold_as.strip_prefix("agents/") {
        Some(name) => (PluginKind::Agent, name),
        None => (PluginKind::Bridge, sold_as),
    }
}

/// Returns the reason for a payment request: the x402 code if a wallet's payment was
/// declined, otherwise a sentence.
pub fn why(problem: Option<&PaymentDeclined>) -> String {
    match problem {
        None => UNPAID.to_owned(),
        Some(PaymentDeclined::Wallet(declined)) => declined.code().to_owned(),
        Some(problem) => problem.to_string(),
    }
}

/// Adds the x402 headers to the 402 response of a call.
pub fn add_payment_required(paywall: &Paywall, error: ApiError, required: &PaymentRequired) -> ApiError {
    let (Some(message), Some(offer)) = (self::required(paywall, required), &required.wallet) else { return error };
    let refused = match &required.problem {
        Some(PaymentDeclined::Wallet(declined)) => Some(declined),
        _ => None,
    };
    add_demand(error, &message, offer, refused)
}

/// Adds the x402 headers to a 402 response. `declined` is the reason why a wallet's
/// payment was not accepted.
pub fn demand(paywall: &Paywall, error: ApiError, demand: Demand<'_>, declined: Option<&WalletDeclined>) -> ApiError {
    let offer = demand.offer;
    add_demand(error, &PaymentRequest::of(paywall, demand, None), offer, declined)
}

fn add_demand(
    error: ApiError,
    request: &PaymentRequest,
    offer: &WalletOffer,
    declined: Option<&WalletDeclined>,
) -> ApiError {
    let Ok(value) = HeaderValue::try_from(request.to_header()) else { return error };
    let error = error.header(PAYMENT_REQUIRED, value);
    // Only a refusal by the facilitator counts as a settlement result.
    let failed = declined.filter(|declined| matches!(declined, WalletDeclined::Refused(_)));
    match failed.map(|declined| HeaderValue::try_from(failed_settlement(declined, offer).encode())) {
        Some(Ok(value)) => error.header(PAYMENT_RESPONSE, value),
        _ => error,
    }
}

fn failed_settlement(declined: &WalletDeclined, offer: &WalletOffer) -> SettlementResponse {
    SettlementResponse::failed(declined.code(), offer.requirements.network.clone(), None)
}

/// Adds the settlement of a wallet's payment to a response.
pub fn add_receipt(
    paywall: &Paywall,
    response: &mut Response,
    payment: Option<&WalletPayment>,
) -> Result<(), ApiError> {
    let Some(payment) = payment else { return Ok(()) };
    let settled = paywall.payments.wallet_payments.settlement(payment).map_err(|error| internal(&error))?;
    if let Some(mut settled) = settled {
        let paid_ms =
            paywall.payments.wallet_payments.paid_ms(payment).map_err(|error| internal(&error))?.unwrap_or_default();
        if let Some(challenge) = payment.challenge_id() {
            return mpp::add_wallet_receipt(response, (challenge, &settled.transaction), paid_ms);
        }
        let (kind, name) = sold(payment.sold_as());
        let path = match name {
            CREDIT | MODELS => CHAT_PATH.to_owned(),
            name => paid_path(kind, name),
        };
        paywall.claims.sign_receipt(&mut settled, &format!("{}{path}", paywall.base_url), paid_ms / 1000);
        response.headers_mut().insert(PAYMENT_RESPONSE, header_value(&settled.encode())?);
    }
    Ok(())
}
