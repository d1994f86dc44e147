//! Signing up, in and out.

use std::net::IpAddr;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_access::{AccessError, Account, OpenedSession};
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::LinkDelivery;
use tollbridge_site::FirstCall;
use tollbridge_web::AppState;
use tollbridge_web::error_mapping::access_error;

use crate::error_mapping::accounts::accounts_error;
use crate::pages::form::Fields;
use crate::pages::frame::{Frame, private};
use crate::pages::session::{Posted, Visitor, cookie, expired, from_here, opened, with_cookie};

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/account/sign-in", get(page).post(sign_in))
        .route("/account/sign-up", post(sign_up))
        .route("/account/sign-out", post(sign_out))
}

#[derive(Template)]
#[template(path = "sign_in.html")]
pub(crate) struct SignInPage<'a> {
    pub site: &'a str,
    pub sandbox: bool,
    pub next: &'a str,
    /// Whether sign-in by e-mail is available.
    pub by_email: bool,
    /// Error of the form for a key; `wrong_link` and `wrong_sign_up` belong to the forms
    /// for an e-mail link and for signing up.
    pub wrong_key: Option<String>,
    pub wrong_link: Option<String>,
    pub wrong_sign_up: Option<String>,
    pub email: &'a str,
    pub referral: &'a str,
}

/// The page that shows a new key, the only time it is visible.
#[derive(Template)]
#[template(path = "key_made.html")]
pub(crate) struct KeyCreatedPage<'a> {
    pub site: &'a str,
    pub frame: Frame,
    pub title: &'a str,
    pub key: &'a str,
    pub base: &'a str,
    /// Whether the account was created together with the key.
    pub first: bool,
    /// Whether an e-mail to confirm the address was sent.
    pub confirms: bool,
    /// An example call.
    pub call: Option<FirstCall>,
}

impl<'a> SignInPage<'a> {
    pub(crate) fn new(app: &'a AppState, next: &'a str) -> Self {
        Self {
            site: &app.settings.display_name,
            sandbox: app.settings.sandbox,
            next,
            by_email: is_by_email(app),
            wrong_key: None,
            wrong_link: None,
            wrong_sign_up: None,
            email: "",
            referral: "",
        }
    }

    /// Renders the page again, with its errors.
    pub(super) fn again(&self, status: StatusCode) -> Response {
        match private(self) {
            Ok(page) => (status, page).into_response(),
            Err(error) => error.into_response(),
        }
    }
}

/// Checks whether people can sign in by e-mail on this server.
pub(crate) fn is_by_email(app: &AppState) -> bool {
    !matches!(app.email_links.delivery, LinkDelivery::Off)
}

async fn page(State(app): State<Arc<AppState>>, uri: Uri) -> Result<Response, ApiError> {
    let query = Fields::of_query(&uri);
    private(&SignInPage { referral: query.text("referral"), ..SignInPage::new(&app, local(query.text("next"))) })
}

async fn sign_in(State(app): State<Arc<AppState>>, headers: HeaderMap, fields: Fields) -> Result<Response, ApiError> {
    from_here(&app, &headers)?;
    let next = local(fields.text("next"));
    match app.access.sign_in(fields.text("key"), now_ms()) {
        Ok(session) => {
            app.checkout.db.submit(session.change).await.map_err(|error| internal(&error))?;
            Ok(with_cookie(Redirect::to(next).into_response(), &opened(&app, &session.token)))
        }
        Err(error @ AccessError::LookupFailed(_)) => Err(access_error(&error)),
        Err(error) => Ok(SignInPage { wrong_key: Some(error.to_string()), ..SignInPage::new(&app, next) }
            .again(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

async fn sign_up(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, ApiError> {
    from_here(&app, &headers)?;
    let referral = fields.optional("referral_code");
    let opening = app.accounts.sign_up(fields.text("email"), referral.map(str::to_owned), client, now_ms()).await;
    let made = match opening {
        Ok(made) => made,
        Err(error) => {
            let wrong = SignInPage {
                wrong_sign_up: Some(accounts_error(error).message().to_owned()),
                email: fields.text("email"),
                referral: referral.unwrap_or_default(),
                ..SignInPage::new(&app, "/account")
            };
            return Ok(wrong.again(StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    let OpenedSession { token, change } =
        app.access.sign_in(made.key.expose(), now_ms()).map_err(|error| access_error(&error))?;
    app.checkout.db.submit(change).await.map_err(|error| internal(&error))?;
    let session = app.access.session(token.expose(), now_ms()).map_err(|error| access_error(&error))?;
    let visitor = Visitor(session.ok_or_else(|| access_error(&AccessError::MissingKey))?);
    let confirms = confirm_new(&app, &made.account, client).await;
    let page = KeyCreatedPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, ""),
        title: "Your account is ready",
        key: made.key.expose(),
        base: &app.settings.base_url,
        first: true,
        confirms,
        call: FirstCall::of(&app.catalog.snapshot()),
    };
    Ok(with_cookie(private(&page)?, &opened(&app, &token)))
}

/// Sends a new account an e-mail to confirm its address, if this server sends e-mail. Returns
/// whether it was sent.
pub(crate) async fn confirm_new(app: &AppState, account: &Account, client: IpAddr) -> bool {
    if !matches!(app.email_links.delivery, LinkDelivery::Mail(_)) {
        return false;
    }
    match app.email_links.confirm(account, client, now_ms()).await {
        Ok(_) => true,
        // Not fatal: the account page offers to send the e-mail again.
        Err(error) => {
            tracing::warn!(%error, "cannot send the confirmation e-mail to a new account");
            false
        }
    }
}

async fn sign_out(State(app): State<Arc<AppState>>, headers: HeaderMap, _: Posted) -> Result<Response, ApiError> {
    if let Some(cookie) = cookie(&app, &headers) {
        app.checkout.db.submit(app.access.sign_out(cookie)).await.map_err(|error| internal(&error))?;
    }
    Ok(with_cookie(Redirect::to("/account/sign-in").into_response(), &expired(&app)))
}

/// Returns `next` if it is an account page or the consent page, otherwise `/account`, to
/// prevent open redirects.
pub(crate) fn local(next: &str) -> &str {
    let known = ["/account", "/oauth/authorize"].iter().any(|page| {
        next.strip_prefix(page).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest.starts_with('?'))
    });
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if known && plain { next } else { "/account" }
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn the_sign_in_redirects_only_to_this_site() {
        for good in ["/account", "/account/keys?made=1", "/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fy"] {
            assert_eq!(local(good), good);
        }
        for bad in
            ["", "//evil.example", "/account\\@evil", "https://evil.example", "/accounts", "/pay/x", "/account\n"]
        {
            assert_eq!(local(bad), "/account", "{bad:?}");
        }
    }
}
