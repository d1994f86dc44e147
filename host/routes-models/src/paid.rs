//! Models for callers without an account: a wallet pays with the request.
//!
//! The price of a request is known only once it is answered, but the scheme `exact` takes
//! an amount that is fixed in advance. The `exact` offer is therefore for the request's
//! maximum cost, which becomes credit of the wallet; the unused rest pays for the
//! wallet's next requests before another payment is taken. A second offer, by `upto`, is
//! for the same maximum and settles for the actual cost. A streamed request has no `upto`
//! offer, because its price is known only after the headers are sent.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use tollbridge_access::AccessError;
use tollbridge_api::components::reference;
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation::Operation;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::limits::INFERENCE_BODY_BYTES_MAX;
use tollbridge_gateway::{
    BilledCaller, ClientFormat, ClientRequest, GatewayError, GatewayResponse, InferenceEndpoint, RoutingPriority,
};
use tollbridge_market::checkout::PaymentSource;
use tollbridge_payment::{PaymentDeclined, PaymentError, QuoteTerms, UptoCall, WalletDeclined, WalletPayment};
use tollbridge_paywall::call_headers::{IDEMPOTENCY_KEY, single_header};
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_paywall::payment_source::source;
use tollbridge_paywall::wallet::{self, Demand};
use tollbridge_web::admit::RequestId;
use tollbridge_web::body::JsonRequest;
use tollbridge_web::error_mapping::access_error;
use tollbridge_web::{AppState, Routes};

use crate::billing::exact;
use crate::chat::{MODEL_ERRORS, chat_schema, embeddings_schema, is_repeat, respond};
use crate::errors::gateway_error;

/// The account name for requests without a payment; no account has credit under this name.
const ANONYMOUS_ACCOUNT: &str = "wallet_nobody";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let paid = |id: &'static str, title: &'static str| {
        Operation::new(
            id,
            title,
            "For callers without an account: without a payment the answer is 402 and says how a wallet can pay the \
            request's maximum cost. The unused part stays the wallet's credit; with `upto`, only the actual cost \
            is taken.",
        )
        .answer_schema(200, "The model's answer", json!({ "type": "object" }))
        .answer_schema(402, "E003: the maximum cost, and how to pay", reference("schemas", "Error"))
        .errors(&MODEL_ERRORS)
    };
    Routes::new("inference")
        .post(
            wallet::CHAT_PATH,
            chat,
            paid("paidChat", "Chat completion, paid with the request").body_schema(chat_schema()).or_events(),
        )
        .post(
            "/v1/paid/embeddings",
            embeddings,
            paid("paidEmbeddings", "Embeddings, paid with the request").body_schema(embeddings_schema()),
        )
        .body_limit(INFERENCE_BODY_BYTES_MAX)
}

async fn chat(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &headers, body, InferenceEndpoint::Chat).await
}

async fn embeddings(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &headers, body, InferenceEndpoint::Embeddings).await
}

async fn answer(
    app: &AppState,
    request_id: &str,
    headers: &HeaderMap,
    body: Bytes,
    endpoint: InferenceEndpoint,
) -> Result<Response, ApiError> {
    if app.payments.wallet_rail.is_none() || !app.gateway.is_billed() {
        return Err(access_error(&AccessError::MissingKey));
    }
    let (wallet, declined) = match source(&app.paywall, headers, &body)? {
        PaymentSource::Wallet(payment) => match check_product(&payment) {
            Ok(()) => (Some(payment), None),
            Err(declined) => (None, Some(declined)),
        },
        PaymentSource::UnusableWallet(declined) => (None, Some(declined.into())),
        PaymentSource::Nothing => (None, None),
        _ => return Err(ApiError::invalid("", "send a wallet's PAYMENT-SIGNATURE, or use /v1 with a key")),
    };
    let offer_request = OfferRequest { endpoint, streams: is_streamed(&body) };
    let upto = wallet.clone().and_then(|wallet| UptoCall::new(app.payment_service.wallet.clone(), wallet));
    let request = request(request_id, headers, (body, endpoint), (wallet.as_deref(), upto))?;
    let Some(wallet) = wallet else {
        return Err(match app.gateway.handle(request).await {
            Err(GatewayError::InsufficientCredit { needed, .. }) => {
                payment_required(app, offer_request, needed, declined)
            }
            Err(error) => gateway_error(error),
            // A free request needs a key: without a payment the caller would be anonymous.
            Ok(_) => access_error(&AccessError::MissingKey),
        });
    };
    // Try the wallet's credit first; take the `exact` payment only if the credit does not suffice.
    let answered = match app.gateway.handle(request.clone()).await {
        Err(GatewayError::InsufficientCredit { balance, needed }) if wallet.is_upto() => {
            return Err(payment_required(app, offer_request, needed, Some(WalletDeclined::TooLittle(balance).into())));
        }
        Err(GatewayError::InsufficientCredit { balance, needed }) => {
            top_up(app, offer_request, &wallet, (balance, needed)).await?;
            app.gateway.handle(request).await
        }
        answered => answered,
    };
    let answered: GatewayResponse = answered.map_err(|error| match error {
        GatewayError::Wallet(error) => unpaid(app, offer_request, wallet.price(), *error),
        error => gateway_error(error),
    })?;
    let mut response = respond(answered)?;
    wallet::add_receipt(&app.paywall, &mut response, Some(&wallet))?;
    Ok(response)
}

