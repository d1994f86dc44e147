//! The in-memory side of the task queue: which tasks wait until when, which run,
//! and how many are open. The rows themselves are in the store.
//!
//! Invariant: tasks that run, that are open, and that one account has open are
//! bounded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tollbridge_core::limits::{TASKS_PER_ACCOUNT_MAX, TASKS_RUNNING_MAX, TASKS_WAITING_MAX};

use super::error::AgentError;

/// How long the worker sleeps while nothing waits; a new task wakes it.
const IDLE_WAIT: Duration = Duration::from_secs(3_600);

/// Open tasks by state.
pub(super) struct TaskQueue {
    state: Mutex<QueueState>,
    changed: Notify,
    permits: Arc<Semaphore>,
}

#[derive(Default)]
struct QueueState {
    /// By the time before which they are not tried.
    waiting: BTreeSet<(u64, String)>,
    running: HashSet<String>,
    /// Those of `running` that ran before they became durable: their seal does
    /// not depend on their row.
    detached: HashSet<String>,
    open: usize,
    open_by_account: HashMap<String, usize>,
}

impl Default for TaskQueue {
    fn default() -> Self {
        Self { state: Mutex::default(), changed: Notify::new(), permits: Arc::new(Semaphore::new(TASKS_RUNNING_MAX)) }
    }
}

impl TaskQueue {
    /// Counts one more open task of an account, if it may have one more.
    pub(super) fn reserve_slot(&self, account: &str) -> Result<(), AgentError> {
        let mut state = self.state.lock();
        if state.open >= TASKS_WAITING_MAX {
            return Err(AgentError::ServerFull);
        }
        let open = state.open_by_account.entry(account.to_owned()).or_default();
        if *open >= TASKS_PER_ACCOUNT_MAX {
            return Err(AgentError::QueueFull(TASKS_PER_ACCOUNT_MAX));
        }
        *open += 1;
        state.open += 1;
        Ok(())
    }

    /// Counts a task that was accepted before a restart, full queue or not.
    pub(super) fn restore_slot(&self, account: &str) {
        let mut state = self.state.lock();
        state.open += 1;
        *state.open_by_account.entry(account.to_owned()).or_default() += 1;
    }

    pub(super) fn release_slot(&self, account: &str) {
        let mut state = self.state.lock();
        state.open = state.open.saturating_sub(1);
        if let Some(open) = state.open_by_account.get_mut(account) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                state.open_by_account.remove(account);
            }
        }
    }

    /// Open tasks of an account.
    pub(super) fn open_of(&self, account: &str) -> usize {
        self.state.lock().open_by_account.get(account).copied().unwrap_or(0)
    }

    /// Adds a task that is tried from `not_before_ms` on.
    pub(super) fn add(&self, id: &str, not_before_ms: u64) {
        self.state.lock().waiting.insert((not_before_ms, id.to_owned()));
        self.changed.notify_one();
    }

    /// Adds a task that runs already.
    pub(super) fn add_detached(&self, id: &str) {
        let mut state = self.state.lock();
        state.running.insert(id.to_owned());
        state.detached.insert(id.to_owned());
    }

    pub(super) fn finish(&self, id: &str) {
        let mut state = self.state.lock();
        state.running.remove(id);
        state.detached.remove(id);
    }

    pub(super) fn is_detached(&self, id: &str) -> bool {
        self.state.lock().detached.contains(id)
    }

    pub(super) fn is_running(&self, id: &str) -> bool {
        self.state.lock().running.contains(id)
    }

    /// Waits for the next task that is due; `None` when the queue is closed. The
    /// permit is one of the places of running tasks.
    pub(super) async fn next(&self, now_ms: fn() -> u64) -> Option<(String, OwnedSemaphorePermit)> {
        loop {
            let changed = self.changed.notified();
            let permit = self.permits.clone().acquire_owned().await.ok()?;
            match self.take_due(now_ms()) {
                Ok(id) => return Some((id, permit)),
                Err(wait) => {
                    drop(permit);
                    let _ = tokio::time::timeout(wait, changed).await;
                }
            }
        }
    }

    /// The next task that is due, or how long to wait for one.
    fn take_due(&self, now_ms: u64) -> Result<String, Duration> {
        let mut state = self.state.lock();
        match state.waiting.first() {
            Some((due, _)) if *due > now_ms => Err(Duration::from_millis(due - now_ms)),
            None => Err(IDLE_WAIT),
            Some(_) => {
                let (_, id) = state.waiting.pop_first().unwrap_or_default();
                state.running.insert(id.clone());
                Ok(id)
            }
        }
    }
}
