//! Tool calls: turning a request into a call, and waiting for its result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CallToolResult, ErrorData, InputRequiredResult, ProgressNotificationParam};
use rmcp::service::RequestContext;
use serde_json::Value;
use tollbridge_agents::{AgentError, Invocation, InvocationOutcome};
use tollbridge_api::error::ApiError;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{Call, CheckoutError, PaymentSource};
use tollbridge_paywall::call_headers::{IDEMPOTENCY_KEY, max_cost, single_header, spend_limit};
use tollbridge_paywall::wallet::payment_of;
use tollbridge_plugin::Failure;
use tollbridge_web::AppState;
use tollbridge_web::admit::RequestId;

use crate::mcp::answer::{agent_failure, answer_result, call_failure, invoked, task_result};
use crate::mcp::asking::Paying;
use crate::mcp::paid::add_receipt;
use crate::mcp::round::Round;
use crate::mcp::sender::{ours, parts, principal, sender};
use crate::mcp::{argument, handles};

/// Interval between progress notifications for a call that is still running.
const MCP_PROGRESS_EVERY_MS: u64 = 2_000;
/// Interval between checks of a task that a client waits for.
const MCP_TASK_CHECK_MS: u64 = 250;
/// Time that a request waits for an agent if the client can poll for the answer.
const MCP_TASK_AFTER_MS: u64 = 1_000;

/// Runs a call of a bridge.
pub(crate) async fn call(
    app: &AppState,
    call: Call,
    (paying, round): (&Paying, &Round),
    context: &RequestContext<RoleServer>,
) -> CallToolResponse {
    let asked = (call.kind, call.name.clone(), call.body.clone());
    let payment = payment_of(&call.source);
    match with_progress(context, app.checkout.run(call)).await {
        Ok(answer) => add_receipt(app, answer_result(answer), payment.as_deref()).into(),
        Err(error) => match question(app, asked, error, (paying, round), context).await {
            Ok(question) => question.into(),
            Err(error) => call_failure(app, error).into(),
        },
    }
}

/// Returns a question for what a failed call lacks, or the error if there is none. Does not ask for
/// payment while the input is invalid, because such a call could not be answered.
async fn question(
    app: &AppState,
    (kind, name, body): (PluginKind, String, Bytes),
    error: CheckoutError,
    (paying, round): (&Paying, &Round),
    context: &RequestContext<RoleServer>,
) -> Result<InputRequiredResult, CheckoutError> {
    let payment = paying.ask(app, &error, round);
    let error = match error {
        CheckoutError::PaymentRequired(_) => missing(app, kind, &name, &body).await.unwrap_or(error),
        error => error,
    };
    if let CheckoutError::Plugin(Failure::InvalidInput { message, .. }) = error.cause()
        && kind == PluginKind::Agent
    {
        return argument::agent_question(message, round, context).ok_or(error);
    }
    match &error {
        CheckoutError::Invalid { field, .. } if kind == PluginKind::Bridge => {
            let arguments = serde_json::from_slice(&body).unwrap_or_default();
            argument::question(app, (&name, &arguments), field, round, context).ok_or(error)
        }
        CheckoutError::PaymentRequired(_) => payment.ok_or(error),
        _ => Err(error),
    }
}

/// Checks the input of a call that was refused for lack of payment; `None` if it is valid.
async fn missing(app: &AppState, kind: PluginKind, name: &str, body: &[u8]) -> Option<CheckoutError> {
    let offer = app.catalog.offer(kind, name).ok()?;
    let mut input: Value = serde_json::from_slice(body).ok()?;
    if kind == PluginKind::Agent {
        input = input.get_mut("input")?.take();
    }
    let bytes = input.to_string().len();
    let wrong = offer.plugin.check_input(&Arc::new(input), bytes).await.ok()??;
    Some(CheckoutError::Invalid { field: wrong.field, message: wrong.message })
}

