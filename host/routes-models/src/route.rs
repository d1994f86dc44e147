//! `POST /v1/inference/route`: the client gives a task and a priority, and the host chooses the
//! model.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::Operation;
use tollbridge_api::schemas::{each, pounds_or_null, schema};
use tollbridge_core::time::now_ms;
use tollbridge_gateway::{
    ClientFormat, ClientRequest, GatewayResponse, InferenceEndpoint, ModelRequest, RouteCandidate, RoutingPriority,
};
use tollbridge_paywall::call_headers::IDEMPOTENCY_KEY;
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::body::JsonBody;
use tollbridge_web::{AppState, Routes};

use crate::billing::{billed_caller, exact};
use crate::chat::MODEL_ERRORS;
use crate::errors::{gateway_error, gateway_error_for};

/// Maximum number of candidates in the answer.
const SHOWN: usize = 10;

/// The body of a routing request. Unknown members are refused, because they would be ignored.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = each(&["prompt", "messages"])))]
#[serde(deny_unknown_fields)]
pub(crate) struct RouteRequest {
    task: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "priority_schema")]
    priority: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "prompt_schema")]
    prompt: Option<String>,
    /// A conversation, instead of `prompt`.
    #[serde(default)]
    #[schemars(schema_with = "messages_schema")]
    messages: Option<Value>,
    #[schemars(range(min = 1))]
    max_tokens: Option<u32>,
    #[schemars(range(min = 0, max = 2))]
    temperature: Option<f64>,
    /// Maximum cost, pounds.
    #[serde(default)]
    #[schemars(schema_with = "cost_schema")]
    max_cost_gbp: Option<Value>,
    /// Return only the decision.
    #[serde(default)]
    dry_run: bool,
}

fn priority_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": ["cheap", "balanced", "fast", "quality", "cost", "price", "latency", "speed", null] })
}

fn prompt_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "minLength": 1 })
}

fn messages_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["array", "null"], "minItems": 1, "items": { "type": "object", "required": ["role"] } })
}

fn cost_schema(_: &mut SchemaGenerator) -> Schema {
    schema(pounds_or_null())
}

/// The chosen model, and its completion unless only the decision was asked for.
#[derive(Serialize, JsonSchema)]
struct RouteDecision {
    task: &'static str,
    priority: &'static str,
    provider: String,
    model: String,
    why: &'static str,
    candidates: Vec<Candidate>,
    candidate_count: usize,
    #[serde(flatten)]
    outcome: Option<RouteOutcome>,
}

#[derive(Serialize, JsonSchema)]
struct RouteOutcome {
    #[serde(flatten)]
    bill: Option<RouteBill>,
    /// The text of the completion.
    output: Value,
    completion: Value,
}

#[derive(Serialize, JsonSchema)]
struct RouteBill {
    attempts: usize,
    cost_gbp: String,
    charged_gbp: String,
}

/// A model that was considered.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RouteCandidate")]
struct Candidate {
    provider: String,
    model: String,
    expected_gbp: String,
    worst_gbp: String,
    first_content_ms: Option<String>,
    paused: bool,
}

/// Kinds of task, and the word stems by which they are recognized; the first match
/// counts.
const TASKS: [(&str, &[&str]); 6] = [
    ("code", &["code", "coding", "program", "refactor", "debug"]),
    ("translate", &["translat"]),
    ("summarize", &["summar", "digest", "tl;dr"]),
    ("classify", &["classif", "label", "sentiment", "moderat"]),
    ("extract", &["extract", "parse"]),
    ("reason", &["reason", "math", "plan", "analy"]),
];

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "routeInference",
        "Completion by the best model",
        "A completion from the model that the host chooses.",
    )
    .answer::<RouteDecision>(200, "The decision and the completion")
    .errors(&MODEL_ERRORS);
    Routes::new("inference").post("/v1/inference/route", route, operation)
}

