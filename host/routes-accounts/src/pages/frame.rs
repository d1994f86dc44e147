//! Shared parts of the account pages: the frame, notices, and response headers.

use std::convert::Infallible;

use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use tollbridge_api::error::{ApiError, internal};
use tollbridge_web::AppState;

use crate::pages::form::Fields;
use crate::pages::session::Visitor;

/// Path and name of each account page, in tab order.
const TABS: [(&str, &str); 7] = [
    ("/account", "Overview"),
    ("/account/keys", "Keys"),
    ("/account/spending", "Spending"),
    ("/account/earnings", "Earnings"),
    ("/account/money", "Money"),
    ("/account/webhooks", "Webhooks"),
    ("/account/apps", "Apps"),
];

/// The frame around every account page.
pub(crate) struct Frame {
    pub tabs: Vec<Tab>,
    /// The token that every form of the page carries.
    pub form_token: String,
    pub sandbox: bool,
    /// The notice about the last action.
    pub notice: Option<&'static str>,
}

/// A tab of the account pages.
pub(crate) struct Tab {
    pub path: &'static str,
    pub name: &'static str,
    pub here: bool,
}

impl Frame {
    /// Builds the frame of a page, by the path of its tab.
    pub(crate) fn new(app: &AppState, visitor: &Visitor, path: &str) -> Self {
        let tab = |(tab, name): (&'static str, &'static str)| Tab { path: tab, name, here: tab == path };
        Self {
            tabs: TABS.into_iter().map(tab).collect(),
            form_token: visitor.0.form_token.clone(),
            sandbox: app.settings.sandbox,
            notice: None,
        }
    }

    #[must_use]
    pub(crate) const fn with_notice(mut self, notice: Option<&'static str>) -> Self {
        self.notice = notice;
        self
    }
}

/// The outcome of the last form: the parameter `done` of the page to which the form
/// redirected.
pub(crate) struct Done(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Done {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Fields::of_query(&parts.uri).optional("done").map(str::to_owned)))
    }
}

impl Done {
    /// Returns the sentence that `known` has for the outcome; `None` for any other value
    /// of the parameter.
    pub(crate) fn notice(&self, known: &[(&str, &'static str)]) -> Option<&'static str> {
        let done = self.0.as_deref()?;
        known.iter().find(|(word, _)| *word == done).map(|(_, sentence)| *sentence)
    }
}

/// A page that leads to another site by an automatic refresh. A redirect would fail,
/// because the `form-action` policy forbids forms to lead to another site.
#[derive(Template)]
#[template(path = "leave.html")]
struct LeavePage<'a> {
    site: &'a str,
    title: &'a str,
    sandbox: bool,
    url: &'a str,
}

/// Builds the page that leads from a form to a page of the payment processor.
pub(crate) fn redirect_page(app: &AppState, title: &str, url: &str) -> Result<Response, ApiError> {
    let site = &app.settings.display_name;
    let mut response = private(&LeavePage { site, title, sandbox: app.settings.sandbox, url })?;
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={url}")) {
        response.headers_mut().insert(header::REFRESH, value);
    }
    Ok(response)
}

/// Renders a page that must not be cached, because it is private and soon outdated.
pub(crate) fn private(page: &impl Template) -> Result<Response, ApiError> {
    let html = page.render().map_err(|error| internal(&error))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(html)).into_response())
}
