//! `POST /v1/withdraw` and `GET /v1/withdrawals`: paying out earnings.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_market::accounts::{AccountNotice, Transaction, WithdrawalOutcome, WithdrawalState, WithdrawalView};
use tollbridge_paywall::call_headers::{REPLAYED, idempotency_key};
use tollbridge_paywall::payout_errors::withdraw_error;
use tollbridge_web::admit::{Caller, Manager};
use tollbridge_web::body::JsonRequest;
use tollbridge_web::{AppState, Routes};

use crate::error_mapping::accounts::history_error;

/// Maximum number of entries in a page.
const PAGE_MAX: usize = 100;
const ROUTE: &str = "POST /v1/withdraw";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("payouts")
        .post(
            "/v1/withdraw",
            withdraw,
            Operation::new(
                "withdraw",
                "Withdraw earnings",
                "Withdraws all available earnings, in whole pence, to the connected payout account.",
            )
            .answer::<Withdrawn>(200, "The withdrawal")
            .answer::<Withdrawn>(202, "The processor has not confirmed it yet")
            .errors(&[
                Code::PlatformRules,
                Code::BelowMinimum,
                Code::NotConnected,
                Code::ProcessorUnset,
                Code::ProcessorUnclear,
                Code::AlreadySealed,
                Code::IdempotencyReused,
                Code::InProgress,
            ]),
        )
        .get(
            "/v1/withdrawals",
            list,
            Operation::new("listWithdrawals", "List withdrawals", "Withdrawals of the account, newest first.")
                .answer::<Withdrawals>(200, "A page of withdrawals"),
        )
        .get(
            "/v1/transactions",
            transactions,
            Operation::new(
                "listTransactions",
                "List transactions",
                "Sealed records that concern the account, newest first; a short page is not necessarily the last.",
            )
            .answer::<Transactions>(200, "A page of records"),
        )
}

/// A withdrawal that was just requested.
#[derive(Serialize, JsonSchema)]
struct Withdrawn {
    success: bool,
    withdrawn_gbp: String,
    withdrawn_pence: i64,
    settlement: &'static str,
    withdrawal_id: String,
}

#[derive(Serialize, JsonSchema)]
struct Withdrawals {
    withdrawals: Vec<WithdrawalView>,
    /// Value of `after` that requests the next page.
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Transactions {
    transactions: Vec<Transaction>,
    /// Value of `before` that requests the next page.
    next: Option<u64>,
}

async fn withdraw(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Extension(client): Extension<IpAddr>,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    if !matches!(body.trim_ascii(), b"" | b"{}") {
        let message = "this route takes no body; it withdraws everything available, in whole pence";
        return Err(ApiError::invalid("", message));
    }
    let identity = match idempotency_key(&headers)? {
        Some(key) => {
            let key = IdempotencyKey::parse(key).map_err(|error| ApiError::invalid("", error.to_string()))?;
            Some(RequestIdentity::of_call(&principal.account_id, ROUTE, key, &body))
        }
        None => None,
    };
    let requested = app.withdrawals.withdraw(&principal.account_id, Some(client), identity, now_ms()).await;
    let requested = requested.map_err(withdraw_error)?;
    let answered = answer(&requested)?;
    notify(&app, &principal.account_id, &requested, client);
    Ok(answered)
}

/// Sends the holder of the account an e-mail about a withdrawal; a repeated request sends
/// no second e-mail.
pub(crate) fn notify(app: &AppState, account: &str, requested: &WithdrawalOutcome, client: IpAddr) {
    if requested.replayed {
        return;
    }
    let notice = AccountNotice::Withdrawal { amount: requested.withdrawal.amount };
    match app.accounts.account(account) {
        Ok(account) => app.email_links.notify(&account, &notice, client, now_ms()),
        Err(error) => tracing::warn!(%error, "cannot notify the holder of an account of a withdrawal"),
    }
}

/// Builds the response for the outcome of a withdrawal.
pub(crate) fn answer(requested: &WithdrawalOutcome) -> Result<Response, ApiError> {
    let withdrawal = &requested.withdrawal;
    let (status, settlement) = match &withdrawal.state {
        WithdrawalState::Settled | WithdrawalState::Returned => (StatusCode::OK, "within 1 business day"),
        WithdrawalState::Sending | WithdrawalState::Unclear => (StatusCode::ACCEPTED, "being confirmed"),
        WithdrawalState::Blocked { reason } => {
            let message = format!("the withdrawal is held for review ({reason}); the operator decides");
            return Err(ApiError::new(Code::Blocked, message).with("withdrawal_id", withdrawal.id.clone()));
        }
        WithdrawalState::Failed { reason } | WithdrawalState::Rejected { reason } => {
            return Err(failed(reason).with("withdrawal_id", withdrawal.id.clone()));
        }
    };
    let body = Withdrawn {
        success: true,
        withdrawn_gbp: withdrawal.amount.display_gbp(),
        withdrawn_pence: withdrawal.amount.pence_floor(),
        settlement,
        withdrawal_id: withdrawal.id.clone(),
    };
    let mut response = (status, Json(body)).into_response();
    if requested.replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Maps the processor's refusal of a transfer to an error, which says that the balance
/// was restored.
fn failed(reason: &str) -> ApiError {
    // Prefixes of the processor's error codes that concern the connected account.
    let of_account = ["account", "resource_missing", "insufficient_capabilities"];
    if of_account.iter().any(|start| reason.starts_with(start)) {
        let message = format!(
            "the processor cannot pay the connected account ({reason}); your balance is restored; connect another account \
             at /account/connect"
        );
        return ApiError::new(Code::NotConnected, message);
    }
    let message = format!("the processor refused the transfer ({reason}); your balance is restored; try again later");
    ApiError::new(Code::ProcessorUnclear, message).retry_after(3600)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    /// Value of `next` on the previous page.
    after: Option<String>,
    /// Maximum number of withdrawals on the page.
    limit: Option<usize>,
}

async fn list(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    page: Result<Query<Page>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Withdrawals>, ApiError> {
    let Query(page) =
        page.map_err(|_| ApiError::invalid("", "the query takes `after` (an id) and `limit` (a number)"))?;
    let limit = page.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    let withdrawals =
        app.withdrawals.list(&principal.account_id, page.after.as_deref(), limit).map_err(withdraw_error)?;
    let next = (withdrawals.len() == limit).then(|| withdrawals.last().map(|last| last.id.clone())).flatten();
    Ok(Json(Withdrawals { withdrawals: withdrawals.into_iter().map(WithdrawalView::new).collect(), next }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Below {
    /// Value of `next` on the previous page.
    before: Option<u64>,
    /// Maximum number of records on the page.
    limit: Option<usize>,
}

/// Lists sealed records that concern the account, newest first.
async fn transactions(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    page: Result<Query<Below>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Transactions>, ApiError> {
    let wrong = "the query takes `before` (a number from `next`) and `limit` (a number)";
    let Query(page) = page.map_err(|_| ApiError::invalid("", wrong))?;
    let limit = page.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
    let records = app.accounts.history.page(&principal.account_id, page.before, limit).await;
    let records = records.map_err(history_error)?;
    let transactions = records.lines.into_iter().map(Transaction::new).collect();
    Ok(Json(Transactions { transactions, next: records.next }))
}
