//! The agent service, which accepts tasks and cancels them: `invoke` and `enqueue` add the
//! methods that accept them.

use std::sync::{Arc, Weak};

use tollbridge_ledger::tx_of_task;
use tollbridge_market::checkout::Checkout;
use tollbridge_payment::TaskReservations;

use super::attempt::TaskAttempts;
use super::end::{TaskEnd, TaskFinisher};
use super::error::AgentError;
use super::proof::ProofIssuer;
use super::queue::TaskQueue;
use super::task::{TaskRow, TaskState, TaskView};
use super::task_step::{CancelStep, cancel_step};
use super::views::TaskViews;

/// Agents' tasks, which run immediately or through a queue.
pub struct AgentService {
    /// Sells and runs the calls of tasks.
    pub checkout: Arc<Checkout>,
    /// Issues the proofs of answered tasks.
    pub proofs: Arc<ProofIssuer>,
    /// Shows tasks to their callers.
    pub views: TaskViews,
    /// Ends tasks, and reports their ends.
    pub ender: Arc<TaskFinisher>,
    pub(super) attempts: Arc<TaskAttempts>,
    pub(super) queue: Arc<TaskQueue>,
    /// Returns the current Unix time in milliseconds.
    now_ms: fn() -> u64,
}

impl AgentService {
    /// Creates a service with an empty queue, to which `run_queue` adds the stored tasks.
    /// `checkout` builds the checkout; its argument gives access to the credit that
    /// queued tasks reserve, which disputes may reclaim.
    pub fn new(
        proofs: Arc<ProofIssuer>,
        now_ms: fn() -> u64,
        checkout: impl FnOnce(Weak<dyn TaskReservations>) -> Arc<Checkout>,
    ) -> Arc<Self> {
        let queue = Arc::<TaskQueue>::default();
        let ender = Arc::new_cyclic(|ender: &Weak<TaskFinisher>| {
            TaskFinisher::new(checkout(ender.clone()), queue.clone(), now_ms)
        });
        let checkout = ender.checkout.clone();
        let views = TaskViews {
            db: checkout.db.clone(),
            answers: checkout.answers.clone(),
            proofs: proofs.clone(),
            queue: queue.clone(),
        };
        let attempts = TaskAttempts { checkout: checkout.clone(), queue: queue.clone(), ender: ender.clone(), now_ms };
        Arc::new(Self { checkout, proofs, views, ender, attempts: Arc::new(attempts), queue, now_ms })
    }

    /// Lowers the limit of open tasks per account, so that tests can reach it.
    #[cfg(feature = "testing")]
    pub fn bound_tasks(&self, open_per_account_max: usize) {
        self.queue.bound(open_per_account_max);
    }

    /// Cancels an open task of an account. The reserved price is returned; if an attempt
    /// is still running, its answer will be refused.
    pub async fn cancel(&self, account: &str, id: &str) -> Result<TaskView, AgentError> {
        let Some((row, before)) = TaskRow::find(&self.checkout.db, id)?.filter(|(row, _)| row.account == account)
        else {
            let view = self.views.task(account, id)?;
            return Err(AgentError::AlreadyEnded(view.state.as_str()));
        };
        let Some(tx) = tx_of_task(id) else { return Err(AgentError::TaskNotFound) };
        // Check `detached` before the seal: once a detached task has stopped running, it
        // is either sealed or never will be.
        let detached = self.queue.is_detached(id);
        match cancel_step(&row, detached, self.checkout.db.seq_of_tx(&tx)?.is_some()) {
            CancelStep::TooLate => return Err(AgentError::AlreadyEnded(row.state.as_str())),
            CancelStep::Refuse => return Err(AgentError::NotCancelable),
            CancelStep::Close => {
                let completed = row.ended(TaskState::Completed, None, (self.now_ms)());
                self.ender.close(id, account, completed.puts(id, Some(before))).await?;
                return Err(AgentError::AlreadyEnded(TaskState::Completed.as_str()));
            }
            CancelStep::End => {}
        }
        self.ender.end(id, row, before, TaskEnd::Canceled).await?;
        self.views.task(account, id)
    }
}
