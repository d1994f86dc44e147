//! The page that lists the programs that may act for an account, each with a form to
//! disconnect it.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_site::text::moment;
use tollbridge_web::{AppState, Path};

use crate::oauth::metadata::resource;
use crate::pages::frame::{Done, Frame, private};
use crate::pages::session::{Posted, Visitor};

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/account/apps", get(page)).route("/account/apps/{id}/end", post(end))
}

#[derive(Template)]
#[template(path = "apps.html")]
struct AppsPage<'a> {
    site: &'a str,
    frame: Frame,
    endpoint: String,
    apps: Vec<App>,
}

struct App {
    id: String,
    name: String,
    since: String,
    used: String,
    limit: String,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let grants = app.accounts.delegations.grants(visitor.account(), now_ms()).map_err(|error| internal(&error))?;
    let apps = grants.into_iter().map(|grant| App {
        id: grant.id,
        name: grant.client_name,
        since: moment(grant.created_ms),
        used: moment(grant.used_ms),
        limit: grant.max_spend_per_day.map_or_else(|| "none".to_owned(), |limit| limit.to_string()),
    });
    let notice = done.notice(&[("ended", "App disconnected.")]);
    private(&AppsPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/apps").with_notice(notice),
        endpoint: resource(&app),
        apps: apps.collect(),
    })
}

async fn end(State(app): State<Arc<AppState>>, Path(id): Path<String>, posted: Posted) -> Result<Response, ApiError> {
    let ending = app.accounts.delegations.end(posted.visitor.account(), &id);
    ending.await.map_err(|error| internal(&error))?;
    Ok(Redirect::to("/account/apps?done=ended").into_response())
}