/// Gives a task to an agent. A task that outlasts the wait continues in the background; a client
/// that supports tasks gets a handle early.
pub(crate) async fn invoke(
    app: &AppState,
    call: Call,
    wait: Duration,
    (paying, round): (&Paying, &Round),
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let (slug, account) = (call.name.clone(), call.account.clone());
    let payment = payment_of(&call.source);
    let asked = (call.kind, slug.clone(), call.body.clone());
    let takes_handles = context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks());
    // A task without an account cannot be read later, so wait for its result.
    let takes_handles = takes_handles && account.is_some();
    let wait = if account.is_none() { Duration::MAX } else { wait };
    if account.is_none() && payment.is_none() {
        return Ok(unpaid(app, call).await.into());
    }
    let account = account.unwrap_or_default();
    let wait = if takes_handles { wait.min(Duration::from_millis(MCP_TASK_AFTER_MS)) } else { wait };
    Ok(match with_progress(context, app.agents.invoke(Invocation { call, wait })).await {
        Ok(InvocationOutcome::Accepted { task_id }) if takes_handles => {
            handles::created(app, &account, &task_id)?.into()
        }
        Ok(outcome) => add_receipt(app, invoked(app, &slug, outcome), payment.as_deref()).into(),
        Err(AgentError::Call(error)) => match question(app, asked, error, (paying, round), context).await {
            Ok(question) => question.into(),
            Err(error) => agent_failure(app, AgentError::Call(error)).into(),
        },
        Err(error) => agent_failure(app, error).into(),
    })
}

/// Returns the task's price and how a wallet can pay, or the reason why it cannot run.
async fn unpaid(app: &AppState, call: Call) -> CallToolResult {
    match app.checkout.accept(&call).await {
        Err(error) => agent_failure(app, AgentError::Call(error)),
        // A free task needs a key: without a payment the caller would be anonymous.
        Ok(_) => call_failure(app, CheckoutError::CreditNeedsKey),
    }
}

/// Polls a task of the caller until it has ended or the wait is over.
pub(crate) async fn poll_task(
    app: &AppState,
    id: &str,
    wait: Duration,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let principal = principal(context)?;
    let until = Instant::now() + wait;
    let looking = async {
        loop {
            let view = app.agents.views.task(&principal.account_id, id)?;
            if !view.state.is_open() || Instant::now() >= until {
                return Ok::<_, AgentError>(view);
            }
            tokio::time::sleep(Duration::from_millis(MCP_TASK_CHECK_MS)).await;
        }
    };
    Ok(match with_progress(context, looking).await {
        Ok(view) => task_result(view),
        Err(error) => agent_failure(app, error),
    })
}

/// Waits for `running` and sends the client progress notifications meanwhile.
pub(crate) async fn with_progress<F: Future>(context: &RequestContext<RoleServer>, running: F) -> F::Output {
    let Some(token) = context.meta.get_progress_token() else { return running.await };
    let mut running = std::pin::pin!(running);
    let mut updates = 0_u32;
    loop {
        let pause = tokio::time::sleep(Duration::from_millis(MCP_PROGRESS_EVERY_MS));
        tokio::select! {
            outcome = &mut running => return outcome,
            () = pause => {
                updates = updates.saturating_add(1);
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(updates));
                // Ignore the error: the call finishes even if the client has disconnected.
                let _ = context.peer.notify_progress(progress.with_message("still running")).await;
            }
        }
    }
}

/// Builds the call for a tool request.
pub(crate) fn call_of(
    context: &RequestContext<RoleServer>,
    (kind, name): (PluginKind, String),
    body: &Value,
    source: PaymentSource,
) -> Result<Call, ErrorData> {
    let (parts, sender) = (parts(context)?, sender(context)?);
    let principal = sender.principal.as_deref();
    let request_id = parts.extensions.get::<RequestId>().ok_or_else(ours)?;
    let wrong = |error: ApiError| ErrorData::invalid_params(error.sentence(), None);
    let key = single_header(&parts.headers, IDEMPOTENCY_KEY).map_err(wrong)?.map(str::to_owned);
    Ok(Call {
        request_id: request_id.0.to_string(),
        now_ms: now_ms(),
        account: principal.map(|principal| principal.account_id.clone()),
        share: sender.share(),
        kind,
        route: match kind {
            PluginKind::Bridge => format!("POST /v1/oracle/{name}"),
            PluginKind::Agent => format!("POST /v1/agents/{name}/invoke"),
        },
        name,
        body: Bytes::from(body.to_string()),
        source,
        idempotency_key: key,
        queued: None,
        spend: principal.and_then(spend_limit),
        max_cost: max_cost(&parts.headers).map_err(wrong)?,
    })
}
