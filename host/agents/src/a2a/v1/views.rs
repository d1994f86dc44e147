//! Tasks, pages and notification settings in the format of version 1.0.
//!
//! Invariant: members without a value are omitted, as in ProtoJSON.

use serde_json::{Map, Value, json};
use tollbridge_core::time::rfc3339_millis;

use super::parts;
use crate::a2a::list::{TaskPage, TaskQuery};
use crate::a2a::push_config::PushConfig;
use crate::a2a::task::{A2aTask, A2aTaskState, Artifact};

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
pub(super) fn reply(of: &A2aTask, history_length: Option<usize>) -> Value {
    let answer = of.artifact.as_ref().filter(|_| of.state == A2aTaskState::Completed);
    match answer.and_then(|artifact| parts::of_message(&artifact.data)) {
        Some(parts) => json!({ "message": {
            "messageId": format!("{}-answer", of.id),
            "contextId": of.context_id,
            "role": "ROLE_AGENT",
            "parts": parts,
            "metadata": with_payment(metadata(of), of),
        } }),
        None => json!({ "task": task(of, history_length, true) }),
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
pub(crate) fn task(task: &A2aTask, history_length: Option<usize>, with_artifacts: bool) -> Value {
    let mut view = Map::new();
    view.insert("id".to_owned(), task.id.as_str().into());
    view.insert("contextId".to_owned(), task.context_id.as_str().into());
    view.insert("status".to_owned(), status(task));
    if let Some(artifact) = task.artifact.as_ref().filter(|_| with_artifacts) {
        view.insert("artifacts".to_owned(), json!([show(task, artifact)]));
    }
    let skipped = task.history.len().saturating_sub(history_length.unwrap_or(usize::MAX));
    let shown = task.history.iter().skip(skipped);
    let history: Vec<Value> =
        shown.map(|entry| message(task, &entry.id, entry.by_user, entry.parts.iter().map(parts::view))).collect();
    if !history.is_empty() {
        view.insert("history".to_owned(), history.into());
    }
    let metadata = metadata(task);
    if !metadata.is_empty() {
        view.insert("metadata".to_owned(), metadata.into());
    }
    Value::Object(view)
}

/// Formats the body of a notification: a `StreamResponse` with the whole task.
pub(crate) fn notification(of: &A2aTask) -> Value {
    json!({ "task": task(of, None, true) })
}

/// Formats a page of tasks. Artifacts are omitted unless the request sets
/// `includeArtifacts`.
pub(super) fn page(page: &TaskPage, query: &TaskQuery) -> Value {
    let tasks: Vec<Value> =
        page.tasks.iter().map(|one| task(one, query.history_length, query.with_artifacts)).collect();
    json!({ "tasks": tasks, "nextPageToken": page.next, "pageSize": query.page_size, "totalSize": page.total })
}

/// Formats push notification settings.
pub(super) fn push_config(config: &PushConfig, task: &str) -> Value {
    let mut view = json!({ "id": config.id, "taskId": task, "url": config.url });
    if let Some(members) = view.as_object_mut() {
        members.extend(config.token.iter().map(|token| ("token".to_owned(), token.as_str().into())));
        let how = config.authentication.iter().map(|how| {
            let mut shown = json!({ "scheme": how.scheme() });
            if let (Some(members), Some(credentials)) = (shown.as_object_mut(), &how.credentials) {
                members.insert("credentials".to_owned(), credentials.as_str().into());
            }
            ("authentication".to_owned(), shown)
        });
        members.extend(how);
    }
    view
}

fn status(task: &A2aTask) -> Value {
    let mut status = json!({ "state": state(task.state), "timestamp": rfc3339_millis(task.updated_ms) });
    if let (Some(members), Some(said)) = (status.as_object_mut(), task.said()) {
        let mut message = message(task, &task.note_id(), false, std::iter::once(json!({ "text": said })));
        if let (false, Some(members)) = (task.payment.is_empty(), message.as_object_mut()) {
            members.insert("metadata".to_owned(), task.payment.clone().into());
        }
        members.insert("message".to_owned(), message);
    }
    status
}

fn message(task: &A2aTask, id: &str, by_user: bool, parts: impl Iterator<Item = Value>) -> Value {
    json!({
        "messageId": id,
        "contextId": task.context_id,
        "taskId": task.id,
        "role": if by_user { "ROLE_USER" } else { "ROLE_AGENT" },
        "parts": parts.collect::<Vec<_>>(),
    })
}

fn show(task: &A2aTask, artifact: &Artifact) -> Value {
    json!({
        "artifactId": format!("{}-answer", task.id),
        "name": artifact.name,
        "parts": parts::of_answer(&artifact.data),
    })
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
        let shown = task(&completed(), None, true);
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
        let bare = task(&completed(), Some(0), false);
        assert!(bare.get("history").is_none() && bare.get("artifacts").is_none(), "{bare}");
        let mut asking = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        asking.note = Some("which?".to_owned());
        let status = &notification(&asking)["task"]["status"];
        assert_eq!(
            (&status["state"], &status["message"]["role"]),
            (&json!("TASK_STATE_INPUT_REQUIRED"), &json!("ROLE_AGENT"))
        );
    }

    #[test]
    fn an_agent_may_answer_with_a_message() {
        let mut answered = completed();
        assert_eq!(reply(&answered, None)["task"]["id"], "t");
        answered.artifact =
            Some(Artifact { name: "coding".to_owned(), data: json!({ "message": { "parts": [{ "text": "hi" }] } }) });
        answered.metadata.insert("worm_seal".to_owned(), "00".into());
        assert_eq!(
            reply(&answered, None),
            json!({ "message": {
                "messageId": "t-answer", "contextId": "c", "role": "ROLE_AGENT", "parts": [{ "text": "hi" }],
                "metadata": { "worm_seal": "00", "capability": "coding" },
            } })
        );
        answered.state = A2aTaskState::Working;
        assert!(reply(&answered, None).get("task").is_some(), "an unfinished call must be shown as a task");
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
            push_config(&config, "t"),
            json!({
                "id": "a", "taskId": "t", "url": "https://example.com",
                "authentication": { "scheme": "Bearer", "credentials": "c" },
            })
        );
    }
}
