//! Models for who has no account: a wallet pays with the request.
//!
//! What a request costs is known when it is answered, and the scheme `exact` takes
//! an amount that is known before. So that offer is over the most that it can cost,
//! which becomes credit of the wallet; what the request does not cost pays for the
//! next ones of that wallet, before anything is taken again. A second offer, by
//! `upto`, is over the same and settled for what the request did cost; what is
//! streamed has none, for its price is known when all headers are gone.

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
use tollbridge_core::limits::INFERENCE_BODY_BYTES_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::{
    BilledCaller, ClientFormat, ClientRequest, GatewayError, GatewayResponse, InferenceEndpoint, RoutingPriority,
};
use tollbridge_market::checkout::PaymentSource;
use tollbridge_payment::{PaymentDeclined, PaymentError, QuoteTerms, UptoCall, WalletDeclined, WalletPayment};

use crate::admit::RequestId;
use crate::body::JsonRequest;
use crate::error_mapping::access::access_error;
use crate::inference::billing::exact;
use crate::inference::chat::{MODEL_ERRORS, chat_schema, embeddings_schema, is_repeat, respond};
use crate::inference::errors::gateway_error;
use crate::state::AppState;
use crate::state::Routes;
use tollbridge_paywall::call_headers::{IDEMPOTENCY_KEY, single_header, source};
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_paywall::wallet::{self, Demand};

/// Who asks without a payment; nobody has credit under this name.
const NOBODY: &str = "wallet_nobody";

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let paid = |id: &'static str, title: &'static str| {
        Operation::new(
            id,
            title,
            "For who has no account: without a payment the answer is 402, and says how a wallet pays the most that \
             the request can cost. What it does not cost stays the wallet's credit, or by `upto` is not taken.",
        )
        .answer_schema(200, "The answer of the model", json!({ "type": "object" }))
        .answer_schema(402, "E003: what it costs at most, and how to pay", reference("schemas", "Error"))
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
    if app.payments.wallet().is_none() || !app.gateway.is_billed() {
        return Err(access_error(&AccessError::MissingKey));
    }
    let (wallet, declined) = match source(&app.paywall, headers, &body)? {
        PaymentSource::Wallet(payment) => match check_product(app, &payment) {
            Ok(()) => (Some(payment), None),
            Err(declined) => (None, Some(declined)),
        },
        PaymentSource::UnusableWallet(declined) => (None, Some(declined.into())),
        PaymentSource::Nothing => (None, None),
        _ => return Err(ApiError::invalid("", "here a wallet pays: send PAYMENT-SIGNATURE, or a key to /v1")),
    };
    let asked = Asked { endpoint, streams: is_streamed(&body) };
    let upto = wallet.clone().and_then(|wallet| UptoCall::new(app.payment_service.wallet.clone(), wallet));
    let request = request(request_id, headers, (body, endpoint), (wallet.as_deref(), upto))?;
    let Some(wallet) = wallet else {
        return Err(match app.gateway.handle(request).await {
            Err(GatewayError::InsufficientCredit { needed, .. }) => ask(app, asked, needed, declined),
            Err(error) => gateway_error(error),
            // It costs nothing, and nobody could be told from others without a key.
            Ok(_) => access_error(&AccessError::MissingKey),
        });
    };
    let answered = match app.gateway.handle(request.clone()).await {
        Err(GatewayError::InsufficientCredit { balance, needed }) if wallet.is_upto() => {
            return Err(ask(app, asked, needed, Some(WalletDeclined::TooLittle(balance).into())));
        }
        Err(GatewayError::InsufficientCredit { balance, needed }) => {
            top_up(app, asked, &wallet, (balance, needed)).await?;
            app.gateway.handle(request).await
        }
        answered => answered,
    };
    let answered: GatewayResponse = answered.map_err(|error| match error {
        GatewayError::Wallet(error) => unpaid(app, asked, wallet.price(), *error),
        error => gateway_error(error),
    })?;
    let mut response = respond(answered)?;
    wallet::add_receipt(&app.paywall, &mut response, Some(&wallet))?;
    Ok(response)
}

