//! `POST /v1/withdraw` and `GET /v1/withdrawals`: earnings on their way out.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Extension, Query, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::admit::{Caller, Manager};
use super::body::{JsonRequest, keeps_platform_rules};
use super::error::{ApiError, Code};
use super::oracle::REPLAYED;
use super::{Shared, internal, not_found, now_ms, oracle, rfc3339};
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_ledger::{IndexError, PartiesError};
use tollbridge_market::accounts::{
    ConnectError, HistoryError, WithdrawError, Withdrawal, WithdrawalOutcome, WithdrawalState,
};
use tollbridge_payment::ProcessorError;
use tollbridge_store::SubmitError;

/// Withdrawals on one page.
const PAGE_MAX: usize = 100;
const ROUTE: &str = "POST /v1/withdraw";

pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/withdraw", post(withdraw))
        .route("/v1/withdrawals", get(list))
        .route("/v1/transactions", get(transactions))
}

async fn withdraw(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    Extension(client): Extension<IpAddr>,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    if !matches!(body.trim_ascii(), b"" | b"{}") {
        keeps_platform_rules(&body)?;
        let message = "this route takes no body: it withdraws all whole pence that are available";
        return Err(ApiError::invalid("", message));
    }
    let identity = match oracle::idempotency_key(&headers)? {
        Some(key) => {
            let key = IdempotencyKey::parse(key).map_err(|error| ApiError::invalid("", error.to_string()))?;
            Some(RequestIdentity::of_call(&principal.account_id, ROUTE, key, &body))
        }
        None => None,
    };
    let requested = shared.withdrawals.withdraw(&principal.account_id, Some(client), identity, now_ms()).await;
    let requested = requested.map_err(refused)?;
    answer(&requested)
}

/// What became of a withdrawal, as the client sees it.
pub fn answer(requested: &WithdrawalOutcome) -> Result<Response, ApiError> {
    let withdrawal = &requested.withdrawal;
    let (status, settlement) = match &withdrawal.state {
        WithdrawalState::Settled | WithdrawalState::Returned => (StatusCode::OK, "within 1 business day"),
        WithdrawalState::Sending | WithdrawalState::Unclear => (StatusCode::ACCEPTED, "being confirmed"),
        WithdrawalState::Blocked { reason } => {
            let message = format!("the withdrawal was stopped by a rule ({reason}); the operator decides on it");
            return Err(ApiError::new(Code::Blocked, message).with("withdrawal_id", withdrawal.id.clone()));
        }
        WithdrawalState::Failed { reason } | WithdrawalState::Rejected { reason } => {
            return Err(failed(reason).with("withdrawal_id", withdrawal.id.clone()));
        }
    };
    let body = json!({
        "success": true,
        "withdrawn_gbp": withdrawal.amount.display_gbp(),
        "withdrawn_pence": withdrawal.amount.pence_floor(),
        "settlement": settlement,
        "withdrawal_id": withdrawal.id,
    });
    let mut response = (status, Json(body)).into_response();
    if requested.replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// The processor's no. The balance is as it was.
fn failed(reason: &str) -> ApiError {
    let of_account = ["account", "resource_missing", "insufficient_capabilities"];
    if of_account.iter().any(|start| reason.starts_with(start)) {
        let message = format!(
            "the processor does not pay to the connected account ({reason}); the balance was restored; connect another \
             account at /account/connect"
        );
        return ApiError::new(Code::NotConnected, message);
    }
    let message = format!("the processor refused the transfer ({reason}); the balance was restored; try again later");
    ApiError::new(Code::ProcessorUnclear, message).retry_after(3600)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    after: Option<String>,
    limit: Option<usize>,
}

async fn list(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    page: Result<Query<Page>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Query(page) =
        page.map_err(|_| ApiError::invalid("", "the query takes `after` (an id) and `limit` (a number)"))?;
    let limit = page.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    let found = shared.withdrawals.list(&principal.account_id, page.after.as_deref(), limit).map_err(refused)?;
    let next = (found.len() == limit).then(|| found.last().map(|last| last.id.clone())).flatten();
    Ok(Json(json!({ "withdrawals": found.iter().map(view).collect::<Vec<_>>(), "next": next })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Below {
    before: Option<u64>,
    limit: Option<usize>,
}

/// Sealed records that concern the account, newest first.
async fn transactions(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    page: Result<Query<Below>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let wrong = "the query takes `before` (a number from `next`) and `limit` (a number)";
    let Query(page) = page.map_err(|_| ApiError::invalid("", wrong))?;
    let limit = page.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    let found = shared.accounts.history.page(&principal.account_id, page.before, limit).await;
    let found = found.map_err(|error| match error {
        HistoryError::Parties(PartiesError::Behind | PartiesError::Index(IndexError::Submit(SubmitError::Busy))) => {
            ApiError::new(Code::Overloaded, error.to_string()).retry_after(1)
        }
        error => internal(&error),
    })?;
    let lines = found.lines.iter().map(|line| {
        json!({
            "transaction_id": format!("tx_{}", hex::encode(line.tx)),
            "worm_seal": hex::encode(line.seal),
            "kind": line.kind,
            "at": rfc3339(line.time_ms),
            "plugin": line.plugin,
            "credit_millipence": line.credit.get(),
            "earnings_millipence": line.earnings.get(),
        })
    });
    Ok(Json(json!({ "transactions": lines.collect::<Vec<_>>(), "next": found.next })))
}

fn view(withdrawal: &Withdrawal) -> Value {
    json!({
        "withdrawal_id": withdrawal.id,
        "state": withdrawal.state.name(),
        "reason": withdrawal.state.reason(),
        "amount_gbp": withdrawal.amount.display_gbp(),
        "amount_pence": withdrawal.amount.pence_floor(),
        "transfer": withdrawal.reference,
        "created_at": rfc3339(withdrawal.created_ms),
        "ended_at": withdrawal.ended_ms.map(rfc3339),
    })
}

pub fn refused(error: WithdrawError) -> ApiError {
    let message = error.to_string();
    match error {
        WithdrawError::BelowMinimum(_) => ApiError::new(Code::BelowMinimum, message),
        WithdrawError::NotConnected => ApiError::new(Code::NotConnected, message),
        WithdrawError::Waiting(until_ms) => {
            let wait = until_ms.saturating_sub(now_ms()) / 1000 + 1;
            let message =
                format!("the payout account was changed; withdrawals are possible from {}", rfc3339(until_ms));
            ApiError::new(Code::NotConnected, message).retry_after(wait)
        }
        WithdrawError::InProgress => ApiError::new(Code::InProgress, message).retry_after(1),
        WithdrawError::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        WithdrawError::AlreadySealed => ApiError::new(Code::AlreadySealed, message),
        WithdrawError::Unknown(_) => not_found(message),
        WithdrawError::Processor(error) => processor(&error),
        WithdrawError::Connect(ConnectError::Processor(error)) => processor(&error),
        WithdrawError::Write(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        other => internal(&other),
    }
}

/// The processor's error as the client sees it.
pub fn processor(error: &ProcessorError) -> ApiError {
    match error {
        ProcessorError::NotConfigured(_) => ApiError::new(Code::ProcessorUnset, error.to_string()),
        ProcessorError::Rejected { .. } => ApiError::new(Code::ProcessorUnclear, error.to_string()).retry_after(60),
        ProcessorError::OutcomeUnknown(why) => {
            tracing::warn!(why, "the payment processor was unclear");
            let message = "the payment processor does not answer clearly at the moment; try again shortly";
            ApiError::new(Code::ProcessorUnclear, message).retry_after(5)
        }
    }
}
