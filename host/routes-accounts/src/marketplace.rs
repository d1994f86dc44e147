//! The marketplace: deploying agents and bridges, and listing agents.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tollbridge_agents::qualification::Qualification;
use tollbridge_agents::{AgentView, DeployRequest, MANIFEST_MEMBERS, PluginCode, manifest_table};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation;
use tollbridge_api::operation::Operation;
use tollbridge_api::schemas::{given, pounds};
use tollbridge_core::client_json;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::checkout::refuse_platform_rules;
use tollbridge_registry::Declaration;
use tollbridge_web::admit::Manager;
use tollbridge_web::body::JsonBytes;
use tollbridge_web::{AppState, Path, Routes};

use crate::error_mapping::deploy::deploy_error;
use crate::owner;

/// Maximum request body of a deployment: the largest component in base64, and its
/// manifest.
const DEPLOY_BYTES_MAX: usize = 44 << 20;

const DEPLOY_ERRORS: [Code; 6] =
    [Code::PlatformRules, Code::AgentNotFound, Code::AlreadySealed, Code::Blocked, Code::InProgress, Code::NotLoaded];

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let large = Routes::new("marketplace")
        .post(
            "/api/v1/agents/deploy",
            deploy_agent,
            Operation::new("deployAgent", "Deploy an agent", "Deploys an agent to the marketplace.")
                .body_schema(deployment_schema(PluginKind::Agent))
                .answer::<DeployedAgent>(201, "The agent is serving")
                .answer::<WaitingPlugin>(202, "The agent awaits the operator's approval")
                .errors(&DEPLOY_ERRORS),
        )
        .post(
            "/api/v1/bridges/deploy",
            deploy_bridge,
            Operation::new(
                "deployBridge",
                "Deploy a bridge",
                "Deploys a bridge; it serves once the operator approves it.",
            )
            .body_schema(deployment_schema(PluginKind::Bridge))
            .answer::<DeployedBridge>(201, "The bridge is serving: this version was approved before")
            .answer::<WaitingPlugin>(202, "The bridge awaits the operator's approval")
            .errors(&DEPLOY_ERRORS),
        )
        .body_limit(DEPLOY_BYTES_MAX);
    large
        .get(
            "/api/v1/agents",
            list,
            Operation::new("listAgents", "List agents", "Every agent with price, skills and schemas.")
                .answer::<Agents>(200, "The agents"),
        )
        .get(
            "/api/v1/agents/{id}",
            show,
            Operation::new(
                "showAgent",
                "Show an agent",
                "One agent, with its success rate and median time from the ledger.",
            )
            .answer::<AgentView>(200, "The agent")
            .errors(&[Code::AgentNotFound]),
        )
}

/// Members that are valid only with a component.
const COMPONENT_ONLY: [&str; 6] = ["grants", "allow_hosts", "bridges", "agents", "limits", "needs"];
/// Members that are valid only with a prompt.
const PROMPT_ONLY: [&str; 2] = ["model", "input_schema"];

/// Returns the schema of a deployment. A deployment has a component or, for an agent, a
/// prompt; each form excludes the members that belong to the other.
fn deployment_schema(kind: PluginKind) -> Value {
    let texts = || operation::list(&operation::text());
    let optional = || operation::nullable(operation::text());
    let prompt = "For an agent without a component: the instructions for the model";
    let form = |code: &str, other: &str, refused: &[&str]| {
        let mut members: Map<String, Value> = refused.iter().map(|name| ((*name).to_owned(), json!(false))).collect();
        members.insert(other.to_owned(), json!({ "type": "null" }));
        json!({ "allOf": [given(&[code]), { "properties": members }] })
    };
    let mut forms = vec![form("component_base64", "prompt", &PROMPT_ONLY)];
    if kind == PluginKind::Agent {
        forms.push(form("prompt", "component_base64", &COMPONENT_ONLY));
    }
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "price_gbp"],
        "oneOf": forms,
        "properties": {
            "prompt": { "type": ["string", "null"], "description": prompt },
            "model": optional(),
            "input_schema": { "type": ["object", "null"] },
            "name": operation::text(),
            "version": optional(),
            "description": optional(),
            "component_base64": optional(),
            "price_gbp": pounds(),
            "grants": texts(),
            "allow_hosts": texts(),
            "bridges": texts(),
            "agents": texts(),
            "limits": { "type": "object" },
            "commands": { "type": "string", "maxLength": 24576, "description": "Agents only: the commands in words that it accepts, as Markdown" },
            "skills": operation::list(&json!({ "type": "object" })),
            "needs": operation::list(&json!({ "type": "object" })),
        },
    })
}

