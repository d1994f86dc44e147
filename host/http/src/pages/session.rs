//! Who looks at a page, and whether a form came from one.
//!
//! Three things keep forms from being sent by other sites: the cookie stays at
//! home (`SameSite=Lax`), the browser says where a request comes from
//! (`Sec-Fetch-Site`, `Origin`), and the form carries the session's token.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use tollbridge_access::{Session, SessionToken};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_core::limits::SESSION_MS_MAX;
use tollbridge_core::time::now_ms;

use crate::error_mapping::access::access_error;
use crate::pages::form::Fields;
use crate::state::AppState;

/// Somebody who is signed in, looking.
pub(crate) struct Visitor(pub Session);

/// A form that somebody who is signed in sent from a page of this server.
pub(crate) struct Posted {
    pub visitor: Visitor,
    pub fields: Fields,
}

impl Visitor {
    /// The account that is signed in.
    pub(crate) fn account(&self) -> &str {
        &self.0.principal.account_id
    }

    /// Whether they signed in by e-mail, without a key.
    pub(crate) fn by_email(&self) -> bool {
        self.0.principal.by_email
    }

    /// Refuses what whoever can read the account's mail may not do by that alone.
    pub(crate) fn needs_key(&self, what: &str) -> Result<(), ApiError> {
        match self.by_email() {
            true => Err(ApiError::new(
                Code::LacksScope,
                format!("you signed in by e-mail; sign in with an API key to {what}"),
            )),
            false => Ok(()),
        }
    }
}

impl FromRequestParts<Arc<AppState>> for Visitor {
    type Rejection = Response;

    /// Who is not signed in is sent to do so, and comes back after.
    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Response> {
        let session = match cookie(app, &parts.headers) {
            Some(cookie) => app.access.session(cookie, now_ms()).map_err(|error| {
                let refused = access_error(&error).into_response();
                with_cookie(refused, &expired(app))
            })?,
            None => None,
        };
        let mut session = session.ok_or_else(|| sign_in_first(parts))?;
        if let Some(extension) = session.extension.take()
            && let Err(error) = app.checkout.db.submit(extension).await
        {
            // It stays open for as long as it was; two pages at once write one of them.
            tracing::debug!(%error, "a session was not kept open for longer");
        }
        Ok(Self(session))
    }
}

impl FromRequest<Arc<AppState>> for Posted {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<AppState>) -> Result<Self, Response> {
        from_here(app, request.headers()).map_err(IntoResponse::into_response)?;
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let fields = Fields::from_request(Request::from_parts(parts, body), app).await;
        let fields = fields.map_err(IntoResponse::into_response)?;
        if !visitor.0.accepts_form_token(fields.text("form_token")) {
            let message = "this form belongs to another session; go back, reload the page and submit it again";
            return Err(ApiError::invalid("/form_token", message).status(StatusCode::FORBIDDEN).into_response());
        }
        Ok(Self { visitor, fields })
    }
}

/// Where somebody goes who is not signed in.
fn sign_in_first(parts: &Parts) -> Response {
    let back = match parts.method {
        // A form cannot be sent again by a redirect; its page can be shown.
        Method::GET => parts.uri.path_and_query().map_or("/account", |path| path.as_str()),
        _ => "/account",
    };
    let next: String = form_urlencoded::byte_serialize(back.as_bytes()).collect();
    Redirect::to(&format!("/account/sign-in?next={next}")).into_response()
}

/// Refuses a form that another site's page sent.
pub(crate) fn from_here(app: &AppState, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let here = match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => site == "same-origin" || site == "none",
        // Pages that send no referrer send this as their origin.
        (None, None | Some("null")) => true,
        (None, Some(origin)) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            origin == app.settings.base_url || (host.is_some() && host == text("host"))
        }
    };
    if here { Ok(()) } else { Err(foreign()) }
}

/// The value of the session's cookie, if it was sent.
pub(crate) fn cookie<'h>(app: &AppState, headers: &'h HeaderMap) -> Option<&'h str> {
    let name = name(app);
    let pairs = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Over TLS the name makes browsers refuse a cookie that another host set.
fn name(app: &AppState) -> &'static str {
    if secure(app) { "__Host-tollbridge" } else { "tollbridge" }
}

fn secure(app: &AppState) -> bool {
    app.settings.base_url.starts_with("https://")
}

fn set_cookie(app: &AppState, value: &str, seconds: u64) -> String {
    let secure = if secure(app) { "; Secure" } else { "" };
    format!("{}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}", name(app))
}

/// The cookie of a session that was opened.
pub(crate) fn opened(app: &AppState, token: &SessionToken) -> String {
    set_cookie(app, token.expose(), SESSION_MS_MAX / 1000)
}

/// The cookie that takes a session's away.
pub(crate) fn expired(app: &AppState) -> String {
    set_cookie(app, "", 0)
}

/// A response that also sets a cookie.
pub(crate) fn with_cookie(mut response: Response, cookie: &str) -> Response {
    match HeaderValue::from_str(cookie) {
        Ok(value) => {
            response.headers_mut().append(header::SET_COOKIE, value);
            response
        }
        Err(error) => internal(&error).into_response(),
    }
}

fn foreign() -> ApiError {
    ApiError::invalid("", "this form was submitted from another site").status(StatusCode::FORBIDDEN)
}
