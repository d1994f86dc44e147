//! The home page, with an introduction and an example call.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::plugin_kind::PluginKind;

use crate::catalogue::{Row, rows};
use crate::first_call::FirstCall;
use crate::quality::Qualities;
use crate::site::Site;

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/", get(page))
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    site: &'a str,
    base: &'a str,
    sandbox: bool,
    first: Option<FirstCall>,
    bridges: Vec<Row>,
    agents: Vec<Row>,
}

async fn page(State(site): State<Arc<Site>>) -> Result<Html<String>, ApiError> {
    let snapshot = site.catalog.snapshot();
    let qualities = Qualities::of(&site.requests);
    let page = HomePage {
        site: &site.name,
        base: &site.base_url,
        sandbox: site.sandbox,
        first: FirstCall::of(&snapshot),
        bridges: rows(&snapshot, PluginKind::Bridge, &qualities),
        agents: rows(&snapshot, PluginKind::Agent, &qualities),
    };
    page.render().map(Html).map_err(|error| internal(&error))
}
