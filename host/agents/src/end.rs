//! The end of a task: answered, failed or canceled.
//!
//! Invariant: ending a task replaces exactly the row that was read, so of two concurrent
//! ends one is refused.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::sync::broadcast;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::idempotency::ANSWER_KEPT_MS;
use tollbridge_ledger::{Entry, Payer, TaskMoney, TaskStage, events, tx_of_task};
use tollbridge_market::checkout::{Call, Checkout, CheckoutError};
use tollbridge_store::{Change, Collection, Expect, Hash, OutboxEvent, Put, StoredAnswer};

use super::error::AgentError;
use super::queue::TaskQueue;
use super::retry::{error_kind, is_agents_fault};
use super::task::{TaskError, TaskPayment, TaskRow, TaskState};

/// Number of end events that are buffered for a slow subscriber. A subscriber that falls
/// further behind reads the rows instead.
const ENDED_NOTICES_KEPT: usize = 1_024;

/// The reason why a task ends without an answer.
pub(super) enum TaskEnd {
    Canceled,
    /// The task failed; `by_agent` is true if the agent is at fault, and not the host,
    /// the caller or the payment.
    Failed {
        error: TaskError,
        by_agent: bool,
    },
}

impl TaskEnd {
    const fn stage(&self) -> TaskStage {
        match self {
            Self::Canceled => TaskStage::Canceled,
            Self::Failed { by_agent: true, .. } => TaskStage::Failed,
            Self::Failed { by_agent: false, .. } => TaskStage::Refused,
        }
    }
}

/// Ends tasks, and reports their ends to subscribers.
pub struct TaskFinisher {
    pub(super) checkout: Arc<Checkout>,
    pub(super) queue: Arc<TaskQueue>,
    ended: broadcast::Sender<TaskEnded>,
    /// Returns the current Unix time in milliseconds.
    now_ms: fn() -> u64,
}

/// The event that reports the end of an open task.
#[derive(Clone, Debug)]
pub struct TaskEnded {
    /// The account that requested the task.
    pub account: String,
    /// The id of the task.
    pub task: String,
}

impl TaskFinisher {
    pub(super) fn new(checkout: Arc<Checkout>, queue: Arc<TaskQueue>, now_ms: fn() -> u64) -> Self {
        let (ended, _) = broadcast::channel(ENDED_NOTICES_KEPT);
        Self { checkout, queue, ended, now_ms }
    }

    /// Subscribes to events about open tasks that end from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<TaskEnded> {
        self.ended.subscribe()
    }

    /// Ends a task without an answer. The same write returns the reserved price and
    /// removes it from the key's daily spending.
    pub(super) async fn end(&self, id: &str, row: TaskRow, before: Vec<u8>, end: TaskEnd) -> Result<(), AgentError> {
        let now_ms = (self.now_ms)();
        let reserved = self.reserved(id, &row)?;
        let outbox = match &end {
            TaskEnd::Failed { error, .. } => {
                self.failed_events(id, &row.agent, &row.account, &error.kind, row.failed_attempts, now_ms)
            }
            TaskEnd::Canceled => Vec::new(),
        };
        let (account, spending_row) = (row.account.clone(), row.counted.clone());
        let change = end_change(id, row, before, (end, reserved), now_ms)?;
        self.checkout.db.submit(Change { outbox, ..change }).await?;
        if let Some(spending_row) = spending_row {
            self.checkout.payments.authorizer.spend_limiter.release(&spending_row, reserved);
        }
        self.task_ended(&account, id);
        Ok(())
    }

    /// Returns the amount still reserved for a task: its price, less what the task's
    /// attempts have already paid for answers of other plugins.
    pub(super) fn reserved(&self, id: &str, row: &TaskRow) -> Result<Millipence, AgentError> {
        if row.payment != TaskPayment::Held {
            return Ok(Millipence::ZERO);
        }
        let payer = Payer::Task { account: row.account.clone(), task: id.to_owned() };
        Ok(self.checkout.notary.balance(&payer.ledger_account())?)
    }

    /// Closes the row of a task whose answer is already sealed.
    pub(super) async fn close(&self, id: &str, account: &str, puts: Vec<Put>) -> Result<(), AgentError> {
        self.checkout.db.submit(Change { puts, ..Change::default() }).await?;
        self.task_ended(account, id);
        Ok(())
    }

    /// Releases the slot of a task whose end is durable, and notifies subscribers.
    pub(super) fn task_ended(&self, account: &str, id: &str) {
        self.queue.release_slot(account);
        // Sending fails if there is no subscriber, which is fine.
        let _ = self.ended.send(TaskEnded { account: account.to_owned(), task: id.to_owned() });
    }

    /// Records that an agent failed while the caller was waiting. This does not end the
    /// task, because the caller can continue it by repeating the call with the same key.
    pub(super) fn note_failure(self: &Arc<Self>, id: &str, call: &Call, error: &CheckoutError) {
        let (Some(account), Some(tx), true) = (call.account.clone(), tx_of_task(id), is_agents_fault(error)) else {
            return;
        };
        let (ender, id, agent, kind) = (self.clone(), id.to_owned(), call.name.clone(), error_kind(error));
        tokio::spawn(async move {
            let now_ms = (ender.now_ms)();
            let outbox = ender.failed_events(&id, &agent, &account, kind, 1, now_ms);
            let (amount, stage) = (Millipence::ZERO, TaskStage::Failed);
            let entry = Entry::Task(TaskMoney { account, agent, amount, stage, task: id });
            let Ok(record) = entry.draft(derived_tx(b"failed", &tx), now_ms) else { return };
            let change = Change { record: Some(record), outbox, ..Change::default() };
            if let Err(error) = ender.checkout.db.submit(change).await {
                tracing::warn!(%error, "a failed task was not recorded");
            }
        });
    }

    fn failed_events(
        &self,
        id: &str,
        agent: &str,
        caller: &str,
        kind: &str,
        tries: u32,
        now_ms: u64,
    ) -> Vec<OutboxEvent> {
        let owner = self.checkout.catalog.offer(PluginKind::Agent, agent).map(|offer| offer.owner.clone());
        let mut recipients = vec![caller.to_owned()];
        recipients.extend(owner.ok().filter(|owner| owner != caller));
        recipients.iter().map(|to| events::agent_failed(to, id, agent, kind, tries, now_ms)).collect()
    }
}

