//! Sign-up, API keys and the balance of an account.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tollbridge_access::{ApiKey, KeyView, NewKey, Scope, Scopes};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation::{Operation, nullable};
use tollbridge_api::schemas::{pounds_text, schema};
use tollbridge_core::time::now_ms;
use tollbridge_core::timestamp::Timestamp;
use tollbridge_market::accounts::BalanceView;
use tollbridge_web::admit::{Caller, Manager};
use tollbridge_web::body::JsonBody;
use tollbridge_web::{AppState, Path, Routes};

use crate::error_mapping::accounts::accounts_error;
use crate::pages::sign_in::confirm_new;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("accounts")
        .post(
            "/v1/signup",
            sign_up,
            Operation::new(
                "signUp",
                "Sign up",
                "Opens an account and returns its first API key, which is shown only once.",
            )
            .answer::<NewAccount>(201, "The account")
            .errors(&[Code::AlreadySealed]),
        )
        .get(
            "/v1/account",
            account,
            Operation::new(
                "showAccount",
                "Account",
                "The account's e-mail address, whether it is verified, and its tier.",
            )
            .answer::<AccountView>(200, "The account"),
        )
        .get(
            "/v1/balance",
            balance,
            Operation::new("showBalance", "Balance", "Earnings and prepaid credit of the account.")
                .answer::<BalanceView>(200, "The balance"),
        )
        .get(
            "/v1/keys",
            list_keys,
            Operation::new("listKeys", "List API keys", "The API keys of the account, without their secrets.")
                .answer::<Keys>(200, "The keys"),
        )
        .post(
            "/v1/keys",
            create_key,
            Operation::new("createKey", "Create an API key", "Makes another API key, which is shown only once.")
                .answer::<CreatedKey>(201, "The key")
                .errors(&[Code::AlreadySealed]),
        )
        .delete(
            "/v1/keys/{id}",
            revoke_key,
            Operation::new("revokeKey", "Revoke an API key", "Revokes a key immediately.")
                .empty(204, "The key is revoked")
                .errors(&[Code::AlreadySealed, Code::InProgress]),
        )
        .post(
            "/v1/keys/{id}/roll",
            roll_key,
            Operation::new("rollKey", "Replace an API key", "Makes a new key; the old one works for another 24 hours.")
                .answer::<CreatedKey>(201, "The new key")
                .errors(&[Code::AlreadySealed, Code::InProgress]),
        )
}

