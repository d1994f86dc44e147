//! Tasks of agents: reading, cancelling, and their public proof.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tollbridge_agents::{TaskProof, TaskState, TaskView};
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_core::timestamp::Timestamp;
use tollbridge_web::admit::Caller;
use tollbridge_web::{AppState, Path, Routes};

use crate::agent_error::agent_error;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("agents")
        .get(
            "/v1/tasks/{id}",
            show,
            Operation::new("showTask", "Show a task", "State, output and proof of a task of this account.")
                .answer::<TaskStatus>(200, "The task"),
        )
        .post(
            "/v1/tasks/{id}/cancel",
            cancel,
            Operation::new(
                "cancelTask",
                "Cancel a task",
                "Cancels a task that has no answer yet; its price is refunded.",
            )
            .answer::<TaskStatus>(200, "The task")
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
            .answer::<TaskProof>(200, "The proof"),
        )
}

/// A task as its caller sees it. Data past its retention is null.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TaskStatus {
    task_id: String,
    agent: String,
    #[schemars(extend("enum" = ["queued", "working", "completed", "failed", "canceled"]))]
    status: &'static str,
    output: Value,
    proof: Option<TaskProof>,
    failed_attempts: u32,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The reason for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TaskFailure")]
    error: Option<TaskFailure>,
    /// The error of the last attempt, while the task may still be retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TaskFailure")]
    last_error: Option<TaskFailure>,
}

/// The failure of a task.
#[derive(Serialize, JsonSchema)]
struct TaskFailure {
    error: String,
    code: &'static str,
    /// Amount charged although the task failed, because other plugins that the agent
    /// called had answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    charged_gbp: Option<String>,
    /// The input that the agent proposes instead of a task that it did not understand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FailureDetails")]
    details: Option<FailureDetails>,
}

/// Details of a failure.
#[derive(Serialize, JsonSchema)]
struct FailureDetails {
    /// The input that the agent understood: send it, corrected, as `input`.
    #[schemars(with = "serde_json::Map<String, Value>")]
    input: Value,
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let view = app.agents.views.task(&principal.account_id, &id).map_err(|error| agent_error(&app, error))?;
    Ok(([(header::CACHE_CONTROL, "private, no-store")], Json(TaskStatus::new(view))).into_response())
}

async fn cancel(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<TaskStatus>, ApiError> {
    let view = app.agents.cancel(&principal.account_id, &id).await.map_err(|error| agent_error(&app, error))?;
    Ok(Json(TaskStatus::new(view)))
}

impl TaskStatus {
    /// Creates the status for the task's caller.
    pub(crate) fn new(view: TaskView) -> Self {
        let failure = view.error.map(|error| TaskFailure {
            code: code_of(&error.kind).parts().0,
            error: error.message,
            charged_gbp: (!error.charged.is_zero()).then(|| error.charged.pounds()),
            details: error.input.map(|input| FailureDetails { input }),
        });
        let (error, last_error) = if view.state == TaskState::Failed { (failure, None) } else { (None, failure) };
        Self {
            task_id: view.task_id,
            agent: view.agent,
            status: view.state.as_str(),
            output: view.output.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default(),
            proof: view.proof,
            failed_attempts: view.failed_attempts,
            created_at: Timestamp::from_ms(view.created_ms),
            updated_at: Timestamp::from_ms(view.updated_ms),
            error,
            last_error,
        }
    }
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
async fn proof(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<TaskProof>, ApiError> {
    let missing = || not_found("no completed task has this id");
    let answered = app.agents.proofs.answered(&id).map_err(|error| internal(&error))?.ok_or_else(missing)?;
    let proof = app.agents.proofs.prove_included(&answered, now_ms()).await;
    proof.map(Json).map_err(|error| internal(&error))
}
