//! Attempts at queued tasks, and the handling of their results.

use std::sync::Arc;

use bytes::Bytes;
use tokio::task::JoinHandle;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::tx_of_task;
use tollbridge_market::checkout::{Call, CallAnswer, Checkout, CheckoutError, PaymentSource, TaskContext};
use tollbridge_store::Change;

use super::end::{TaskEnd, TaskFinisher};
use super::error::AgentError;
use super::queue::TaskQueue;
use super::retry::{RetryDecision, error_kind, retry_decision};
use super::task::{TaskError, TaskPayment, TaskRow, TaskState};
use super::task_step::{AttemptStep, attempt_step};

/// The attempts at tasks that are queued, or that run longer than their callers wait.
pub(super) struct TaskAttempts {
    pub(super) checkout: Arc<Checkout>,
    pub(super) queue: Arc<TaskQueue>,
    pub(super) ender: Arc<TaskFinisher>,
    /// Returns the current Unix time in milliseconds.
    pub(super) now_ms: fn() -> u64,
}

impl TaskAttempts {
    pub(super) async fn attempt(&self, id: &str) {
        if let Err(error) = self.try_once(id).await {
            // The row is unchanged, so the task is attempted again after the next start.
            tracing::error!(task = id, %error, "an attempt at a task failed");
        }
    }

    async fn try_once(&self, id: &str) -> Result<(), AgentError> {
        let Some((row, before)) = TaskRow::find(&self.checkout.db, id)? else { return Ok(()) };
        let Some(tx) = tx_of_task(id) else { return Ok(()) };
        let step = attempt_step(&row, self.checkout.db.seq_of_tx(&tx)?.is_some());
        if step == AttemptStep::Skip {
            return Ok(());
        }
        let now_ms = (self.now_ms)();
        let ended = row.clone().ended(TaskState::Completed, None, now_ms);
        let puts = ended.puts(id, Some(before.clone()));
        if step == AttemptStep::Close {
            return self.ender.close(id, &row.account, puts).await;
        }
        let reserved = self.ender.reserved(id, &row)?;
        if row.payment == TaskPayment::Held && reserved < row.price {
            return self.end_charged(id, row, before, reserved).await;
        }
        let account = row.account.clone();
        let task = TaskContext { tx, fingerprint: row.fingerprint, puts, carried_on: true };
        let call = self.call(id, &row, task, now_ms);
        match self.checkout.run(call).await {
            Ok(_) => {
                self.ender.task_ended(&account, id);
                Ok(())
            }
            Err(error) => self.handle_failure(id, row, before, &error).await,
        }
    }

    fn wallet_source(&self, signed: &str, now_ms: u64) -> PaymentSource {
        match self.checkout.payments.wallet_payments.decode(signed, now_ms) {
            Ok(payment) => PaymentSource::Wallet(Arc::new(payment)),
            Err(declined) => PaymentSource::UnusableWallet(declined),
        }
    }

    fn call(&self, id: &str, row: &TaskRow, queued: TaskContext, now_ms: u64) -> Call {
        Call {
            request_id: row.request_id.clone(),
            now_ms,
            account: Some(row.account.clone()),
            share: row.share(),
            kind: PluginKind::Agent,
            name: row.agent.clone(),
            route: format!("POST /v1/agents/{}/invoke", row.agent),
            body: Bytes::from(row.body.clone()),
            source: row.source(id, |signed| self.wallet_source(signed, now_ms)),
            idempotency_key: None,
            queued: Some(Box::new(queued)),
            spend: row.limit(),
            max_cost: None,
        }
    }

    /// Fails a task whose last attempt was charged before a crash.
    async fn end_charged(
        &self,
        id: &str,
        row: TaskRow,
        before: Vec<u8>,
        reserved: Millipence,
    ) -> Result<(), AgentError> {
        let charged = row.price.checked_sub(reserved).unwrap_or(row.price);
        let message =
            format!("the task failed; £{} was charged for earlier answers of other plugins", charged.pounds());
        let error = TaskError { kind: "host".to_owned(), message, charged, input: None };
        self.ender.end(id, row, before, TaskEnd::Failed { error, by_agent: false }).await
    }

    /// Waits for the end of a task that was running when its row was written.
    pub(super) async fn await_running(&self, id: String, running: JoinHandle<Result<CallAnswer, CheckoutError>>) {
        let _running = self.queue.follow_detached(&id);
        let outcome = running.await.unwrap_or(Err(CheckoutError::Lost));
        let result = match (TaskRow::find(&self.checkout.db, &id), outcome) {
            (Ok(Some((row, before))), Ok(_)) => {
                let ended = row.clone().ended(TaskState::Completed, None, (self.now_ms)());
                self.ender.close(&id, &row.account, ended.puts(&id, Some(before))).await
            }
            (Ok(Some((row, before))), Err(error)) => self.handle_failure(&id, row, before, &error).await,
            (Ok(None), _) => Ok(()),
            (Err(error), _) => Err(error),
        };
        if let Err(error) = result {
            tracing::error!(task = id, %error, "a task could not be closed");
        }
    }

    /// Schedules a retry of a failed task, or ends the task.
    async fn handle_failure(
        &self,
        id: &str,
        row: TaskRow,
        before: Vec<u8>,
        error: &CheckoutError,
    ) -> Result<(), AgentError> {
        let now_ms = (self.now_ms)();
        let failure = TaskError {
            kind: error_kind(error).to_owned(),
            message: error.to_string(),
            charged: error.charged(),
            input: error.proposed_input().cloned(),
        };
        match retry_decision(error, &row, now_ms) {
            // The task's slot was released when the task ended.
            RetryDecision::AlreadyEnded => Ok(()),
            RetryDecision::GiveUp { by_agent } => {
                match self.ender.end(id, row, before, TaskEnd::Failed { error: failure, by_agent }).await {
                    // The task was canceled meanwhile.
                    Err(AgentError::Call(CheckoutError::InProgress)) => Ok(()),
                    ended => ended,
                }
            }
            RetryDecision::Retry { after_ms, counts } => {
                let next = row.clone().queued_again(failure, after_ms, counts, now_ms);
                let change = Change { puts: next.puts(id, Some(before)), ..Change::default() };
                match self.checkout.db.submit(change).await {
                    Ok(_) => self.queue.add(&row.share(), id, next.not_before_ms),
                    // The task was canceled meanwhile.
                    Err(_) => tracing::info!(task = id, "a task ended before its retry was queued"),
                }
                Ok(())
            }
        }
    }
}