async fn route(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    headers: HeaderMap,
    JsonBody(request_body): JsonBody<RouteRequest>,
) -> Result<Response, ApiError> {
    let priority = priority(&request_body)?;
    let task = task(request_body.task.as_deref());
    let body = Bytes::from(request(&request_body)?.to_string());
    let parsed = ModelRequest::chat(&body).map_err(gateway_error)?;
    let plan = app.gateway.plan(&parsed, priority, parsed.max_cost).map_err(gateway_error)?;
    let mut answer = decision(task, priority, &plan);
    if request_body.dry_run {
        return Ok(Json(answer).into_response());
    }
    let client_request = ClientRequest {
        caller: billed_caller(&principal),
        request_id: request_id.to_string(),
        now_ms: now_ms(),
        endpoint: InferenceEndpoint::Chat,
        format: ClientFormat::Chat,
        body,
        recording: None,
        priority,
        idempotency_key: headers.get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok()).map(str::to_owned),
        repeat: false,
    };
    let given = app.gateway.handle(client_request).await.map_err(|error| gateway_error_for(&app, &principal, error))?;
    let (completion, bill): (Value, _) = match &given {
        GatewayResponse::Complete { settled, report, .. } => {
            answer.provider.clone_from(&report.provider);
            answer.model.clone_from(&report.model);
            let bill = RouteBill {
                attempts: report.failed.len() + 1,
                cost_gbp: exact(settled.cost),
                charged_gbp: exact(settled.charged),
            };
            (serde_json::from_slice(&settled.body).unwrap_or_default(), Some(bill))
        }
        GatewayResponse::Replayed(replay) => (serde_json::from_slice(&replay.body).unwrap_or_default(), None),
        GatewayResponse::Stream { .. } => (Value::Null, None),
    };
    let text = completion.get("choices").and_then(|choices| choices.get(0)?.get("message")?.get("content")).cloned();
    answer.outcome = Some(RouteOutcome { bill, output: text.unwrap_or_default(), completion });
    // Combine the headers of the chat answer with the body of this route.
    let (parts, _) = crate::chat::respond(given)?.into_parts();
    let mut response = Json(answer).into_response();
    for (name, value) in parts.headers {
        if let Some(name) = name.filter(|name| !["content-type", "content-length"].contains(&name.as_str())) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

fn priority(request_body: &RouteRequest) -> Result<RoutingPriority, ApiError> {
    let Some(text) = request_body.priority.as_deref() else { return Ok(RoutingPriority::Balanced) };
    // Accept common synonyms.
    let word = match text {
        "cost" | "price" => "cheap",
        "latency" | "speed" => "fast",
        other => other,
    };
    let known: Vec<&str> = RoutingPriority::ALL.iter().map(|(name, _)| *name).collect();
    RoutingPriority::parse(word)
        .ok_or_else(|| ApiError::invalid("/priority", format!("priority must be one of {}", known.join(", "))))
}

fn task(text: Option<&str>) -> &'static str {
    let text = text.unwrap_or_default().to_lowercase();
    let known = TASKS.iter().find(|(_, words)| words.iter().any(|word| text.contains(word)));
    known.map_or("chat", |(name, _)| *name)
}

fn request(request_body: &RouteRequest) -> Result<Value, ApiError> {
    let messages = match (&request_body.messages, &request_body.prompt) {
        (Some(messages), None) => messages.clone(),
        (None, Some(prompt)) if !prompt.trim().is_empty() => {
            // A `task` of several words also serves as the system message.
            let mut messages = Vec::new();
            if let Some(task) = request_body.task.as_deref().filter(|task| task.contains(char::is_whitespace)) {
                messages.push(json!({ "role": "system", "content": task }));
            }
            messages.push(json!({ "role": "user", "content": prompt }));
            Value::Array(messages)
        }
        _ => return Err(ApiError::invalid("/prompt", "send either `prompt`, a string, or `messages`")),
    };
    let mut body = json!({ "model": "auto", "messages": messages });
    if let Some(max_tokens) = request_body.max_tokens {
        put(&mut body, "max_tokens", max_tokens.into());
    }
    if let Some(temperature) = request_body.temperature {
        put(&mut body, "temperature", temperature.into());
    }
    if let Some(max_cost) = &request_body.max_cost_gbp {
        put(&mut body, "max_cost_gbp", max_cost.clone());
    }
    Ok(body)
}

fn decision(task: &'static str, priority: RoutingPriority, plan: &[RouteCandidate]) -> RouteDecision {
    let first = plan.first();
    let name = |one: &RouteCandidate| (one.deployment.provider.name.clone(), one.deployment.upstream.clone());
    let (provider, model) = first.map(name).unwrap_or_default();
    let why = match priority {
        RoutingPriority::Cheap => "the lowest expected cost of all capable models",
        RoutingPriority::Balanced => "the lowest expected cost of the models with tools and a context of 32,000 tokens",
        RoutingPriority::Fast => "the shortest time to the first content, on average",
        RoutingPriority::Quality => "the most expensive model, because price best indicates quality",
    };
    RouteDecision {
        task,
        priority: priority.as_str(),
        provider,
        model,
        why,
        candidates: plan.iter().take(SHOWN).map(candidate).collect(),
        candidate_count: plan.len(),
        outcome: None,
    }
}

fn candidate(one: &RouteCandidate) -> Candidate {
    Candidate {
        provider: one.deployment.provider.name.clone(),
        model: one.deployment.upstream.clone(),
        expected_gbp: exact(one.expected_cost),
        worst_gbp: exact(one.worst_cost),
        first_content_ms: one.deployment.health.latency().map(|latency| latency.as_millis().to_string()),
        paused: one.paused_until.is_some(),
    }
}

fn put(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
