//! Signing in with a link from an e-mail; confirming and changing an account's e-mail address.
//!
//! A link opens a page with a button, and only the button signs in: mail scanners open links before
//! people do, but press no buttons.

use std::net::IpAddr;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_access::limits::EMAIL_LINK_MS;
use tollbridge_api::error::ApiError;
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::{AccountNotice, EmailLinksError, RequestedLink};
use tollbridge_web::AppState;

use crate::error_mapping::accounts::accounts_error;
use crate::error_mapping::email_links::email_links_error;
use crate::pages::form::Fields;
use crate::pages::frame::private;
use crate::pages::session::{Posted, from_here, opened, with_cookie};
use crate::pages::sign_in::{SignInPage, local};

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/account/email", get(show_link).post(request_link))
        .route("/account/email/open", post(open))
        .route("/account/email/confirm", post(confirm))
        .route("/account/email/change", post(change))
}

/// `Retry-After` in seconds while the e-mail queue is full.
const BUSY_S: u32 = 60;

/// The page shown after a link was requested.
#[derive(Template)]
#[template(path = "email_asked.html")]
struct LinkRequestedPage<'a> {
    site: &'a str,
    email: &'a str,
    /// Whether the link is shown on the page instead of sent.
    shown: bool,
    link: Option<String>,
    minutes: u64,
}

/// The page that a link opens, with the button that uses the link.
#[derive(Template)]
#[template(path = "email_link.html")]
struct LinkPage<'a> {
    site: &'a str,
    /// The address that the link was sent to; `None` if the link is invalid.
    email: Option<String>,
    /// Whether the address has never been confirmed before.
    first: bool,
    link: &'a str,
    next: &'a str,
}

async fn request_link(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, ApiError> {
    from_here(&app, &headers)?;
    let (email, next) = (fields.text("email"), local(fields.text("next")));
    let for_query = (next != "/account").then(|| form_urlencoded::byte_serialize(next.as_bytes()).collect());
    match app.email_links.request(email, for_query, client, now_ms()).await {
        Ok(requested) => link_requested_page(&app, email, requested),
        Err(error) => again(&app, error, email, next),
    }
}

/// Shows the sign-in page again, with the reason why the link failed or was not sent.
fn again(app: &AppState, error: EmailLinksError, email: &str, next: &str) -> Result<Response, ApiError> {
    let (status, wait_s) = match &error {
        EmailLinksError::Quota(quota) => (StatusCode::TOO_MANY_REQUESTS, Some(quota.retry_after_s())),
        EmailLinksError::Busy(_) => (StatusCode::SERVICE_UNAVAILABLE, Some(BUSY_S)),
        EmailLinksError::Off
        | EmailLinksError::Email(_)
        | EmailLinksError::NoAddress
        | EmailLinksError::Unknown
        | EmailLinksError::Suspended => (StatusCode::UNPROCESSABLE_ENTITY, None),
        _ => return Err(email_links_error(error)),
    };
    let wrong_link = Some(error.to_string());
    let mut response = SignInPage { wrong_link, email, ..SignInPage::new(app, next) }.again(status);
    if let Some(wait_s) = wait_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait_s));
    }
    Ok(response)
}

fn link_requested_page(app: &AppState, email: &str, requested: RequestedLink) -> Result<Response, ApiError> {
    let (shown, link) = match requested {
        RequestedLink::Posted => (false, None),
        RequestedLink::Shown(link) => (true, link),
    };
    let site = app.settings.display_name.as_str();
    private(&LinkRequestedPage { site, email, shown, link, minutes: EMAIL_LINK_MS / 60_000 })
}

/// Shows the page that a link opens, without using the link.
async fn show_link(State(app): State<Arc<AppState>>, uri: Uri) -> Result<Response, ApiError> {
    let query = Fields::of_query(&uri);
    let (link, next) = (query.text("link"), local(query.text("next")));
    let account = app.email_links.find_account(link, now_ms()).map_err(email_links_error)?;
    let first = account.as_ref().is_some_and(|account| account.email_verified_ms.is_none());
    let email = account.and_then(|account| account.email);
    let site = app.settings.display_name.as_str();
    let status = if email.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let page = private(&LinkPage { site, email, first, link, next })?;
    Ok((status, page).into_response())
}

/// Consumes a sign-in link and signs its holder in.
async fn open(State(app): State<Arc<AppState>>, headers: HeaderMap, fields: Fields) -> Result<Response, ApiError> {
    from_here(&app, &headers)?;
    let next = local(fields.text("next"));
    match app.email_links.redeem(fields.text("link"), now_ms()).await {
        Ok(signed_in) => Ok(with_cookie(Redirect::to(next).into_response(), &opened(&app, &signed_in.token))),
        Err(error) => again(&app, error, "", next),
    }
}

/// Sends a signed-in person a link to confirm their address.
async fn confirm(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    posted: Posted,
) -> Result<Response, ApiError> {
    let account = app.accounts.account(posted.visitor.account()).map_err(accounts_error)?;
    let requested = app.email_links.confirm(&account, client, now_ms()).await.map_err(email_links_error)?;
    link_requested_page(&app, account.email.as_deref().unwrap_or_default(), requested)
}

/// Changes the e-mail address. Requires a key, so that access to the mailbox alone cannot lock out
/// the holder of a key.
async fn change(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    posted: Posted,
) -> Result<Response, ApiError> {
    posted.visitor.needs_key("change the e-mail address")?;
    let (id, now) = (posted.visitor.account(), now_ms());
    let changed = app.accounts.change_email(id, posted.fields.text("email")).await;
    let (before, after) = changed.map_err(accounts_error)?;
    app.email_links.notify(&before, &AccountNotice::AddressChanged, client, now);
    let done = match app.email_links.confirm(&after, client, now).await {
        Ok(RequestedLink::Posted) => "changed-sent",
        _ => "changed",
    };
    Ok(Redirect::to(&format!("/account?done={done}")).into_response())
}
