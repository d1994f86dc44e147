//! `/account/connect`: the route on which a developer connects a payout account with the payment
//! processor.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::{HTML, Operation};
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::{CONNECT_CALLBACK, ConnectError};
use tollbridge_payment::SANDBOX_ACCOUNTS;
use tollbridge_paywall::payout_errors::connect_error;
use tollbridge_web::admit::Manager;
use tollbridge_web::{AppState, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("payouts")
        .get(
            "/account/connect",
            begin,
            Operation::new(
                "connect",
                "Connect a payout account",
                "Redirects to the payment processor, to connect the account that withdrawals go to.",
            )
            .empty(303, "To the payment processor")
            .errors(&[Code::ProcessorUnset, Code::ProcessorUnclear]),
        )
        .get(
            CONNECT_CALLBACK,
            callback,
            Operation::new(
                "connected",
                "Back from the processor",
                "The page to which the payment processor returns a person.",
            )
            .media(200, "A page for the person", HTML)
            .errors(&[Code::NotConnected, Code::ProcessorUnset, Code::ProcessorUnclear]),
        )
        .get(
            "/sandbox/connect",
            sandbox,
            Operation::new(
                "sandboxConnect",
                "Connect a test account",
                "The sandbox's page for connecting a test account.",
            )
            .media(200, "A page for a person", HTML),
        )
}

/// Redirects to the processor with a single-use link.
async fn begin(State(app): State<Arc<AppState>>, Manager(principal): Manager) -> Result<Response, ApiError> {
    let url = app.payouts.invite(&principal.account_id, now_ms()).await.map_err(connect_error)?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Redirect::to(&url)).into_response())
}

#[derive(Deserialize, JsonSchema)]
struct CallbackQuery {
    /// The token from the link that led to the processor.
    state: Option<String>,
    /// The processor's authorization code for the account.
    code: Option<String>,
    /// The processor's error code, if no account was connected.
    error: Option<String>,
    /// The error in words.
    error_description: Option<String>,
}

#[derive(Template)]
#[template(path = "connected.html")]
struct ConnectedPage<'a> {
    site: &'a str,
    destination: String,
    waits: bool,
}

/// Handles the return from the processor.
async fn callback(
    State(app): State<Arc<AppState>>,
    query: Result<Query<CallbackQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(callback) = query.map_err(|_| ApiError::invalid("", "invalid query"))?;
    if let Some(error) = callback.error {
        let why = callback.error_description.unwrap_or(error).chars().take(200).collect();
        return Err(connect_error(ConnectError::Declined(why)));
    }
    let (Some(state), Some(code)) = (callback.state, callback.code) else {
        return Err(ApiError::invalid("", "`state` and `code` are missing; start at /account/connect"));
    };
    // A redirect carries no key; `state` identifies the account.
    let payout = app.payouts.accept(&state, &code, now_ms()).await.map_err(connect_error)?;
    let page = ConnectedPage {
        site: &app.settings.display_name,
        waits: payout.usable_ms > now_ms(),
        destination: payout.destination,
    };
    let html = page.render().map_err(|error| internal(&error))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(html)).into_response())
}

#[derive(Template)]
#[template(path = "sandbox_connect.html")]
struct SandboxPage<'a> {
    site: &'a str,
    state: &'a str,
    callback: &'static str,
    accounts: [(&'static str, &'static str, &'static str); 4],
}

#[derive(Deserialize, JsonSchema)]
struct SandboxQuery {
    /// The token from the link that led here.
    state: Option<String>,
}

/// Shows the sandbox's substitute for the processor's page. Writes nothing.
async fn sandbox(
    State(app): State<Arc<AppState>>,
    query: Result<Query<SandboxQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, ApiError> {
    if !app.settings.sandbox {
        return Err(not_found("this server has no sandbox"));
    }
    let state = query.ok().and_then(|Query(query)| query.state).unwrap_or_default();
    let page = SandboxPage {
        site: &app.settings.display_name,
        state: &state,
        callback: CONNECT_CALLBACK,
        accounts: SANDBOX_ACCOUNTS,
    };
    let html = page.render().map_err(|error| internal(&error))?;
    let robots = (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    Ok(([(header::CACHE_CONTROL, HeaderValue::from_static("no-store")), robots], Html(html)).into_response())
}
