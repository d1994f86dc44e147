//! The marketplace: deploying agents, listing them, and what their owners see.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::admit::{Caller, Manager};
use super::body::{BodyLimit, JsonBytes};
use super::error::{ApiError, Code};
use super::path::Path;
use super::{Shared, internal};
use crate::agents::{DeployError, Deployment, MANIFEST_MEMBERS, Stats, members};
use crate::catalog::{Entry, Offer};
use crate::checkout::refuse_platform_rules;
use crate::limits::DEPLOY_BYTES_MAX;
use crate::registry::Kind;

pub fn routes() -> Router<Arc<Shared>> {
    let large = Router::new().route("/api/v1/agents/deploy", post(deploy)).layer(from_fn(large_body));
    Router::new()
        .route("/api/v1/agents", get(list))
        .route("/api/v1/agents/{id}", get(show))
        .route("/api/v1/agents/{id}/versions", get(versions))
        .route("/api/v1/agents/{id}/earnings", get(earnings))
        .route("/api/v1/agents/{id}/logs", get(logs))
        .route("/api/v1/agents/{id}/disable", post(disable))
        .route("/api/v1/agents/{id}/enable", post(enable))
        .merge(large)
}

/// Components are larger than other bodies.
async fn large_body(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(BodyLimit(DEPLOY_BYTES_MAX));
    next.run(request).await
}

async fn deploy(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    let deployment = read(&body)?;
    drop(body);
    let live = shared.workshop.deploy(&principal.account_id, deployment).await.map_err(refuse)?;
    let offer = shared.catalog.offer(Kind::Agent, &live.slug).map_err(|error| internal(&error))?;
    let mut view = view(&shared, &offer, None);
    if let Some(members) = view.as_object_mut() {
        members.insert("new".to_owned(), live.new.into());
    }
    let path = format!("/api/v1/agents/{}", live.slug);
    Ok((StatusCode::CREATED, [(header::LOCATION, path)], Json(view)).into_response())
}

/// `{name, price_gbp, component_base64, description?, version?, …}`.
fn read(body: &[u8]) -> Result<Deployment, ApiError> {
    let mut sent: Map<String, Value> = serde_json::from_slice(body)
        .map_err(|error| ApiError::invalid("", format!("the body must be a JSON object: {error}")))?;
    refuse_platform_rules(&sent, &["earn_rate"])
        .map_err(|error| ApiError::new(Code::PlatformRules, error.to_string()))?;
    let name = text(&mut sent, "name")?.ok_or_else(|| missing("name", "what the agent is called"))?;
    let price = match sent.remove("price_gbp") {
        Some(Value::String(price)) => price,
        Some(Value::Number(price)) => price.to_string(),
        _ => return Err(missing("price_gbp", "the price of one task in pounds, like \"0.10\"")),
    };
    let code = text(&mut sent, "component_base64")?;
    let code = code.ok_or_else(|| missing("component_base64", "the component that `tollbridge plugin build` made"))?;
    let component = STANDARD
        .decode(code)
        .map_err(|error| ApiError::invalid("/component_base64", format!("it is not base64: {error}")))?;
    let purpose = text(&mut sent, "description")?.unwrap_or_else(|| name.clone());
    let version = text(&mut sent, "version")?;
    let mut rest = BTreeMap::from([("price_gbp", Value::from(price)), ("purpose", Value::from(purpose))]);
    for member in MANIFEST_MEMBERS {
        if let Some(value) = sent.remove(member) {
            rest.insert(member, value);
        }
    }
    if let Some(other) = sent.keys().next() {
        let other: String = other.chars().take(64).collect();
        return Err(ApiError::invalid(&format!("/{other}"), format!("`{other}` is not a member of a deployment")));
    }
    Ok(Deployment { name, version, manifest: members(rest).map_err(refuse)?, component })
}

fn text(sent: &mut Map<String, Value>, name: &str) -> Result<Option<String>, ApiError> {
    match sent.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ApiError::invalid(&format!("/{name}"), format!("`{name}` is a text"))),
    }
}

fn missing(name: &str, what: &str) -> ApiError {
    ApiError::invalid(&format!("/{name}"), format!("`{name}` is missing: {what}"))
}

async fn list(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let snapshot = shared.catalog.snapshot();
    let agents: Vec<Value> = snapshot.live(Kind::Agent).map(|offer| view(&shared, offer, None)).collect();
    Json(json!({ "agents": agents }))
}

async fn show(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let stats = stats(&shared, &id).await?;
    match shared.catalog.snapshot().entry(Kind::Agent, &id) {
        Some(Entry::Live(offer)) => Ok(Json(view(&shared, offer, Some(&stats)))),
        Some(Entry::Down { purpose, disabled, .. }) => {
            let status = if *disabled { "disabled" } else { "unavailable" };
            Ok(Json(json!({ "agent_id": id, "slug": id, "description": purpose, "status": status })))
        }
        None => Err(ApiError::new(Code::AgentNotFound, "there is no such agent").hint("GET /api/v1/agents lists all")),
    }
}

