//! Tool results: the answer of a call, or a failure that a model can read and act on.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Value, json};
use tollbridge_agents::{AgentError, InvocationOutcome, TaskState, TaskView};
use tollbridge_market::checkout::{CallAnswer, CheckoutError};
use tollbridge_payment::PaymentDeclined;
use tollbridge_store::Hash;
use tollbridge_web::AppState;
use tollbridge_web::error_mapping::checkout_error;

use crate::agent_error::agent_error;
use crate::mcp::paid;
use crate::tasks::{TaskStatus, code_of};

/// Advice for a failure that was charged for.
const CHARGED: &str = "Calling again may cost as much again.";

/// Returns an answer as text and as structured content, with its seal.
pub(crate) fn answer_result(answer: CallAnswer) -> CallToolResult {
    match answer {
        CallAnswer::Free(body) => result(&body),
        CallAnswer::Paid { sealed, .. } => {
            let (tx, seal) = (*sealed.tx(), *sealed.seal());
            named(result(&sealed.into_body()), &tx, &seal)
        }
        CallAnswer::Replayed(recovered) => named(result(&recovered.body), &recovered.tx, &recovered.seal),
    }
}

/// Returns the result of an agent's task.
pub(crate) fn invoked(app: &AppState, slug: &str, outcome: InvocationOutcome) -> CallToolResult {
    match outcome {
        InvocationOutcome::Completed { task_id, answer, proof } => {
            let mut answered = answer_result(answer);
            let (output, meta) = (answered.structured_content.take(), answered.meta.take());
            let mut result = CallToolResult::structured(json!({
                "task_id": task_id,
                "agent_slug": slug,
                "status": "completed",
                "output": output,
                "proof": proof.to_json(),
            }));
            result.meta = meta;
            result
        }
        InvocationOutcome::Accepted { task_id } => {
            let task = format!("{}/v1/tasks/{task_id}", app.settings.base_url);
            let body = json!({ "task_id": task_id, "agent_slug": slug, "status": "working", "task": task });
            CallToolResult::structured(body)
        }
    }
}

/// Returns the current state of a task.
pub(crate) fn task_result(view: TaskView) -> CallToolResult {
    let meta = view.proof.as_ref().map(|proof| {
        let tx = view.task_id.strip_prefix("task_").unwrap_or_default();
        meta(tx, proof.seal())
    });
    let mut task = json!(TaskStatus::new(view));
    if let Some(members) = task.as_object_mut() {
        // `invoke_agent` uses this member name.
        let slug = members.remove("agent").unwrap_or_default();
        members.insert("agent_slug".to_owned(), slug);
    }
    let mut result = CallToolResult::structured(task);
    result.meta = meta;
    result
}

/// Returns a task's outcome as the original call would have returned it had it waited.
pub(crate) fn ended(view: TaskView) -> CallToolResult {
    let Some(error) = view.error.as_ref().filter(|_| view.state == TaskState::Failed) else { return task_result(view) };
    let (code, ..) = code_of(&error.kind).parts();
    let failed = failure(code, &error.message, if error.charged.is_zero() { "Nothing was charged." } else { CHARGED });
    proposing(failed, error.input.as_ref())
}

/// Returns the failure of an agent's task.
pub(crate) fn agent_failure(app: &AppState, error: AgentError) -> CallToolResult {
    match error {
        AgentError::Call(error) if !matches!(error, CheckoutError::Offer(_)) => call_failure(app, error),
        other => {
            let error = agent_error(app, other);
            let (code, ..) = error.code.parts();
            failure(code, &error.sentence(), "Nothing was charged.")
        }
    }
}

/// Returns the failure for invalid arguments.
pub(crate) fn invalid_arguments(wrong: &str) -> CallToolResult {
    failure("E011", wrong, "Nothing was charged.")
}

/// Returns the failure for a payment that the client's user declined.
pub(crate) fn payment_refused() -> CallToolResult {
    failure("E003", "the payment was declined", "Nothing was charged. Ask the person you act for what to do instead.")
}

/// Builds a failure from a code, a description and advice.
fn failure(code: &str, what: &str, advice: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("{code}: {}. {advice}", what.trim_end_matches('.')))])
}

