//! The session of a page's visitor, and protection against cross-site forms.
//!
//! Three checks keep other sites from submitting forms: the cookie is not sent cross-site
//! (`SameSite=Lax`), the browser names the request's origin (`Sec-Fetch-Site`, `Origin`), and the
//! form carries the session's token.

use std::sync::Arc;

use aide::generate::GenContext;
use aide::openapi::Operation;
use aide::operation::OperationInput;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use tollbridge_access::limits::SESSION_MS_MAX;
use tollbridge_access::{Session, SessionToken};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_core::time::now_ms;
use tollbridge_web::AppState;
use tollbridge_web::error_mapping::access_error;
use tollbridge_web::operation_inputs::note_errors;

use crate::pages::form::Fields;

/// A signed-in visitor of a page.
pub(crate) struct Visitor(pub Session);

/// A form that a signed-in visitor submitted from a page of this server.
pub(crate) struct Posted {
    pub visitor: Visitor,
    pub fields: Fields,
}

impl Visitor {
    /// Returns the account that is signed in.
    pub(crate) fn account(&self) -> &str {
        &self.0.principal.account_id
    }

    /// Checks whether the visitor signed in by e-mail, without a key.
    pub(crate) fn by_email(&self) -> bool {
        self.0.principal.by_email
    }

    /// Refuses an action for visitors who signed in by e-mail: access to a mailbox alone does not
    /// permit it.
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

    /// Redirects visitors who are not signed in to the sign-in page, which then returns
    /// them to this page.
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
            // Harmless: the session keeps its earlier expiry. If two pages load
            // concurrently, only one of them extends the session.
            tracing::debug!(%error, "cannot extend a session");
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

/// Redirects to the sign-in page.
fn sign_in_first(parts: &Parts) -> Response {
    let back = match parts.method {
        // Sign-in ends with a redirect, which cannot repeat a form submission; return to
        // the account page instead.
        Method::GET => parts.uri.path_and_query().map_or("/account", |path| path.as_str()),
        _ => "/account",
    };
    let next: String = form_urlencoded::byte_serialize(back.as_bytes()).collect();
    Redirect::to(&format!("/account/sign-in?next={next}")).into_response()
}

/// Refuses a form that was submitted from another site.
pub(crate) fn from_here(app: &AppState, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let here = match (text("sec-fetch-site"), text("origin")) {
        // Pages cannot set `Sec-Fetch-Site`.
        (Some(site), _) => site == "same-origin" || site == "none",
        // Pages that send no referrer send `null` as their origin.
        (None, None | Some("null")) => true,
        (None, Some(origin)) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            origin == app.settings.base_url || (host.is_some() && host == text("host"))
        }
    };
    if here { Ok(()) } else { Err(foreign()) }
}

/// Returns the value of the session cookie, if it was sent.
pub(crate) fn cookie<'h>(app: &AppState, headers: &'h HeaderMap) -> Option<&'h str> {
    let name = name(app);
    let pairs = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Returns the cookie's name; over TLS the `__Host-` prefix makes browsers refuse a cookie set by
/// another host.
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

/// Returns the cookie of a new session.
pub(crate) fn opened(app: &AppState, token: &SessionToken) -> String {
    set_cookie(app, token.expose(), SESSION_MS_MAX / 1000)
}

/// Returns the cookie that removes the session cookie.
pub(crate) fn expired(app: &AppState) -> String {
    set_cookie(app, "", 0)
}

/// Adds a cookie to a response.
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

impl OperationInput for Posted {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note_errors(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for Visitor {}
