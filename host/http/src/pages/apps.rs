//! The programs that may act for an account, and their end.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::session::Posted;
use super::{Done, Frame, Visitor, minute, private};
use crate::error::ApiError;
use crate::path::Path;
use crate::{Shared, internal, now_ms, oauth};

pub fn routes() -> Router<Arc<Shared>> {
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

async fn page(State(shared): State<Arc<Shared>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let grants = shared.accounts.delegations.grants(visitor.account(), now_ms()).map_err(|error| internal(&error))?;
    let apps = grants.into_iter().map(|grant| App {
        id: grant.id,
        name: grant.client_name,
        since: minute(grant.created_ms),
        used: minute(grant.used_ms),
        limit: grant.max_spend_per_day.map_or_else(|| "none".to_owned(), |limit| limit.to_string()),
    });
    let notice = done.notice(&[("ended", "The program can do nothing for you any more.")]);
    private(&AppsPage {
        site: &shared.settings.display_name,
        frame: Frame::new(&shared, &visitor, "/account/apps").with_notice(notice),
        endpoint: oauth::resource(&shared),
        apps: apps.collect(),
    })
}

async fn end(State(shared): State<Arc<Shared>>, Path(id): Path<String>, posted: Posted) -> Result<Response, ApiError> {
    let ending = shared.accounts.delegations.end(posted.visitor.account(), &id);
    ending.await.map_err(|error| internal(&error))?;
    Ok(Redirect::to("/account/apps?done=ended").into_response())
}