/// An agent for anybody; with its counts where they were asked for.
fn view(shared: &Shared, offer: &Offer, stats: Option<&Stats>) -> Value {
    let description = offer.plugin.description();
    let examples: Vec<Value> =
        description.examples.iter().map(|one| json!({ "input": one.input, "output": one.output })).collect();
    let mut view = json!({
        "agent_id": offer.name,
        "slug": offer.name,
        "name": offer.name,
        "description": offer.purpose,
        "price_gbp": offer.price.pounds(),
        "price_pence": offer.price.pence_floor(),
        "version": offer.version_text,
        "publisher": offer.publisher,
        "component_sha256": hex::encode(offer.sha256),
        "skills": offer.skills,
        "status": "deployed",
        "input_schema": description.input_schema,
        "output_schema": description.output_schema,
        "examples": examples,
        "invoke_url": format!("{}/v1/agents/{}/invoke", shared.settings.base_url, offer.name),
    });
    if let (Some(stats), Some(members)) = (stats, view.as_object_mut()) {
        members.insert("stats".to_owned(), counts(stats));
    }
    view
}

/// Counted from the ledger.
fn counts(stats: &Stats) -> Value {
    json!({
        "completed": stats.completed,
        "failed": stats.failed,
        "success_rate": stats.success_rate(),
        "median_ms": stats.median_ms(),
    })
}

async fn stats(shared: &Arc<Shared>, id: &str) -> Result<Stats, ApiError> {
    let (tally, id) = (shared.tally.clone(), id.to_owned());
    let counted = tokio::task::spawn_blocking(move || tally.of(&id)).await.map_err(|error| internal(&error))?;
    counted.map_err(|error| internal(&error))
}

async fn versions(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    own(&shared, &principal.account_id, &id)?;
    let versions: Vec<String> = shared.workshop.versions(&id).iter().map(ToString::to_string).collect();
    Ok(Json(json!({ "agent_id": id, "versions": versions })))
}

/// What an agent earned, for its owner.
async fn earnings(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    own(&shared, &principal.account_id, &id)?;
    let stats = stats(&shared, &id).await?;
    Ok(Json(json!({
        "agent_id": id,
        "calls": stats.completed,
        "failed": stats.failed,
        "success_rate": stats.success_rate(),
        "median_ms": stats.median_ms(),
        "gross_gbp": stats.gross.display_gbp(),
        "gross_millipence": stats.gross.get(),
        "earned_gbp": stats.earned.display_gbp(),
        "earned_pence": stats.earned.pence_floor(),
        "earned_millipence": stats.earned.get(),
    })))
}

/// Recent log lines and failures of an agent, for its owner.
async fn logs(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let lines = shared.workshop.logs(&principal.account_id, &id).map_err(refuse)?;
    let view = |line: crate::plugins::LogLine| {
        let level = format!("{:?}", line.level).to_lowercase();
        json!({ "time_ms": line.time_ms, "request_id": line.request_id, "level": level, "text": line.text })
    };
    Ok(Json(json!({ "agent_id": id, "lines": lines.into_iter().map(view).collect::<Vec<_>>() })))
}

async fn disable(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    shared.workshop.switch(&principal.account_id, &id, false).await.map_err(refuse)?;
    Ok(Json(json!({ "agent_id": id, "status": "disabled" })))
}

async fn enable(
    State(shared): State<Arc<Shared>>,
    Manager(principal): Manager,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    shared.workshop.switch(&principal.account_id, &id, true).await.map_err(refuse)?;
    Ok(Json(json!({ "agent_id": id, "status": "deployed" })))
}

/// Another account's agent is not found.
fn own(shared: &Shared, account: &str, id: &str) -> Result<(), ApiError> {
    let missing = || ApiError::new(Code::AgentNotFound, "you have no such agent");
    if shared.workshop.owns(account, id) { Ok(()) } else { Err(missing()) }
}

fn refuse(error: DeployError) -> ApiError {
    let message = error.to_string();
    match error {
        DeployError::Refused { field, .. } => ApiError::invalid(field, message),
        DeployError::Quota(_) => ApiError::new(Code::RateLimited, message).retry_after(3_600),
        DeployError::NoAgent(_) => ApiError::new(Code::AgentNotFound, message),
        DeployError::Conflict(_) => ApiError::new(Code::AlreadySealed, message),
        DeployError::NotServing(_) => ApiError::new(Code::NotLoaded, message),
        DeployError::Store(error) => internal(&error),
        DeployError::Notary(error) => internal(&error),
        DeployError::Registry(_) => internal(&message),
    }
}
