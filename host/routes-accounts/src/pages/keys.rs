//! The keys of an account: list, create, roll, revoke.

use std::net::IpAddr;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_access::{ApiKey, ListedKey, NewKey, Scope, Scopes};
use tollbridge_api::error::ApiError;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::AccountNotice;
use tollbridge_site::FirstCall;
use tollbridge_site::text::moment;
use tollbridge_web::{AppState, Path};

use crate::error_mapping::accounts::accounts_error;
use crate::pages::frame::{Done, Frame, private};
use crate::pages::session::{Posted, Visitor};
use crate::pages::sign_in::KeyCreatedPage;

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/account/keys", get(page).post(create))
        .route("/account/keys/{id}/roll", post(roll))
        .route("/account/keys/{id}/revoke", post(revoke))
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage<'a> {
    site: &'a str,
    frame: Frame,
    /// Whether the visitor signed in by e-mail, and may have lost a key.
    by_email: bool,
    live: Vec<KeyRow>,
    dead: Vec<KeyRow>,
}

struct KeyRow {
    id: String,
    label: String,
    scopes: String,
    made: String,
    ends: String,
    limit: String,
    /// Whether this key opened the visitor's session.
    here: bool,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let keys = app.accounts.keys(visitor.account()).map_err(accounts_error)?;
    let now = now_ms();
    let (live, dead): (Vec<_>, Vec<_>) = keys.iter().rev().partition(|key| key.row.is_active(now));
    let rows = |keys: Vec<&ListedKey>| keys.into_iter().map(|key| row(key, &visitor)).collect();
    let notice = done.notice(&[("revoked", "Key revoked.")]);
    private(&KeysPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/keys").with_notice(notice),
        by_email: visitor.by_email(),
        live: rows(live),
        dead: rows(dead),
    })
}

fn row(key: &ListedKey, visitor: &Visitor) -> KeyRow {
    let scopes = [Scope::Call, Scope::Manage].into_iter().filter(|scope| key.row.scopes.allow(*scope));
    KeyRow {
        id: key.id.clone(),
        label: if key.row.label.is_empty() { "no name".to_owned() } else { key.row.label.clone() },
        scopes: scopes.map(Scope::as_str).collect::<Vec<_>>().join(", "),
        made: moment(key.row.created_ms),
        ends: match (key.row.revoked, key.row.expires_ms) {
            (true, _) => "revoked".to_owned(),
            (false, Some(end)) => moment(end),
            (false, None) => "never".to_owned(),
        },
        limit: key.row.max_spend_per_day.map_or_else(|| "none".to_owned(), |limit| limit.to_string()),
        here: key.digest == visitor.0.principal.digest,
    }
}

async fn create(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    posted: Posted,
) -> Result<Response, ApiError> {
    let fields = &posted.fields;
    let scopes = Scopes { call: fields.ticked("scope", "call"), manage: fields.ticked("scope", "manage") };
    if !scopes.call && !scopes.manage {
        return Err(ApiError::invalid("/scope", "choose at least one scope"));
    }
    let limit = fields.optional("max_spend_gbp").map(str::parse::<Millipence>).transpose();
    let limit = limit.map_err(|error| ApiError::invalid("/max_spend_gbp", error.to_string()))?;
    let new = NewKey { scopes, label: fields.text("label").to_owned(), expires_ms: None, max_spend_per_day: limit };
    let made = app
        .accounts
        .create_key(posted.visitor.account(), posted.visitor.0.principal.key_authority(), new, now_ms())
        .await;
    let made = made.map_err(accounts_error)?;
    notify_of_key(&app, &posted.visitor, client)?;
    show(&app, &posted.visitor, "Your new key", made)
}

/// Notifies the account's e-mail address after a key was made in an e-mail session, if withdrawals
/// are on hold.
fn notify_of_key(app: &AppState, visitor: &Visitor, client: IpAddr) -> Result<(), ApiError> {
    if !visitor.by_email() {
        return Ok(());
    }
    let (account, now) = (app.accounts.account(visitor.account()).map_err(accounts_error)?, now_ms());
    if let Some(withdrawals_from_ms) = account.withdrawals_from_ms.filter(|from_ms| now < *from_ms) {
        app.email_links.notify(&account, &AccountNotice::KeyCreated { withdrawals_from_ms }, client, now);
    }
    Ok(())
}

async fn roll(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    Path(id): Path<String>,
    posted: Posted,
) -> Result<Response, ApiError> {
    let authority = posted.visitor.0.principal.key_authority();
    let made =
        app.accounts.roll_key(posted.visitor.account(), authority, &id, now_ms()).await.map_err(accounts_error)?;
    notify_of_key(&app, &posted.visitor, client)?;
    show(&app, &posted.visitor, "Your new key; the old one keeps working for 24 hours", made)
}

async fn revoke(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    posted: Posted,
) -> Result<Response, ApiError> {
    app.accounts.revoke_key(posted.visitor.account(), &id, now_ms()).await.map_err(accounts_error)?;
    Ok(Redirect::to("/account/keys?done=revoked").into_response())
}

/// Shows a new key, the only time it is visible.
fn show(app: &AppState, visitor: &Visitor, title: &str, made: (ApiKey, String)) -> Result<Response, ApiError> {
    private(&KeyCreatedPage {
        site: &app.settings.display_name,
        frame: Frame::new(app, visitor, "/account/keys"),
        title,
        key: made.0.expose(),
        base: &app.settings.base_url,
        first: false,
        confirms: false,
        call: FirstCall::of(&app.catalog.snapshot()),
    })
}
