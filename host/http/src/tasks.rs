//! Tasks of agents: reading, cancelling, and their public proof.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tollbridge_agents::{TaskState, TaskView};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::{Operation, integer, object, text, time};
use tollbridge_core::time::now_ms;
use tollbridge_core::time::rfc3339;

use crate::admit::Caller;
use crate::error_mapping::agents::agent_error;
use crate::path::Path;
use crate::state::AppState;
use crate::state::Routes;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("agents")
        .get(
            "/v1/tasks/{id}",
            show,
            Operation::new("showTask", "Show a task", "State, output and proof of a task of this account.")
                .answer_schema(200, "The task", task_schema()),
        )
        .post(
            "/v1/tasks/{id}/cancel",
            cancel,
            Operation::new(
                "cancelTask",
                "Cancel a task",
                "Cancels a task that has no answer yet; its price is refunded.",
            )
            .answer_schema(200, "The task", task_schema())
            .errors(&[Code::InProgress]),
        )
        .get(
            "/v1/workforce/proof/{task_id}/public",
            proof,
            Operation::new(
                "showProof",
                "Proof of a task",
                "A signed proof of which agent gave which answer and when, with its place in the ledger; see \
                docs/proofs.md.",
            )
            .alias("/api/v1/workforce/proof/{task_id}/public")
            .answer_schema(200, "The proof", json!({ "type": "object" })),
        )
}

fn task_schema() -> Value {
    object(&json!({
        "task_id": text(),
        "agent": text(),
        "status": { "enum": ["queued", "working", "completed", "failed", "canceled"] },
        "output": {},
        "proof": {},
        "failed_attempts": integer(),
        "created_at": time(),
        "updated_at": time(),
    }))
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let view = app.agents.task(&principal.account_id, &id).map_err(|error| agent_error(&app, error))?;
    Ok(([(header::CACHE_CONTROL, "private, no-store")], Json(task_json(&view))).into_response())
}

async fn cancel(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let view = app.agents.cancel(&principal.account_id, &id).await.map_err(|error| agent_error(&app, error))?;
    Ok(Json(task_json(&view)).into_response())
}

/// Renders a task for its caller. Data past its retention is null.
pub(crate) fn task_json(view: &TaskView) -> Value {
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
        let failure = match error.charged.is_zero() {
            true => json!({ "error": error.message, "code": code }),
            false => json!({ "error": error.message, "code": code, "charged_gbp": error.charged.pounds() }),
        };
        // While the task may still be retried, this is the error of the last attempt.
        let name = if view.state == TaskState::Failed { "error" } else { "last_error" };
        members.insert(name.to_owned(), failure);
    }
    task
}

/// Maps the kind of a task's error to an error code.
pub(crate) fn code_of(kind: &str) -> Code {
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

/// Returns the public proof of a task; it contains no text of the task or its output.
async fn proof(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let missing = || not_found("no completed task has this id");
    let answered = app.agents.proofs.answered(&id).map_err(|error| internal(&error))?.ok_or_else(missing)?;
    let proof = app.agents.proofs.prove_included(&answered, now_ms()).await.map_err(|error| internal(&error))?;
    Ok(Json(proof.to_json()).into_response())
}
