//! Tasks as the tasks extension has them: a call that an agent takes long for is
//! answered with a handle, which shows the durable task that it became.
//!
//! Invariant: a handle is the id of a task of the queue and shows it to its
//! caller alone; it is given out when the task is durable.

use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;
use tollbridge_agents::{AgentError, TaskState, TaskView};
use tollbridge_core::limits::{A2A_OPEN_TASK_KEPT_MS, MCP_TASK_POLL_MS};
use tollbridge_core::time::rfc3339;

use crate::error_mapping::agents::agent_error;
use crate::mcp::answer::ended;
use crate::state::AppState;

/// The handle of a task that was just accepted.
pub(crate) fn created(app: &AppState, account: &str, id: &str) -> Result<CreateTaskResult, ErrorData> {
    let view = app.agents.task(account, id).map_err(|error| failed(app, error))?;
    // Whatever became of it meanwhile is told where it is asked for.
    Ok(CreateTaskResult::new(handle(&view)))
}

/// A task of an account's with what became of it.
pub(crate) fn get(app: &AppState, account: &str, id: &str) -> Result<GetTaskResult, ErrorData> {
    let view = app.agents.task(account, id).map_err(|error| failed(app, error))?;
    Ok(GetTaskResult::new(DetailedTask::new(handle(&view), payload(&view)?)))
}

/// A task takes no input while it runs; but it must be there.
pub(crate) fn update(app: &AppState, account: &str, id: &str) -> Result<(), ErrorData> {
    app.agents.task(account, id).map(drop).map_err(|error| failed(app, error))
}

/// Cancels a task, if it still can be: what has ended stays as it is.
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

/// A task that failed is a call that was answered, with an error.
fn payload(view: &TaskView) -> Result<TaskPayload, ErrorData> {
    Ok(match view.state {
        TaskState::Queued | TaskState::Working => TaskPayload::Working,
        TaskState::Canceled => TaskPayload::Cancelled,
        TaskState::Completed | TaskState::Failed => TaskPayload::Completed { result: members(&ended(view))? },
    })
}

fn members(result: &CallToolResult) -> Result<serde_json::Map<String, Value>, ErrorData> {
    match serde_json::to_value(result) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(ErrorData::internal_error("the result is no object", None)),
    }
}

fn failed(app: &AppState, error: AgentError) -> ErrorData {
    match error {
        AgentError::TaskNotFound => ErrorData::invalid_params("there is no such task of yours", None),
        error => ErrorData::internal_error(agent_error(app, error).message().to_owned(), None),
    }
}