fn result(body: &[u8]) -> CallToolResult {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => CallToolResult::structured(value),
        // Answers are verified to be JSON before they are sold, so this is a fallback.
        Err(_) => CallToolResult::success(vec![ContentBlock::text(String::from_utf8_lossy(body))]),
    }
}

fn named(mut result: CallToolResult, tx: &Hash, seal: &Hash) -> CallToolResult {
    result.meta = Some(meta(&hex::encode(tx), seal));
    result
}

/// Returns the metadata that names the record of an answer.
fn meta(tx: &str, seal: &Hash) -> MetaObject {
    let mut members = JsonObject::new();
    members.insert("transaction_id".to_owned(), json!(format!("tx_{tx}")));
    members.insert("worm_seal".to_owned(), json!(hex::encode(seal)));
    MetaObject(members)
}

/// Returns a failed call: the error, whether it was charged, and what to do.
pub(crate) fn call_failure(app: &AppState, error: CheckoutError) -> CallToolResult {
    let advice = advice(app, &error);
    let offered = paid::offer(app, &error);
    let proposed = error.proposed_input().cloned();
    // These hints name HTTP routes; MCP clients use tools/list instead.
    let listed = matches!(error, CheckoutError::Offer(_));
    let error = checkout_error(app, error);
    let hint = error.text("hint").filter(|_| !listed).map(|hint| format!(" ({hint})")).unwrap_or_default();
    let (code, ..) = error.code.parts();
    let said = failure(code, &format!("{}{hint}", error.sentence().trim_end_matches('.')), &advice);
    match offered {
        Some(offered) => paid::asked(offered, said),
        None => proposing(said, proposed.as_ref()),
    }
}

/// Adds the input that an agent proposes to the failure of its task: as structured content, and
/// as text for clients that show nothing else to a model.
fn proposing(mut failed: CallToolResult, proposed: Option<&Value>) -> CallToolResult {
    let Some(proposed) = proposed else { return failed };
    let proposal = json!({ "details": { "input": proposed } });
    let advice = format!("To confirm this input or to correct it, call again with it as `input`: {proposed}");
    failed.content.push(ContentBlock::text(advice));
    failed.structured_content = Some(proposal);
    failed
}

/// Returns the next step for a model that cannot act outside this protocol.
fn advice(app: &AppState, error: &CheckoutError) -> String {
    match error {
        CheckoutError::Charged { .. } => CHARGED.to_owned(),
        CheckoutError::PaymentRequired(required)
            if matches!(required.problem, Some(PaymentDeclined::DailyLimitExceeded(_))) =>
        {
            format!(
                "Nothing was charged. The person you act for has set a daily limit, which is used up. They can raise it at \
             {}/account, or wait until tomorrow (UTC).",
                app.settings.base_url
            )
        }
        CheckoutError::PaymentRequired(required)
            if matches!(required.problem, Some(PaymentDeclined::MaxCostExceeded { .. })) =>
        {
            "Nothing was charged. The call costs more than X-Max-Cost-GBP or max_cost_gbp allows.".to_owned()
        }
        CheckoutError::PaymentRequired(required) if required.issued.quote.terms.account.is_none() => format!(
            "Nothing was charged. The call costs {}. Sign an entry of `accepts` of structuredContent (x402) and call \
             the tool again with the same arguments and the payment in _meta[\"x402/payment\"], or use {}/mcp with an \
             API key.",
            required.issued.quote.terms.price.display_gbp(),
            app.settings.base_url
        ),
        CheckoutError::PaymentRequired(required) => format!(
            "Nothing was charged. The call costs {}. Ask the person you act for to add credit at {}/account, then \
             call the tool again with the same arguments.",
            required.issued.quote.terms.price.display_gbp(),
            app.settings.base_url
        ),
        CheckoutError::Invalid { .. } | CheckoutError::NoResource { .. } => {
            "Nothing was charged. Correct the arguments by the tool's input schema and call again.".to_owned()
        }
        CheckoutError::Lost => "It may have been charged: repeat the call with the same Idempotency-Key.".to_owned(),
        CheckoutError::AlreadySealed { .. } => "Nothing more was charged.".to_owned(),
        CheckoutError::Offer(_) => "Nothing was charged. tools/list shows what is available.".to_owned(),
        _ => "Nothing was charged.".to_owned(),
    }
}