/// What is asked, as far as an offer for it depends on it.
#[derive(Clone, Copy)]
struct Asked {
    endpoint: InferenceEndpoint,
    /// Whether the answer is streamed.
    streams: bool,
}

/// Whether a request wants its answer streamed; what else is wrong with it, the
/// gateway says.
fn is_streamed(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Streamed {
        stream: Option<bool>,
    }
    serde_json::from_slice::<Streamed>(body).is_ok_and(|body| body.stream == Some(true))
}

/// What a wallet paid for models buys no bridge, and the other way round.
fn check_product(app: &AppState, payment: &WalletPayment) -> Result<(), PaymentDeclined> {
    let product = if payment.is_upto() { UptoCall::PRODUCT } else { "credit" };
    app.payments.check_wallet_payment(payment, &QuoteTerms::product_name(product), None)
}

/// A payment that was not taken, or it is unclear whether it was.
fn unpaid(app: &AppState, asked: Asked, needed: Millipence, error: PaymentError) -> ApiError {
    match error {
        PaymentError::Declined(declined) => ask(app, asked, needed, Some(declined)),
        error => payment_error(error),
    }
}

fn request(
    request_id: &str,
    headers: &HeaderMap,
    (body, endpoint): (Bytes, InferenceEndpoint),
    (wallet, upto): (Option<&WalletPayment>, Option<UptoCall>),
) -> Result<ClientRequest, ApiError> {
    let account = wallet.map_or_else(|| NOBODY.to_owned(), WalletPayment::tenant);
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

/// Takes what was signed, if that suffices with what the wallet has.
async fn top_up(
    app: &AppState,
    asked: Asked,
    wallet: &WalletPayment,
    (balance, needed): (Millipence, Millipence),
) -> Result<(), ApiError> {
    let suffices = balance.checked_add(wallet.price()).is_some_and(|then| then >= needed);
    let booked = app.payments.is_wallet_payment_booked(wallet).map_err(|error| internal(&error))?;
    if !suffices || booked {
        return Err(ask(app, asked, needed, Some(PaymentDeclined::InsufficientCredit(balance))));
    }
    let (service, now_ms) = (&app.payment_service.wallet, now_ms());
    let taken = match service.verify(wallet, now_ms).await {
        Ok(()) => service.collect(wallet, now_ms).await,
        Err(error) => Err(error),
    };
    taken.map_err(|error| unpaid(app, asked, needed, error))
}

/// The answer 402: the most that the request can cost, and how a wallet pays it.
fn ask(app: &AppState, asked: Asked, needed: Millipence, declined: Option<PaymentDeclined>) -> ApiError {
    let message = match &declined {
        None => {
            format!("payment required: this request costs at most £{}; pay with it by PAYMENT-SIGNATURE", exact(needed))
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
    let offer = match app.payments.wallet_offer(&product, needed, None, now_ms) {
        Ok(Some(offer)) => offer,
        Ok(None) => return error,
        Err(problem) => return internal(&problem),
    };
    let upto = if asked.streams { Ok(None) } else { app.payments.upto_offer(needed, now_ms) };
    let upto = match upto {
        Ok(upto) => upto,
        Err(problem) => return internal(&problem),
    };
    let path = match asked.endpoint {
        InferenceEndpoint::Embeddings => "/v1/paid/embeddings",
        _ => wallet::CHAT_PATH,
    };
    let refused: Option<&WalletDeclined> = match &declined {
        Some(PaymentDeclined::Wallet(declined)) => Some(declined),
        _ => None,
    };
    let description = "The most that this request can cost. By exact the rest stays the wallet's credit".to_owned();
    let why = wallet::why(declined.as_ref());
    let demand = Demand { offer: &offer, upto: upto.as_ref(), path, description: Some(description), why };
    wallet::demand(&app.paywall, error, demand, refused)
}
