//! The owner's view of a plugin: versions, log and failures, calls and earnings, and the switch to
//! enable or disable it. Agents and bridges share the code.

use std::sync::Arc;

use aide::generate::GenContext;
use aide::operation::OperationInput;
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_agents::{Earnings, PluginStats};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{HeldVersion, PluginReport};
use tollbridge_plugin::LogLine;
use tollbridge_registry::PluginId;
use tollbridge_web::admit::{Caller, Manager};
use tollbridge_web::operation_inputs::require_key;
use tollbridge_web::{AppState, Path, Routes};

use crate::error_mapping::deploy::deploy_error;

type Answer<T> = Result<Json<OfPlugin<T>>, ApiError>;

const ERRORS: [Code; 2] = [Code::AgentNotFound, Code::AlreadySealed];

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation =
        Operation::new("listOwnPlugins", "List your plugins", "Your agents and bridges, with their status.")
            .answer::<OwnPlugins>(200, "The plugins");
    Routes::new("marketplace").get("/api/v1/plugins", list, operation).merge(of_agents()).merge(of_bridges())
}

fn of_agents() -> Routes {
    Routes::new("marketplace")
        .get(
            "/api/v1/agents/{id}/versions",
            versions,
            Operation::new("listAgentVersions", "Versions of an agent", "Versions of one of your agents.")
                .answer::<OfAgent<Versions>>(200, "The plugin's data")
                .errors(&ERRORS),
        )
        .get(
            "/api/v1/agents/{id}/earnings",
            earnings,
            Operation::new("showAgentEarnings", "Earnings of an agent", "Tasks and earnings of one of your agents.")
                .answer::<OfAgent<Earnings>>(200, "The plugin's data")
                .errors(&ERRORS),
        )
        .get(
            "/api/v1/agents/{id}/logs",
            logs,
            Operation::new("showAgentLogs", "Log of an agent", "The last log lines of one of your agents.")
                .answer::<OfAgent<LogLines>>(200, "The plugin's data")
                .errors(&ERRORS),
        )
        .post(
            "/api/v1/agents/{id}/disable",
            disable,
            Operation::new("disableAgent", "Disable an agent", "Disables one of your agents.")
                .answer::<OfAgent<NewStatus>>(200, "Its new status")
                .errors(&ERRORS),
        )
        .post(
            "/api/v1/agents/{id}/enable",
            enable,
            Operation::new("enableAgent", "Enable an agent", "Enables one of your agents again.")
                .answer::<OfAgent<NewStatus>>(200, "Its new status")
                .errors(&ERRORS),
        )
}

fn of_bridges() -> Routes {
    Routes::new("marketplace")
        .get(
            "/api/v1/bridges/{id}/versions",
            versions,
            Operation::new("listBridgeVersions", "Versions of a bridge", "Versions of one of your bridges.")
                .answer::<OfBridge<Versions>>(200, "The plugin's data")
                .errors(&ERRORS),
        )
        .get(
            "/api/v1/bridges/{id}/earnings",
            earnings,
            Operation::new("showBridgeEarnings", "Earnings of a bridge", "Calls and earnings of one of your bridges.")
                .answer::<OfBridge<Earnings>>(200, "The plugin's data")
                .errors(&ERRORS),
        )
        .get(
            "/api/v1/bridges/{id}/logs",
            logs,
            Operation::new("showBridgeLogs", "Log of a bridge", "The last log lines of one of your bridges.")
                .answer::<OfBridge<LogLines>>(200, "The plugin's data")
                .errors(&ERRORS),
        )
        .post(
            "/api/v1/bridges/{id}/disable",
            disable,
            Operation::new("disableBridge", "Disable a bridge", "Disables one of your bridges.")
                .answer::<OfBridge<NewStatus>>(200, "Its new status")
                .errors(&ERRORS),
        )
        .post(
            "/api/v1/bridges/{id}/enable",
            enable,
            Operation::new("enableBridge", "Enable a bridge", "Enables one of your bridges again.")
                .answer::<OfBridge<NewStatus>>(200, "Its new status")
                .errors(&ERRORS),
        )
}

/// Data of an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Agent{T}")]
struct OfAgent<T> {
    agent_id: String,
    #[serde(flatten)]
    data: T,
}

/// Data of a bridge.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Bridge{T}")]
struct OfBridge<T> {
    name: String,
    #[serde(flatten)]
    data: T,
}

/// Data of a plugin.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OfPlugin<T> {
    Agent(OfAgent<T>),
    Bridge(OfBridge<T>),
}

#[derive(Serialize, JsonSchema)]
struct OwnPlugins {
    plugins: Vec<OwnPlugin>,
}

