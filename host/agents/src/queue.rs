//! The in-memory part of the task queue: delayed, due and running tasks, and the number
//! of open tasks. The task rows themselves are in the store.
//!
//! Invariants: running and open tasks are bounded, in total and per account; accounts
//! with due tasks take turns.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::fair_queue::{FairLimits, FairQueue};

use super::error::AgentError;
use crate::limits::TASKS_PER_ACCOUNT_MAX;

/// Maximum number of queued tasks that run at once. Each occupies a plugin instance, even
/// while its agent waits.
const TASKS_RUNNING_MAX: usize = 16;
/// Maximum number of tasks of one account that run at once, so that one account cannot
/// occupy all slots.
const TASKS_RUNNING_PER_ACCOUNT_MAX: usize = 4;
/// Maximum number of open tasks of all accounts; each takes a row and some bytes of
/// memory.
const TASKS_WAITING_MAX: usize = 100_000;

/// Maximum sleep of the worker while the queue is empty; a new task wakes it earlier.
const IDLE_WAIT: Duration = Duration::from_secs(3_600);

/// Limits of the queue of due tasks. This queue does not limit the number of waiting
/// tasks: [`TaskSlot`]s limit it when tasks are accepted, and after a restart all
/// accepted tasks must fit.
const LIMITS: FairLimits = FairLimits {
    running: TASKS_RUNNING_MAX,
    running_per_tenant: TASKS_RUNNING_PER_ACCOUNT_MAX,
    waiting: usize::MAX,
    waiting_per_tenant: usize::MAX,
};

/// The open tasks of this process, by state.
pub(super) struct TaskQueue {
    state: Mutex<QueueState>,
    changed: Notify,
}

struct QueueState {
    /// Due time, id, account and weight of each task that is not due yet.
    delayed: BTreeSet<(u64, String, TenantName, NonZeroU32)>,
    /// Ids of due tasks, grouped by account.
    due: FairQueue<TenantName, String>,
    /// The number of running attempts by task. It can exceed 1: the next attempt may
    /// start before the previous one has finished.
    running: HashMap<String, usize>,
    /// Tasks that were already running when their rows were written. Sealing their
    /// answers does not depend on their rows.
    detached: HashSet<String>,
    open: usize,
    open_by_account: HashMap<String, usize>,
    open_per_account_max: usize,
}

impl Default for TaskQueue {
    fn default() -> Self {
        let state = QueueState {
            delayed: BTreeSet::new(),
            due: FairQueue::new(LIMITS),
            running: HashMap::new(),
            detached: HashSet::new(),
            open: 0,
            open_by_account: HashMap::new(),
            open_per_account_max: TASKS_PER_ACCOUNT_MAX,
        };
        Self { state: Mutex::new(state), changed: Notify::new() }
    }
}

/// A slot in the account's limit of open tasks. It is released on drop, or by the end of
/// the task after `keep`.
pub(super) struct TaskSlot {
    queue: Arc<TaskQueue>,
    account: Option<String>,
}

impl TaskSlot {
    /// Keeps the slot until the task ends, because the task's row is durable now.
    pub(super) fn keep(mut self) {
        self.account = None;
    }
}

impl Drop for TaskSlot {
    fn drop(&mut self) {
        if let Some(account) = &self.account {
            self.queue.release_slot(account);
        }
    }
}

/// A running attempt; dropping it frees the account's slot for running tasks.
pub(super) struct RunningAttempt<'a> {
    queue: &'a TaskQueue,
    /// The account whose slot the attempt uses; `None` for tasks that were already
    /// running when their rows were written.
    account: Option<TenantName>,
    id: String,
}

impl Drop for RunningAttempt<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.detached.remove(&self.id);
        if let Some(attempts) = state.running.get_mut(&self.id) {
            *attempts = attempts.saturating_sub(1);
            if *attempts == 0 {
                state.running.remove(&self.id);
            }
        }
        if let Some(account) = &self.account {
            state.due.finish(account);
            self.queue.changed.notify_one();
        }
    }
}

impl TaskQueue {
    /// Reserves a slot for an open task of an account, or returns an error if a limit is
    /// reached.
    pub(super) fn reserve_slot(self: &Arc<Self>, account: &str) -> Result<TaskSlot, AgentError> {
        let mut state = self.state.lock();
        if state.open >= TASKS_WAITING_MAX {
            return Err(AgentError::ServerFull);
        }
        let most = state.open_per_account_max;
        let open = state.open_by_account.entry(account.to_owned()).or_default();
        if *open >= most {
            return Err(AgentError::QueueFull(most));
        }
        *open += 1;
        state.open += 1;
        Ok(TaskSlot { queue: self.clone(), account: Some(account.to_owned()) })
    }

    /// Lowers the limit of open tasks per account, so that tests can reach it.
    #[cfg(feature = "testing")]
    pub(super) fn bound(&self, open_per_account_max: usize) {
        self.state.lock().open_per_account_max = open_per_account_max;
    }