/// The properties of a request on which its offer depends.
#[derive(Clone, Copy)]
struct OfferRequest {
    endpoint: InferenceEndpoint,
    /// Whether the response is streamed.
    streams: bool,
}

/// Checks whether a request asks for a streamed response; the gateway reports other problems.
fn is_streamed(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Streamed {
        stream: Option<bool>,
    }
    serde_json::from_slice::<Streamed>(body).is_ok_and(|body| body.stream == Some(true))
}

/// Checks that the payment was made for models; a payment for a bridge cannot pay for
/// models, nor the reverse.
fn check_product(payment: &WalletPayment) -> Result<(), PaymentDeclined> {
    let product = if payment.is_upto() { UptoCall::PRODUCT } else { "credit" };
    payment.check_use(&QuoteTerms::product_name(product), None)
}

/// Maps the error of a payment that was declined, or whose outcome is unclear.
fn unpaid(app: &AppState, offer_request: OfferRequest, needed: Millipence, error: PaymentError) -> ApiError {
    match error {
        PaymentError::Declined(declined) => payment_required(app, offer_request, needed, Some(declined)),
        error => payment_error(error),
    }
}

fn request(
    request_id: &str,
    headers: &HeaderMap,
    (body, endpoint): (Bytes, InferenceEndpoint),
    (wallet, upto): (Option<&WalletPayment>, Option<UptoCall>),
) -> Result<ClientRequest, ApiError> {
    let account = wallet.map_or_else(|| ANONYMOUS_ACCOUNT.to_owned(), WalletPayment::tenant);
    let key = single_header(headers, IDEMPOTENCY_KEY)?.map(str::to_owned);
    Ok(ClientRequest {
        caller: BilledCaller { key: account.clone(), account, spend: None, upto },
        request_id: request_id.to_owned(),
        now_ms: now_ms(),
        endpoint,
        format: ClientFormat::Chat,
        body,
        recording: None,
        priority: RoutingPriority::Balanced,
        idempotency_key: key.or_else(|| wallet.map(WalletPayment::repeat_key)),
        repeat: is_repeat(headers),
    })
}

/// Collects a signed payment if it and the wallet's credit together cover the request.
async fn top_up(
    app: &AppState,
    offer_request: OfferRequest,
    wallet: &WalletPayment,
    (balance, needed): (Millipence, Millipence),
) -> Result<(), ApiError> {
    let suffices = balance.checked_add(wallet.price()).is_some_and(|then| then >= needed);
    let booked = app.payments.wallet_payments.is_booked(wallet).map_err(|error| internal(&error))?;
    // A booked payment is already part of the balance and cannot be collected again.
    if !suffices || booked {
        return Err(payment_required(app, offer_request, needed, Some(PaymentDeclined::InsufficientCredit(balance))));
    }
    let (service, now_ms) = (&app.payment_service.wallet, now_ms());
    let taken = match service.verify(wallet, now_ms).await {
        Ok(()) => service.collect(wallet, now_ms).await,
        Err(error) => Err(error),
    };
    taken.map_err(|error| unpaid(app, offer_request, needed, error))
}

/// Builds the 402 answer: the request's maximum cost, and how a wallet can pay it.
fn payment_required(
    app: &AppState,
    offer_request: OfferRequest,
    needed: Millipence,
    declined: Option<PaymentDeclined>,
) -> ApiError {
    let message = match &declined {
        None => {
            format!(
                "payment required: this request costs at most £{}; pay for it with PAYMENT-SIGNATURE",
                exact(needed)
            )
        }
        Some(why) => format!("payment required: {why}"),
    };
    let payment = json!({
        "amount_gbp": exact(needed),
        "amount_pence": needed.pence_floor(),
        "currency": "gbp",
        "product": "credit",
    });
    let error = ApiError::new(Code::PaymentRequired, message).with("payment", payment);
    let (product, now_ms) = (QuoteTerms::product_name("credit"), now_ms());
    let offer = match app.payments.wallet_offers.exact(&product, needed, None, now_ms) {
        Ok(Some(offer)) => offer,
        Ok(None) => return error,
        Err(problem) => return internal(&problem),
    };
    let upto = if offer_request.streams { Ok(None) } else { app.payments.wallet_offers.upto(needed, now_ms) };
    let upto = match upto {
        Ok(upto) => upto,
        Err(problem) => return internal(&problem),
    };
    let path = match offer_request.endpoint {
        InferenceEndpoint::Embeddings => "/v1/paid/embeddings",
        _ => wallet::CHAT_PATH,
    };
    let refused: Option<&WalletDeclined> = match &declined {
        Some(PaymentDeclined::Wallet(declined)) => Some(declined),
        _ => None,
    };
    let description =
        "The maximum cost of this request. With exact, the unused part stays the wallet's credit".to_owned();
    let why = wallet::why(declined.as_ref());
    let demand = Demand { offer: &offer, upto: upto.as_ref(), path, description: Some(description), why };
    wallet::demand(&app.paywall, error, demand, refused)
}
