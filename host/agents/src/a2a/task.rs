//! An A2A task: a conversation that ends in at most one paid call of an agent.
//!
//! Invariants: a task in an end state never changes again; its representations are
//! derived from its row alone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::tx_of_task;

use super::message::Message;
use super::push_config::PushConfig;
use crate::task::{TaskState, TaskView};

/// A task as stored in its row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct A2aTask {
    pub id: String,
    /// The idempotency key of the agent's call that this task leads to.
    pub key: String,
    pub context_id: String,
    /// The requested capability; `None` if the client has not named one yet.
    pub capability: Option<String>,
    pub state: A2aTaskState,
    /// The agent's message to the user about the state.
    pub note: Option<String>,
    /// The input that the agent proposes with its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Value>,
    pub history: Vec<HistoryMessage>,
    /// The agent's answer.
    pub artifact: Option<Artifact>,
    /// Metadata that the protocol does not define: ids of the sealed transaction and its
    /// proof.
    pub metadata: Map<String, Value>,
    /// The state of a wallet's payment, as members of the x402 message metadata.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub payment: Map<String, Value>,
    pub push: Vec<PushConfig>,
    pub updated_ms: u64,
    pub expires_ms: u64,
}

/// The states of the protocol that a task of this server can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum A2aTaskState {
    InputRequired,
    /// The agent's call waits in the task queue.
    Submitted,
    /// The agent is working.
    Working,
    Completed,
    Failed,
    Canceled,
}

/// A message of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct HistoryMessage {
    pub id: String,
    /// The name under which the message is stored, if a user sent it.
    pub name: Option<String>,
    pub by_user: bool,
    pub parts: Vec<Value>,
}

/// The answer of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Artifact {
    pub name: String,
    pub data: Value,
}

impl A2aTaskState {
    /// All states.
    pub(crate) const ALL: [Self; 6] =
        [Self::Submitted, Self::Working, Self::Completed, Self::Failed, Self::Canceled, Self::InputRequired];

    /// Returns whether the state is final.
    pub(crate) const fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled)
    }

    /// Returns whether the call is queued or running, so that the agent service decides
    /// the outcome.
    pub(crate) const fn is_with_agent(self) -> bool {
        matches!(self, Self::Submitted | Self::Working)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::InputRequired => "input-required",
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }
}

impl A2aTask {
    /// Creates a task without messages.
    pub(crate) fn new(id: String, key: String, context_id: String) -> Self {
        Self {
            id,
            key,
            context_id,
            capability: None,
            state: A2aTaskState::InputRequired,
            note: None,
            proposal: None,
            history: Vec::new(),
            artifact: None,
            metadata: Map::new(),
            payment: Map::new(),
            push: Vec::new(),
            updated_ms: 0,
            expires_ms: 0,
        }
    }

    /// Adds a user's message to the history, after the agent's previous message if there
    /// is one.
    pub(crate) fn add_message(&mut self, message: &Message, name: &str) {
        if let Some(note) = self.note.take() {
            let parts = parts_of(&note, self.proposal.take().as_ref());
            self.history.push(HistoryMessage { id: self.note_id(), name: None, by_user: false, parts });
        }
        self.payment.clear();
        if message.is_about_payment() {
            return;
        }
        let (id, name, parts) = (message.id.clone(), Some(name.to_owned()), message.parts.clone());
        self.history.push(HistoryMessage { id, name, by_user: true, parts });
    }

    /// Updates the task from its agent's call. `base_url` is the public base URL of
    /// proofs.
    pub(crate) fn update_from_call(&mut self, call: &TaskView, base_url: &str) {
        self.note = None;
        self.proposal = None;
        self.state = match call.state {
            TaskState::Queued => A2aTaskState::Submitted,
            TaskState::Working => A2aTaskState::Working,
            TaskState::Completed => A2aTaskState::Completed,
            TaskState::Failed => A2aTaskState::Failed,
            TaskState::Canceled => A2aTaskState::Canceled,
        };
        if let (A2aTaskState::Failed, Some(error)) = (self.state, &call.error) {
            self.note = Some(error.note());
            self.proposal.clone_from(&error.input);
        }
        let Some(proof) = &call.proof else { return };
        if let Some(tx) = tx_of_task(&call.task_id) {
            self.metadata.insert("transaction_id".to_owned(), format!("tx_{}", hex::encode(tx)).into());
        }
        self.metadata.insert("worm_seal".to_owned(), hex::encode(proof.seal()).into());
        self.metadata.insert("proof".to_owned(), proof.to_json());
        let public = format!("{base_url}/v1/workforce/proof/{}/public", call.task_id);
        self.metadata.insert("proof_url".to_owned(), public.into());
        match call.output.as_deref().map(serde_json::from_slice) {
            Some(Ok(data)) => {
                self.artifact = Some(Artifact { name: self.capability.clone().unwrap_or_default(), data });
            }
            _ => self.note = Some("the task was answered; the answer is no longer stored".to_owned()),
        }
    }

