//! The owner's view of a plugin: versions, log and failures, calls and earnings, and the switch to
//! enable or disable it. Agents and bridges share the code.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use serde_json::{Value, json};
use tollbridge_agents::PluginStats;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation;
use tollbridge_api::operation::Operation;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::plugins::LogLine;
use tollbridge_runtime::registry::PluginId;

use crate::admit::{Caller, Manager};
use crate::error_mapping::deploy::deploy_error;
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;

type Answer = Result<Json<Value>, ApiError>;

const ERRORS: [Code; 2] = [Code::AgentNotFound, Code::AlreadySealed];

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "listOwnPlugins",
        "List your plugins",
        "Your agents and bridges, with their status.",
    )
    .members(200, "The plugins", &json!({ "plugins": operation::list(&json!({ "type": "object" })) }));
    Routes::new("marketplace").get("/api/v1/plugins", list, operation).merge(of_agents()).merge(of_bridges())
}

fn of_agents() -> Routes {
    let about = || json!({ "type": "object", "required": ["agent_id"] });
    let read = |id, summary, description| {
        Operation::new(id, summary, description).answer_schema(200, "The plugin's data", about()).errors(&ERRORS)
    };
    let switch = |id, summary, description| {
        Operation::new(id, summary, description).answer_schema(200, "Its new status", about()).errors(&ERRORS)
    };
    Routes::new("marketplace")
        .get(
            "/api/v1/agents/{id}/versions",
            versions,
            read("listAgentVersions", "Versions of an agent", "Versions of one of your agents."),
        )
        .get(
            "/api/v1/agents/{id}/earnings",
            earnings,
            read("showAgentEarnings", "Earnings of an agent", "Tasks and earnings of one of your agents."),
        )
        .get(
            "/api/v1/agents/{id}/logs",
            logs,
            read("showAgentLogs", "Log of an agent", "The last log lines of one of your agents."),
        )
        .post(
            "/api/v1/agents/{id}/disable",
            disable,
            switch("disableAgent", "Disable an agent", "Disables one of your agents."),
        )
        .post(
            "/api/v1/agents/{id}/enable",
            enable,
            switch("enableAgent", "Enable an agent", "Enables one of your agents again."),
        )
}

fn of_bridges() -> Routes {
    let about = || json!({ "type": "object", "required": ["name"] });
    let read = |id, summary, description| {
        Operation::new(id, summary, description).answer_schema(200, "The plugin's data", about()).errors(&ERRORS)
    };
    let switch = |id, summary, description| {
        Operation::new(id, summary, description).answer_schema(200, "Its new status", about()).errors(&ERRORS)
    };
    Routes::new("marketplace")
        .get(
            "/api/v1/bridges/{id}/versions",
            versions,
            read("listBridgeVersions", "Versions of a bridge", "Versions of one of your bridges."),
        )
        .get(
            "/api/v1/bridges/{id}/earnings",
            earnings,
            read("showBridgeEarnings", "Earnings of a bridge", "Calls and earnings of one of your bridges."),
        )
        .get(
            "/api/v1/bridges/{id}/logs",
            logs,
            read("showBridgeLogs", "Log of a bridge", "The last log lines of one of your bridges."),
        )
        .post(
            "/api/v1/bridges/{id}/disable",
            disable,
            switch("disableBridge", "Disable a bridge", "Disables one of your bridges."),
        )
        .post(
            "/api/v1/bridges/{id}/enable",
            enable,
            switch("enableBridge", "Enable a bridge", "Enables one of your bridges again."),
        )
}

fn base(kind: PluginKind) -> String {
    format!("/api/v1/{}/", kind.folder())
}

/// The caller's plugin that the path names; another account's plugin is reported as not found.
pub(crate) struct OwnedPlugin {
    id: PluginId,
    account: String,
}

impl FromRequestParts<Arc<AppState>> for OwnedPlugin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, ApiError> {
        let Caller(principal) = Caller::from_request_parts(parts, app).await?;
        let Path(name) = Path::<String>::from_request_parts(parts, app).await?;
        let agents = parts.uri.path().starts_with(&base(PluginKind::Agent));
        let id = named(if agents { PluginKind::Agent } else { PluginKind::Bridge }, &name)?;
        app.deployments.require_owner(&principal.account_id, &id).map_err(deploy_error)?;
        Ok(Self { id, account: principal.account_id.clone() })
    }
}