async fn deploy_agent(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    deploy(&app, &principal.account_id, PluginKind::Agent, body).await
}

async fn deploy_bridge(
    State(app): State<Arc<AppState>>,
    Manager(principal): Manager,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    deploy(&app, &principal.account_id, PluginKind::Bridge, body).await
}

/// Deploys a plugin: answers 201 if it is serving, 202 if the operator has to approve it first.
async fn deploy(app: &Arc<AppState>, account: &str, kind: PluginKind, body: Bytes) -> Result<Response, ApiError> {
    let deployment = read(kind, &body)?;
    drop(body);
    let deployed = app.deployments.deploy(account, deployment).await.map_err(deploy_error)?;
    let name = deployed.id.name.as_str();
    let path = format!("/api/v1/{}/{name}", kind.folder());
    let (status, body) = match kind {
        _ if !deployed.serves => {
            let hint = "waits for the operator's approval; GET /api/v1/plugins shows when it is serving";
            let waiting = WaitingPlugin {
                name: name.to_owned(),
                version: deployed.version,
                status: "waiting",
                hint,
                new: deployed.new,
            };
            (StatusCode::ACCEPTED, Json(waiting).into_response())
        }
        PluginKind::Agent => {
            let offer = app.catalog.offer(kind, name).map_err(|error| internal(&error))?;
            let agent = AgentView::of_offer(&app.catalog.snapshot(), &offer, None, &app.settings.base_url);
            (StatusCode::CREATED, Json(DeployedAgent { agent, new: deployed.new }).into_response())
        }
        PluginKind::Bridge => {
            let (name, version) = (name.to_owned(), deployed.version);
            let bridge = DeployedBridge { name, version, status: "live", new: deployed.new };
            (StatusCode::CREATED, Json(bridge).into_response())
        }
    };
    Ok((status, [(header::LOCATION, path)], body).into_response())
}

/// A deployed version that the operator has to approve.
#[derive(Serialize, JsonSchema)]
struct WaitingPlugin {
    name: String,
    version: String,
    #[schemars(extend("const" = "waiting"))]
    status: &'static str,
    hint: &'static str,
    /// Whether this request created the version.
    new: bool,
}

#[derive(Serialize, JsonSchema)]
struct DeployedAgent {
    #[serde(flatten)]
    agent: AgentView,
    /// Whether this request created the version.
    new: bool,
}

#[derive(Serialize, JsonSchema)]
struct DeployedBridge {
    name: String,
    version: String,
    #[schemars(extend("const" = "live"))]
    status: &'static str,
    /// Whether this request created the version.
    new: bool,
}

/// Parses `{name, price_gbp, component_base64 | prompt, description?, version?, …}`.
fn read(kind: PluginKind, body: &[u8]) -> Result<DeployRequest, ApiError> {
    let mut sent: Map<String, Value> = client_json::read(body)
        .map_err(|error| ApiError::invalid("", format!("the body must be a JSON object: {error}")))?;
    refuse_platform_rules(&sent, &["earn_rate"])
        .map_err(|error| ApiError::new(Code::PlatformRules, error.to_string()))?;
    let name = text(&mut sent, "name")?.ok_or_else(|| missing("name", "the name of the plugin"))?;
    let price = match sent.remove("price_gbp") {
        Some(Value::String(price)) => price,
        Some(Value::Number(price)) => price.to_string(),
        _ => return Err(missing("price_gbp", "the price of one call in pounds, like \"0.10\"")),
    };
    let code = code(kind, &mut sent)?;
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
    Ok(DeployRequest { kind, name, version, manifest: manifest_table(rest).map_err(deploy_error)?, code })
}