    /// Returns whether the answer was paid for, and therefore sealed.
    pub(crate) fn is_paid(&self) -> bool {
        self.metadata.contains_key("worm_seal")
    }

    /// Formats the task for version 0.3.0, with the last `history_length` messages.
    pub(crate) fn view(&self, history_length: Option<usize>) -> Value {
        let skipped = self.history.len().saturating_sub(history_length.unwrap_or(usize::MAX));
        let history: Vec<Value> = self
            .history
            .iter()
            .skip(skipped)
            .map(|entry| self.message(&entry.id, entry.by_user, &entry.parts))
            .collect();
        let mut status = Map::new();
        status.insert("state".to_owned(), self.state.as_str().into());
        status.insert("timestamp".to_owned(), rfc3339(self.updated_ms).into());
        if let Some(parts) = self.status_parts() {
            let mut message = self.message(&self.note_id(), false, &parts);
            if let (false, Some(members)) = (self.payment.is_empty(), message.as_object_mut()) {
                members.insert("metadata".to_owned(), self.payment.clone().into());
            }
            status.insert("message".to_owned(), message);
        }
        let artifacts: Vec<Value> = self.artifact.iter().map(|artifact| self.show(artifact)).collect();
        let mut metadata = self.metadata.clone();
        if let Some(capability) = &self.capability {
            metadata.insert("capability".to_owned(), capability.as_str().into());
        }
        json!({
            "kind": "task",
            "id": self.id,
            "contextId": self.context_id,
            "status": status,
            "artifacts": artifacts,
            "history": history,
            "metadata": metadata,
        })
    }

    fn show(&self, artifact: &Artifact) -> Value {
        json!({
            "artifactId": format!("{}-answer", self.id),
            "name": artifact.name,
            "parts": [{ "kind": "data", "data": artifact.data }],
        })
    }

    fn message(&self, id: &str, by_user: bool, parts: &[Value]) -> Value {
        json!({
            "kind": "message",
            "messageId": id,
            "role": if by_user { "user" } else { "agent" },
            "parts": parts,
            "taskId": self.id,
            "contextId": self.context_id,
        })
    }

    /// Returns the agent's message to the user about the state: a text, and the input that
    /// the agent proposes.
    pub(crate) fn status_parts(&self) -> Option<Vec<Value>> {
        let paid = || (!self.payment.is_empty()).then_some("The payment was received.");
        let text = self.note.as_deref().or_else(paid)?;
        Some(parts_of(text, self.proposal.as_ref()))
    }

    /// Returns the id of the message in the task's status.
    pub(crate) fn note_id(&self) -> String {
        format!("{}-{}", self.id, self.history.len())
    }
}

fn parts_of(text: &str, proposal: Option<&Value>) -> Vec<Value> {
    let proposed = proposal.map(|input| json!({ "kind": "data", "data": { "input": input } }));
    std::iter::once(text_part(text)).chain(proposed).collect()
}

fn text_part(text: &str) -> Value {
    json!({ "kind": "text", "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, text: &str) -> Message {
        Message {
            id: id.to_owned(),
            task_id: None,
            context_id: None,
            capability: None,
            max_cost: None,
            payment: None,
            declines: false,
            text: text.to_owned(),
            data: Map::new(),
            parts: vec![text_part(text)],
        }
    }

    #[test]
    fn a_conversation_is_shown_in_order() {
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        task.add_message(&message("m1", "one"), "m1");
        task.note = Some("which skill?".to_owned());
        assert_eq!(task.view(None)["status"]["message"]["messageId"], "t-1");
        task.add_message(&message("m2", "two"), "m2");
        let view = task.view(None);
        let ids: Vec<&Value> = view["history"].as_array().unwrap().iter().map(|entry| &entry["messageId"]).collect();
        assert_eq!(ids, ["m1", "t-1", "m2"]);
        assert_eq!(view["history"][1]["role"], "agent");
        assert_eq!(view["status"], json!({ "state": "input-required", "timestamp": "1970-01-01T00:00:00Z" }));
        assert_eq!(task.view(Some(2))["history"].as_array().unwrap().len(), 2);
        assert_eq!(task.view(Some(0))["history"], json!([]));
        assert_eq!(task.view(Some(usize::MAX))["history"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn the_answer_is_a_data_artifact() {
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        task.capability = Some("coding".to_owned());
        task.state = A2aTaskState::Completed;
        task.artifact = Some(Artifact { name: "coding".to_owned(), data: json!({ "x": 1 }) });
        let view = task.view(None);
        assert_eq!(
            view["artifacts"],
            json!([{ "artifactId": "t-answer", "name": "coding", "parts": [{ "kind": "data", "data": { "x": 1 } }] }])
        );
        assert_eq!(view["metadata"]["capability"], "coding");
    }
}
