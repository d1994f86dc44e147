//! Agents: running a task, queueing one for later, and reading its state.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};
use tollbridge_access::{AccessError, Principal};
use tollbridge_agents::limits::TASK_WAIT_MS_MAX;
use tollbridge_agents::{AgentError, Invocation, InvocationOutcome};
use tollbridge_api::components::{CALL_PARAMETERS, reference};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_api::schemas::{each, pounds_or_null, schema};
use tollbridge_core::client_json;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{Call, PaymentSource};
use tollbridge_payment::DailySpendLimit;
use tollbridge_paywall::call_headers::{IDEMPOTENCY_KEY, INTENT, header_value, max_cost, single_header, spend_limit};
use tollbridge_paywall::mpp;
use tollbridge_paywall::payment_source::source;
use tollbridge_paywall::wallet::{self, PAYMENT_SIGNATURE};
use tollbridge_web::admit::{Caller, RequestId, Share};
use tollbridge_web::body::{JsonRequest, PluginRequest, keeps_platform_rules};
use tollbridge_web::error_mapping::{access_error, checkout_error};
use tollbridge_web::{AppState, Path, Routes};

use crate::agent_error::agent_error;
use crate::limits::TASK_WAIT_MS;
use crate::task_answer::{AGENT, AcceptedTask, AnsweredTask, task_response};
use crate::tasks::TaskStatus;

/// Error codes of the routes that give a task to an agent.
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

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let mut paid = Operation::new(
        "invokePaidAgent",
        "Give an agent a task, and pay with the request",
        "For callers without an account. A request without a payment gets 402, with the ways to pay by wallet; a paid \
        one waits for the result.",
    )
    .optional_key()
    .optional_body::<TaskBody>()
    .answer::<AnsweredTask>(200, "The answer and its proof")
    .sealed()
    .errors(&TASK_ERRORS);
    paid.parameters.extend(CALL_PARAMETERS.map(|name| reference("parameters", name)));
    let goes_on = "The task continues; read the result at /v1/tasks/{id}";
    Routes::new("agents")
        .post(
            "/v1/agents/{slug}/invoke",
            invoke,
            Operation::new(
                "invokeAgent",
                "Give an agent a task",
                "The answer comes with a proof; 202 if the task takes longer than `wait_ms`.",
            )
            .alias("/api/v1/agents/{slug}/invoke")
            .body::<TaskBody>()
            .answer::<AnsweredTask>(200, "The answer and its proof")
            .sealed()
            .answer::<AcceptedTask<'_>>(202, goes_on)
            .errors(&TASK_ERRORS),
        )
        .post("/v1/paid/agents/{slug}", invoke_paid, paid)
        .post(
            "/v1/agents/enqueue",
            enqueue,
            Operation::new("enqueueTask", "Queue a task", "Queues a task for later; its price is reserved now.")
                .body::<QueuedTaskBody>()
                .answer::<TaskStatus>(202, "The task")
                .errors(&TASK_ERRORS),
        )
        .post(
            "/v1/route",
            route,
            Operation::new(
                "routeTask",
                "Give a task to the cheapest agent",
                "Chooses the cheapest approved agent with a capability; X-Agent names the agent.",
            )
            .body::<RoutedTaskBody>()
            .answer::<AnsweredTask>(200, "The answer and its proof")
            .sealed()
            .answer::<AcceptedTask<'_>>(202, goes_on)
            .errors(&TASK_ERRORS),
        )
}