/// One of your agents or bridges.
#[derive(Serialize, JsonSchema)]
struct OwnPlugin {
    #[schemars(extend("enum" = ["agent", "bridge"]))]
    kind: &'static str,
    name: String,
    status: String,
    /// The serving version.
    serving: Option<String>,
    /// The version that waits for approval.
    waiting: Option<String>,
    disabled: bool,
    price_gbp: Option<String>,
    /// Versions that do not run.
    held: Vec<HeldVersion>,
}

#[derive(Serialize, JsonSchema)]
struct Versions {
    versions: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct LogLines {
    lines: Vec<LoggedLine>,
}

/// A line of a plugin's log.
#[derive(Serialize, JsonSchema)]
struct LoggedLine {
    /// Start of the call, Unix time in milliseconds.
    time_ms: u64,
    request_id: String,
    level: String,
    text: String,
    /// The location of a failure.
    trace: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct NewStatus {
    #[schemars(extend("enum" = ["deployed", "disabled"]))]
    status: &'static str,
}

fn base(kind: PluginKind) -> String {
    format!("/api/v1/{}/", kind.folder())
}

/// Extractor of the caller's plugin named in the path; another account's plugin is
/// reported as not found.
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
        app.deployments.owned.require_owner(&principal.account_id, &id).map_err(deploy_error)?;
        Ok(Self { id, account: principal.account_id.clone() })
    }
}

/// Lists all plugins of an account, with their status.
async fn list(State(app): State<Arc<AppState>>, Caller(principal): Caller) -> Json<OwnPlugins> {
    let plugins = app.deployments.owned.all(&principal.account_id).into_iter();
    let view = |(id, report): (PluginId, PluginReport)| OwnPlugin {
        kind: id.kind.as_str(),
        name: id.name.as_str().to_owned(),
        status: report.status,
        serving: report.serving,
        waiting: report.waiting,
        disabled: report.disabled,
        price_gbp: report.price_gbp,
        held: report.held,
    };
    Json(OwnPlugins { plugins: plugins.map(view).collect() })
}

async fn versions(State(app): State<Arc<AppState>>, OwnedPlugin { id, .. }: OwnedPlugin) -> Answer<Versions> {
    let versions = app.deployments.versions(id.kind, id.name.as_str()).iter().map(ToString::to_string).collect();
    Ok(about(&id, Versions { versions }))
}

/// Returns a plugin's calls and earnings.
async fn earnings(State(app): State<Arc<AppState>>, OwnedPlugin { id, .. }: OwnedPlugin) -> Answer<Earnings> {
    let stats = stats(&app, &id).await?;
    Ok(about(&id, Earnings::new(&stats, id.kind)))
}

/// Returns recent log lines and failures.
async fn logs(State(app): State<Arc<AppState>>, OwnedPlugin { id, account }: OwnedPlugin) -> Answer<LogLines> {
    let lines = app.deployments.owned.logs(&account, &id).map_err(deploy_error)?;
    let view = |line: LogLine| LoggedLine {
        time_ms: line.time_ms,
        request_id: line.request_id,
        level: line.level.as_str().to_lowercase(),
        text: line.text,
        trace: line.trace,
    };
    Ok(about(&id, LogLines { lines: lines.into_iter().map(view).collect() }))
}

async fn disable(State(app): State<Arc<AppState>>, _: Manager, plugin: OwnedPlugin) -> Answer<NewStatus> {
    switch(&app, &plugin, false).await
}

async fn enable(State(app): State<Arc<AppState>>, _: Manager, plugin: OwnedPlugin) -> Answer<NewStatus> {
    switch(&app, &plugin, true).await
}

async fn switch(app: &AppState, plugin: &OwnedPlugin, on: bool) -> Answer<NewStatus> {
    app.deployments.owned.set_enabled(&plugin.account, &plugin.id, on).await.map_err(deploy_error)?;
    Ok(about(&plugin.id, NewStatus { status: if on { "deployed" } else { "disabled" } }))
}

/// Adds the plugin's name to its data: as `agent_id` for an agent, as in events, or as
/// `name` for a bridge.
fn about<T>(id: &PluginId, data: T) -> Json<OfPlugin<T>> {
    let name = id.name.as_str().to_owned();
    Json(match id.kind {
        PluginKind::Agent => OfPlugin::Agent(OfAgent { agent_id: name, data }),
        PluginKind::Bridge => OfPlugin::Bridge(OfBridge { name, data }),
    })
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

/// Returns a plugin's statistics, counted from the ledger up to its newest record.
pub(crate) async fn stats(app: &Arc<AppState>, id: &PluginId) -> Result<PluginStats, ApiError> {
    let (indexer, id) = (app.plugin_stats.clone(), id.clone());
    let counted = tokio::task::spawn_blocking(move || indexer.stats(&id)).await.map_err(|error| internal(&error))?;
    counted.map_err(|error| internal(&error))
}

impl OperationInput for OwnedPlugin {
    fn operation_input(_: &mut GenContext, operation: &mut aide::openapi::Operation) {
        require_key(operation);
    }
}
