//! The queue of tasks: what waits is on disk, when it is tried is in memory.
//!
//! Invariants:
//! 1. Whatever ends a task replaces exactly the row that was read, so of two
//!    ends one is refused.
//! 2. After a start every open task is tried again; one whose answer is sealed
//!    is only closed.
//! 3. Tasks that run, that wait, and that one account has waiting are bounded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;

use super::error::AgentError;
use super::service::{AgentService, TaskEnded, derived_tx, money_entry};
use super::task::{TaskError, TaskRow, TaskState};
use tollbridge_core::limits::{TASK_AGE_MS_MAX, TASK_ATTEMPTS_MAX, TASK_BACKOFF_MS, TASKS_RUNNING_MAX};
use tollbridge_ledger::events;
use tollbridge_ledger::{TaskStage, tx_of_task};
use tollbridge_market::checkout::{Answer, Call, Error as CheckoutError, Queued};
use tollbridge_runtime::plugins::Failure;
use tollbridge_runtime::registry::Kind;
use tollbridge_store::{Change, Collection, Expect, Outgoing, Put};

/// What waits, what runs.
pub(super) struct TaskQueue {
    pub(super) state: Mutex<State>,
    changed: Notify,
    places: Arc<Semaphore>,
}

#[derive(Default)]
pub(super) struct State {
    /// By the time before which they are not tried.
    waiting: BTreeSet<(u64, String)>,
    running: HashSet<String>,
    /// Those of `running` that ran already when they became durable: their seal
    /// does not depend on their row.
    detached: HashSet<String>,
    pub(super) open: usize,
    pub(super) by_account: HashMap<String, usize>,
}

impl Default for TaskQueue {
    fn default() -> Self {
        Self { state: Mutex::default(), changed: Notify::new(), places: Arc::new(Semaphore::new(TASKS_RUNNING_MAX)) }
    }
}

/// What became of an attempt that failed.
enum RetryDecision {
    /// The task has ended by other means.
    AlreadyEnded,
    /// Tried again after so many milliseconds; `counts` against its attempts.
    Retry { after_ms: u64, counts: bool },
    /// Given up; whether that is the agent's doing.
    GiveUp { by_agent: bool },
}

impl TaskQueue {
    pub(super) fn release_slot(&self, account: &str) {
        let mut state = self.state.lock();
        state.open = state.open.saturating_sub(1);
        if let Some(own) = state.by_account.get_mut(account) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                state.by_account.remove(account);
            }
        }
    }

    pub(super) fn add(&self, id: &str, not_before_ms: u64) {
        self.state.lock().waiting.insert((not_before_ms, id.to_owned()));
        self.changed.notify_one();
    }

    /// A task that runs already.
    pub(super) fn add_detached(&self, id: &str) {
        let mut state = self.state.lock();
        state.running.insert(id.to_owned());
        state.detached.insert(id.to_owned());
    }

    fn finish(&self, id: &str) {
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

    /// The next task that is due, or how long to wait for one.
    fn next(&self, now_ms: u64) -> Result<String, Duration> {
        let mut state = self.state.lock();
        match state.waiting.first() {
            Some((due, _)) if *due > now_ms => Err(Duration::from_millis(due - now_ms)),
            None => Err(Duration::from_secs(3_600)),
            Some(_) => {
                let (_, id) = state.waiting.pop_first().unwrap_or_default();
                state.running.insert(id.clone());
                Ok(id)
            }
        }
    }
}

/// Works through the queue until the process ends.
pub async fn run_queue(agents: Arc<AgentService>) {
    if let Err(error) = agents.recover() {
        tracing::error!(%error, "open tasks could not be read; they stay as they are until the next start");
    }
    loop {
        let changed = agents.queue.changed.notified();
        let Ok(place) = agents.queue.places.clone().acquire_owned().await else { return };
        match agents.queue.next((agents.deps.now_ms)()) {
            Ok(id) => {
                let this = agents.clone();
                tokio::spawn(async move {
                    this.attempt(&id).await;
                    drop(place);
                });
            }
            Err(wait) => {
                drop(place);
                let _ = tokio::time::timeout(wait, changed).await;
            }
        }
    }
}

impl AgentService {
    /// Puts every open task of the store into the queue.
    pub(crate) fn recover(&self) -> Result<(), AgentError> {
        let mut after = String::new();
        loop {
            let rows = self.deps.store.list(Collection::OpenTasks, &after, 1_000)?;
            let Some((last, _)) = rows.last() else { return Ok(()) };
            after.clone_from(last);
            for (id, _) in rows {
                let Some((row, _)) = self.row(&id)? else { continue };
                // What was accepted before stays accepted, full queue or not.
                let mut state = self.queue.state.lock();
                state.open += 1;
                *state.by_account.entry(row.account).or_default() += 1;
                drop(state);
                self.queue.add(&id, row.not_before_ms);
            }
        }
    }

