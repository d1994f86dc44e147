//! The account pages: what a person does with an account, in a browser.
//!
//! Server-rendered, without scripts. Invariants: a page shows only what its
//! session's account may see; looking changes nothing; whatever changes
//! something is a form that carries its session's token and comes from a page
//! of this server; an error is a page too.

mod apps;
mod chart;
mod earnings;
pub mod errors;
mod form;
mod home;
mod keys;
mod money;
mod session;
mod sign_in;
mod webhooks;

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn;
use axum::response::{Html, IntoResponse, Response};

use super::error::ApiError;
use super::{Shared, internal, oauth, page_headers, rfc3339};

pub use form::Fields;
pub use session::{Posted, Visitor};

/// Everything that a person sees of an account, the consent of OAuth included.
pub fn layered() -> Router<Arc<Shared>> {
    routes().merge(oauth::pages()).layer(from_fn(page_headers))
}

fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .merge(sign_in::routes())
        .merge(home::routes())
        .merge(keys::routes())
        .merge(earnings::routes())
        .merge(money::routes())
        .merge(apps::routes())
        .merge(webhooks::routes())
}

/// Pages of an account, in the order of their tabs: path and name.
const TABS: [(&str, &str); 6] = [
    ("/account", "Overview"),
    ("/account/keys", "Keys"),
    ("/account/earnings", "Earnings"),
    ("/account/money", "Money"),
    ("/account/webhooks", "Webhooks"),
    ("/account/apps", "Apps"),
];

/// What is around every account page.
pub struct Frame {
    pub tabs: Vec<Tab>,
    /// What every form of the page carries.
    pub form_token: String,
    pub sandbox: bool,
    /// What has just been done.
    pub notice: Option<&'static str>,
}

pub struct Tab {
    pub path: &'static str,
    pub name: &'static str,
    pub here: bool,
}

impl Frame {
    pub fn new(shared: &Shared, visitor: &Visitor, path: &str) -> Self {
        let tab = |(own, name): (&'static str, &'static str)| Tab { path: own, name, here: own == path };
        Self {
            tabs: TABS.into_iter().map(tab).collect(),
            form_token: visitor.0.form_token.clone(),
            sandbox: shared.settings.sandbox,
            notice: None,
        }
    }

    #[must_use]
    pub const fn with_notice(mut self, notice: Option<&'static str>) -> Self {
        self.notice = notice;
        self
    }
}

/// What the form before did, as the redirect to a page says.
pub struct Done(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Done {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Fields::of_query(&parts.uri).optional("done").map(str::to_owned)))
    }
}

impl Done {
    /// What to tell the visitor, of the words and sentences that a page knows.
    pub fn notice(&self, known: &[(&str, &'static str)]) -> Option<&'static str> {
        let done = self.0.as_deref()?;
        known.iter().find(|(word, _)| *word == done).map(|(_, sentence)| *sentence)
    }
}

/// A step that leaves this server. It is a page that moves on by itself, and not
/// a redirect: browsers let no form of ours lead to another site.
#[derive(Template)]
#[template(path = "leave.html")]
struct LeavePage<'a> {
    site: &'a str,
    title: &'a str,
    sandbox: bool,
    url: &'a str,
}

/// Sends whoever has sent a form to a page of the payment processor.
pub fn leave(shared: &Shared, title: &str, url: &str) -> Result<Response, ApiError> {
    let site = &shared.settings.display_name;
    let mut response = private(&LeavePage { site, title, sandbox: shared.settings.sandbox, url })?;
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={url}")) {
        response.headers_mut().insert(header::REFRESH, value);
    }
    Ok(response)
}

/// A page that belongs to one person and to this moment.
pub fn private(page: &impl Template) -> Result<Response, ApiError> {
    let html = page.render().map_err(|error| internal(&error))?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(html)).into_response())
}

/// `2026-01-31 12:00 UTC` of Unix milliseconds.
pub fn minute(ms: u64) -> String {
    let text = rfc3339(ms);
    text.get(..16).map_or_else(String::new, |text| format!("{} UTC", text.replace('T', " ")))
}
