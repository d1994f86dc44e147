//! This server as an x402 facilitator for other sellers (x402, section 7): a seller with
//! an API key of this server configures `{base}/x402` as its facilitator, and the ledger
//! records each settlement.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::{Operation, text};
use tollbridge_core::time::now_ms;
use tollbridge_paywall::payment_errors::payment_error;
use tollbridge_web::admit::Caller;
use tollbridge_web::body::{JsonRequest, parse};
use tollbridge_web::{AppState, Routes};
use tollbridge_x402::{
    PaymentPayload, PaymentRequirements, SettlementResponse, Supported, TIMEOUT_S_MAX, V2, VerifyResponse,
};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let body = asked_schema();
    Routes::new("payments")
        .get(
            "/x402/supported",
            supported,
            Operation::new(
                "x402Supported",
                "Supported schemes and networks",
                "Schemes and networks, in the format of x402.",
            )
            .answer::<Supported>(200, "The schemes and networks"),
        )
        .post(
            "/x402/verify",
            verify,
            Operation::new(
                "x402Verify",
                "Verify a payment to another seller",
                "Reports whether the payment could be settled now.",
            )
            .body_schema(body.clone())
            .answer::<VerifyResponse>(200, "The verification result")
            .errors(&[Code::ProcessorUnclear]),
        )
        .post(
            "/x402/settle",
            settle,
            Operation::new(
                "x402Settle",
                "Settle a payment to another seller",
                "Moves the money and seals the settlement in the ledger; a repeated request returns the same \
                settlement.",
            )
            .body_schema(body)
            .answer::<SettlementResponse>(200, "The settlement result")
            .errors(&[Code::ProcessorUnclear]),
        )
}

/// Returns the schema of an entry of `accepts`.
fn requirements_schema() -> Value {
    json!({
        "type": "object",
        "required": ["scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds"],
        "properties": {
            "scheme": text(),
            "network": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{1,32}$" },
            "amount": { "type": "string", "pattern": "^(0|[1-9][0-9]{0,37})$" },
            "asset": text(),
            "payTo": text(),
            "maxTimeoutSeconds": { "type": "integer", "minimum": 0, "maximum": TIMEOUT_S_MAX },
            "extra": { "type": ["object", "null"] },
        },
    })
}

fn asked_schema() -> Value {
    let payment = json!({
        "type": "object",
        "description": "The payment that the payer sent in PAYMENT-SIGNATURE",
        "required": ["x402Version", "accepted", "payload"],
        "properties": {
            "x402Version": { "const": 2 },
            "accepted": requirements_schema(),
            "payload": { "type": "object" },
            "resource": { "type": ["object", "null"], "required": ["url"], "properties": { "url": text() } },
            "extensions": { "type": ["object", "null"] },
        },
    });
    json!({
        "type": "object",
        "required": ["x402Version", "paymentPayload", "paymentRequirements"],
        "properties": {
            "x402Version": { "const": 2 },
            "paymentPayload": payment,
            "paymentRequirements": requirements_schema(),
        },
    })
}

/// A seller's request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SellerRequest {
    #[serde(rename = "x402Version")]
    _version: V2,
    payment_payload: PaymentPayload,
    payment_requirements: PaymentRequirements,
}

async fn supported(State(app): State<Arc<AppState>>) -> Json<Supported> {
    Json(app.payment_service.wallet.supported())
}

async fn verify(
    State(app): State<Arc<AppState>>,
    Caller(_): Caller,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<Json<VerifyResponse>, ApiError> {
    let request = read(&body)?;
    let wallet = &app.payment_service.wallet;
    let verified = wallet.verify_for(&request.payment_payload, &request.payment_requirements, now_ms()).await;
    verified.map(Json).map_err(payment_error)
}

async fn settle(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<Json<SettlementResponse>, ApiError> {
    let request = read(&body)?;
    let (payment, requirements) = (&request.payment_payload, &request.payment_requirements);
    let wallet = &app.payment_service.wallet;
    let settled = wallet.settle_for(&principal.account_id, payment, requirements, now_ms()).await;
    settled.map(Json).map_err(payment_error)
}

fn read(body: &[u8]) -> Result<SellerRequest, ApiError> {
    let request: SellerRequest = parse(body)?;
    for (place, requirements) in [
        ("/paymentRequirements", &request.payment_requirements),
        ("/paymentPayload/accepted", &request.payment_payload.accepted),
    ] {
        if requirements.max_timeout_seconds > TIMEOUT_S_MAX {
            let message = format!("maxTimeoutSeconds is at most {TIMEOUT_S_MAX}");
            return Err(ApiError::invalid(&format!("{place}/maxTimeoutSeconds"), message));
        }
    }
    Ok(request)
}
