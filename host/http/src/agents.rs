//! Agents: giving one a task, at once or for later, and looking at it.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::admit::{Caller, RequestId};
use crate::body::{JsonRequest, keeps_platform_rules};
use crate::call_headers::{
    IDEMPOTENCY_KEY, INTENT, PAYMENT_REMAINING, REPLAYED, add_seal_headers, header_value, max_cost, single_header,
    source, spend_limit,
};
use crate::error::{ApiError, Code};
use crate::error_mapping::agents::agent_error;
use crate::openapi::operation::{Operation, text};
use crate::openapi::routes::Routes;
use crate::path::Path;
use crate::state::AppState;
use crate::tasks::task_json;
use tollbridge_agents::{AgentError, Invocation, InvocationOutcome};
use tollbridge_core::clock::now_ms;
use tollbridge_core::limits::{TASK_WAIT_MS, TASK_WAIT_MS_MAX};
use tollbridge_market::checkout::{Call, CallAnswer, PaymentSource};
use tollbridge_payment::DailySpendLimit;
use tollbridge_runtime::registry::Kind;

/// Which agent a routed task went to.
const ROUTED: HeaderName = HeaderName::from_static("x-agent");

/// What giving an agent a task may answer beside its output.
const TASK_ERRORS: [Code; 12] = [
    Code::PaymentRequired,
    Code::PlatformRules,
    Code::AgentNotFound,
    Code::AlreadySealed,
    Code::IdempotencyReused,
    Code::InProgress,
    Code::NotLoaded,
    Code::NoProvider,
    Code::DataMissing,
    Code::PluginFailed,
    Code::PluginTimedOut,
    Code::ProcessorUnclear,
];

pub fn routes() -> Routes {
    let goes_on = "It goes on; /v1/tasks/{id} has the answer";
    Routes::new("agents")
        .post(
            "/v1/agents/{slug}/invoke",
            invoke,
            Operation::new(
                "invokeAgent",
                "Give an agent a task",
                "The answer comes with a proof; 202 when it takes longer than `wait_ms`.",
            )
            .alias("/api/v1/agents/{slug}/invoke")
            .body::<TaskBody>()
            .answer_schema(200, "The answer and its proof", answered())
            .sealed()
            .answer_schema(202, goes_on, json!({ "type": "object" }))
            .errors(&TASK_ERRORS),
        )
        .post(
            "/v1/agents/enqueue",
            enqueue,
            Operation::new("enqueueTask", "Queue a task", "A task for later; its price is set aside now.")
                .body::<QueuedTaskBody>()
                .answer_schema(202, "The task", json!({ "type": "object" }))
                .errors(&TASK_ERRORS),
        )
        .post(
            "/v1/route",
            route,
            Operation::new(
                "routeTask",
                "Give a task to the cheapest agent",
                "Chooses the cheapest approved agent with a capability; X-Agent names it.",
            )
            .body::<RoutedTaskBody>()
            .answer_schema(200, "The answer and its proof", answered())
            .sealed()
            .answer_schema(202, goes_on, json!({ "type": "object" }))
            .errors(&TASK_ERRORS),
        )
}

fn answered() -> Value {
    json!({
        "type": "object",
        "required": ["task_id", "status", "output", "proof"],
        "properties": { "task_id": text(), "status": { "const": "completed" }, "output": {}, "proof": {} },
    })
}

/// What the body of a task has; the checkout checks `input` against the
/// schema of the agent.
#[derive(JsonSchema)]
#[schemars(rename = "Task", deny_unknown_fields)]
#[expect(dead_code, reason = "the bytes go on to the checkout unparsed")]
struct TaskBody {
    /// What to do, in words.
    task: Option<String>,
    /// What the agent's input schema says.
    input: Option<Map<String, Value>>,
    #[schemars(schema_with = "pounds_schema")]
    max_cost_gbp: Option<Value>,
    /// How long to wait for the answer, milliseconds.
    #[schemars(range(max = TASK_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename = "QueuedTask", deny_unknown_fields)]
#[expect(dead_code, reason = "the bytes go on to the checkout unparsed")]
struct QueuedTaskBody {
    /// Name of the agent.
    agent: String,
    /// What to do, in words.
    task: Option<String>,
    /// What the agent's input schema says.
    input: Option<Map<String, Value>>,
    #[schemars(schema_with = "pounds_schema")]
    max_cost_gbp: Option<Value>,
    /// Not used here.
    #[schemars(range(max = TASK_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename = "RoutedTask", deny_unknown_fields)]
#[expect(dead_code, reason = "the bytes go on to the checkout unparsed")]
struct RoutedTaskBody {
    /// A skill that the agent has.
    capability: String,
    /// What to do, in words.
    task: Option<String>,
    /// What the agent's input schema says.
    input: Option<Map<String, Value>>,
    #[schemars(schema_with = "pounds_schema")]
    max_cost_gbp: Option<Value>,
    /// How long to wait for the answer, milliseconds.
    #[schemars(range(max = TASK_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

fn pounds_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "number"], "description": "Pounds, whole pence, like \"0.50\"" })
}