/// The body of a task; the checkout checks `input` against the schema of the agent.
#[derive(JsonSchema)]
#[schemars(rename = "Task", deny_unknown_fields, extend("anyOf" = each(&["task", "input"])))]
#[expect(dead_code, reason = "the body passes to the checkout unparsed")]
struct TaskBody {
    /// The task, in words.
    task: Option<String>,
    /// Structured input, as the agent's input schema defines it.
    input: Option<Map<String, Value>>,
    #[schemars(default, schema_with = "pounds_schema")]
    max_cost_gbp: Option<Value>,
    /// Longest wait for the result, milliseconds.
    #[schemars(range(max = TASK_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename = "QueuedTask", deny_unknown_fields, extend("anyOf" = each(&["task", "input"])))]
#[expect(dead_code, reason = "the body passes to the checkout unparsed")]
struct QueuedTaskBody {
    /// Name of the agent.
    agent: String,
    /// The task, in words.
    task: Option<String>,
    /// Structured input, as the agent's input schema defines it.
    input: Option<Map<String, Value>>,
    #[schemars(default, schema_with = "pounds_schema")]
    max_cost_gbp: Option<Value>,
    /// Ignored for queued tasks.
    #[schemars(range(max = TASK_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(rename = "RoutedTask", deny_unknown_fields, extend("anyOf" = each(&["task", "input"])))]
#[expect(dead_code, reason = "the body passes to the checkout unparsed")]
struct RoutedTaskBody {
    /// A skill that the agent must have.
    capability: String,
    /// The task, in words.
    task: Option<String>,
    /// Structured input, as the agent's input schema defines it.
    input: Option<Map<String, Value>>,
    #[schemars(default, schema_with = "pounds_schema")]
    max_cost_gbp: Option<Value>,
    /// Longest wait for the result, milliseconds.
    #[schemars(range(max = TASK_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

fn pounds_schema(_: &mut SchemaGenerator) -> Schema {
    schema(pounds_or_null())
}

async fn invoke(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    Path(slug): Path<String>,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    let route = format!("POST /v1/agents/{slug}/invoke");
    let invocation = invocation(&app, &request_id, &AgentCaller::of(&principal), (slug, route), &headers, body)?;
    answer(&app, invocation).await
}

/// The caller of an agent, with or without an account.
struct AgentCaller {
    account: Option<String>,
    share: FairShare,
    spend: Option<DailySpendLimit>,
}

impl AgentCaller {
    fn of(principal: &Principal) -> Self {
        Self { account: Some(principal.account_id.clone()), share: principal.share(), spend: spend_limit(principal) }
    }
}

/// Runs an agent for a caller that pays with the request. The request waits for the result, because
/// a task without an account cannot be read later.
async fn invoke_paid(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    caller: Option<Caller>,
    Share(share): Share,
    Path(slug): Path<String>,
    PluginRequest { headers, body }: PluginRequest,
) -> Result<Response, ApiError> {
    keeps_platform_rules(&body)?;
    // Both addresses share one route name, so that a request repeated at the other
    // address counts as a repeat.
    let route = format!("POST /v1/agents/{slug}/invoke");
    let agent_caller = caller.map_or_else(
        || AgentCaller { account: None, share, spend: None },
        |Caller(principal)| AgentCaller::of(&principal),
    );
    let mut invocation = invocation(&app, &request_id, &agent_caller, (slug, route), &headers, body)?;
    if agent_caller.account.is_none() {
        let pays = |source: &PaymentSource| {
            matches!(source, PaymentSource::Wallet(_) | PaymentSource::Token(_) | PaymentSource::Intent(_))
        };
        if !pays(&invocation.call.source) {
            return Err(offer_of(&app, invocation.call).await);
        }
        invocation.wait = Duration::MAX;
    }
    answer(&app, invocation).await
}

/// Returns the task's price and payment options, or the reason why it cannot run.
async fn offer_of(app: &Arc<AppState>, call: Call) -> ApiError {
    match app.checkout.accept(&call).await {
        Err(error) => checkout_error(app, error),
        // A free task needs a key: without a payment the caller would be anonymous.
        Ok(_) => access_error(&AccessError::MissingKey),
    }
}

async fn answer(app: &Arc<AppState>, invocation: Invocation) -> Result<Response, ApiError> {
    let source = &invocation.call.source;
    let (payment, token) = (wallet::payment_of(source), mpp::token_of(source));
    let outcome = app.agents.invoke(invocation).await;
    let outcome = outcome.map_err(|error| mpp::keep_paid(&app.paywall, agent_error(app, error), token.as_deref()))?;
    let mut response = task_response(outcome)?;
    wallet::add_receipt(&app.paywall, &mut response, payment.as_deref())?;
    mpp::add_receipt(&app.paywall, &mut response, token.as_deref())?;
    Ok(response)
}

/// Runs `{capability, task, input?, max_cost_gbp?}` on the cheapest agent with that skill.
async fn route(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    let (capability, body) = without(&body, "capability", "the skill that the agent needs")?;
    let slug = app.catalog.snapshot().cheapest_with_skill(&capability);
    // The route name leaves out the agent, so that an idempotency key still identifies a
    // repeat after another agent has become the cheapest.
    let name = (slug.clone().unwrap_or_default(), format!("POST /v1/route {capability}"));
    let invocation = invocation(&app, &request_id, &AgentCaller::of(&principal), name, &headers, body)?;
    let outcome = match slug {
        Some(_) => app.agents.invoke(invocation).await,
        None => {
            // No agent has the skill now, but the request may repeat one that was answered.
            app.agents.find_repeat(&invocation.call).and_then(|repeated| repeated.ok_or(AgentError::NoCapableAgent))
        }
    };
    let outcome = outcome.map_err(|error| agent_error(&app, error))?;
    // A repeat reports its original agent, which may no longer be the cheapest.
    let accepted = match &outcome {
        InvocationOutcome::Accepted { task_id } => Some(app.agents.views.task(&principal.account_id, task_id)),
        InvocationOutcome::Completed { .. } => None,
    };
    let mut response = task_response(outcome)?;
    if let Some(Ok(view)) = accepted {
        response.headers_mut().insert(AGENT, header_value(&view.agent)?);
    }
    Ok(response)
}

/// Removes a string member from a JSON object; returns the string and the remaining
/// object.
fn without(body: &[u8], member: &str, what: &str) -> Result<(String, Bytes), ApiError> {
    let mut members: Map<String, Value> = client_json::read(body)
        .map_err(|error| ApiError::invalid("", format!("the body must be a JSON object: {error}")))?;
    match members.remove(member) {
        Some(Value::String(text)) => Ok((text, Value::Object(members).to_string().into())),
        _ => Err(ApiError::invalid(&format!("/{member}"), format!("`{member}` is missing: {what}"))),
    }
}

/// Builds the invocation of an agent; a repeat has the same `route`, body and idempotency
/// key.
fn invocation(
    app: &AppState,
    request_id: &str,
    agent_caller: &AgentCaller,
    (slug, route): (String, String),
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Invocation, ApiError> {
    // Other problems of the body are reported by the code that parses it.
    let wait_ms_sent = client_json::read::<Value>(&body).ok().and_then(|value| value.get("wait_ms").cloned());
    let wait = Duration::from_millis(wait_ms(wait_ms_sent.as_ref())?);
    let source = match source(&app.paywall, headers, &body)? {
        // Agents are paid from credit unless another payment is sent.
        PaymentSource::Nothing if agent_caller.account.is_some() => PaymentSource::Credit,
        source => source,
    };
    let call = Call {
        request_id: request_id.to_owned(),
        now_ms: now_ms(),
        account: agent_caller.account.clone(),
        share: agent_caller.share.clone(),
        kind: PluginKind::Agent,
        route,
        name: slug,
        body,
        source,
        idempotency_key: single_header(headers, IDEMPOTENCY_KEY)?.map(str::to_owned),
        queued: None,
        spend: agent_caller.spend.clone(),
        max_cost: max_cost(headers)?,
    };
    Ok(Invocation { call, wait })
}

fn wait_ms(sent: Option<&Value>) -> Result<u64, ApiError> {
    match sent {
        None | Some(Value::Null) => Ok(TASK_WAIT_MS),
        Some(value) => value.as_u64().filter(|ms| *ms <= TASK_WAIT_MS_MAX).ok_or_else(|| {
            ApiError::invalid(
                "/wait_ms",
                format!("wait_ms must be a whole number of milliseconds, at most {TASK_WAIT_MS_MAX}"),
            )
        }),
    }
}

/// Queues `{agent, task, input?, max_cost_gbp?}` for later; the price is reserved now.
async fn enqueue(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<(StatusCode, Json<TaskStatus>), ApiError> {
    if mpp::has_credential(&headers) {
        return Err(mpp::not_here());
    }
    if headers.contains_key(INTENT) || headers.contains_key(PAYMENT_SIGNATURE) {
        let message = "a queued task is paid from credit; leave out X-Payment-Intent-Id and PAYMENT-SIGNATURE";
        return Err(ApiError::invalid("", message));
    }
    let (slug, body) = without(&body, "agent", "the name of the agent")?;
    let call = Call {
        request_id: request_id.to_string(),
        now_ms: now_ms(),
        account: Some(principal.account_id.clone()),
        share: principal.share(),
        kind: PluginKind::Agent,
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
    let view = app.agents.views.task(&account, &id).map_err(|error| agent_error(&app, error))?;
    Ok((StatusCode::ACCEPTED, Json(TaskStatus::new(view))))
}
