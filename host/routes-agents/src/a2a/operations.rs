//! The documentation of the routes of the HTTP+JSON binding.

use serde_json::{Value, json};
use tollbridge_agents::a2a::Card;
use tollbridge_agents::a2a::v1::{Nothing, PushConfigView, PushConfigsView, Reply, TaskView, TasksView};
use tollbridge_api::components::{RPC_STATUS, reference};
use tollbridge_api::operation::{Operation, boolean, text};

/// Documents the route `send`.
pub(super) fn send() -> Operation {
    one("a2aSendMessage", "Send a message to an agent", "Begins a task, or continues one that asks for input.")
        .body_schema(with_message())
        .answer::<Reply>(200, "The task, or the agent's message if the agent answers with a message")
        .answer_schema(402, "The quote, in `details`", reference("schemas", RPC_STATUS))
}

/// Documents the route `stream`.
pub(super) fn stream() -> Operation {
    one("a2aStreamMessage", "Stream a message", "Refused: this server does not support streaming, as its card states.")
        .body_schema(with_message())
        .answer::<Reply>(200, "Never returned")
}

/// Documents the route `list`.
pub(super) fn list() -> Operation {
    one("a2aListTasks", "List tasks", "The tasks of the account, most recently changed first.")
        .query("contextId", false, "Return only tasks that belong to this conversation")
        .query("status", false, "Return only tasks in this state, for example TASK_STATE_COMPLETED")
        .query_as("pageSize", false, "Number of tasks per page; 50 by default", &count(1, Some(100)))
        .query("pageToken", false, "The `nextPageToken` of the previous page")
        .query_as("historyLength", false, "Number of most recent messages to include", &count(0, None))
        .query("statusTimestampAfter", false, "Return only tasks that changed at this time or later")
        .query_as("includeArtifacts", false, "Whether to include the agents' answers", &boolean())
        .answer::<TasksView>(200, "A page of tasks")
}

/// Documents the route `get`.
pub(super) fn get() -> Operation {
    one("a2aGetTask", "A task", "The task as it is now, with its answer.")
        .query_as("historyLength", false, "Number of most recent messages to include", &count(0, None))
        .answer::<TaskView>(200, "The task")
}

/// Documents the route `act`.
pub(super) fn act() -> Operation {
    one("a2aActOnTask", "Cancel a task", "Append `:cancel` to the task's id; `:subscribe` is refused.")
        .answer::<TaskView>(200, "The task, canceled")
}

/// Documents the route `list_push`.
pub(super) fn list_push() -> Operation {
    one("a2aListPushConfigs", "Receivers of a task", "The URLs to which the task is sent when it changes.")
        .answer::<PushConfigsView>(200, "All receivers")
}

/// Documents the route `set_push`.
pub(super) fn set_push() -> Operation {
    one("a2aSetPushConfig", "Send a task to a URL", "The task is sent to the URL whenever it changes.")
        .body_schema(push_config())
        .answer::<PushConfigView>(200, "The settings")
}

/// Documents the route `get_push`.
pub(super) fn get_push() -> Operation {
    one("a2aGetPushConfig", "A receiver of a task", "The URL to which the task is sent, and its credentials.")
        .answer::<PushConfigView>(200, "The settings")
}

/// Documents the route `delete_push`.
pub(super) fn delete_push() -> Operation {
    one("a2aDeletePushConfig", "Delete a receiver", "Succeeds even if there is no such receiver.")
        .answer::<Nothing>(200, "Nothing")
}

/// Documents the route `extended_card`.
pub(super) fn extended_card() -> Operation {
    one("a2aExtendedCard", "Extended agent card", "The signed card with the available skills and their prices.")
        .answer::<Card>(200, "The card")
}

/// Creates an operation with the common parameter and errors.
fn one(id: &'static str, summary: &'static str, description: &'static str) -> Operation {
    let mut operation = Operation::new(id, summary, description);
    operation.parameters.push(json!({
        "name": "A2A-Version",
        "in": "header",
        "required": true,
        "description": "The version of the protocol; clients that cannot set headers name it in the query",
        "schema": { "const": "1.0" },
    }));
    let refusals = [
        (400, "The problem, as google.rpc.Status"),
        (404, "There is no such task"),
        (409, "The task is in progress, or has already ended"),
        (415, "No agent accepts this media type"),
        (500, "An internal error"),
        (502, "The agent failed"),
        (503, "Unavailable now; retry after Retry-After seconds"),
        (504, "The agent ran out of time"),
    ];
    refusals.into_iter().fold(operation, |operation, (code, text)| {
        operation.answer_schema(code, text, reference("schemas", RPC_STATUS))
    })
}

fn count(least: u64, most: Option<u64>) -> Value {
    let mut schema = json!({ "type": "integer", "minimum": least });
    if let (Some(members), Some(most)) = (schema.as_object_mut(), most) {
        members.insert("maximum".to_owned(), most.into());
    }
    schema
}

fn with_message() -> Value {
    json!({
        "type": "object",
        "required": ["message"],
        "properties": {
            "message": {
                "type": "object",
                "required": ["messageId", "role", "parts"],
                "properties": {
                    "messageId": text(),
                    "role": { "const": "ROLE_USER" },
                    "parts": { "type": "array", "minItems": 1, "items": { "type": "object" } },
                    "taskId": text(),
                    "contextId": text(),
                    "metadata": { "type": "object" },
                },
            },
            "configuration": { "type": "object" },
        },
    })
}

fn push_config() -> Value {
    json!({
        "type": "object",
        "required": ["url"],
        "properties": {
            "id": text(),
            "taskId": text(),
            "url": text(),
            "token": text(),
            "authentication": {
                "type": "object",
                "required": ["scheme"],
                "properties": { "scheme": text(), "credentials": text() },
            },
        },
    })
}
