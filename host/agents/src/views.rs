//! Callers' views of their tasks, both open and ended.
//!
//! Invariant: a task is visible only to the account that requested it; the owner of the
//! agent does not see the request.

use std::sync::Arc;

use serde_json::Value;
use tollbridge_ledger::{Payer, task_id, tx_of_task};
use tollbridge_market::checkout::{Call, CheckoutError, StoredAnswers};
use tollbridge_store::{Collection, Db};

use super::end::end_tx;
use super::error::AgentError;
use super::proof::{ProofIssuer, SealedTask};
use super::queue::TaskQueue;
use super::task::{TaskRow, TaskState, TaskView};

/// The tasks of all callers, as each caller may see them.
pub struct TaskViews {
    pub(super) db: Db,
    pub(super) answers: Arc<StoredAnswers>,
    pub(super) proofs: Arc<ProofIssuer>,
    pub(super) queue: Arc<TaskQueue>,
}

impl TaskViews {
    /// Returns a task of an account, open or ended.
    pub fn task(&self, account: &str, id: &str) -> Result<TaskView, AgentError> {
        let row = TaskRow::find(&self.db, id)?.map(|(row, _)| row).filter(|row| row.account == account);
        let answered = self.proofs.answered(id)?;
        match (row, answered) {
            (None, Some(answered)) if !self.is_party(account, &answered)? => Err(AgentError::TaskNotFound),
            (row, Some(answered)) => self.answered_view(row, &answered),
            (Some(row), None) => self.open_view(id, row),
            (None, None) => Err(AgentError::TaskNotFound),
        }
    }

    fn answered_view(&self, row: Option<TaskRow>, answered: &SealedTask) -> Result<TaskView, AgentError> {
        let stored = self.db.answer(answered.seq)?;
        Ok(TaskView {
            task_id: answered.task_id.clone(),
            agent: answered.route.plugin.clone(),
            state: TaskState::Completed,
            failed_attempts: row.as_ref().map_or(0, |row| row.failed_attempts),
            created_ms: row.map_or(answered.facts.started_ms, |row| row.created_ms),
            updated_ms: answered.facts.finished_ms,
            error: None,
            output: stored.map(|answer| answer.body.into()),
            proof: Some(self.proofs.prove(answered)?),
        })
    }

    /// Returns whether an account paid for a task. The agent's owner is not a party: it
    /// earns from the task but may not see the request.
    fn is_party(&self, account: &str, answered: &SealedTask) -> Result<bool, AgentError> {
        Ok(match &answered.route.payer {
            Payer::Account(payer) | Payer::Task { account: payer, .. } => payer == account,
            Payer::Intent(handle) => {
                let row = self.db.get(Collection::Intents, handle)?;
                let row = row.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
                row.is_some_and(|row| row.get("account").and_then(|owner| owner.as_str()) == Some(account))
            }
        })
    }

    fn open_view(&self, id: &str, row: TaskRow) -> Result<TaskView, AgentError> {
        let state = match row.state {
            TaskState::Queued if self.queue.is_running(id) => TaskState::Working,
            // The row and the record are written together, but the row becomes visible
            // first: until the answer can be read, the task counts as working.
            TaskState::Completed => TaskState::Working,
            state => state,
        };
        let mut error = row.error;
        if let (TaskState::Failed, Some(error)) = (state, &mut error) {
            error.input = self.proposed_input(id)?;
        }
        Ok(TaskView {
            task_id: id.to_owned(),
            agent: row.agent,
            state,
            failed_attempts: row.failed_attempts,
            created_ms: row.created_ms,
            updated_ms: row.updated_ms,
            error,
            output: None,
            proof: None,
        })
    }

    /// Returns the input that the agent of a failed task proposed, while it is stored.
    fn proposed_input(&self, id: &str) -> Result<Option<Value>, AgentError> {
        let Some(tx) = tx_of_task(id) else { return Ok(None) };
        let Some(seq) = self.db.store().seq_of_tx(&end_tx(&tx))? else { return Ok(None) };
        Ok(self.db.answer(seq)?.and_then(|stored| serde_json::from_slice(&stored.body).ok()))
    }

    /// Returns the task of an earlier call with the same identity, if that call was
    /// accepted or answered. Fails if the key was used for a different call.
    pub fn find_previous(&self, call: &Call) -> Result<Option<TaskView>, AgentError> {
        let identity = call.identity()?;
        if !identity.is_repeatable() {
            return Ok(None);
        }
        let id = task_id(&identity.tx);
        let row = TaskRow::find(&self.db, &id)?.map(|(row, _)| row);
        if let Some(row) = &row
            && (call.account.as_deref() != Some(&row.account) || row.fingerprint != identity.fingerprint)
        {
            return Err(CheckoutError::KeyReused.into());
        }
        match (self.proofs.answered(&id)?, row) {
            (Some(answered), row) => {
                // Without a row, only the stored answer can show whether the earlier
                // request was the same.
                if row.is_none() {
                    self.answers.replay(&identity)?;
                }
                self.answered_view(row, &answered).map(Some)
            }
            (None, row) => row.map(|row| self.open_view(&id, row)).transpose(),
        }
    }
}
