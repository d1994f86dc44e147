//! Tasks, pages and notification settings in the format of version 1.0.
//!
//! Invariant: members without a value are omitted, as in ProtoJSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tollbridge_core::time::rfc3339_millis;

use super::parts;
use crate::a2a::list::{TaskPage, TaskQuery};
use crate::a2a::push_config::PushConfig;
use crate::a2a::task::{A2aTask, A2aTaskState, Artifact};

/// The result of a message: the agent's answer as a message, or a task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aReply")]
#[serde(rename_all = "camelCase")]
pub enum Reply {
    /// The answer.
    Message(MessageView),
    /// The task.
    Task(TaskView),
}

/// A task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aTask")]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    id: String,
    context_id: String,
    status: StatusView,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<MessageView>,
    /// The ids of the transaction and its proof, and the skill.
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aStatus")]
struct StatusView {
    state: &'static str,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageView")]
    message: Option<MessageView>,
}

/// A message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aMessage")]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    message_id: String,
    context_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    task_id: Option<String>,
    #[schemars(extend("enum" = ["ROLE_USER", "ROLE_AGENT"]))]
    role: &'static str,
    #[schemars(extend("items" = { "type": "object" }))]
    parts: Vec<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aArtifact")]
#[serde(rename_all = "camelCase")]
struct ArtifactView {
    artifact_id: String,
    name: String,
    #[schemars(extend("items" = { "type": "object" }))]
    parts: Vec<Value>,
}

/// A page of tasks.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aTasks")]
#[serde(rename_all = "camelCase")]
pub struct TasksView {
    tasks: Vec<TaskView>,
    next_page_token: String,
    page_size: usize,
    total_size: usize,
}

/// Push notification settings: an address that gets a task when it changes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aPushConfig")]
#[serde(rename_all = "camelCase")]
pub struct PushConfigView {
    id: String,
    task_id: String,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AuthenticationView")]
    authentication: Option<AuthenticationView>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aAuthentication")]
struct AuthenticationView {
    scheme: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    credentials: Option<String>,
}

/// All push notification settings of a task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aPushConfigs")]
#[serde(rename_all = "camelCase")]
pub struct PushConfigsView {
    configs: Vec<PushConfigView>,
    /// Always empty, because all settings fit on one page.
    next_page_token: &'static str,
}

/// The empty result of an operation that returns nothing.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "A2aNothing", deny_unknown_fields)]
pub struct Nothing {}

/// Returns the name of a state in version 1.0.
pub(super) const fn state(state: A2aTaskState) -> &'static str {
    match state {
        A2aTaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
        A2aTaskState::Submitted => "TASK_STATE_SUBMITTED",
        A2aTaskState::Working => "TASK_STATE_WORKING",
        A2aTaskState::Completed => "TASK_STATE_COMPLETED",
        A2aTaskState::Failed => "TASK_STATE_FAILED",
        A2aTaskState::Canceled => "TASK_STATE_CANCELED",
    }
}

/// Formats the result of sending a message: the agent's answer as a message, or the task.
pub(super) fn reply(of: &A2aTask, history_length: Option<usize>) -> Reply {
    let answer = of.artifact.as_ref().filter(|_| of.state == A2aTaskState::Completed);
    match answer.and_then(|artifact| parts::of_message(&artifact.data)) {
        Some(parts) => Reply::Message(MessageView {
            message_id: format!("{}-answer", of.id),
            context_id: of.context_id.clone(),
            task_id: None,
            role: "ROLE_AGENT",
            parts: parts.clone(),
            metadata: with_payment(metadata(of), of),
        }),
        None => Reply::Task(task(of, history_length, true)),
    }
}

/// Adds the payment's state to the metadata of an answer that is a message.
fn with_payment(mut metadata: Map<String, Value>, task: &A2aTask) -> Map<String, Value> {
    metadata.extend(task.payment.clone());
    metadata
}

/// Returns a task's metadata: the ids of the transaction and its proof, and the skill.
fn metadata(task: &A2aTask) -> Map<String, Value> {
    let mut metadata = task.metadata.clone();
    if let Some(capability) = &task.capability {
        metadata.insert("capability".to_owned(), capability.as_str().into());
    }
    metadata
}

/// Formats a task with the last `history_length` messages.
pub(crate) fn task(task: &A2aTask, history_length: Option<usize>, with_artifacts: bool) -> TaskView {
    let artifact = task.artifact.as_ref().filter(|_| with_artifacts);
    let skipped = task.history.len().saturating_sub(history_length.unwrap_or(usize::MAX));
    let shown = task.history.iter().skip(skipped);
    TaskView {
        id: task.id.clone(),
        context_id: task.context_id.clone(),
        status: status(task),
        artifacts: artifact.map(|artifact| show(task, artifact)).into_iter().collect(),
        history: shown
            .map(|entry| message(task, &entry.id, entry.by_user, entry.parts.iter().map(parts::view)))
            .collect(),
        metadata: metadata(task),
    }
}

/// Formats the body of a notification: a `StreamResponse` with the whole task.
pub(crate) fn notification(of: &A2aTask) -> Value {
    json!(Reply::Task(task(of, None, true)))
}

/// Formats a page of tasks. Artifacts are omitted unless the request sets
/// `includeArtifacts`.
pub(super) fn page(page: &TaskPage, query: &TaskQuery) -> TasksView {
    TasksView {
        tasks: page.tasks.iter().map(|one| task(one, query.history_length, query.with_artifacts)).collect(),
        next_page_token: page.next.clone(),
        page_size: query.page_size,
        total_size: page.total,
    }
}

