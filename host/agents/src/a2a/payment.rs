//! x402 over A2A: tasks that wait for a wallet's payment, messages that carry a payment,
//! and the outcome of a payment.
//!
//! Source: `transports-v2/a2a.md` of x402.
//!
//! Invariant: a message that pays for a task has no other effect: none of its parts is
//! passed to an agent, so the paid call is the one that was requested before.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tollbridge_market::checkout::{CheckoutError, PaymentRequired, PaymentSource};
use tollbridge_payment::{CallPayments, PaymentDeclined, WalletPayment};
use tollbridge_x402::{self as x402, PaymentIdentifier, PaymentPayload, ResourceInfo, SettlementResponse};

use super::error::HandlerError;
use super::message::{Message, PAYLOAD, REJECTED, STATUS};
use super::request_context::RequestContext;
use super::rpc_error::RpcError;
use super::task::{A2aTask, A2aTaskState};

/// The extension URI that a client sends in a header to receive payment requests.
pub const EXTENSION: &str = "https://github.com/google-a2a/a2a-x402/v0.1";
const REQUIRED: &str = "x402.payment.required";
const RECEIPTS: &str = "x402.payment.receipts";
/// The x402 error text for a task that has not been paid for.
const UNPAID: &str = "payment is required";
const ERROR: &str = "x402.payment.error";

/// Returns the request context with the message's payment, if any, as the payment
/// source.
pub(super) fn with_payment(
    payments: &CallPayments,
    mut context: RequestContext,
    message: &Message,
) -> Result<RequestContext, HandlerError> {
    let Some(payload) = &message.payment else { return Ok(context) };
    let wrong = |why: String| RpcError::params(&format!("/params/message/metadata/{PAYLOAD}"), why);
    let payment: PaymentPayload = serde_json::from_value(Value::Object(payload.clone()))
        .map_err(|error| wrong(format!("this is not an x402 payment: {error}")))?;
    PaymentIdentifier::of(&payment.extensions, false).map_err(|error| wrong(error.to_string()))?;
    context.source = match payments.wallet_payments.read(&payment, context.now_ms)? {
        Ok(payment) => PaymentSource::Wallet(Arc::new(payment)),
        Err(declined) => PaymentSource::UnusableWallet(declined),
    };
    context.asks_wallets = true;
    Ok(context)
}

/// Updates a task whose call requires payment: the task waits for a payment, or fails
/// if the message's payment is invalid. Returns false if the task is unchanged,
/// because a wallet cannot pay.
pub(super) fn wait(
    base_url: &str,
    context: &RequestContext,
    task: &mut A2aTask,
    agent: &str,
    error: &CheckoutError,
) -> bool {
    let (true, CheckoutError::PaymentRequired(required)) = (context.asks_wallets, error) else { return false };
    // Paying does not help if the call exceeds a limit that the payer has set.
    let limited = matches!(
        required.problem,
        Some(PaymentDeclined::DailyLimitExceeded(_) | PaymentDeclined::MaxCostExceeded { .. })
    );
    let Some(asked) = asked(base_url, agent, required).filter(|_| !limited) else { return false };
    let paid = matches!(context.source, PaymentSource::Wallet(_) | PaymentSource::UnusableWallet(_));
    if let (true, Some(problem)) = (paid, &required.problem) {
        let code = match problem {
            PaymentDeclined::Wallet(declined) => declined.code().to_owned(),
            other => other.to_string(),
        };
        let network = asked.accepts.first().map(|offer| offer.network.clone());
        let receipt = network.map(|network| SettlementResponse::failed(&code, network, None));
        task.state = A2aTaskState::Failed;
        task.note = Some(format!("The payment is not valid: {problem}. Nothing was charged."));
        task.payment = members(json!({ STATUS: "payment-failed", ERROR: code, RECEIPTS: [receipt] }));
    } else {
        let price = required.issued.quote.terms.price.display_gbp();
        task.note = Some(format!("Payment is required: the call costs {price}."));
        task.payment = members(json!({ STATUS: "payment-required", REQUIRED: asked }));
    }
    true
}

fn asked(base_url: &str, agent: &str, required: &PaymentRequired) -> Option<x402::PaymentRequired> {
    let offer = required.wallet.as_ref()?;
    let resource = ResourceInfo {
        url: format!("{base_url}/v1/agents/{agent}/invoke"),
        description: None,
        mime_type: Some("application/json".to_owned()),
        other: Map::new(),
    };
    let why = required.problem.as_ref().map_or_else(|| UNPAID.to_owned(), ToString::to_string);
    let mut asked = x402::PaymentRequired::new(resource, vec![offer.requirements.clone()], &why);
    PaymentIdentifier::advertise(&mut asked.extensions, false);
    Some(asked)
}

/// Records the settlement of a wallet's payment in its task.
pub(super) fn add_receipt(payments: &CallPayments, task: &mut A2aTask, payment: &WalletPayment) {
    let settled = payments.wallet_payments.settlement(payment).ok().flatten();
    task.payment = match settled {
        Some(settled) => members(json!({ STATUS: "payment-completed", RECEIPTS: [settled] })),
        None => members(json!({ STATUS: "payment-submitted" })),
    };
}

/// Returns the wallet payment of a request, if it has one.
pub(super) fn payment_of(context: &RequestContext) -> Option<Arc<WalletPayment>> {
    match &context.source {
        PaymentSource::Wallet(payment) => Some(payment.clone()),
        _ => None,
    }
}

/// Ends a task whose client declines to pay.
pub(super) fn decline(task: &mut A2aTask) {
    task.state = A2aTaskState::Failed;
    task.note = Some("The payment was declined. Nothing was charged.".to_owned());
    task.payment = members(json!({ STATUS: REJECTED }));
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
