//! Copies the end of an agent's call to its A2A task and queues push notifications.
//!
//! Invariants: the row that marks a task as pending is deleted in the same write that
//! ends the task here, so neither a crash nor a lost event misses an end; the agent
//! service decides the state, and this module only copies it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;
use tollbridge_store::{Refusal, SubmitError};

use super::error::HandlerError;
use super::task::A2aTask;
use super::task_store::TaskStoreError;
use super::tasks::A2aTasks;
use crate::error::AgentError;

/// Interval between scans of all pending tasks if no event arrives.
const SCAN_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum attempts at writing a task that other requests change concurrently.
const TRIES: usize = 8;

/// Copies the ends of calls to their tasks until the process ends.
pub async fn run_reconciler(tasks: Arc<A2aTasks>, now_ms: fn() -> u64) {
    // Subscribe before the first scan, so that no end is missed during the scan.
    let mut ends = tasks.agents.ender.subscribe();
    tasks.catch_up(now_ms()).await;
    loop {
        match timeout(SCAN_INTERVAL, ends.recv()).await {
            Ok(Ok(ended)) => tasks.try_reconcile(&ended.account, &ended.task, now_ms()).await,
            Err(_) | Ok(Err(RecvError::Lagged(_))) => tasks.catch_up(now_ms()).await,
            Ok(Err(RecvError::Closed)) => return,
        }
    }
}

impl A2aTasks {
    /// Reconciles all tasks whose agents are working.
    async fn catch_up(&self, now_ms: u64) {
        let mut after = None;
        loop {
            let followed = match self.store.pending_tasks(after.as_deref()) {
                Ok(followed) => followed,
                Err(error) => return tracing::error!(%error, "pending tasks cannot be read"),
            };
            let Some(last) = followed.last() else { return };
            after = Some(last.key.clone());
            for one in followed {
                self.try_reconcile(&one.account, &one.task, now_ms).await;
            }
        }
    }

    async fn try_reconcile(&self, account: &str, id: &str, now_ms: u64) {
        if let Err(error) = self.reconcile(account, id, now_ms).await {
            // The row that marks the task as pending remains, so the task is reconciled
            // again later.
            tracing::warn!(%error, task = id, "the end of a task was not written");
        }
    }

    /// Updates a task from its agent's call and returns the task. If the call has ended,
    /// writes the end of the task together with its notifications.
    pub(super) async fn reconcile(
        &self,
        account: &str,
        id: &str,
        now_ms: u64,
    ) -> Result<Option<A2aTask>, HandlerError> {
        let mut conflict = HandlerError::Busy;
        for _ in 0..TRIES {
            let Some(stored) = self.store.find(account, id, now_ms)? else { return Ok(None) };
            let mut task = stored.task.clone();
            if !task.state.is_with_agent() {
                return Ok(Some(task));
            }
            match self.agents.views.task(account, id) {
                Ok(call) => task.update_from_call(&call, &self.base_url),
                // Should not happen: the call's row is written before the task's row and
                // is kept for as long as that row.
                Err(AgentError::TaskNotFound) => return Ok(Some(task)),
                Err(error) => return Err(error.into()),
            }
            if task.state.is_with_agent() {
                return Ok(Some(task));
            }
            match self.save(account, Some(&stored), &mut task, None, true, now_ms).await {
                Ok(()) => return Ok(Some(task)),
                // Another request changed the task meanwhile; try again.
                Err(
                    error @ HandlerError::Store(TaskStoreError::Submit(SubmitError::Refused(Refusal::Unexpected {
                        ..
                    }))),
                ) => {
                    conflict = error;
                }
                Err(error) => return Err(error),
            }
        }
        Err(conflict)
    }
}