    async fn attempt(&self, id: &str) {
        let outcome = self.try_once(id).await;
        self.queue.finish(id);
        if let Err(error) = outcome {
            // The row is as it was: the next start tries again.
            tracing::error!(task = id, %error, "a task could not be carried on");
        }
    }

    async fn try_once(&self, id: &str) -> Result<(), AgentError> {
        let Some((row, before)) = self.row(id)? else { return Ok(()) };
        let Some(tx) = tx_of_task(id).filter(|_| row.state.is_open()) else { return Ok(()) };
        let now_ms = (self.deps.now_ms)();
        let ended = row.clone().ended(TaskState::Completed, None, now_ms);
        let puts = ended.puts(id, Some(before.clone()));
        if self.deps.store.seq_of_tx(&tx)?.is_some() {
            return self.close(id, &row.account, puts).await;
        }
        let account = row.account.clone();
        match self
            .deps
            .checkout
            .run(self.call(id, &row, Queued { tx, fingerprint: row.fingerprint, puts }, now_ms))
            .await
        {
            Ok(_) => {
                self.task_ended(&account, id);
                Ok(())
            }
            Err(error) => self.handle_failure(id, row, before, &error).await,
        }
    }

    fn call(&self, id: &str, row: &TaskRow, queued: Queued, now_ms: u64) -> Call {
        Call {
            request_id: row.request_id.clone(),
            now_ms,
            account: Some(row.account.clone()),
            kind: Kind::Agent,
            name: row.agent.clone(),
            route: format!("POST /v1/agents/{}/invoke", row.agent),
            body: Bytes::from(row.body.clone()),
            source: row.source(id),
            idempotency_key: None,
            queued: Some(Box::new(queued)),
            spend: row.limit(),
            max_cost: None,
        }
    }

    /// The answer is sealed already: only the row is behind.
    async fn close(&self, id: &str, account: &str, puts: Vec<Put>) -> Result<(), AgentError> {
        self.deps.writer.submit(Change { puts, ..Change::default() }).await?;
        self.task_ended(account, id);
        Ok(())
    }

    /// An open task has ended, and that is durable.
    fn task_ended(&self, account: &str, id: &str) {
        self.queue.release_slot(account);
        // Nobody may be listening.
        let _ = self.ended.send(TaskEnded { account: account.to_owned(), task: id.to_owned() });
    }

    /// Follows a task that was running when it became durable.
    pub(super) async fn await_running(&self, id: String, running: JoinHandle<Result<Answer, CheckoutError>>) {
        let outcome = running.await.unwrap_or(Err(CheckoutError::Lost));
        let result = match (self.row(&id), outcome) {
            (Ok(Some((row, before))), Ok(_)) => {
                let ended = row.clone().ended(TaskState::Completed, None, (self.deps.now_ms)());
                self.close(&id, &row.account, ended.puts(&id, Some(before))).await
            }
            (Ok(Some((row, before))), Err(error)) => self.handle_failure(&id, row, before, &error).await,
            (Ok(None), _) => Ok(()),
            (Err(error), _) => Err(error),
        };
        self.queue.finish(&id);
        if let Err(error) = result {
            tracing::error!(task = id, %error, "a task could not be closed");
        }
    }

    /// What comes after an attempt that failed.
    async fn handle_failure(
        &self,
        id: &str,
        row: TaskRow,
        before: Vec<u8>,
        error: &CheckoutError,
    ) -> Result<(), AgentError> {
        let now_ms = (self.deps.now_ms)();
        let notice = TaskError { kind: kind(error).to_owned(), message: error.to_string() };
        match retry_decision(error, &row, now_ms) {
            // Whoever ended it has counted it off.
            RetryDecision::AlreadyEnded => Ok(()),
            RetryDecision::GiveUp { by_agent } => {
                match self.end(id, row, before, TaskState::Failed, Some((notice, by_agent))).await {
                    // Canceled meanwhile.
                    Err(AgentError::Call(CheckoutError::InProgress)) => Ok(()),
                    ended => ended,
                }
            }
            RetryDecision::Retry { after_ms, counts } => {
                let mut next = row.clone();
                next.state = TaskState::Queued;
                next.failed_attempts = next.failed_attempts.saturating_add(u32::from(counts));
                next.not_before_ms = now_ms.saturating_add(after_ms);
                next.updated_ms = now_ms;
                next.error = Some(notice);
                let change = Change { puts: next.puts(id, Some(before)), ..Change::default() };
                match self.deps.writer.submit(change).await {
                    Ok(_) => self.queue.add(id, next.not_before_ms),
                    // Canceled meanwhile.
                    Err(_) => tracing::info!(task = id, "a task ended while it was to be tried again"),
                }
                Ok(())
            }
        }
    }