    /// Counts a task that was accepted before a restart, even if that exceeds the limits.
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

    /// Returns the number of open tasks of an account.
    pub(super) fn open_of(&self, account: &str) -> usize {
        self.state.lock().open_by_account.get(account).copied().unwrap_or(0)
    }

    /// Adds a task of an account that becomes due at `not_before_ms`.
    pub(super) fn add(&self, share: &FairShare, id: &str, not_before_ms: u64) {
        let FairShare { tenant, weight } = share.clone();
        self.state.lock().delayed.insert((not_before_ms, id.to_owned(), tenant, weight));
        self.changed.notify_one();
    }

    /// Registers a task that is already running and whose row is about to be written.
    pub(super) fn add_detached(&self, id: &str) {
        let mut state = self.state.lock();
        *state.running.entry(id.to_owned()).or_default() += 1;
        state.detached.insert(id.to_owned());
    }

    /// Returns a guard that counts a detached task as running until the guard is dropped.
    pub(super) fn follow_detached(&self, id: &str) -> RunningAttempt<'_> {
        RunningAttempt { queue: self, account: None, id: id.to_owned() }
    }

    pub(super) fn is_detached(&self, id: &str) -> bool {
        self.state.lock().detached.contains(id)
    }

    pub(super) fn is_running(&self, id: &str) -> bool {
        self.state.lock().running.contains_key(id)
    }

    /// Waits for the next due task whose account may run another task.
    pub(super) async fn next(&self, now_ms: fn() -> u64) -> DueTask {
        loop {
            let changed = self.changed.notified();
            match self.take_due(now_ms()) {
                Ok(task) => return task,
                Err(wait) => {
                    let _ = tokio::time::timeout(wait, changed).await;
                }
            }
        }
    }

    /// Returns the guard of an attempt at a task that [`Self::next`] returned.
    pub(super) fn begin(&self, task: &DueTask) -> RunningAttempt<'_> {
        RunningAttempt { queue: self, account: Some(task.account.clone()), id: task.id.clone() }
    }

    /// Returns the next task that may run; otherwise the time until a delayed task is
    /// due.
    fn take_due(&self, now_ms: u64) -> Result<DueTask, Duration> {
        let mut state = self.state.lock();
        while state.delayed.first().is_some_and(|(due, ..)| *due <= now_ms)
            && let Some((_, id, account, weight)) = state.delayed.pop_first()
        {
            // Cannot fail: this queue has no limit of waiting tasks.
            let _ = state.due.push(&account, weight, id);
        }
        match state.due.pop() {
            Some((account, id)) => {
                *state.running.entry(id.clone()).or_default() += 1;
                Ok(DueTask { account, id })
            }
            None => Err(state.delayed.first().map_or(IDLE_WAIT, |(due, ..)| Duration::from_millis(due - now_ms))),
        }
    }
}

/// A task that is due and may run.
#[derive(Debug)]
pub(super) struct DueTask {
    account: TenantName,
    pub(super) id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(queue: &TaskQueue, now_ms: u64) -> Option<(String, String)> {
        queue.take_due(now_ms).ok().map(|task| (task.account.to_string(), task.id))
    }

    #[test]
    fn another_account_does_not_wait_behind_a_thousand_tasks() {
        let queue = TaskQueue::default();
        for number in 0..991 {
            queue.add(&FairShare::single("acct_many"), &format!("task_{number}"), number);
        }
        let running: Vec<_> = std::iter::from_fn(|| queue.take_due(5_000).ok()).collect();
        assert_eq!(running.len(), TASKS_RUNNING_PER_ACCOUNT_MAX);
        queue.add(&FairShare::single("acct_one"), "task_one", 4_999);
        assert_eq!(take(&queue, 5_000), Some(("acct_one".to_owned(), "task_one".to_owned())));
        assert_eq!(take(&queue, 5_000), None);
        drop(queue.begin(&running[0]));
        assert!(take(&queue, 5_000).is_some_and(|(account, _)| account == "acct_many"));
    }

    #[test]
    fn a_task_is_not_tried_before_its_time() {
        let queue = TaskQueue::default();
        queue.add(&FairShare::single("acct_a"), "task_later", 2_000);
        assert_eq!(queue.take_due(500).unwrap_err(), Duration::from_millis(1_500));
        assert!(take(&queue, 2_000).is_some());
        assert_eq!(queue.take_due(2_000).unwrap_err(), IDLE_WAIT);
    }

    #[test]
    fn an_attempt_that_overlaps_the_next_gives_back_both_places() {
        let queue = TaskQueue::default();
        queue.add(&FairShare::single("acct_a"), "task_a", 0);
        let first = queue.take_due(1).unwrap();
        queue.add(&FairShare::single("acct_a"), "task_a", 0);
        let second = queue.take_due(1).unwrap();
        drop(queue.begin(&first));
        assert!(queue.is_running("task_a"));
        drop(queue.begin(&second));
        assert!(!queue.is_running("task_a"));
        assert_eq!(queue.state.lock().due.running(), 0);
    }
}
