//! The webhooks of an account: endpoints, delivery attempts, replay.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_api::error::{ApiError, not_found};
use tollbridge_site::text::moment;
use tollbridge_web::{AppState, Path};
use tollbridge_webhooks::{Attempt, EndpointView, OVERLAP_MS, Registration, Replay, WebhookEndpoint};

use crate::error_mapping::webhooks::webhook_error;
use crate::pages::frame::{Done, Frame, private};
use crate::pages::session::{Posted, Visitor};

const HERE: &str = "/account/webhooks";

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
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

/// The page that shows a signing secret, the only time it is visible.
#[derive(Template)]
#[template(path = "webhook_secret.html")]
struct SecretPage<'a> {
    site: &'a str,
    frame: Frame,
    title: &'a str,
    secret: &'a str,
    id: &'a str,
}

async fn list(State(app): State<Arc<AppState>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let notice = done.notice(&[("deleted", "Endpoint deleted."), ("tested", "Test event queued for every endpoint.")]);
    let all = app.webhooks.of(visitor.account());
    private(&ListPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, HERE).with_notice(notice),
        endpoints: all.iter().map(|endpoint| row(endpoint)).collect(),
        events: tollbridge_ledger::events::ALL.iter().map(|(name, _)| *name).collect(),
    })
}

fn row(endpoint: &WebhookEndpoint) -> EndpointRow {
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
    State(app): State<Arc<AppState>>,
    visitor: Visitor,
    Path(id): Path<String>,
    done: Done,
) -> Result<Response, ApiError> {
    let EndpointView { endpoint, progress, .. } =
        app.webhooks.show(visitor.account(), &id).await.map_err(webhook_error)?;
    let notice = done.notice(&[("replayed", "Events queued for delivery."), ("enabled", "Endpoint enabled.")]);
    private(&OnePage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, HERE).with_notice(notice),
        since: moment(endpoint.created_ms),
        disabled: endpoint.disabled.is_some(),
        endpoint: row(&endpoint),
        delivered: progress.delivered,
        waiting: progress.waiting,
        dead: progress.dead,
        attempts: progress.attempts.iter().rev().map(attempt).collect(),
    })
}

fn attempt(attempt: &Attempt) -> AttemptRow {
    AttemptRow {
        when: moment(attempt.time_ms),
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
        next: attempt.next_ms.map(moment).unwrap_or_default(),
    }
}

async fn register(State(app): State<Arc<AppState>>, posted: Posted) -> Result<Response, ApiError> {
    let chosen =
        tollbridge_ledger::events::ALL.iter().map(|(name, _)| *name).filter(|name| posted.fields.ticked("event", name));
    let registration = Registration {
        url: posted.fields.text("url").to_owned(),
        events: chosen.map(str::to_owned).collect(),
        secret: posted.fields.optional("secret").map(str::to_owned),
    };
    let (endpoint, secret) =
        app.webhooks.register(posted.visitor.account(), registration).await.map_err(webhook_error)?;
    secret_page(&app, &posted.visitor, "Your endpoint's signing secret", &secret, &endpoint.id)
}

async fn test(State(app): State<Arc<AppState>>, posted: Posted) -> Result<Response, ApiError> {
    app.webhooks.test(posted.visitor.account()).await.map_err(webhook_error)?;
    Ok(Redirect::to("/account/webhooks?done=tested").into_response())
}

/// Performs an action on one endpoint.
async fn act(
    State(app): State<Arc<AppState>>,
    Path((id, act)): Path<(String, String)>,
    posted: Posted,
) -> Result<Response, ApiError> {
    let account = posted.visitor.account();
    let webhooks = &app.webhooks;
    let done = match act.as_str() {
        "delete" => {
            webhooks.delete(account, &id).await.map_err(webhook_error)?;
            return Ok(Redirect::to("/account/webhooks?done=deleted").into_response());
        }
        "roll" => {
            let secret = webhooks.roll(account, &id, None, OVERLAP_MS).await.map_err(webhook_error)?;
            let title = "Your new signing secret; the old one is valid for a while";
            return secret_page(&app, &posted.visitor, title, &secret, &id);
        }
        "enable" => {
            webhooks.enable(account, &id).await.map_err(webhook_error)?;
            "enabled"
        }
        "replay" => {
            let what = match posted.fields.optional("event_id") {
                Some(event) => Replay::Event(event.to_owned()),
                None => Replay::Dead,
            };
            webhooks.replay(account, &id, &what).await.map_err(webhook_error)?;
            "replayed"
        }
        _ => return Err(not_found("unknown action; use delete, roll, enable or replay")),
    };
    // The webhook exists, so this server generated its id, which is therefore safe in a
    // URL.
    Ok(Redirect::to(&format!("{HERE}/{id}?done={done}")).into_response())
}

fn secret_page(app: &AppState, visitor: &Visitor, title: &str, secret: &str, id: &str) -> Result<Response, ApiError> {
    private(&SecretPage { site: &app.settings.display_name, frame: Frame::new(app, visitor, HERE), title, secret, id })
}
