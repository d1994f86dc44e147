//! Token endpoint: exchanging a code, refreshing, and revoking (RFC 7009).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tollbridge_access::oauth::{CodeExchange, CodeExchangeError, IssuedTokens, RefreshError};
use tollbridge_api::error::Code;
use tollbridge_api::operation::{Operation, text};
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::DelegationError;
use tollbridge_store::SubmitError;
use tollbridge_web::unauthorized::TOKEN_SCOPE;
use tollbridge_web::{AppState, Routes};

use crate::oauth::error::OauthError;
use crate::pages::form::Fields;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let token = json!({
        "grant_type": { "enum": ["authorization_code", "refresh_token"] },
        "client_id": text(),
        "code": text(),
        "code_verifier": text(),
        "redirect_uri": text(),
        "refresh_token": text(),
        "resource": text(),
    });
    Routes::new("protocols")
        .post(
            "/oauth/token",
            exchange,
            Operation::new("oauthToken", "Get tokens", "Exchanges a code or a refresh token for tokens (RFC 6749).")
                .form(&["grant_type", "client_id"], token)
                .answer::<Tokens>(200, "The tokens"),
        )
        .post(
            "/oauth/revoke",
            revoke,
            Operation::new("oauthRevoke", "Revoke a token", "Revokes a token and its grant (RFC 7009).")
                .form(&["token"], json!({ "token": text() }))
                .empty(200, "The token was revoked"),
        )
}

/// An access token and the token that renews it.
#[derive(Serialize, JsonSchema)]
struct Tokens {
    access_token: String,
    #[schemars(extend("const" = "Bearer"))]
    token_type: &'static str,
    /// Lifetime of the access token in seconds.
    expires_in: u64,
    refresh_token: String,
    #[schemars(extend("const" = TOKEN_SCOPE))]
    scope: &'static str,
}

async fn exchange(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, OauthError> {
    public_client(&headers)?;
    once(&fields)?;
    let issued = match fields.text("grant_type") {
        "authorization_code" => first(&app, &fields).await?,
        "refresh_token" => next(&app, &fields).await?,
        "" => return Err(OauthError::new("invalid_request", "grant_type is missing")),
        _ => {
            let text = "grant_type must be authorization_code or refresh_token";
            return Err(OauthError::new("unsupported_grant_type", text));
        }
    };
    let body = Tokens {
        access_token: issued.access,
        token_type: "Bearer",
        expires_in: issued.seconds,
        refresh_token: issued.refresh,
        scope: TOKEN_SCOPE,
    };
    Ok(([(header::CACHE_CONTROL, "no-store"), (header::PRAGMA, "no-cache")], Json(body)).into_response())
}

/// Exchanges an authorization code for tokens.
async fn first(app: &AppState, fields: &Fields) -> Result<IssuedTokens, OauthError> {
    let exchange = CodeExchange {
        code: needed(fields, "code")?,
        client: needed(fields, "client_id")?,
        redirect_uri: fields.optional("redirect_uri"),
        verifier: needed(fields, "code_verifier")?,
        resource: fields.optional("resource"),
    };
    app.accounts.delegations.exchange(exchange, now_ms()).await.map_err(refused)
}

/// Exchanges a refresh token for new tokens.
async fn next(app: &AppState, fields: &Fields) -> Result<IssuedTokens, OauthError> {
    let token = needed(fields, "refresh_token")?;
    let (client, resource) = (needed(fields, "client_id")?, fields.optional("resource"));
    app.accounts.delegations.refresh(token, Some(client), resource, now_ms()).await.map_err(refused)
}

async fn revoke(State(app): State<Arc<AppState>>, fields: Fields) -> Result<StatusCode, OauthError> {
    let token = needed(&fields, "token")?;
    // Succeeds for an unknown token too (RFC 7009, 2.2).
    app.accounts.delegations.revoke(token).await.map_err(refused)?;
    Ok(StatusCode::OK)
}

/// Refuses client authentication: clients of this server have no secrets, so a request
/// with a client secret was meant for another server.
fn public_client(headers: &HeaderMap) -> Result<(), OauthError> {
    if headers.contains_key(header::AUTHORIZATION) {
        let text = "clients are public: send client_id in the form and no Authorization header";
        return Err(OauthError::invalid_client(text));
    }
    Ok(())
}

/// Refuses repeated parameters (RFC 6749, 3.2).
fn once(fields: &Fields) -> Result<(), OauthError> {
    let names: Vec<&str> = fields.names().collect();
    let twice = names.iter().enumerate().find(|(place, name)| names.iter().skip(place + 1).any(|other| other == *name));
    match twice {
        Some((_, name)) => Err(OauthError::new("invalid_request", format!("{name} appears twice"))),
        None => Ok(()),
    }
}

fn needed<'f>(fields: &'f Fields, name: &str) -> Result<&'f str, OauthError> {
    fields.optional(name).ok_or_else(|| OauthError::new("invalid_request", format!("{name} is missing")))
}

fn refused(error: DelegationError) -> OauthError {
    let text = error.to_string();
    if error.is_race() {
        return OauthError::new("invalid_grant", "the refresh token was just used by another request");
    }
    match error {
        DelegationError::Code(CodeExchangeError::Resource) | DelegationError::Grant(RefreshError::Resource) => {
            OauthError::new("invalid_target", text)
        }
        DelegationError::Code(_) | DelegationError::Grant(RefreshError::Unknown | RefreshError::Used { .. }) => {
            OauthError::new("invalid_grant", text)
        }
        DelegationError::Submit(SubmitError::Busy) => OauthError::later(Code::Overloaded, text, 1),
        other => OauthError::internal(&other),
    }
}
