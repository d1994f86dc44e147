//! Agents: giving one a task, at once or for later, and looking at it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::admit::{Caller, RequestId};
use super::body::{JsonRequest, keeps_platform_rules};
use super::error::{ApiError, Code};
use super::oracle::{self, IDEMPOTENCY_KEY, INTENT, PAYMENT_REMAINING, REPLAYED};
use super::path::Path;
use super::{Shared, internal, not_found, now_ms, rfc3339};
use tollbridge_agents::{AgentError, Invocation, InvocationOutcome, TaskState, TaskView};
use tollbridge_core::limits::{TASK_WAIT_MS, TASK_WAIT_MS_MAX};
use tollbridge_market::catalog::OfferError;
use tollbridge_market::checkout::{Call, CallAnswer, CheckoutError, PaymentSource};
use tollbridge_payment::DailySpendLimit;
use tollbridge_runtime::registry::Kind;

/// Which agent a routed task went to.
const ROUTED: HeaderName = HeaderName::from_static("x-agent");

pub fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/agents/{slug}/invoke", post(invoke))
        .route("/api/v1/agents/{slug}/invoke", post(invoke))
        .route("/v1/agents/enqueue", post(enqueue))
        .route("/v1/route", post(route))
        .route("/v1/tasks/{id}", get(show))
        .route("/v1/tasks/{id}/cancel", post(cancel))
        .route("/v1/workforce/proof/{task_id}/public", get(proof))
        .route("/api/v1/workforce/proof/{task_id}/public", get(proof))
}

async fn invoke(
    State(shared): State<Arc<Shared>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    Path(slug): Path<String>,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    let route = format!("POST /v1/agents/{slug}/invoke");
    let paying = (principal.account_id.clone(), oracle::spend_limit(&principal));
    let invocation = invocation(&request_id, paying, (slug, route), &headers, body)?;
    shared.agents.invoke(invocation).await.map_err(|error| refuse(&shared, error)).and_then(respond)
}

