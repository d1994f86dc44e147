//! The tasks of all accounts: read, cancel, change.
//!
//! Invariants:
//! 1. A task processes one message at a time.
//! 2. While the agent's call for a task is open, only the agent service decides the
//!    task's state; `reconciler` copies it.

use std::sync::Arc;

use tokio::sync::Notify;
use tollbridge_core::in_flight::{InFlight, InFlightGuard};
use tollbridge_market::checkout::CheckoutError;
use tollbridge_store::Hash;

use super::error::{HandlerError, no_task};
use super::request_context::RequestContext;
use super::rpc_error::{RpcError, RpcErrorKind};
use super::task::{A2aTask, A2aTaskState};
use super::task_store::{StoredTask, TaskStore};
use crate::error::AgentError;
use crate::service::AgentService;

/// The tasks of all accounts.
pub struct A2aTasks {
    pub(super) store: TaskStore,
    pub(super) agents: Arc<AgentService>,
    /// The public base URL of the proofs of answers.
    pub(super) base_url: String,
    /// Notified when a push notification becomes due.
    pub push_wakeup: Arc<Notify>,
    pub(super) in_flight: InFlight<String>,
}

impl A2aTasks {
    /// Cancels a task.
    pub(super) async fn cancel(&self, context: &RequestContext, id: &str) -> Result<A2aTask, HandlerError> {
        let not_cancelable = |why: &str| HandlerError::Rpc(RpcError::new(RpcErrorKind::NotCancelable, why));
        let at_work = "the agent is already running and cannot be canceled; it answers soon";
        self.require(context, id)?;
        let _guard = self.begin(context, id).ok_or_else(|| not_cancelable(at_work))?;
        let stored = self.require(context, id)?;
        if stored.task.state.is_with_agent() {
            match self.agents.cancel(&context.account, id).await {
                // The call has ended, perhaps for another reason than this cancellation;
                // the state of the task, read below, shows the reason.
                Ok(_) | Err(AgentError::AlreadyEnded(_) | AgentError::Call(CheckoutError::InProgress)) => {}
                Err(AgentError::NotCancelable) => return Err(not_cancelable(at_work)),
                Err(error) => return Err(error.into()),
            }
            let task = self.reconciled(context, id).await?;
            return match task.state {
                A2aTaskState::Canceled => Ok(task),
                other => Err(not_cancelable(&format!("it is already {}", other.as_str()))),
            };
        }
        if stored.task.state.is_end() {
            return Err(not_cancelable(&format!("it is already {}", stored.task.state.as_str())));
        }
        let mut task = stored.task.clone();
        (task.state, task.note) = (A2aTaskState::Canceled, None);
        self.save(&context.account, Some(&stored), &mut task, None, true, context.now_ms).await?;
        Ok(task)
    }

    /// Returns a task of the caller's account after updating it from the agent's call.
    pub(super) async fn reconciled(&self, context: &RequestContext, id: &str) -> Result<A2aTask, HandlerError> {
        let settled = self.reconcile(&context.account, id, context.now_ms).await?;
        settled.ok_or_else(|| HandlerError::Rpc(no_task(id)))
    }

    /// Acquires the exclusive right to change a task; returns `None` while another
    /// request holds it.
    pub(super) fn begin(&self, context: &RequestContext, id: &str) -> Option<InFlightGuard<String>> {
        self.in_flight.begin(format!("t/{}/{id}", context.account))
    }

    pub(super) fn require(&self, context: &RequestContext, id: &str) -> Result<StoredTask, HandlerError> {
        let stored = self.store.find(&context.account, id, context.now_ms)?;
        stored.ok_or_else(|| HandlerError::Rpc(no_task(id)))
    }

    /// Writes a changed task, and wakes the push worker if notifications are due.
    pub(super) async fn save(
        &self,
        account: &str,
        stored: Option<&StoredTask>,
        task: &mut A2aTask,
        seen_message: Option<(&str, Hash)>,
        notify: bool,
        now_ms: u64,
    ) -> Result<(), HandlerError> {
        self.store.save(account, stored, task, seen_message, notify, now_ms).await?;
        if notify && !task.push.is_empty() {
            self.push_wakeup.notify_one();
        }
        Ok(())
    }
}
