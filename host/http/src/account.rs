//! Sign-up, keys and the balance of an account.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::admit::{Caller, Manager};
use super::body::JsonBody;
use super::error::{ApiError, Code};
use super::path::Path;
use super::{Shared, internal, not_found, now_ms, rfc3339};
use tollbridge_access::{AccountError, ApiKey, ListedKey, NewKey, Scope, Scopes};
use tollbridge_core::limits::WITHDRAWAL_PENCE_MIN;
use tollbridge_core::money::Millipence;
use tollbridge_market::accounts::AccountsError;
use tollbridge_store::SubmitError;

pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/signup", post(sign_up))
        .route("/v1/balance", get(balance))
        .route("/v1/keys", get(list_keys).post(create_key))
        .route("/v1/keys/{id}", delete(revoke_key))
        .route("/v1/keys/{id}/roll", post(roll_key))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignUpBody {
    email: String,
    referral_code: Option<String>,
}

async fn sign_up(
    State(shared): State<Arc<Shared>>,
    Extension(client): Extension<IpAddr>,
    JsonBody(body): JsonBody<SignUpBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let opened = shared.accounts.sign_up(&body.email, body.referral_code, client, now_ms()).await.map_err(refused)?;
    let body = json!({
        "account_id": opened.account.id,
        "user_id": opened.account.id,
        "api_key": opened.key.expose(),
        "referral_code": opened.account.referral_code,
    });
    Ok((StatusCode::CREATED, Json(body)))
}

async fn balance(State(shared): State<Arc<Shared>>, Caller(principal): Caller) -> Result<Json<Value>, ApiError> {
    let balance = shared.accounts.balance(&principal.account_id).map_err(|error| internal(&error))?;
    let payout = shared.payouts.of(&principal.account_id).map_err(|error| internal(&error))?;
    Ok(Json(json!({
        "user_id": principal.account_id,
        "balance_gbp": balance.available.display_gbp(),
        "balance_pence": balance.available.pence_floor(),
        "pending_gbp": balance.pending.display_gbp(),
        "credit_gbp": balance.credit.display_gbp(),
        "credit_pence": balance.credit.pence_floor(),
        "withdrawal_eligible": balance.withdrawal_eligible(),
        "minimum_withdrawal_pence": WITHDRAWAL_PENCE_MIN,
        "connected": payout.is_some(),
    })))
}

async fn list_keys(State(shared): State<Arc<Shared>>, Manager(principal): Manager) -> Result<Json<Value>, ApiError> {
    let keys = shared.accounts.keys(&principal.account_id).map_err(refused)?;
    let keys: Vec<Value> = keys.iter().map(key_view).collect();
    Ok(Json(json!({ "keys": keys })))
}

fn key_view(key: &ListedKey) -> Value {
    let scopes = [Scope::Call, Scope::Manage].into_iter().filter(|scope| key.row.scopes.allow(*scope));
    json!({
        "id": key.id,
        "label": key.row.label,
        "scopes": scopes.map(Scope::as_str).collect::<Vec<_>>(),
        "created_at": rfc3339(key.row.created_ms),
        "expires_at": key.row.expires_ms.map(rfc3339),
        "max_spend_gbp": key.row.max_spend_per_day.map(Millipence::pounds),
        "revoked": key.row.revoked,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKeyBody {
    #[serde(default)]
    label: String,
    scopes: Option<Vec<Scope>>,
    expires_ms: Option<u64>,
    max_spend_gbp: Option<String>,
}

async fn create_key(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    JsonBody(body): JsonBody<NewKeyBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let scopes = match body.scopes {
        Some(list) if list.is_empty() => return Err(ApiError::invalid("/scopes", "name at least one scope")),
        Some(list) => Scopes { call: list.contains(&Scope::Call), manage: list.contains(&Scope::Manage) },
        None => Scopes::ALL,
    };
    let max_spend_per_day = body.max_spend_gbp.as_deref().map(str::parse).transpose();
    let max_spend_per_day = max_spend_per_day.map_err(|error: tollbridge_core::money::ParseAmountError| {
        ApiError::invalid("/max_spend_gbp", error.to_string())
    })?;
    let new = NewKey { scopes, label: body.label, expires_ms: body.expires_ms, max_spend_per_day };
    let made = shared.accounts.create_key(&principal.account_id, new, now_ms()).await.map_err(refused)?;
    Ok(shown(made))
}

async fn revoke_key(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    shared.accounts.revoke_key(&principal.account_id, &id, now_ms()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn roll_key(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let made = shared.accounts.roll_key(&principal.account_id, &id, now_ms()).await.map_err(refused)?;
    Ok(shown(made))
}

/// A plain key, this once.
fn shown((key, id): (ApiKey, String)) -> (StatusCode, Json<Value>) {
    (StatusCode::CREATED, Json(json!({ "id": id, "api_key": key.expose() })))
}

/// An error of the accounts as the client sees it.
pub(super) fn refused(error: AccountsError) -> ApiError {
    let message = error.to_string();
    if error.is_missing() {
        return not_found(message);
    }
    if error.is_race() {
        let message = "somebody else changed this at the same moment; try again";
        return ApiError::new(Code::InProgress, message).retry_after(1);
    }
    match error {
        AccountsError::Email(_) => ApiError::invalid("/email", message),
        AccountsError::TooMany { retry_after_s } | AccountsError::TooManyNotices { retry_after_s } => {
            ApiError::new(Code::RateLimited, message).retry_after(retry_after_s.into())
        }
        AccountsError::Account(AccountError::EmailTaken | AccountError::TooManyKeys) => {
            ApiError::new(Code::AlreadySealed, message)
        }
        AccountsError::Account(AccountError::UnknownReferralCode(_)) => ApiError::invalid("/referral_code", message),
        AccountsError::Account(AccountError::InvalidLabel) => ApiError::invalid("/label", message),
        AccountsError::Account(AccountError::ExpiryInPast) => ApiError::invalid("/expires_ms", message),
        AccountsError::Account(AccountError::KeyInactive(_)) => ApiError::new(Code::AlreadySealed, message),
        AccountsError::Submit(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        other => internal(&other),
    }
}