/// Lists all plugins of an account, with their status.
async fn list(State(app): State<Arc<AppState>>, Caller(principal): Caller) -> Json<Value> {
    let plugins = app.deployments.owned_plugins(&principal.account_id).into_iter();
    let view = |(id, report): (PluginId, tollbridge_market::catalog::PluginReport)| {
        json!({
            "kind": id.kind.as_str(),
            "name": id.name.as_str(),
            "status": report.status,
            "serving": report.serving,
            "waiting": report.waiting,
            "disabled": report.disabled,
            "price_gbp": report.price_gbp,
            "held": report.held,
        })
    };
    Json(json!({ "plugins": plugins.map(view).collect::<Vec<_>>() }))
}

async fn versions(State(app): State<Arc<AppState>>, OwnedPlugin { id, .. }: OwnedPlugin) -> Answer {
    let versions: Vec<String> =
        app.deployments.versions(id.kind, id.name.as_str()).iter().map(ToString::to_string).collect();
    Ok(Json(about(&id, json!({ "versions": versions }))))
}

/// Returns a plugin's calls and earnings. Bridges have no tasks that could fail.
async fn earnings(State(app): State<Arc<AppState>>, OwnedPlugin { id, .. }: OwnedPlugin) -> Answer {
    let stats = stats(&app, &id).await?;
    let of_tasks = id.kind == PluginKind::Agent;
    Ok(Json(about(
        &id,
        json!({
            "calls": stats.completed,
            "failed": of_tasks.then_some(stats.failed),
            "success_rate": stats.success_rate().filter(|_| of_tasks),
            "median_ms": stats.median_ms(),
            "gross_gbp": stats.gross.display_gbp(),
            "gross_millipence": stats.gross.get(),
            "earned_gbp": stats.earned.display_gbp(),
            "earned_pence": stats.earned.pence_floor(),
            "earned_millipence": stats.earned.get(),
        }),
    )))
}

/// Returns recent log lines and failures.
async fn logs(State(app): State<Arc<AppState>>, OwnedPlugin { id, account }: OwnedPlugin) -> Answer {
    let lines = app.deployments.logs(&account, &id).map_err(deploy_error)?;
    let view = |line: LogLine| {
        let level = line.level.as_str().to_lowercase();
        json!({
            "time_ms": line.time_ms,
            "request_id": line.request_id,
            "level": level,
            "text": line.text,
            "trace": line.trace,
        })
    };
    Ok(Json(about(&id, json!({ "lines": lines.into_iter().map(view).collect::<Vec<_>>() }))))
}

async fn disable(State(app): State<Arc<AppState>>, _: Manager, plugin: OwnedPlugin) -> Answer {
    switch(&app, &plugin, false).await
}

async fn enable(State(app): State<Arc<AppState>>, _: Manager, plugin: OwnedPlugin) -> Answer {
    switch(&app, &plugin, true).await
}

async fn switch(app: &AppState, plugin: &OwnedPlugin, on: bool) -> Answer {
    app.deployments.set_enabled(&plugin.account, &plugin.id, on).await.map_err(deploy_error)?;
    Ok(Json(about(&plugin.id, json!({ "status": if on { "deployed" } else { "disabled" } }))))
}

/// Adds the name of the plugin: `agent_id`, as in events, or `name`.
fn about(id: &PluginId, mut what: Value) -> Value {
    let name = match id.kind {
        PluginKind::Agent => "agent_id",
        PluginKind::Bridge => "name",
    };
    if let Some(members) = what.as_object_mut() {
        members.insert(name.to_owned(), id.name.as_str().into());
    }
    what
}

/// Parses the id of an agent; an invalid name is reported as not found.
pub(crate) fn agent(name: &str) -> Result<PluginId, ApiError> {
    named(PluginKind::Agent, name)
}

fn named(kind: PluginKind, name: &str) -> Result<PluginId, ApiError> {
    let missing = |_| match kind {
        PluginKind::Agent => ApiError::new(Code::AgentNotFound, "no such agent").hint("GET /api/v1/agents lists all"),
        PluginKind::Bridge => not_found("no such bridge"),
    };
    Ok(PluginId { kind, name: name.parse().map_err(missing)? })
}

/// Counts a plugin's statistics from the ledger, up to its newest record.
pub(crate) async fn stats(app: &Arc<AppState>, id: &PluginId) -> Result<PluginStats, ApiError> {
    let (indexer, id) = (app.plugin_stats.clone(), id.clone());
    let counted = tokio::task::spawn_blocking(move || indexer.stats(&id)).await.map_err(|error| internal(&error))?;
    counted.map_err(|error| internal(&error))
}