/// Builds the change that ends a task without an answer and releases the amount
/// `reserved` to the payer.
pub(super) fn end_change(
    id: &str,
    row: TaskRow,
    before: Vec<u8>,
    (end, reserved): (TaskEnd, Millipence),
    now_ms: u64,
) -> Result<Change, AgentError> {
    let tx = tx_of_task(id).ok_or(AgentError::TaskNotFound)?;
    let record = money_entry(id, &row, reserved, end.stage()).draft(end_tx(&tx), now_ms)?;
    let (state, error) = match end {
        TaskEnd::Canceled => (TaskState::Canceled, None),
        TaskEnd::Failed { error, .. } => (TaskState::Failed, Some(error)),
    };
    let answer = error.as_ref().and_then(|error| error.input.as_ref()).map(|input| StoredAnswer {
        intent: None,
        fingerprint: row.fingerprint,
        content_type: "application/json".into(),
        expires_ms: now_ms.saturating_add(ANSWER_KEPT_MS),
        body: input.to_string().into(),
    });
    let (counted, price) = (row.counted.clone(), row.price);
    let mut puts = row.ended(state, error, now_ms).puts(id, Some(before));
    // The part of the price that the attempts already spent still counts towards the
    // daily limit.
    let spent = price.checked_sub(reserved).filter(|spent| !spent.is_zero());
    let value = spent.map(|spent| spent.get().to_string().into_bytes());
    puts.extend(counted.map(|key| Put { collection: Collection::Spending, key, value, expect: Expect::Any }));
    Ok(Change { puts, record: Some(record), answer, ..Change::default() })
}

/// Derives the id of the transaction that ends a task without an answer. The input that
/// its agent proposed is stored as the answer of that transaction.
pub(super) fn end_tx(tx: &Hash) -> Hash {
    derived_tx(b"end", tx)
}

/// Builds the ledger entry that reserves the price of a queued task, or that releases the
/// reserved amount.
pub(super) fn money_entry(id: &str, row: &TaskRow, amount: Millipence, stage: TaskStage) -> Entry {
    let kept = stage == TaskStage::Canceled && Defect::CanceledTaskKeepsPrice.is_planted();
    Entry::Task(TaskMoney {
        account: row.account.clone(),
        agent: row.agent.clone(),
        amount: if kept { Millipence::ZERO } else { amount },
        stage,
        task: id.to_owned(),
    })
}

/// Derives the id of a further transaction of a task; `what` names its purpose. The id
/// `tx` itself belongs to the transaction that seals the answer.
pub(super) fn derived_tx(what: &[u8], tx: &Hash) -> Hash {
    Sha256::new()
        .chain_update(b"tollbridge task ")
        .chain_update(what)
        .chain_update([0])
        .chain_update(tx)
        .finalize()
        .into()
}