    /// Ends a task without an answer; its price goes back in the same write, and
    /// does not count towards a daily limit any more.
    pub(super) async fn end(
        &self,
        id: &str,
        row: TaskRow,
        before: Vec<u8>,
        state: TaskState,
        error: Option<(TaskError, bool)>,
    ) -> Result<(), AgentError> {
        let Some(tx) = tx_of_task(id) else { return Err(AgentError::TaskNotFound) };
        let now_ms = (self.deps.now_ms)();
        let stage = match &error {
            Some((_, true)) => TaskStage::Failed,
            Some((_, false)) => TaskStage::Refused,
            None => TaskStage::Canceled,
        };
        let record = money_entry(id, &row, stage).draft(derived_tx(b"end", &tx), now_ms)?;
        let outbox = match &error {
            Some((notice, _)) => {
                self.failed_events(id, &row.agent, &row.account, &notice.kind, row.failed_attempts, now_ms)
            }
            None => Vec::new(),
        };
        let (account, counted, price) = (row.account.clone(), row.counted.clone(), row.price);
        let mut puts = row.ended(state, error.map(|(notice, _)| notice), now_ms).puts(id, Some(before));
        let forget = |key: String| Put { collection: Collection::Spending, key, value: None, expect: Expect::Any };
        puts.extend(counted.clone().map(forget));
        let change = Change { puts, record: Some(record), outbox, ..Change::default() };
        self.deps.writer.submit(change).await?;
        if let Some(row) = counted {
            self.deps.checkout.payments.spending.release(&row, price);
        }
        self.task_ended(&account, id);
        Ok(())
    }

    /// Records that an agent failed a caller who waited for it.
    pub(super) fn note_failure(self: &Arc<Self>, id: &str, call: &Call, error: &CheckoutError) {
        let (Some(account), Some(tx), true) = (call.account.clone(), tx_of_task(id), is_agents_fault(error)) else {
            return;
        };
        let (this, id, agent, kind) = (self.clone(), id.to_owned(), call.name.clone(), kind(error));
        tokio::spawn(async move {
            let now_ms = (this.deps.now_ms)();
            let outbox = this.failed_events(&id, &agent, &account, kind, 1, now_ms);
            let amount = tollbridge_core::money::Millipence::ZERO;
            let entry = tollbridge_ledger::Entry::Task(tollbridge_ledger::TaskMoney {
                account,
                agent,
                amount,
                stage: TaskStage::Failed,
                task: id,
            });
            let Ok(record) = entry.draft(derived_tx(b"end", &tx), now_ms) else { return };
            let change = Change { record: Some(record), outbox, ..Change::default() };
            if let Err(error) = this.deps.writer.submit(change).await {
                tracing::warn!(%error, "a failed task was not recorded");
            }
        });
    }

    fn failed_events(&self, id: &str, agent: &str, caller: &str, kind: &str, tries: u32, now_ms: u64) -> Vec<Outgoing> {
        let owner = self.deps.checkout.catalog.offer(Kind::Agent, agent).map(|offer| offer.owner.clone());
        let mut notice = vec![caller.to_owned()];
        notice.extend(owner.ok().filter(|owner| owner != caller));
        notice.iter().map(|to| events::agent_failed(to, id, agent, kind, tries, now_ms)).collect()
    }
}

fn retry_decision(error: &CheckoutError, row: &TaskRow, now_ms: u64) -> RetryDecision {
    if matches!(error, CheckoutError::Superseded) {
        return RetryDecision::AlreadyEnded;
    }
    let old = now_ms.saturating_sub(row.created_ms) > TASK_AGE_MS_MAX;
    let busy = matches!(
        error,
        CheckoutError::Busy
            | CheckoutError::InProgress
            | CheckoutError::Lost
            | CheckoutError::Plugin(Failure::Overloaded { .. })
    );
    if busy && !old {
        return RetryDecision::Retry { after_ms: 1_000, counts: false };
    }
    let by_agent = is_agents_fault(error);
    if by_agent && !old && row.failed_attempts.saturating_add(1) < TASK_ATTEMPTS_MAX {
        let doubled = TASK_BACKOFF_MS.saturating_mul(1 << row.failed_attempts.min(16));
        return RetryDecision::Retry { after_ms: doubled, counts: true };
    }
    RetryDecision::GiveUp { by_agent }
}

fn is_agents_fault(error: &CheckoutError) -> bool {
    matches!(
        error,
        CheckoutError::Plugin(
            Failure::Upstream(_)
                | Failure::Internal(_)
                | Failure::Trapped(_)
                | Failure::BadOutput(_)
                | Failure::TimedOut(_)
        )
    )
}

/// A fixed word for why there is no answer.
fn kind(error: &CheckoutError) -> &'static str {
    match error {
        CheckoutError::Plugin(failure) => failure.kind(),
        CheckoutError::Invalid { .. } | CheckoutError::TooDear { .. } => "invalid_input",
        CheckoutError::Offer(_) => "agent_gone",
        CheckoutError::PaymentRequired(_) => "unpaid",
        _ => "host",
    }
}