async fn invoke(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    Path(slug): Path<String>,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    let route = format!("POST /v1/agents/{slug}/invoke");
    let paying = (principal.account_id.clone(), spend_limit(&principal));
    let invocation = invocation(&request_id, paying, (slug, route), &headers, body)?;
    app.agents.invoke(invocation).await.map_err(|error| agent_error(&app, error)).and_then(respond)
}

/// `{capability, task, input?, max_cost_gbp?}`: the cheapest agent for it.
async fn route(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    keeps_platform_rules(&body)?;
    let (capability, body) = without(&body, "capability", "what the agent shall be good at, a skill id")?;
    let paying = (principal.account_id.clone(), spend_limit(&principal));
    let slug = app.agents.cheapest_with_skill(&capability);
    // What is repeated under a key is the request, whoever is cheapest by then.
    let name = (slug.clone().unwrap_or_default(), format!("POST /v1/route {capability}"));
    let invocation = invocation(&request_id, paying, name, &headers, body)?;
    let outcome = match slug {
        Some(_) => app.agents.invoke(invocation).await,
        None => {
            app.agents.find_repeat(&invocation.call).and_then(|repeated| repeated.ok_or(AgentError::NoCapableAgent))
        }
    };
    let outcome = outcome.map_err(|error| agent_error(&app, error))?;
    // Who has it: of a repeat that may be another one than it would be now.
    let accepted = match &outcome {
        InvocationOutcome::Accepted { task_id } => Some(app.agents.task(&principal.account_id, task_id)),
        InvocationOutcome::Completed { .. } => None,
    };
    let mut response = respond(outcome)?;
    if let Some(Ok(view)) = accepted {
        response.headers_mut().insert(ROUTED, header_value(&view.agent)?);
    }
    Ok(response)
}

/// One text member of a JSON object, and the object without it.
fn without(body: &[u8], member: &str, what: &str) -> Result<(String, Bytes), ApiError> {
    let mut members: Map<String, Value> = serde_json::from_slice(body)
        .map_err(|error| ApiError::invalid("", format!("the body must be a JSON object: {error}")))?;
    match members.remove(member) {
        Some(Value::String(text)) => Ok((text, Value::Object(members).to_string().into())),
        _ => Err(ApiError::invalid(&format!("/{member}"), format!("`{member}` is missing: {what}"))),
    }
}