#[derive(Serialize, JsonSchema)]
struct NewAccount {
    account_id: String,
    /// Equal to `account_id`.
    user_id: String,
    /// The secret of the first key; shown only here.
    api_key: String,
    referral_code: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Account")]
struct AccountView {
    account_id: String,
    email: Option<String>,
    email_verified_at: Option<Timestamp>,
    #[schemars(extend("enum" = ["free", "pro", "enterprise"]))]
    tier: &'static str,
    created_at: Timestamp,
    referral_code: String,
    /// The end of a hold on withdrawals, if there is one.
    withdrawals_from: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
struct Keys {
    keys: Vec<KeyView>,
}

#[derive(Serialize, JsonSchema)]
struct CreatedKey {
    id: String,
    /// The secret; shown only here.
    api_key: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "SignUp")]
#[serde(deny_unknown_fields)]
struct SignUpBody {
    #[schemars(email, length(max = 254))]
    email: String,
    /// The referral code of the account that referred you.
    referral_code: Option<String>,
}

async fn sign_up(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    JsonBody(body): JsonBody<SignUpBody>,
) -> Result<(StatusCode, Json<NewAccount>), ApiError> {
    let opened =
        app.accounts.sign_up(&body.email, body.referral_code, client, now_ms()).await.map_err(accounts_error)?;
    confirm_new(&app, &opened.account, client).await;
    let body = NewAccount {
        account_id: opened.account.id.clone(),
        user_id: opened.account.id,
        api_key: opened.key.expose().to_owned(),
        referral_code: opened.account.referral_code,
    };
    Ok((StatusCode::CREATED, Json(body)))
}

async fn account(State(app): State<Arc<AppState>>, Manager(principal): Manager) -> Result<Json<AccountView>, ApiError> {
    let account = app.accounts.account(&principal.account_id).map_err(accounts_error)?;
    let held = account.withdrawals_from_ms.filter(|from_ms| now_ms() < *from_ms);
    Ok(Json(AccountView {
        account_id: account.id,
        email: account.email,
        email_verified_at: account.email_verified_ms.map(Timestamp::from_ms),
        tier: principal.tier.as_str(),
        created_at: Timestamp::from_ms(account.created_ms),
        referral_code: account.referral_code,
        withdrawals_from: held.map(Timestamp::from_ms),
    }))
}

async fn balance(State(app): State<Arc<AppState>>, Caller(principal): Caller) -> Result<Json<BalanceView>, ApiError> {
    let balance = app.accounts.balance(&principal.account_id).map_err(|error| internal(&error))?;
    let payout = app.payouts.of(&principal.account_id).map_err(|error| internal(&error))?;
    Ok(Json(BalanceView::new(principal.account_id.clone(), &balance, payout.is_some())))
}

async fn list_keys(State(app): State<Arc<AppState>>, Manager(principal): Manager) -> Result<Json<Keys>, ApiError> {
    let keys = app.accounts.keys(&principal.account_id).map_err(accounts_error)?;
    Ok(Json(Keys { keys: keys.into_iter().map(KeyView::new).collect() }))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewKey")]
#[serde(deny_unknown_fields)]
struct NewKeyBody {
    #[serde(default)]
    #[schemars(length(max = 100))]
    label: String,
    /// Scopes of the key: by default `call` only for a key with a spending limit, otherwise all.
    #[serde(default)]
    #[schemars(schema_with = "scopes_schema")]
    scopes: Option<Vec<Scope>>,
    /// Expiry, Unix time in milliseconds.
    expires_ms: Option<u64>,
    /// The daily spending limit, in pounds.
    #[serde(default)]
    #[schemars(schema_with = "spend_schema")]
    max_spend_gbp: Option<String>,
}

fn spend_schema(_: &mut SchemaGenerator) -> Schema {
    schema(nullable(pounds_text()))
}

fn scopes_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["array", "null"], "minItems": 1, "items": { "enum": ["call", "manage"] } })
}

async fn create_key(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    JsonBody(body): JsonBody<NewKeyBody>,
) -> Result<(StatusCode, Json<CreatedKey>), ApiError> {
    let scopes = match body.scopes {
        Some(list) if list.is_empty() => return Err(ApiError::invalid("/scopes", "name at least one scope")),
        Some(list) => Scopes { call: list.contains(&Scope::Call), manage: list.contains(&Scope::Manage) },
        // A key with a spending limit is meant to be handed out, so it may not manage the account.
        None if body.max_spend_gbp.is_some() => Scopes::CALL,
        None => Scopes::ALL,
    };
    let max_spend_per_day = body.max_spend_gbp.as_deref().map(str::parse).transpose();
    let max_spend_per_day = max_spend_per_day.map_err(|error: tollbridge_core::money::ParseAmountError| {
        ApiError::invalid("/max_spend_gbp", error.to_string())
    })?;
    let new = NewKey { scopes, label: body.label, expires_ms: body.expires_ms, max_spend_per_day };
    let (account, authority) = (&principal.account_id, principal.key_authority());
    let made = app.accounts.create_key(account, authority, new, now_ms()).await.map_err(accounts_error)?;
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
) -> Result<(StatusCode, Json<CreatedKey>), ApiError> {
    let (account, authority) = (&principal.account_id, principal.key_authority());
    let made = app.accounts.roll_key(account, authority, &id, now_ms()).await.map_err(accounts_error)?;
    Ok(shown(made))
}

/// Builds the response with a new key, the only time it is shown.
fn shown((key, id): (ApiKey, String)) -> (StatusCode, Json<CreatedKey>) {
    (StatusCode::CREATED, Json(CreatedKey { id, api_key: key.expose().to_owned() }))
}
