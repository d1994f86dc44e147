//! Sign-up, keys and the balance of an account.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::admit::{Caller, Manager};
use crate::body::JsonBody;
use crate::error::{ApiError, internal};
use crate::error_mapping::accounts::accounts_error;
use crate::path::Path;
use crate::state::AppState;
use crate::time::rfc3339;
use tollbridge_access::{ApiKey, ListedKey, NewKey, Scope, Scopes};
use tollbridge_core::clock::now_ms;
use tollbridge_core::limits::WITHDRAWAL_PENCE_MIN;
use tollbridge_core::money::Millipence;

pub fn routes() -> Router<Arc<AppState>> {
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
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    JsonBody(body): JsonBody<SignUpBody>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let opened =
        app.accounts.sign_up(&body.email, body.referral_code, client, now_ms()).await.map_err(accounts_error)?;
    let body = json!({
        "account_id": opened.account.id,
        "user_id": opened.account.id,
        "api_key": opened.key.expose(),
        "referral_code": opened.account.referral_code,
    });
    Ok((StatusCode::CREATED, Json(body)))
}

async fn balance(State(app): State<Arc<AppState>>, Caller(principal): Caller) -> Result<Json<Value>, ApiError> {
    let balance = app.accounts.balance(&principal.account_id).map_err(|error| internal(&error))?;
    let payout = app.payouts.of(&principal.account_id).map_err(|error| internal(&error))?;
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

async fn list_keys(State(app): State<Arc<AppState>>, Manager(principal): Manager) -> Result<Json<Value>, ApiError> {
    let keys = app.accounts.keys(&principal.account_id).map_err(accounts_error)?;
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
    State(app): State<Arc<AppState>>,
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
    let made = app.accounts.create_key(&principal.account_id, new, now_ms()).await.map_err(accounts_error)?;
    Ok(shown(made))
}

async fn revoke_key(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.accounts.revoke_key(&principal.account_id, &id, now_ms()).await.map_err(accounts_error)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn roll_key(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let made = app.accounts.roll_key(&principal.account_id, &id, now_ms()).await.map_err(accounts_error)?;
    Ok(shown(made))
}

/// A plain key, this once.
fn shown((key, id): (ApiKey, String)) -> (StatusCode, Json<Value>) {
    (StatusCode::CREATED, Json(json!({ "id": id, "api_key": key.expose() })))
}