/// Formats push notification settings.
pub(super) fn push_config(config: &PushConfig, task: &str) -> PushConfigView {
    PushConfigView {
        id: config.id.clone(),
        task_id: task.to_owned(),
        url: config.url.clone(),
        token: config.token.clone(),
        authentication: config
            .authentication
            .as_ref()
            .map(|how| AuthenticationView { scheme: how.scheme().to_owned(), credentials: how.credentials.clone() }),
    }
}

/// Formats all push notification settings of a task.
pub(super) fn push_configs(configs: &[PushConfig], task: &str) -> PushConfigsView {
    let configs = configs.iter().map(|config| push_config(config, task)).collect();
    PushConfigsView { configs, next_page_token: "" }
}

fn status(task: &A2aTask) -> StatusView {
    let message = task.status_parts().map(|parts| MessageView {
        metadata: task.payment.clone(),
        ..message(task, &task.note_id(), false, parts.iter().map(parts::view))
    });
    StatusView { state: state(task.state), timestamp: rfc3339_millis(task.updated_ms), message }
}

fn message(task: &A2aTask, id: &str, by_user: bool, parts: impl Iterator<Item = Value>) -> MessageView {
    MessageView {
        message_id: id.to_owned(),
        context_id: task.context_id.clone(),
        task_id: Some(task.id.clone()),
        role: if by_user { "ROLE_USER" } else { "ROLE_AGENT" },
        parts: parts.collect(),
        metadata: Map::new(),
    }
}

fn show(task: &A2aTask, artifact: &Artifact) -> ArtifactView {
    ArtifactView {
        artifact_id: format!("{}-answer", task.id),
        name: artifact.name.clone(),
        parts: parts::of_answer(&artifact.data),
    }
}

#[cfg(test)]
mod tests {
    use crate::a2a::task::HistoryMessage;
    use crate::a2a::version::ProtocolVersion;

    use super::*;

    fn completed() -> A2aTask {
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        let (parts, name) = (vec![json!({ "kind": "text", "text": "x" })], Some("m".to_owned()));
        task.history.push(HistoryMessage { id: "m".to_owned(), name, by_user: true, parts });
        task.capability = Some("coding".to_owned());
        task.state = A2aTaskState::Completed;
        task.updated_ms = 1_700_000_000_120;
        task.artifact = Some(Artifact { name: "coding".to_owned(), data: json!({ "x": 1 }) });
        task
    }

    #[test]
    fn a_task_is_shown_in_this_versions_words() {
        let shown = json!(task(&completed(), None, true));
        assert_eq!(
            shown,
            json!({
                "id": "t",
                "contextId": "c",
                "status": { "state": "TASK_STATE_COMPLETED", "timestamp": "2023-11-14T22:13:20.120Z" },
                "artifacts": [{ "artifactId": "t-answer", "name": "coding", "parts": [{ "data": { "x": 1 } }] }],
                "history": [{
                    "messageId": "m", "contextId": "c", "taskId": "t", "role": "ROLE_USER", "parts": [{ "text": "x" }],
                }],
                "metadata": { "capability": "coding" },
            })
        );
        let bare = json!(task(&completed(), Some(0), false));
        assert!(bare.get("history").is_none() && bare.get("artifacts").is_none(), "{bare}");
        let mut asking = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        asking.note = Some("which?".to_owned());
        asking.proposal = Some(json!({ "x": 1 }));
        let status = &notification(&asking)["task"]["status"];
        assert_eq!(
            (&status["state"], &status["message"]["role"]),
            (&json!("TASK_STATE_INPUT_REQUIRED"), &json!("ROLE_AGENT"))
        );
        assert_eq!(status["message"]["parts"], json!([{ "text": "which?" }, { "data": { "input": { "x": 1 } } }]));
    }

    #[test]
    fn an_agent_may_answer_with_a_message() {
        let mut answered = completed();
        assert_eq!(json!(reply(&answered, None))["task"]["id"], "t");
        answered.artifact =
            Some(Artifact { name: "coding".to_owned(), data: json!({ "message": { "parts": [{ "text": "hi" }] } }) });
        answered.metadata.insert("worm_seal".to_owned(), "00".into());
        assert_eq!(
            json!(reply(&answered, None)),
            json!({ "message": {
                "messageId": "t-answer", "contextId": "c", "role": "ROLE_AGENT", "parts": [{ "text": "hi" }],
                "metadata": { "worm_seal": "00", "capability": "coding" },
            } })
        );
        answered.state = A2aTaskState::Working;
        assert!(json!(reply(&answered, None)).get("task").is_some(), "an unfinished call must be shown as a task");
    }

    #[test]
    fn settings_of_the_older_version_are_shown_too() {
        let config: PushConfig = serde_json::from_value(json!({
            "id": "a", "url": "https://example.com", "token": null,
            "authentication": { "schemes": ["HMAC", "bearer"], "credentials": "c" },
        }))
        .unwrap();
        assert_eq!(config.version, ProtocolVersion::V0_3);
        assert_eq!(
            json!(push_config(&config, "t")),
            json!({
                "id": "a", "taskId": "t", "url": "https://example.com",
                "authentication": { "scheme": "Bearer", "credentials": "c" },
            })
        );
    }
}