/// Extracts the component, or the declaration of an agent without one.
fn code(kind: PluginKind, sent: &mut Map<String, Value>) -> Result<PluginCode, ApiError> {
    let (component, prompt) = (text(sent, "component_base64")?, text(sent, "prompt")?);
    match (component, prompt) {
        (Some(component), None) => {
            if let Some(name) = PROMPT_ONLY.into_iter().find(|name| sent.contains_key(*name)) {
                let why = format!("`{name}` is valid only with `prompt`; a component declares its own");
                return Err(ApiError::invalid(&format!("/{name}"), why));
            }
            let bytes = STANDARD.decode(component);
            let bytes = bytes.map_err(|e| ApiError::invalid("/component_base64", format!("not valid base64: {e}")))?;
            Ok(PluginCode::Component(bytes))
        }
        (None, Some(_)) if kind == PluginKind::Bridge => {
            Err(ApiError::invalid("/prompt", "only agents can be made from a prompt; send a component for a bridge"))
        }
        (None, Some(instructions)) => {
            if let Some(name) = COMPONENT_ONLY.into_iter().find(|name| sent.contains_key(*name)) {
                let why = format!("an agent made from a prompt cannot have `{name}`; deploy a component");
                return Err(ApiError::invalid(&format!("/{name}"), why));
            }
            let input_schema = match sent.remove("input_schema") {
                None | Some(Value::Null) => None,
                Some(schema @ Value::Object(_)) => Some(schema.to_string()),
                Some(_) => return Err(ApiError::invalid("/input_schema", "input_schema must be an object")),
            };
            Ok(PluginCode::Declared(Declaration { instructions, model: text(sent, "model")?, input_schema }))
        }
        (Some(_), Some(_)) => Err(ApiError::invalid("/prompt", "send `component_base64` or `prompt`, not both")),
        (None, None) if kind == PluginKind::Agent => Err(missing(
            "component_base64",
            "the output of `tollbridge plugin build`; or send `prompt`, the instructions for a model",
        )),
        (None, None) => Err(missing("component_base64", "the output of `tollbridge plugin build`")),
    }
}

fn text(sent: &mut Map<String, Value>, name: &str) -> Result<Option<String>, ApiError> {
    match sent.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ApiError::invalid(&format!("/{name}"), format!("`{name}` must be a string"))),
    }
}

fn missing(name: &str, what: &str) -> ApiError {
    ApiError::invalid(&format!("/{name}"), format!("`{name}` is missing: {what}"))
}

#[derive(Serialize, JsonSchema)]
struct Agents {
    agents: Vec<AgentView>,
}

async fn list(State(app): State<Arc<AppState>>) -> Result<Json<Agents>, ApiError> {
    let snapshot = app.catalog.snapshot();
    let mut measured: HashMap<String, Vec<Qualification>> = HashMap::new();
    for (agent, qualification) in app.qualifications.all().map_err(|error| internal(&error))? {
        measured.entry(agent).or_default().push(qualification);
    }
    let agents = snapshot.entries(PluginKind::Agent).map(|(name, entry)| {
        AgentView::new(&snapshot, name, entry, None, &app.settings.base_url)
            .qualified(measured.remove(name).unwrap_or_default())
    });
    Ok(Json(Agents { agents: agents.collect() }))
}

async fn show(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<AgentView>, ApiError> {
    let stats = owner::stats(&app, &owner::agent(&id)?).await?;
    let snapshot = app.catalog.snapshot();
    match snapshot.entry(PluginKind::Agent, &id) {
        Some(entry) => {
            let measured = app.qualifications.of(&id).map_err(|error| internal(&error))?;
            let agent = AgentView::new(&snapshot, &id, entry, Some(&stats), &app.settings.base_url);
            Ok(Json(agent.qualified(measured)))
        }
        None => Err(ApiError::new(Code::AgentNotFound, "no such agent").hint("GET /api/v1/agents lists all")),
    }
}