/// What is asked of an agent: its name, and what a repeat must share beside body
/// and key.
fn invocation(
    request_id: &str,
    (account, spend): (String, Option<DailySpendLimit>),
    (slug, route): (String, String),
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Invocation, ApiError> {
    // What is wrong with the rest of the body is said where it is read.
    let asked = serde_json::from_slice::<Value>(&body).ok().and_then(|value| value.get("wait_ms").cloned());
    let wait = Duration::from_millis(wait_ms(asked.as_ref())?);
    let source = match source(headers)? {
        // Agents are paid from credit unless an intent is sent.
        PaymentSource::Nothing => PaymentSource::Credit,
        source => source,
    };
    let call = Call {
        request_id: request_id.to_owned(),
        now_ms: now_ms(),
        account: Some(account),
        kind: Kind::Agent,
        route,
        name: slug,
        body,
        source,
        idempotency_key: single_header(headers, IDEMPOTENCY_KEY)?.map(str::to_owned),
        queued: None,
        spend,
        max_cost: max_cost(headers)?,
    };
    Ok(Invocation { call, wait })
}

fn respond(outcome: InvocationOutcome) -> Result<Response, ApiError> {
    match outcome {
        InvocationOutcome::Completed { task_id, answer, proof } => done(&task_id, answer, &proof.to_json()),
        InvocationOutcome::Accepted { task_id } => Ok(accepted(&task_id)),
    }
}

fn wait_ms(asked: Option<&Value>) -> Result<u64, ApiError> {
    match asked {
        None | Some(Value::Null) => Ok(TASK_WAIT_MS),
        Some(value) => value.as_u64().filter(|ms| *ms <= TASK_WAIT_MS_MAX).ok_or_else(|| {
            ApiError::invalid(
                "/wait_ms",
                format!("wait_ms is a whole number of milliseconds, at most {TASK_WAIT_MS_MAX}"),
            )
        }),
    }
}

/// `{task_id, status, output, proof}`; the output is the agent's own bytes.
fn done(task_id: &str, answer: CallAnswer, proof: &Value) -> Result<Response, ApiError> {
    let (body, names, remaining, replayed) = match answer {
        CallAnswer::Paid { sealed, remaining, .. } => {
            let names = (*sealed.tx(), *sealed.seal());
            (sealed.into_body(), Some(names), remaining, false)
        }
        CallAnswer::Replayed(recovered) => (recovered.body, Some((recovered.tx, recovered.seal)), None, true),
        CallAnswer::Free(body) => (body, None, None, false),
    };
    let mut response = json_response(StatusCode::OK, around(task_id, &body, proof));
    if let Some(slug) = proof.pointer("/statement/slug").and_then(Value::as_str) {
        response.headers_mut().insert(ROUTED, header_value(slug)?);
    }
    if let Some((tx, seal)) = names {
        add_seal_headers(&mut response, &tx, &seal)?;
    }
    if let Some(remaining) = remaining {
        response.headers_mut().insert(PAYMENT_REMAINING, header_value(&remaining.pounds())?);
    }
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn around(task_id: &str, output: &[u8], proof: &Value) -> Bytes {
    let mut text = Vec::with_capacity(output.len().saturating_add(2_048));
    text.extend_from_slice(br#"{"task_id":"#);
    text.extend_from_slice(Value::from(task_id).to_string().as_bytes());
    text.extend_from_slice(br#","status":"completed","output":"#);
    text.extend_from_slice(output);
    text.extend_from_slice(br#","proof":"#);
    text.extend_from_slice(proof.to_string().as_bytes());
    text.push(b'}');
    text.into()
}

fn json_response(status: StatusCode, body: Bytes) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

/// The task goes on without its caller.
fn accepted(task_id: &str) -> Response {
    let path = format!("/v1/tasks/{task_id}");
    let body = json!({ "task_id": task_id, "status": "working", "output": null, "proof": null, "task": path });
    let mut response = (StatusCode::ACCEPTED, Json(body)).into_response();
    if let Ok(value) = HeaderValue::from_str(&path) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(1));
    response
}

/// `{agent, task, input?, max_cost_gbp?}`: accepted for later, paid now.
async fn enqueue(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    if headers.contains_key(INTENT) {
        return Err(ApiError::invalid("", "a queued task is paid from credit; leave out X-Payment-Intent-Id"));
    }
    keeps_platform_rules(&body)?;
    let (slug, body) = without(&body, "agent", "which agent shall do it, by its name")?;
    let call = Call {
        request_id: request_id.to_string(),
        now_ms: now_ms(),
        account: Some(principal.account_id.clone()),
        kind: Kind::Agent,
        route: format!("POST /v1/agents/enqueue {slug}"),
        name: slug,
        body,
        source: PaymentSource::Credit,
        idempotency_key: single_header(&headers, IDEMPOTENCY_KEY)?.map(str::to_owned),
        queued: None,
        spend: spend_limit(&principal),
        max_cost: max_cost(&headers)?,
    };
    let account = principal.account_id.clone();
    let id = app.agents.enqueue(call).await.map_err(|error| agent_error(&app, error))?;
    let view = app.agents.task(&account, &id).map_err(|error| agent_error(&app, error))?;
    Ok((StatusCode::ACCEPTED, Json(task_json(&view))).into_response())
}
