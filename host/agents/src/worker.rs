//! The worker that starts queued tasks when they are due.
//!
//! Invariant: after a start, every open task is attempted again; a task whose answer is
//! already sealed is only closed.

use std::sync::Arc;

use tollbridge_store::{Collection, Rows};

use super::attempt::TaskAttempts;
use super::error::AgentError;
use super::service::AgentService;
use super::task::TaskRow;

/// Starts queued tasks as they become due, until the process ends.
pub async fn run_queue(agents: Arc<AgentService>) {
    let attempts = agents.attempts.clone();
    if let Err(error) = attempts.recover() {
        tracing::error!(%error, "open tasks could not be read; they will not run until the next start");
    }
    loop {
        let task = attempts.queue.next(attempts.now_ms).await;
        let attempts = attempts.clone();
        tokio::spawn(async move {
            let _place = attempts.queue.begin(&task);
            attempts.attempt(&task.id).await;
        });
    }
}

impl TaskAttempts {
    /// Adds every open task of the store to the queue.
    pub(crate) fn recover(&self) -> Result<(), AgentError> {
        for open in Rows::of(self.checkout.db.store(), Collection::OpenTasks) {
            let (id, _) = open?;
            let Some((row, _)) = TaskRow::find(&self.checkout.db, &id)? else { continue };
            self.queue.restore_slot(&row.account);
            self.queue.add(&row.share(), &id, row.not_before_ms);
        }
        Ok(())
    }
}