/// `{capability, task, input?, max_cost_gbp?}`: the cheapest agent for it.
async fn route(
    State(shared): State<Arc<Shared>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    keeps_platform_rules(&body)?;
    let (capability, body) = without(&body, "capability", "what the agent shall be good at, a skill id")?;
    let paying = (principal.account_id.clone(), oracle::spend_limit(&principal));
    let slug = shared.agents.cheapest_with_skill(&capability);
    // What is repeated under a key is the request, whoever is cheapest by then.
    let name = (slug.clone().unwrap_or_default(), format!("POST /v1/route {capability}"));
    let invocation = invocation(&request_id, paying, name, &headers, body)?;
    let outcome = match slug {
        Some(_) => shared.agents.invoke(invocation).await,
        None => {
            shared.agents.find_repeat(&invocation.call).and_then(|repeated| repeated.ok_or(AgentError::NoCapableAgent))
        }
    };
    let outcome = outcome.map_err(|error| refuse(&shared, error))?;
    // Who has it: of a repeat that may be another one than it would be now.
    let accepted = match &outcome {
        InvocationOutcome::Accepted { task_id } => Some(shared.agents.task(&principal.account_id, task_id)),
        InvocationOutcome::Completed { .. } => None,
    };
    let mut response = respond(outcome)?;
    if let Some(Ok(view)) = accepted {
        response.headers_mut().insert(ROUTED, oracle::ascii(&view.agent)?);
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
    let source = match oracle::source(headers)? {
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
        idempotency_key: oracle::text(headers, IDEMPOTENCY_KEY)?.map(str::to_owned),
        queued: None,
        spend,
        max_cost: oracle::max_cost(headers)?,
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
        response.headers_mut().insert(ROUTED, oracle::ascii(slug)?);
    }
    if let Some((tx, seal)) = names {
        oracle::name(&mut response, &tx, &seal)?;
    }
    if let Some(remaining) = remaining {
        response.headers_mut().insert(PAYMENT_REMAINING, oracle::ascii(&remaining.pounds())?);
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
    State(shared): State<Arc<Shared>>,
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
        idempotency_key: oracle::text(&headers, IDEMPOTENCY_KEY)?.map(str::to_owned),
        queued: None,
        spend: oracle::spend_limit(&principal),
        max_cost: oracle::max_cost(&headers)?,
    };
    let account = principal.account_id.clone();
    let id = shared.agents.enqueue(call).await.map_err(|error| refuse(&shared, error))?;
    let view = shared.agents.task(&account, &id).map_err(|error| refuse(&shared, error))?;
    Ok((StatusCode::ACCEPTED, Json(task_json(&view))).into_response())
}

async fn show(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let view = shared.agents.task(&principal.account_id, &id).map_err(|error| refuse(&shared, error))?;
    Ok(([(header::CACHE_CONTROL, "private, no-store")], Json(task_json(&view))).into_response())
}

async fn cancel(
    State(shared): State<Arc<Shared>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let view = shared.agents.cancel(&principal.account_id, &id).await.map_err(|error| refuse(&shared, error))?;
    Ok(Json(task_json(&view)).into_response())
}

/// A task for its caller. What is not kept any more is null.
pub fn task_json(view: &TaskView) -> Value {
    let output = view.output.as_deref().and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    let mut task = json!({
        "task_id": view.task_id,
        "agent": view.agent,
        "status": view.state.as_str(),
        "output": output,
        "proof": view.proof.as_ref().map(|proof| proof.to_json()),
        "failed_attempts": view.failed_attempts,
        "created_at": rfc3339(view.created_ms),
        "updated_at": rfc3339(view.updated_ms),
    });
    if let (Some(error), Some(members)) = (&view.error, task.as_object_mut()) {
        let (code, ..) = code_of(&error.kind).parts();
        let told = json!({ "error": error.message, "code": code });
        // While it may still be tried again this is why it was not done yet.
        let name = if view.state == TaskState::Failed { "error" } else { "last_error" };
        members.insert(name.to_owned(), told);
    }
    task
}

/// The code of why a task has no answer.
fn code_of(kind: &str) -> Code {
    match kind {
        "invalid_input" => Code::Invalid,
        "not_found" => Code::NotFound,
        "unavailable" => Code::DataMissing,
        "no_provider" => Code::NoProvider,
        "timed_out" => Code::PluginTimedOut,
        "overloaded" | "host" => Code::Overloaded,
        "agent_gone" => Code::AgentNotFound,
        "unpaid" => Code::PaymentRequired,
        _ => Code::PluginFailed,
    }
}

/// The proof of a task, for anybody: no text of task or output is in it.
async fn proof(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let missing = || not_found("no answered task has this id");
    let answered = shared.agents.proofs.answered(&id).map_err(|error| internal(&error))?.ok_or_else(missing)?;
    let proof = shared.agents.proofs.prove_included(&answered, now_ms()).await.map_err(|error| internal(&error))?;
    Ok(Json(proof.to_json()).into_response())
}

/// An error of the agents' room as the client sees it.
pub fn refuse(shared: &Shared, error: AgentError) -> ApiError {
    let message = error.to_string();
    match error {
        AgentError::Call(CheckoutError::Offer(OfferError::Unknown { suggestion })) => {
            let error = ApiError::new(Code::AgentNotFound, "there is no such agent");
            match suggestion {
                Some(name) => error.hint(&format!("did you mean `{name}`? GET /api/v1/agents lists all")),
                None => error.hint("GET /api/v1/agents lists all"),
            }
        }
        AgentError::Call(CheckoutError::Offer(OfferError::Disabled { .. })) => {
            ApiError::new(Code::AgentNotFound, message)
        }
        AgentError::Call(error) => oracle::refuse(shared, error),
        AgentError::NoCapableAgent => {
            ApiError::new(Code::AgentNotFound, message).hint("GET /api/v1/agents lists agents and their skills")
        }
        AgentError::TaskNotFound => not_found(message),
        AgentError::AlreadyEnded(_) | AgentError::NotCancelable => {
            ApiError::new(Code::InProgress, message).hint("GET /v1/tasks/{id} shows it")
        }
        AgentError::QueueFull(_) => ApiError::new(Code::RateLimited, message).retry_after(60),
        AgentError::ServerFull => ApiError::new(Code::Overloaded, message).retry_after(60),
        AgentError::Proof(error) => internal(&error),
        AgentError::Store(error) => internal(&error),
        AgentError::Entry(error) => internal(&error),
        AgentError::Damaged(_) => internal(&error),
    }
}
