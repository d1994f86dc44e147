//! Webhooks of an account: endpoints, their attempts, replay.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::session::Posted;
use super::{Done, Frame, Visitor, minute, private};
use crate::Shared;
use crate::error::ApiError;
use crate::path::Path;
use crate::webhooks::refused;
use tollbridge_webhooks::{Attempt, Endpoint, EndpointView, OVERLAP_MS, Registration, Replay};

const HERE: &str = "/account/webhooks";

pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route(HERE, get(list).post(register))
        .route("/account/webhooks/test", post(test))
        .route("/account/webhooks/{id}", get(show))
        .route("/account/webhooks/{id}/{act}", post(act))
}

#[derive(Template)]
#[template(path = "webhooks.html")]
struct ListPage<'a> {
    site: &'a str,
    frame: Frame,
    endpoints: Vec<EndpointRow>,
    events: Vec<&'static str>,
}

struct EndpointRow {
    id: String,
    url: String,
    events: String,
    state: String,
}

#[derive(Template)]
#[template(path = "webhook.html")]
struct OnePage<'a> {
    site: &'a str,
    frame: Frame,
    endpoint: EndpointRow,
    since: String,
    disabled: bool,
    delivered: u64,
    waiting: u64,
    dead: u64,
    attempts: Vec<AttemptRow>,
}

struct AttemptRow {
    when: String,
    event: String,
    event_id: String,
    number: u32,
    outcome: String,
    took: u64,
    next: String,
}

/// A signing secret, this once.
#[derive(Template)]
#[template(path = "webhook_secret.html")]
struct SecretPage<'a> {
    site: &'a str,
    frame: Frame,
    title: &'a str,
    secret: &'a str,
    id: &'a str,
}

async fn list(State(shared): State<Arc<Shared>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let notice = done.notice(&[
        ("deleted", "The endpoint is deleted."),
        ("tested", "A test event is on its way to every endpoint."),
    ]);
    let all = shared.webhooks.of(visitor.account());
    private(&ListPage {
        site: &shared.settings.display_name,
        frame: Frame::new(&shared, &visitor, HERE).with_notice(notice),
        endpoints: all.iter().map(|endpoint| row(endpoint)).collect(),
        events: tollbridge_ledger::events::ALL.iter().map(|(name, _)| *name).collect(),
    })
}

fn row(endpoint: &Endpoint) -> EndpointRow {
    EndpointRow {
        id: endpoint.id.clone(),
        url: endpoint.url.clone(),
        events: endpoint.events.join(", "),
        state: match &endpoint.disabled {
            Some(why) => format!("disabled: {why}"),
            None => "enabled".to_owned(),
        },
    }
}

async fn show(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
    done: Done,
) -> Result<Response, ApiError> {
    let EndpointView { endpoint, progress: standing, .. } =
        shared.webhooks.show(visitor.account(), &id).await.map_err(refused)?;
    let notice = done.notice(&[
        ("replayed", "They are queued and will be delivered again."),
        ("enabled", "The endpoint is enabled."),
    ]);
    private(&OnePage {
        site: &shared.settings.display_name,
        frame: Frame::new(&shared, &visitor, HERE).with_notice(notice),
        since: minute(endpoint.created_ms),
        disabled: endpoint.disabled.is_some(),
        endpoint: row(&endpoint),
        delivered: standing.delivered,
        waiting: standing.waiting,
        dead: standing.dead,
        attempts: standing.attempts.iter().rev().map(attempt).collect(),
    })
}

fn attempt(attempt: &Attempt) -> AttemptRow {
    AttemptRow {
        when: minute(attempt.time_ms),
        event: attempt.event.clone(),
        event_id: attempt.event_id.clone(),
        number: attempt.number,
        outcome: match (attempt.status, &attempt.error) {
            (Some(status), None) => status.to_string(),
            (Some(status), Some(error)) => format!("{status}: {error}"),
            (None, Some(error)) => error.clone(),
            (None, None) => "no answer".to_owned(),
        },
        took: attempt.duration_ms,
        next: attempt.next_ms.map(minute).unwrap_or_default(),
    }
}

async fn register(State(shared): State<Arc<Shared>>, posted: Posted) -> Result<Response, ApiError> {
    let chosen =
        tollbridge_ledger::events::ALL.iter().map(|(name, _)| *name).filter(|name| posted.fields.ticked("event", name));
    let wish = Registration {
        url: posted.fields.text("url").to_owned(),
        events: chosen.map(str::to_owned).collect(),
        secret: posted.fields.optional("secret").map(str::to_owned),
    };
    let (endpoint, secret) = shared.webhooks.register(posted.visitor.account(), wish).await.map_err(refused)?;
    secret_page(&shared, &posted.visitor, "Your endpoint's signing secret", &secret, &endpoint.id)
}

async fn test(State(shared): State<Arc<Shared>>, posted: Posted) -> Result<Response, ApiError> {
    shared.webhooks.test(posted.visitor.account()).await.map_err(refused)?;
    Ok(Redirect::to("/account/webhooks?done=tested").into_response())
}

/// What can be done with one endpoint.
async fn act(
    State(shared): State<Arc<Shared>>,
    Path((id, act)): Path<(String, String)>,
    posted: Posted,
) -> Result<Response, ApiError> {
    let account = posted.visitor.account();
    let webhooks = &shared.webhooks;
    let done = match act.as_str() {
        "delete" => {
            webhooks.delete(account, &id).await.map_err(refused)?;
            return Ok(Redirect::to("/account/webhooks?done=deleted").into_response());
        }
        "roll" => {
            let secret = webhooks.roll(account, &id, None, OVERLAP_MS).await.map_err(refused)?;
            let title = "The new signing secret; the old one signs beside it for a while";
            return secret_page(&shared, &posted.visitor, title, &secret, &id);
        }
        "enable" => {
            webhooks.enable(account, &id).await.map_err(refused)?;
            "enabled"
        }
        "replay" => {
            let what = match posted.fields.optional("event_id") {
                Some(event) => Replay::Event(event.to_owned()),
                None => Replay::Dead,
            };
            webhooks.replay(account, &id, &what).await.map_err(refused)?;
            "replayed"
        }
        _ => return Err(crate::not_found("an endpoint can be deleted, rolled, enabled and replayed")),
    };
    // The id was found, so it is one of ours and plain.
    Ok(Redirect::to(&format!("{HERE}/{id}?done={done}")).into_response())
}

fn secret_page(shared: &Shared, visitor: &Visitor, title: &str, secret: &str, id: &str) -> Result<Response, ApiError> {
    private(&SecretPage {
        site: &shared.settings.display_name,
        frame: Frame::new(shared, visitor, HERE),
        title,
        secret,
        id,
    })
}
