//! Tasks of the MCP tasks extension: if an agent takes long, its call becomes a durable
//! task, and the client gets a handle to the task.
//!
//! Invariant: a handle is the id of a queued task, visible to its caller only; it is
//! handed out once the task is durable.

use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;
use tollbridge_agents::limits::A2A_OPEN_TASK_KEPT_MS;
use tollbridge_agents::{AgentError, TaskState, TaskView};
use tollbridge_core::time::rfc3339;
use tollbridge_web::AppState;

use crate::agent_error::agent_error;
use crate::mcp::answer::ended;

/// Polling interval suggested to a client that polls for an agent's answer.
const MCP_TASK_POLL_MS: u64 = 1_000;

/// Returns the handle of a task that was just accepted.
pub(crate) fn created(app: &AppState, account: &str, id: &str) -> Result<CreateTaskResult, ErrorData> {
    let view = app.agents.views.task(account, id).map_err(|error| failed(app, error))?;
    // The handle always says `working`; the first status request reports the actual
    // state.
    Ok(CreateTaskResult::new(handle(&view)))
}

/// Returns a task of an account with its outcome so far.
pub(crate) fn get(app: &AppState, account: &str, id: &str) -> Result<GetTaskResult, ErrorData> {
    let view = app.agents.views.task(account, id).map_err(|error| failed(app, error))?;
    Ok(GetTaskResult::new(DetailedTask::new(handle(&view), payload(&view)?)))
}

/// Accepts and ignores input for a running task, but checks that the task exists.
pub(crate) fn update(app: &AppState, account: &str, id: &str) -> Result<(), ErrorData> {
    app.agents.views.task(account, id).map(drop).map_err(|error| failed(app, error))
}

/// Cancels a task if it has not ended; an ended task stays as it is.
pub(crate) async fn cancel(app: &AppState, account: &str, id: &str) -> Result<(), ErrorData> {
    match app.agents.cancel(account, id).await {
        Ok(_) | Err(AgentError::AlreadyEnded(_) | AgentError::NotCancelable) => Ok(()),
        Err(error) => Err(failed(app, error)),
    }
}

fn handle(view: &TaskView) -> Task {
    let task = Task::new(&view.task_id, TaskStatus::Working, rfc3339(view.created_ms), rfc3339(view.updated_ms));
    task.with_ttl_ms(A2A_OPEN_TASK_KEPT_MS).with_poll_interval_ms(MCP_TASK_POLL_MS)
}

/// Returns the state of a task; a failed task is a completed call with an error.
fn payload(view: &TaskView) -> Result<TaskPayload, ErrorData> {
    Ok(match view.state {
        TaskState::Queued | TaskState::Working => TaskPayload::Working,
        TaskState::Canceled => TaskPayload::Cancelled,
        TaskState::Completed | TaskState::Failed => TaskPayload::Completed { result: members(&ended(view.clone()))? },
    })
}

fn members(result: &CallToolResult) -> Result<serde_json::Map<String, Value>, ErrorData> {
    match serde_json::to_value(result) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(ErrorData::internal_error("the result is not an object", None)),
    }
}

fn failed(app: &AppState, error: AgentError) -> ErrorData {
    match error {
        AgentError::TaskNotFound => ErrorData::invalid_params("no such task in this account", None),
        error => ErrorData::internal_error(agent_error(app, error).message().to_owned(), None),
    }
}
