//! x402 over MCP: payment requirements, payments and settlement receipts.
//!
//! Source: `transports-v2/mcp.md` of x402.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::checkout::{CheckoutError, PaymentSource};
use tollbridge_payment::{PaymentDeclined, WalletPayment};
use tollbridge_paywall::wallet;
use tollbridge_web::AppState;
use tollbridge_x402::{self as x402, META_PAYMENT, META_RESPONSE, payment_of_params, required_result};

use crate::mcp::tasks::INVOKE;

/// Returns the wallet payment in a request's `_meta`, if there is one.
pub(crate) fn paid_by_wallet(
    app: &AppState,
    context: &RequestContext<RoleServer>,
) -> Result<Option<PaymentSource>, ErrorData> {
    let Some(payment) = context.meta.get(META_PAYMENT) else { return Ok(None) };
    let wrong = |error: String| ErrorData::invalid_params(format!("_meta[\"{META_PAYMENT}\"]: {error}"), None);
    let payment = payment_of_params(&json!({ "_meta": { META_PAYMENT: payment } }));
    let Some(payment) = payment.map_err(|error| wrong(error.to_string()))? else { return Ok(None) };
    wallet::source_of(&app.paywall, &payment).map(Some).map_err(|error| wrong(error.sentence()))
}

/// Returns the x402 payment requirements for a call that failed for lack of payment.
pub(crate) fn offer(app: &AppState, error: &CheckoutError) -> Option<x402::PaymentRequired> {
    let CheckoutError::PaymentRequired(required) = error else { return None };
    // No payment lifts a limit that the payer has set, so no offer is made.
    let is_limit = |problem: &PaymentDeclined| {
        matches!(problem, PaymentDeclined::DailyLimitExceeded(_) | PaymentDeclined::MaxCostExceeded { .. })
    };
    if required.problem.as_ref().is_some_and(is_limit) {
        return None;
    }
    let mut message = wallet::required(&app.paywall, required)?.into_message();
    let (kind, name) = wallet::sold(&required.issued.quote.terms.bridge);
    message.resource.url = match kind {
        PluginKind::Bridge => format!("mcp://tool/{name}"),
        PluginKind::Agent => format!("mcp://tool/{INVOKE}"),
    };
    Some(message)
}

/// Builds the result of an unpaid call: the x402 offer, then this server's own error text.
pub(crate) fn asked(mut offer: x402::PaymentRequired, said: CallToolResult) -> CallToolResult {
    let words = said.content.first().and_then(|content| content.as_text()).map(|text| text.text.clone());
    offer.error = words.or(offer.error);
    let offer = required_result(&offer);
    let mut content: Vec<ContentBlock> = texts(&offer).into_iter().map(ContentBlock::text).collect();
    content.extend(said.content);
    let mut result = CallToolResult::error(content);
    result.structured_content = offer.get("structuredContent").cloned();
    result
}

fn texts(offer: &Value) -> Vec<String> {
    let content = offer.get("content").and_then(Value::as_array);
    content.into_iter().flatten().filter_map(|one| Some(one.get("text")?.as_str()?.to_owned())).collect()
}

/// Adds the settlement receipt of a payment to the result that it paid for.
pub(crate) fn add_receipt(
    app: &AppState,
    mut result: CallToolResult,
    payment: Option<&WalletPayment>,
) -> CallToolResult {
    let settled = payment.and_then(|payment| app.payments.wallet_payments.settlement(payment).ok().flatten());
    let Some(settled) = settled.and_then(|settled| serde_json::to_value(settled).ok()) else { return result };
    let meta = result.meta.get_or_insert_with(|| MetaObject(JsonObject::new()));
    meta.0.insert(META_RESPONSE.to_owned(), settled);
    result
}
